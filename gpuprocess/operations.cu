/*
 * operations.cu
 *	  The implementation on the device that a request takes.
 */
#include "gpuprocess/job.h"
#include "kernels/lab/lab_library.h"

#define ON_BOTH(name)		&cuda_##name
#define ON_CPU_ALONE(name)	NULL

static const DeviceOperation *const operations[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, engines, ...) ON_##engines(name),
#include "contract/operations.h"
};

/* Returns the implementation without the laboratory. */
static const DeviceOperation *
find_operation(const EngineRequest *request)
{
	const DeviceOperation *operation = operations[request->operation];

	return operation && (!operation->supports || operation->supports(request)) ?
		operation : NULL;
}

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
