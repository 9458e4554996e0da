/*
 * unpacked.c
 *	  The elements of a packed array, in an array.
 *
 * In a chain, the array need not get them: the next call unpacks them piece by
 * piece, as it reads the array (array/absent.h).
 */
#include "compat.h"

#include "call/absent_result.h"
#include "call/call.h"
#include "call/job.h"
#include "call/status.h"
#include "call/unpacked.h"

static EngineRequest
copy_request(const ArrayReader *reader, void *values)
{
	return (EngineRequest)
	{
		.operation = ENGINE_COPY,
			.count = reader->count,
			.inputs = 1,
			.kinds[0] = reader->type.kind,
			.outputs[0] = {values, reader->type.kind},
			.room = reader->count,
			.threads = call_threads(reader->count)
	};
}

/*
 * Puts all values of a reader to "values".  One thread does so at once, and
 * several by a job.
 */
static void
unpack(ArrayReader *reader, void *values)
{
	EngineRequest request = copy_request(reader, values);
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
	choose_cpu(&choice, reader->nitems);
	status = job_try(&choice, &request, inputs, &result);
	if (status != ENGINE_OK)
		raise_status(status, choice.why_not);
}

/* As unpack, for the call that is under way. */
void
call_unpack(ArrayReader *reader, void *values)
{
	call_on_cpu(reader);
	unpack(reader, values);
}

/*
 * Leaves the values of a packed array, of which the reader has all, where they
 * are.  Returns whether the next step of a chain takes them from there.
 */
bool
call_leave_packed(const ArrayReader *reader)
{
	EngineRequest request = copy_request(reader, NULL);

	if (!absent_result_allowed(&request))
		return false;
	absent_result_note((AbsentResult) {
		.packed = reader->datum,
		.count = reader->nitems
	});
	call_as_stage(reader);
	return true;
}

/* Unpacks an array.  Returns false if it is not packed. */
bool
unpacked_fetch(AbsentArray *absent)
{
	ArrayReader reader;

	if (absent->packed == (Datum) 0)
		return false;
	array_reader_open_packed(&reader, absent->packed, 1, PG_INT32_MAX);
	unpack(&reader, ARR_DATA_PTR(absent->array));
	array_reader_close(&reader);
	return true;
}
