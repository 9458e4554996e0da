/*
 * resident.c
 *	  Results of a call that stay on the device for the next step of a chain.
 */
#include "compat.h"

#include "array/array_reader.h"
#include "call/call.h"
#include "call/job.h"
#include "call/resident.h"
#include "settings.h"

/* The device no longer has to have the elements. */
void
resident_give_back(const AbsentArray *absent)
{
	if (absent->resident != 0)
		gpu_engine_give_back(session_engines[ENGINE_CUDA].context,
							 absent->device, absent->resident);
}

/*
 * Tells the engine which results a source is.  Sources on another device than
 * the first one are none.
 */
void
resident_identify(EngineRequest *request, int source,
				  const AbsentArray *absent)
{
	if (absent->resident == 0)
		return;
	for (int i = 0; i < source; i++)
	{
		if (request->residents[i] != 0 && request->device != absent->device)
			return;
	}
	request->residents[source] = absent->resident;
	request->device = absent->device;
}

/* Returns whether a source of a request has stayed on the device. */
bool
has_residents(const EngineRequest *request)
{
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (request->residents[i] != 0)
			return true;
	}
	return false;
}

/*
 * Copies the elements of an absent array from the device.  Returns false if the
 * device no longer has them.
 */
bool
resident_fetch(AbsentArray *absent)
{
	ElementType type = element_type(ARR_ELEMTYPE(absent->array));
	int64		count = ArrayGetNItems(ARR_NDIM(absent->array),
									   ARR_DIMS(absent->array));
	Choice		choice = {
		.engine = &session_engines[ENGINE_CUDA],
		.reason = CHOSEN_BY_COST	/* no process is waited for */
	};
	EngineRequest request = {
		.operation = ENGINE_COPY,
		.count = count,
		.inputs = 1,
		.kinds[0] = type.kind,
		.residents[0] = absent->resident,
		.device = absent->device,
		.outputs[0] = {ARR_DATA_PTR(absent->array), type.kind},
		.room = count,
		.memory_limit = (int64) setting_device_memory_limit << 20,
		.threads = call_threads(count)
	};
	ArrayReader reader;
	CallInput	input = array_input(&reader);
	CallInput  *inputs[] = {&input};
	EngineResult result;

	if (absent->resident == 0)
		return false;
	array_reader_open_values(&reader, &type, NULL, count);
	if (job_try(&choice, &request, inputs, &result) == ENGINE_OK)
		return true;
	resident_give_back(absent);
	absent->resident = 0;
	return false;
}
