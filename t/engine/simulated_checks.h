/*
 * simulated_checks.h
 *	  What must hold between two steps.
 *
 * A part of simulate.c, whose state it uses.
 */
#ifndef GPUCOMPACT_SIMULATED_CHECKS_H
#define GPUCOMPACT_SIMULATED_CHECKS_H

/* What must hold for the cache's values that jobs may use. */
static int64_t
check_values(void)
{
	static int	users[CACHE_ENTRIES + MAX_RESULTS];
	int64_t		total = 0;

	for (int i = 0; i < LANES * ENGINE_SOURCES; i++)
	{
		const Lane *lane = &lanes[i / ENGINE_SOURCES];
		int			entry = lane->uses[i % ENGINE_SOURCES].entry;

		if (lane->phase != PHASE_REST && entry >= 0)
			users[entry]++;
	}
	for (int i = 0; i < nsets * CACHE_WAYS; i++)
	{
		int			entry = sets[i / CACHE_WAYS] + i % CACHE_WAYS;
		const Kept *value = &kept[entry];
		const CacheEntry *shared = &lanes_shared->cache[entry];

		must(value->users == users[entry]);
		users[entry] = 0;
		must(shared->sequence % 2 == 0);
		must(value->taken == (value->memory != NULL));
		must(value->taken || (!shared->cached && value->bytes == 0));
		must(!value->taken || shared->cached || value->users > 0);
		must(!value->filling || (value->users == 1 && !shared->cached));
		must(!value->given_up || (value->users > 0 && !shared->cached));
		total += value->bytes;
	}
	must(lanes_shared->cache_bytes == total);
	must(total <= lanes_shared->cache_limit ||
		 find_oldest(0, CACHE_ENTRIES) < 0);
	return total;
}

static int64_t
check_results(void)
{
	int64_t		held = 0;

	for (int i = FIRST_RESULT; i < CACHE_ENTRIES + MAX_RESULTS; i++)
	{
		const Kept *result = &kept[i];
		int			users = 0;

		must(result->taken == (result->memory != NULL));
		if (!result->taken)
			continue;
		for (int n = 0; n < LANES; n++)
		{
			if (lanes[n].phase == PHASE_REST)
				continue;
			for (int s = 0; s < CACHE_USES; s++)
				users += lanes[n].uses[s].entry == i;
		}
		must(result->users == users);
		held += result->bytes;
	}
	return held;
}

/* A session that has a lane uses it, or is about to, or has died. */
static void
check_lease(int number, int entry)
{
	must(clients[entry] != 0);
	for (int i = 0; i < SESSIONS; i++)
	{
		GpuJob	   *job = (GpuJob *) sessions[i].context;
		const GpuConnection *connection = job == NULL ? NULL :
			&job->connections[0];

		if (job == NULL || connection->shared != lanes_shared ||
			connection->number != entry)
			continue;
		must(connection->session->state == SESSION_GRANTED ||
			 (job->lane != NULL && job->lane_number == number));
	}
}

/* A session without a job needs what stays for it, and nothing else. */
static void
check_needed(const Session *session)
{
	const GpuConnection *connection = session->phase != SESSION_CONNECTS ?
		NULL : &((GpuJob *) session->context)->connections[0];
	int			needed = 0;

	if (connection == NULL || connection->shared != lanes_shared)
		return;
	for (int i = 0; i < SESSION_RESIDENTS; i++)
		needed += connection->session->residents[i] > ELSEWHERE;
	must(needed == may_use_resident(session));
}

/* What must hold between two steps. */
static void
check(void)
{
	uint64_t	free = lanes_shared->free;
	unsigned	waiting = 0;

	must(locks == 0);
	for (int i = 0; i < LANES; i++)
	{
		const SharedLane *lane = &lanes_shared->lanes[i];
		bool		is_free = free >> i & 1;

		must(!is_free || lanes_shared->ending != ENDING_IDLE);
		must(!is_free || (lane->state == LANE_IDLE && lane->session < 0 &&
						  lanes[i].phase == PHASE_REST));
		must(is_free || lanes_shared->ending == ENDING_IDLE ||
			 lane->state == LANE_ABANDONED || lane->session >= 0);
		if (!is_free && lane->session >= 0 && lane->state != LANE_ABANDONED)
			check_lease(i, lane->session);
	}
	for (int i = 0; i < lanes_shared->nsessions; i++)
		waiting += lanes_shared->sessions[i].state == SESSION_WAITING;
	must(lanes_shared->waiting == waiting);
	for (int i = 0; i < SESSIONS; i++)
		check_needed(&sessions[i]);
	must(device_bytes == check_values() + check_results());
}

#endif							/* GPUCOMPACT_SIMULATED_CHECKS_H */
