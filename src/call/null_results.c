/*
 * null_results.c
 *	  Results that are NULL although the engine has a value for them.
 */
#include "compat.h"

#include "array/nulls.h"
#include "call/call.h"
#include "call/job.h"
#include "call/null_results.h"
#include "call/status.h"
#include "contract/operations/compact.h"
#include "settings.h"

/*
 * Removes the NULLs from a writer's elements, as null_results_leave_out does,
 * in several threads.  If "stayed" is not NULL, the elements are on the
 * device, and are removed there.  Returns how many are left; or -1 if the
 * device has lost them.
 */
static int64
compact_values(ArrayWriter *writer, int64 nitems, const EngineResult *stayed)
{
	ElementKind kind = writer->type.kind;
	ArrayReader reader;
	CallInput	input = array_input(&reader);
	CallInput  *inputs[] = {&input};
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.count = nitems,
		.inputs = lengthof(inputs),
		.kinds[0] = kind,
		.outputs[0] = {writer->values, kind},
		.room = nitems,
		.threads = call_threads(nitems),
		.table = writer->bitmap,
		.table_bytes = null_bitmap_bytes(nitems),
		.parameters = PARAMETERS_OF(CompactParameters, .by_bitmap = true)
	};
	Choice		choice = {0};
	EngineResult result;
	EngineStatus status;
	double		detoast_ms = this_call.detoast_ms;
	double		kernel_ms = this_call.kernel_ms;

	array_reader_open_values(&reader, &writer->type, writer->values, nitems);
	choose_cpu(&choice, nitems, CHOSEN_ONLY);
	if (stayed != NULL)
	{
		choice.engine = &session_engines[ENGINE_CUDA];
		choice.reason = CHOSEN_BY_COST; /* no process is waited for */
		request.residents[0] = stayed->resident;
		request.device = stayed->device;
		request.memory_limit = (int64) setting_device_memory_limit << 20;
	}
	status = job_try(&choice, &request, inputs, &result);
	if (status != ENGINE_OK && stayed != NULL)
		return -1;
	if (status != ENGINE_OK)
		raise_status(status, choice.why_not);

	/* All of this counts as making the result. */
	this_call.result_ms += this_call.detoast_ms - detoast_ms +
		this_call.kernel_ms - kernel_ms;
	this_call.detoast_ms = detoast_ms;
	this_call.kernel_ms = kernel_ms;
	return result.count;
}

/*
 * Removes the NULLs from a writer's elements.  There is a value in place of
 * each NULL; the bitmap says which these are.  Returns how many elements are
 * left.
 */
int64
null_results_leave_out(ArrayWriter *writer, int64 nitems)
{
	return call_threads(nitems) > 1 ? compact_values(writer, nitems, NULL) :
		nulls_pack(writer, nitems);
}

/*
 * Like null_results_leave_out, for results that have stayed on a device, which
 * may have lost them.  Then this returns -1.
 */
int64
null_results_fetch(ArrayWriter *writer, int64 nitems,
				   const EngineResult *stayed)
{
	int64		left;

	PG_TRY();
	{
		left = compact_values(writer, nitems, stayed);
	}
	PG_FINALLY();
	{
		gpu_engine_give_back(session_engines[ENGINE_CUDA].context,
							 stayed->device, stayed->resident);
	}
	PG_END_TRY();
	return left;
}
