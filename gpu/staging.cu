/*
 * staging.cu
 *	  The way of the data to the device and back.
 *
 * A job goes through the slots in turn.  While the caller fills one with what
 * it reads, one is uploaded, one is computed on, one is downloaded, and one is
 * copied to the result.  The team does the copying: fresh memory is slow to
 * write, as each page of it must first be found and cleared.
 */
#include <cstring>
#include <sched.h>

#include "job.h"

#define PAGE_BYTES		4096
#define PREFAULT_BYTES	((int64_t) 2 * 1024 * 1024)

static Slot *
slot_of(CudaJob *job, int64_t piece)
{
	return &job->lane.slots[piece % SLOTS];
}

/* The slot that is to be used next; free after staging_make_room. */
Slot *
staging_next(CudaJob *job)
{
	return slot_of(job, job->pieces);
}

static EngineStatus
add_span(CudaJob *job, const Span *span, double *ms)
{
	float		elapsed;

	TRY_CUDA(&job->failure, cudaEventElapsedTime(&elapsed, span->begin, span->end));
	*ms += elapsed;
	return ENGINE_OK;
}

/* Has it come to this event?  If not, and "wait", waits a moment. */
static EngineStatus
reached(CudaJob *job, cudaEvent_t event, bool wait, bool *yes)
{
	int64_t		until = wait ? now_ns() + WAIT_NS : 0;
	cudaError_t error = cudaEventQuery(event);

	while (error == cudaErrorNotReady && wait && now_ns() < until)
	{
		(void) sched_yield();
		error = cudaEventQuery(event);
	}
	*yes = error == cudaSuccess;
	if (error != cudaErrorNotReady)
		TRY_CUDA(&job->failure, error);
	return ENGINE_OK;
}

/* Copies a part of a slot to the result, as a task. */
static void
copy_part(void *argument, int number)
{
	CudaJob  *job = (CudaJob *) argument;
	Slot	   *slot = &job->lane.slots[number / COPY_PARTS];
	int			part = number % COPY_PARTS;
	int64_t		from = slot->bytes_out * part / COPY_PARTS;
	int64_t		to = slot->bytes_out * (part + 1) / COPY_PARTS;
	int64_t		start = now_ns();

	memcpy(slot->destination + from, (char *) slot->host_out + from,
		   to - from);
	__atomic_add_fetch(&job->copy_ns, now_ns() - start, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&slot->pending, 1, __ATOMIC_RELEASE);
}

static void
start_copying(CudaJob *job, Slot *slot)
{
	int			number = (int) (slot - job->lane.slots) * COPY_PARTS;

	slot->state = SLOT_COPYING;
	slot->pending = COPY_PARTS;
	for (int part = 0; part < COPY_PARTS; part++)
		team_add(&job->team, copy_part, job, number + part);
}

/* Queues the download of some results by way of a slot. */
EngineStatus
staging_download(CudaJob *job, Slot *slot, const void *from, void *to,
				 size_t bytes)
{
	cudaStream_t stream = job->lane.download;

	slot->bytes_out = bytes;
	slot->destination = (char *) to;
	TRY_CUDA(&job->failure, cudaEventRecord(slot->download.begin, stream));
	TRY_CUDA(&job->failure, cudaMemcpyAsync(slot->host_out, from, bytes,
							 cudaMemcpyDeviceToHost, stream));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->download.end, stream));
	slot->state = SLOT_DOWNLOADING;
	return ENGINE_OK;
}

/* A piece's results take the next place. */
static EngineStatus
download_piece(CudaJob *job, Slot *slot)
{
	const EngineRequest *request = &job->request;
	int			size = output_size(request, 0);
	char	   *to = (char *) request->outputs[0].memory + job->written;

	if (job->operation->counts)
		slot->bytes_out = *slot->results * size;
	job->written += slot->bytes_out;
	if (job->written > request->room * size)
		slot->bytes_out = 0;	/* it counts, but does not fit */
	return staging_download(job, slot, slot->device_out, to, slot->bytes_out);
}

/*
 * Moves a slot on by a step, if what it waits for is done; "wait" is to wait
 * a moment for it.
 */
static EngineStatus
step(CudaJob *job, Slot *slot, bool wait, bool *moved)
{
	*moved = false;
	switch (slot->state)
	{
		case SLOT_FREE:
			break;
		case SLOT_UPLOADING:
			TRY_STATUS(reached(job, slot->kernel.end, wait, moved));
			if (*moved)
			{
				TRY_STATUS(add_span(job, &slot->upload, &job->upload_ms));
				TRY_STATUS(add_span(job, &slot->kernel, &job->kernel_ms));
				slot->state = SLOT_FREE;
			}
			break;
		case SLOT_COMPUTING:
			TRY_STATUS(reached(job, slot->kernel.end, wait, moved));
			if (*moved)
			{
				TRY_STATUS(add_span(job, &slot->upload, &job->upload_ms));
				TRY_STATUS(add_span(job, &slot->kernel, &job->kernel_ms));
				TRY_STATUS(download_piece(job, slot));
			}
			break;
		case SLOT_DOWNLOADING:
			TRY_STATUS(reached(job, slot->download.end, wait, moved));
			if (*moved)
			{
				TRY_STATUS(add_span(job, &slot->download, &job->download_ms));
				start_copying(job, slot);
			}
			break;
		case SLOT_COPYING:
			if (wait)
				team_wait(&job->team, &slot->pending);
			*moved = __atomic_load_n(&slot->pending, __ATOMIC_ACQUIRE) == 0;
			if (*moved)
				slot->state = SLOT_FREE;
			break;
	}
	return ENGINE_OK;
}

/*
 * Moves all slots on as far as they can without waiting, the oldest first.
 * Behind one that is not computed none is looked at, though it may be done by
 * then: results take their places in order.
 */
EngineStatus
staging_advance(CudaJob *job)
{
	bool		computed = true;

	for (int64_t piece = job->retired; computed && piece < job->pieces;
		 piece++)
	{
		bool		moved = true;

		while (moved)
			TRY_STATUS(step(job, slot_of(job, piece), false, &moved));
		computed = slot_of(job, piece)->state != SLOT_COMPUTING;
	}
	while (job->retired < job->pieces &&
		   slot_of(job, job->retired)->state == SLOT_FREE)
		job->retired++;
	return ENGINE_OK;
}

/* Moves the oldest slot on by a step, waiting a moment if need be. */
static EngineStatus
wait_for_oldest(CudaJob *job)
{
	bool		moved;

	TRY_STATUS(step(job, slot_of(job, job->retired), true, &moved));
	return staging_advance(job);
}

/* Moves things on; ENGINE_MORE until the next slot is free. */
EngineStatus
staging_make_room(CudaJob *job)
{
	if (job->pieces - job->retired < SLOTS)
		return ENGINE_OK;
	TRY_STATUS(wait_for_oldest(job));
	return job->pieces - job->retired < SLOTS ? ENGINE_OK : ENGINE_MORE;
}

/* Moves things on; ENGINE_MORE until all slots are free. */
EngineStatus
staging_drain(CudaJob *job)
{
	if (job->retired == job->pieces)
		return ENGINE_OK;
	TRY_STATUS(wait_for_oldest(job));
	return job->retired == job->pieces ? ENGINE_OK : ENGINE_MORE;
}

/*
 * Queues the upload of a piece, and has the kernels wait for it; data that is
 * not in the slot is first copied there.
 */
EngineStatus
staging_upload(CudaJob *job, Slot *slot,
			   const void *const data[ENGINE_INPUTS],
			   void *const to[ENGINE_INPUTS], int64_t count)
{
	Lane	   *lane = &job->lane;

	TRY_CUDA(&job->failure, cudaEventRecord(slot->upload.begin, lane->upload));
	for (int i = 0; i < job->request.inputs; i++)
	{
		void	   *from = slot_input(job, slot->host_in, i);
		size_t		bytes = count * input_size(&job->request, i);

		if (data[i] != from)
			memcpy(from, data[i], bytes);
		TRY_CUDA(&job->failure, cudaMemcpyAsync(to[i], from, bytes, cudaMemcpyHostToDevice,
								 lane->upload));
	}
	TRY_CUDA(&job->failure, cudaEventRecord(slot->upload.end, lane->upload));
	TRY_CUDA(&job->failure, cudaStreamWaitEvent(lane->device->compute, slot->upload.end, 0));
	return ENGINE_OK;
}

/* Queues the upload of bytes that no kernel works on yet. */
EngineStatus
staging_upload_bytes(CudaJob *job, Slot *slot, const void *from, void *to,
					 size_t bytes)
{
	cudaStream_t stream = job->lane.upload;
	cudaStream_t compute = job->lane.device->compute;

	memcpy(slot->host_in, from, bytes);
	TRY_CUDA(&job->failure, cudaEventRecord(slot->upload.begin, stream));
	TRY_CUDA(&job->failure, cudaMemcpyAsync(to, slot->host_in, bytes,
							 cudaMemcpyHostToDevice, stream));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->upload.end, stream));
	TRY_CUDA(&job->failure, cudaStreamWaitEvent(compute, slot->upload.end, 0));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.begin, compute));
	TRY_CUDA(&job->failure, cudaEventRecord(slot->kernel.end, compute));
	slot->state = SLOT_UPLOADING;
	return ENGINE_OK;
}

/*
 * Writes to each page of the result, so that it is there when the sorted keys
 * are; as a task of each helper, while the caller still reads.
 */
static void
prefault_result(void *argument, int number)
{
	CudaJob  *job = (CudaJob *) argument;
	char	   *result = (char *) job->request.outputs[0].memory;
	int64_t		bytes = job->request.count * output_size(&job->request, 0);

	while (!__atomic_load_n(&job->stop_prefaulting, __ATOMIC_RELAXED))
	{
		int64_t		from = __atomic_fetch_add(&job->prefaulted, PREFAULT_BYTES,
											  __ATOMIC_RELAXED);

		for (int64_t at = from; at < from + PREFAULT_BYTES && at < bytes;
			 at += PAGE_BYTES)
			*(volatile char *) (result + at) = 0;
		if (from >= bytes)
			break;
	}
	__atomic_sub_fetch(&job->prefaulting, 1, __ATOMIC_RELEASE);
}

/* To be called before anything is written to the result. */
void
staging_stop_prefaulting(CudaJob *job)
{
	__atomic_store_n(&job->stop_prefaulting, true, __ATOMIC_RELAXED);
	while (__atomic_load_n(&job->prefaulting, __ATOMIC_ACQUIRE) != 0)
		team_wait(&job->team, &job->prefaulting);
}

void
staging_start_team(CudaJob *job)
{
	const OperationFacts *facts = &operation_facts[job->request.operation];

	if (job->request.count < COPY_TEAM_COUNT)
		return;
	team_start(&job->team, job->request.threads - 1);
	if (facts->gathers && facts->shape == RESULT_EACH)
	{
		job->prefaulting = job->team.helpers;
		for (int i = 0; i < job->team.helpers; i++)
			team_add(&job->team, prefault_result, job, i);
	}
}

/*
 * Ends the team, so that nobody writes to the result.  The device may still go on
 * with the slots.
 */
void
staging_abandon(CudaJob *job)
{
	__atomic_store_n(&job->stop_prefaulting, true, __ATOMIC_RELAXED);
	team_stop(&job->team);
	for (int i = 0; i < SLOTS; i++)
		job->lane.slots[i].state = SLOT_FREE;
}
