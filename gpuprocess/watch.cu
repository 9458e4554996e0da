/*
 * watch.cu
 *	  Finding out that kernels have ended, and how long they took.
 *
 * The driver knows it from the events around the kernels.  But all threads of
 * a process share the driver's lock, so a kernel that runs alone may report
 * its end to the host itself.
 */
#include "gpuprocess/job.h"

/* How often the driver is asked about a kernel that reports its own end. */
#define ASK_NS			1000000

cudaError_t
event_pair_open(EventPair *events)
{
	TRY(cudaEventCreate(&events->begin));
	return cudaEventCreate(&events->end);
}

/* Queues work between two events. */
EngineStatus
event_pair_run(DeviceLane *lane, const EventPair *events,
			   const DeviceWork *work)
{
	TRY_CUDA(&lane->failure, cudaEventRecord(events->begin, work->stream));
	TRY_CUDA(&lane->failure, lane->operation->run(work));
	TRY_CUDA(&lane->failure, cudaEventRecord(events->end, work->stream));
	return ENGINE_OK;
}

/*
 * Sets *ended if both events have occurred; then adds the time between them.
 */
EngineStatus
event_pair_look(DeviceLane *lane, const EventPair *events, bool *ended,
				double *ms)
{
	cudaError_t error = cudaEventQuery(events->end);
	float		elapsed;

	*ended = error == cudaSuccess;
	if (error == cudaErrorNotReady)
		return ENGINE_OK;
	TRY_CUDA(&lane->failure, error);
	TRY_CUDA(&lane->failure, cudaEventElapsedTime(&elapsed, events->begin,
												  events->end));
	*ms += elapsed;
	return ENGINE_OK;
}

cudaError_t
watch_open(Watch *watch)
{
	TRY(cudaMallocHost((void **) &watch->end, sizeof(KernelTimer)));
	watch->end->number = 0;
	return event_pair_open(&watch->events);
}

/* Queues the work of a job that is not in parts. */
EngineStatus
watch_run(DeviceLane *lane, DeviceWork *work)
{
	Watch	   *watch = &lane->kernel;

	if (!(lane->traits & TRAIT_TELLS))
		return event_pair_run(lane, &watch->events, work);
	work->end = watch->end;
	work->timer_number = ++watch->number;
	watch->asked_ns = lanes_now_ns();
	TRY_CUDA(&lane->failure, lane->operation->run(work));
	return ENGINE_OK;
}

/*
 * Sets *ended if the work has ended; then adds its time.  The driver is asked
 * about a kernel that reports its own end, too, every ASK_NS, because only the
 * driver knows of errors.
 */
EngineStatus
watch_look(DeviceLane *lane, bool *ended)
{
	Watch	   *watch = &lane->kernel;
	cudaError_t error = cudaErrorNotReady;
	int64_t		now;

	if (!(lane->traits & TRAIT_TELLS))
		return event_pair_look(lane, &watch->events, ended, &lane->kernel_ms);
	now = lanes_now_ns();
	if (now - watch->asked_ns > ASK_NS)
	{
		error = cudaStreamQuery(kernel_stream(lane));
		watch->asked_ns = now;
	}
	*ended = __atomic_load_n(&watch->end->number, __ATOMIC_ACQUIRE) ==
		watch->number;
	if (*ended)
		lane->kernel_ms += watch->end->ns / 1e6;
	if (error != cudaErrorNotReady)
		TRY_CUDA(&lane->failure, error);
	return ENGINE_OK;
}
