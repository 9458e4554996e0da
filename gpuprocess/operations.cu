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

static bool
is_supported(const DeviceOperation *operation, const EngineRequest *request)
{
	return operation && (!operation->supports || operation->supports(request));
}

/*
 * The implementation by ALGORITHM_SINGLE_PASS, if that has one of its own.  A
 * call's other steps are as without it: no step fails for want of one.
 */
static const DeviceOperation *
find_whole(const EngineRequest *request)
{
	const DeviceOperation *whole =
		request->operation == ENGINE_SCAN ? &gpu_whole_scan :
		request->operation == ENGINE_COMPACT ? &gpu_whole_compact : NULL;

	return request->algorithm == ALGORITHM_SINGLE_PASS &&
		is_supported(whole, request) ? whole : NULL;
}

/* Returns the implementation without the laboratory. */
static const DeviceOperation *
find_operation(const EngineRequest *request)
{
	const DeviceOperation *operation = find_whole(request);

	if (operation == NULL)
		operation = request->operation == ENGINE_DELTA &&
			PARAMETERS(request, DeltaParameters)->lag > 1 ?
			&gpu_lagged_delta : operations[request->operation];
	return is_supported(operation, request) ? operation : NULL;
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
							  lab == NULL ?
							  "The CUDA engine does not know this operation." :
							  "This algorithm does not know this operation on "
							  "elements of this type.");
	return ENGINE_OK;
}
