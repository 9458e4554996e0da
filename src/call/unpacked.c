/*
 * unpacked.c
 *	  The elements of a packed array.
 */
#include "compat.h"

#include "call/call.h"
#include "call/job.h"
#include "call/status.h"
#include "call/unpacked.h"

/*
 * Writes all values of a reader to "values": directly in one thread, or by a
 * job in several.
 */
void
unpack(ArrayReader *reader, void *values)
{
	EngineRequest request = {
		.operation = ENGINE_COPY,
		.count = reader->count,
		.inputs = 1,
		.kinds[0] = reader->type.kind,
		.outputs[0] = {values, reader->type.kind},
		.room = reader->count,
		.threads = call_threads(reader->count)
	};
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};
	Choice		choice = {0};
	EngineResult result;
	EngineStatus status;

	if (request.threads == 1)
	{
		array_reader_copy(reader, values, reader->count);
		return;
	}
	choose_cpu(&choice, reader->nitems, CHOSEN_ONLY);
	status = job_try(&choice, &request, inputs, &result);
	if (status != ENGINE_OK)
		raise_status(status, choice.why_not);
}

/* Like unpack, for the call that is in progress. */
void
call_unpack(ArrayReader *reader, void *values)
{
	choose_cpu(&this_call.choice, reader->nitems, CHOSEN_ONLY);
	unpack(reader, values);
}
