/*
 * operations.cu
 *	  The implementation on the device that a request takes.
 */
#include "gpuprocess/job.h"
#include "kernels/common/kernels.h"
#include "kernels/lab/lab.h"

#define ON_BOTH(name)		&cuda_##name
#define ON_CPU_ALONE(name)	NULL

static const DeviceOperation *const operations[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, engines, ...) ON_##engines(name),
#include "contract/operations.h"
};

/* Returns the implementation by the algorithm that a request names. */
static const DeviceOperation *
find_operation(const EngineRequest *request)
{
	bool		alone = request->algorithm == ALGORITHM_SINGLE_PASS;

	if (lab_requested(request))
		return request->operation == ENGINE_COMPACT ?
			&gpu_lab_compact : &gpu_lab;
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return alone ? &gpu_whole_scan : &cuda_scan;
		case ENGINE_REDUCE:
			return alone ? NULL : &cuda_reduce;
		case ENGINE_COMPACT:
			return alone ? &gpu_whole_compact : &cuda_compact;
		default:
			return operations[request->operation];
	}
}

/*
 * Returns the implementation of a request, or NULL if it is not supported.
 */
const DeviceOperation *
device_operation(const EngineRequest *request)
{
	const DeviceOperation *operation =
		(unsigned) request->operation < ENGINE_OPERATIONS ?
		find_operation(request) : NULL;

	return operation &&
		(!operation->supports || operation->supports(request)) ?
		operation : NULL;
}
