/*
 * faulty_cuda.cu
 *	  The CUDA engine, with faults on demand.
 *
 * Both the engine and the faults are real: an additional kernel fails.  The
 * environment variable GPUCOMPACT_FAULT of the server names a file with "STEP
 * FAULT [NUMBER]", where NUMBER counts the calls of the step in a job, from 1,
 * the default.  The file is read whenever a job begins.
 *
 *		make t/engine/faulty_cuda.so
 */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <cuda/ptx>
#include <cuda_runtime.h>

#include "engine/engine.h"

/* The real engine, under the name that it has in this library; and this one. */
extern "C" const Engine real_engine;
extern "C" const Engine gpucompact_engine;

/* The duration of the fault "busy". */
#define BUSY_NS		1000000000ull

static char fault_step[20];
static char fault[20];
static int	fault_number;
static int	pushes;

__global__ void
write_nowhere(int *nowhere)
{
	*nowhere = 1;
}

__global__ void
trap(void)
{
	cuda::ptx::trap();
}

/* Keeps the thread block's multiprocessor busy. */
__global__ void
be_busy(void)
{
	uint64_t	begin = cuda::ptx::get_sreg_globaltimer();

	while (cuda::ptx::get_sreg_globaltimer() - begin < BUSY_NS)
		;
}

static void
read_fault(void)
{
	const char *name = getenv("GPUCOMPACT_FAULT");
	FILE	   *file = name ? fopen(name, "r") : NULL;

	fault_step[0] = fault[0] = '\0';
	fault_number = 1;
	pushes = 0;
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

static EngineContext *
faulty_open(void)
{
	EngineContext *context = real_engine.open();

	if (context != NULL)
		context->engine = &gpucompact_engine;
	return context;
}

static EngineStatus
faulty_begin(EngineContext *context, const EngineRequest *request)
{
	EngineStatus status;

	status = real_engine.begin(context, request);
	if (status != ENGINE_OK)
		return status;
	read_fault();
	inject_fault("begin", 1);
	return status;
}

static EngineStatus
faulty_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
			int64_t count)
{
	EngineStatus status = real_engine.push(context, data, count);

	inject_fault("push", ++pushes);
	return status;
}

static EngineStatus
faulty_finish(EngineContext *context, EngineResult *result)
{
	inject_fault("finish", 1);
	return real_engine.finish(context, result);
}

/* All other functions are those of the real engine. */
static Engine
make_engine(void)
{
	Engine		engine = real_engine;

	engine.open = faulty_open;
	engine.begin = faulty_begin;
	engine.push = faulty_push;
	engine.finish = faulty_finish;
	return engine;
}

extern "C" __attribute__((visibility("default")))
const Engine gpucompact_engine = make_engine();
