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

/*
 * Called before the work is queued.  If "tells", the work is one kernel, which
 * reports its own end.
 */
EngineStatus
watch_begin(DeviceLane *lane, Watch *watch, DeviceWork *work, bool tells)
{
	watch->stream = work->stream;
	watch->tells = tells;
	if (!tells)
	{
		TRY_CUDA(&lane->failure, cudaEventRecord(watch->events.begin,
												 work->stream));
		return ENGINE_OK;
	}
	work->end = watch->end;
	work->timer_number = ++watch->number;
	watch->asked_ns = lanes_now_ns();
	return ENGINE_OK;
}

EngineStatus
watch_queued(DeviceLane *lane, Watch *watch)
{
	if (!watch->tells)
		TRY_CUDA(&lane->failure, cudaEventRecord(watch->events.end,
												 watch->stream));
	return ENGINE_OK;
}

/*
 * Sets *yes if the kernel has reported its end.  Asks the driver, too, every
 * ASK_NS, because only the driver knows of errors.
 */
static EngineStatus
has_told(DeviceLane *lane, Watch *watch, bool *yes)
{
	int64_t		now = lanes_now_ns();
	cudaError_t error = cudaSuccess;

	if (now - watch->asked_ns > ASK_NS)
	{
		error = cudaStreamQuery(watch->stream);
		watch->asked_ns = now;
	}
	*yes = __atomic_load_n(&watch->end->number, __ATOMIC_ACQUIRE) ==
		watch->number;
	if (error != cudaErrorNotReady)
		TRY_CUDA(&lane->failure, error);
	return ENGINE_OK;
}

/* Sets *ended if the work has ended; then adds its time. */
EngineStatus
watch_look(DeviceLane *lane, Watch *watch, bool *ended, double *ms)
{
	if (!watch->tells)
		return event_pair_look(lane, &watch->events, ended, ms);
	TRY_STATUS(has_told(lane, watch, ended));
	if (*ended)
		*ms += watch->end->ns / 1e6;
	return ENGINE_OK;
}
