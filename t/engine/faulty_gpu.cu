/*
 * faulty_gpu.cu
 *	  The GPU process, with faults on demand.
 *
 * Both the jobs and the faults are real: an additional kernel fails.  The
 * environment variable GPUCOMPACT_FAULT of the server names a file with "STEP
 * FAULT [NUMBER]", where NUMBER counts the calls of the step in a job, from 1,
 * the default.  The file is read whenever a job begins.
 *
 *		make t/engine/faulty_gpu
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda_runtime.h>

#include "gpuprocess/program.h"
#include "kernels/common/launch.h"

/* The real functions, under the names that they have in this program. */
extern "C" EngineStatus real_job_begin(DeviceLane *lane,
									   const CacheUse uses[CACHE_USES]);
extern "C" EngineStatus real_job_step(DeviceLane *lane, JobWait *wait);

/* The duration of the fault "busy". */
#define BUSY_NS		1000000000ull

/* Of the job in the thread's lane. */
static thread_local char fault_step[20];
static thread_local char fault[20];
static thread_local int fault_number;
static thread_local int steps;	/* that went on */

__global__ void
write_nowhere(int *nowhere)
{
	*nowhere = 1;
}

__global__ void
trap(void)
{
	__trap();
}

/* Keeps the thread block's multiprocessor busy. */
__global__ void
be_busy(void)
{
	uint64_t	begin = now_ns();

	while (now_ns() - begin < BUSY_NS)
		;
}

static void
read_fault(void)
{
	const char *name = getenv("GPUCOMPACT_FAULT");
	FILE	   *file = name ? fopen(name, "r") : NULL;

	fault_step[0] = fault[0] = '\0';
	fault_number = 1;
	steps = 0;
	if (file == NULL)
		return;
	(void) !fscanf(file, "%19s %19s %d", fault_step, fault, &fault_number);
	fclose(file);
}

/* Launches the kernel of the fault, in a stream that waits for no other. */
static void
inject_fault(const char *step, int number)
{
	if (strcmp(step, fault_step) != 0 || number != fault_number)
		return;
	fault_step[0] = '\0';
	if (strcmp(fault, "illegal") == 0)
		write_nowhere<<<1, 1, 0, cudaStreamPerThread>>>((int *) 16);
	else if (strcmp(fault, "trap") == 0)
		trap<<<1, 1, 0, cudaStreamPerThread>>>();
	else if (strcmp(fault, "busy") == 0)
	{
		int			multiprocessors = 0;

		(void) cudaDeviceGetAttribute(&multiprocessors,
									  cudaDevAttrMultiProcessorCount, 0);
		be_busy<<<2 * multiprocessors, 1024, 0, cudaStreamPerThread>>>();
	}
}

EngineStatus
job_begin(DeviceLane *lane, const CacheUse uses[CACHE_USES])
{
	EngineStatus status = real_job_begin(lane, uses);

	if (status != ENGINE_OK)
		return status;
	read_fault();
	inject_fault("begin", 1);
	return status;
}

EngineStatus
job_step(DeviceLane *lane, JobWait *wait)
{
	EngineStatus status = real_job_step(lane, wait);

	if (*wait == WAIT_FOR_NOTHING)
		inject_fault("step", ++steps);
	return status;
}
