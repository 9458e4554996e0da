/*
 * operations.cu
 *	  The implementation on the device that a request takes.
 */
#include "contract/operations/delta.h"
#include "gpuprocess/job.h"
#include "kernels/common/kernels.h"
#include "kernels/lab/lab_library.h"

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
	const DeviceOperation *operation;

	switch (request->operation)
	{
		case ENGINE_SCAN:
			operation = alone ? &gpu_whole_scan : &cuda_scan;
			break;
		case ENGINE_REDUCE:
			operation = alone ? NULL : &cuda_reduce;
			break;
		case ENGINE_COMPACT:
			operation = alone ? &gpu_whole_compact : &cuda_compact;
			break;
		case ENGINE_DELTA:
			operation = PARAMETERS(request, DeltaParameters)->lag > 1 ?
				&gpu_lagged_delta : &cuda_delta;
			break;
		default:
			operation = operations[request->operation];
	}
	return operation &&
		(!operation->supports || operation->supports(request)) ?
		operation : NULL;
}

/* Finds the implementation of a request. */
EngineStatus
device_operation(const EngineRequest *request, Failure *failure,
				 const DeviceOperation **operation)
{
	const LabLibrary *lab = NULL;

	*operation = NULL;
	if (is_lab_algorithm(request->algorithm))
	{
		lab = lab_library(failure);
		if (lab == NULL)
			return ENGINE_NOT_SUPPORTED;
	}
	if ((unsigned) request->operation < ENGINE_OPERATIONS)
		*operation = lab ? lab->operation(request) : find_operation(request);
	if (*operation == NULL)
		return device_refused(failure, ENGINE_NOT_SUPPORTED,
							  request->algorithm == ALGORITHM_AUTO ?
							  "The CUDA engine does not know this operation." :
							  "This algorithm does not know this operation on "
							  "elements of this type.");
	return ENGINE_OK;
}
