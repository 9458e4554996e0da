/*
 * simulated_sessions.h
 *	  What sessions do: they choose jobs, and know the right answers.
 *
 * A part of simulate.c, whose state it uses.
 */
#ifndef GPUCOMPACT_SIMULATED_SESSIONS_H
#define GPUCOMPACT_SIMULATED_SESSIONS_H

static bool
may_use_resident(const Session *session)
{
	return session->resident != 0 && alive && session->resident_life == life;
}

/* A source of a job: an array of its own, or a stored one, or what stays. */
static const unsigned char *
choose_source(Session *session, int source, int64_t count)
{
	EngineRequest *request = &session->request;

	if (may_use_resident(session) &&
		(session->resident_count == count ? chance(2) :
		 session->resident_count < count && chance(16)))
	{
		request->residents[source] = session->resident;
		session->too_much |= session->resident_count < count;
		return session->kept;
	}
	for (int i = 0; i < 4; i++)
	{
		Value	   *value = &values[number(VALUES)];

		if (value->identity.key.bytes != count)
			continue;
		request->identities[source] = &value->identity;
		return value->elements;
	}
	return bytes + number(65536);
}

/* The session lets what stays go. */
static void
give_back_resident(Session *session)
{
	if (session->resident != 0 && session->resident_life == life)
		gpu_engine_give_back(session->context, 0, session->resident);
	session->resident = 0;
}

static void
choose_job(Session *session)
{
	EngineRequest *request = &session->request;
	int64_t		count = lengths[number(3)];
	const unsigned char *second = NULL;

	if (session->resident != 0 && chance(2))
		count = session->resident_count;
	*request = (EngineRequest)
	{
		.operation = ENGINE_ZIP, .count = count, .inputs = 1 + chance(2),
			.room = count, .threads = 1, .device = -1, .next_oid = next_oid,
			.outputs[0] = {session->answer, KIND_UINT1}, .stays = chance(3),
			.memory_limit = chance(4) ? (1 + number(4)) * MOST : 0
	};
	session->too_much = session->in_turn = false;
	session->inputs[0] = choose_source(session, 0, count);
	if (request->inputs > 1)
		session->inputs[1] = second = choose_source(session, 1, count);
	if (chance(3))
	{
		request->table_bytes = lengths[number(3)];
		request->table = choose_source(session, ENGINE_TABLE,
									   request->table_bytes);
	}
	answer(request->table, request->table_bytes, session->inputs[0], second,
		   count, session->expected);
	session->life = life;
	session->rounds = rounds;
	session->pushed = 0;
	session->phase = SESSION_BEGINS;
}

/* A job is over: right, or with a reason why not. */
static void
job_over(Session *session, EngineStatus status)
{
	const EngineRequest *request = &session->request;
	bool		stays = status == ENGINE_OK && session->result.resident != 0;

	if (status == ENGINE_OK)
	{
		must(session->result.count == request->count && !session->too_much);
		must(stays || memcmp(session->answer, session->expected,
							 request->count) == 0);
		jobs_right++;
	}
	else if (alive && session->life == life && !lanes_shared->hangs &&
			 !session->too_much &&
			 strcmp(gpu_engine.message(session->context), "as planned") != 0)
		wrong("a job fails: %s", gpu_engine.message(session->context));
	jobs_failed += status != ENGINE_OK;
	gpu_engine.end(session->context);
	if (stays || chance(2))
		give_back_resident(session);
	if (stays)
	{
		session->resident = session->result.resident;
		session->resident_life = session->life;
		session->resident_count = request->count;
		memcpy(session->kept, session->expected, request->count);
	}
	session->phase = SESSION_CONNECTS;
}

static EngineStatus
push_piece(Session *session)
{
	const EngineRequest *request = &session->request;
	EngineContext *context = session->context;
	void	   *buffers[ENGINE_INPUTS];
	const void *data[ENGINE_INPUTS] = {NULL};
	int64_t		count;

	TRY_STATUS(gpu_engine.buffer(context, buffers, &count));
	if (count > request->count - session->pushed)
		count = request->count - session->pushed;
	for (int i = 0; i < request->inputs; i++)
	{
		if (!context->has[i])
			data[i] = session->inputs[i] + session->pushed;
	}
	session->pushed += count;
	return gpu_engine.push(context, data, count);
}

static void
session_step(Session *session)
{
	EngineContext *context = session->context;
	GpuConnection *connection = &((GpuJob *) context)->connections[0];
	EngineStatus status = ENGINE_OK;

	if (session->phase != SESSION_CONNECTS && fault(locks > 0 ? 5 : 200))
	{
		gpu_engine.end(context);
		session->phase = SESSION_CONNECTS;
	}
	switch (session->phase)
	{
		case SESSION_CONNECTS:
			if (session->jobs-- == 0)
			{
				session->phase = SESSION_GONE;
				session->context = NULL;
				gpu_engine.close(context);
			}
			else if (gpu_engine_connect(context, 0) == GPU_CONNECTED)
			{
				uint64_t   *places = connection->session->residents;

				gpu_engine_on_cpu(context, (int) number(3));
				for (int i = 0; i < SESSION_RESIDENTS - 1 && chance(2); i++)
					places[i] += places[i] == 0 ? ELSEWHERE : 0;
				if (fault(10))
					(void) __wrap_send(connection->socket,
									   chance(20) ? "L" : "C", 1, 0);
				choose_job(session);
			}
			return;
		case SESSION_BEGINS:
			status = gpu_engine.begin(context, &session->request);
			if (status == ENGINE_OK)
				session->phase = SESSION_PUSHES;
			break;
		case SESSION_PUSHES:
			if (session->pushed < session->request.count &&
				!engine_has_inputs(context, &session->request))
				status = push_piece(session);
			else
				session->phase = SESSION_FINISHES;
			break;
		case SESSION_FINISHES:
			status = gpu_engine.finish(context, &session->result);
			if (status == ENGINE_OK)
				job_over(session, status);
			break;
		case SESSION_GONE:
			break;
	}
	if (status != ENGINE_OK && status != ENGINE_MORE)
		job_over(session, status);
}

#endif							/* GPUCOMPACT_SIMULATED_SESSIONS_H */
