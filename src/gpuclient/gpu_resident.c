/*
 * gpu_resident.c
 *	  Results that stay on the device for this session's next jobs.
 *
 * The session's entry in the shared memory has the numbers of the results that
 * it needs.  The process frees a result soon after its number is gone from
 * there, whatever has become of the session.
 */
#include "gpuclient/gpu_job.h"
#include "gpuclient/gpu_resident.h"

/*
 * Returns a number for a result, and notes that the result is needed; zero if
 * there are too many results.  Another session that is given this one's entry
 * later has other numbers.
 */
uint64_t
gpu_resident_take(GpuConnection *connection)
{
	static uint32_t last = 0;

	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		uint64_t   *place = &connection->session->residents[i];

		if (*place != 0)
			continue;
		__atomic_store_n(place, (uint64_t) getpid() << 32 | ++last,
						 __ATOMIC_RELEASE);
		return *place;
	}
	return 0;
}

/* The result is no longer needed. */
void
gpu_resident_give_back(GpuConnection *connection, uint64_t number)
{
	if (connection->shared == NULL)
		return;
	for (int i = 0; i < SESSION_RESIDENTS; i++)
	{
		uint64_t   *place = &connection->session->residents[i];

		if (*place != number)
			continue;
		__atomic_store_n(place, 0, __ATOMIC_RELEASE);
		doorbell_ring(&connection->shared->dispatch);
	}
}

void
gpu_engine_give_back(EngineContext *context, int device, uint64_t resident)
{
	gpu_resident_give_back(&((GpuJob *) context)->connections[device],
						   resident);
}
