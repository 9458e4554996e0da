/*
 * passed.c
 *	  An array that a request makes for a later request of the same call.
 *
 * If a GPU has made the elements, they stay there.  If the later request runs
 * elsewhere, or the function looks at the elements itself, they are fetched; or
 * made anew if the GPU has gone.
 */
#include "compat.h"

#include "array/large_value.h"
#include "call/call.h"
#include "call/passed.h"
#include "call/record.h"
#include "call/resident.h"

/* The request that asks for the elements goes on where it was to run. */
static void
fetch(AbsentArray *absent)
{
	PassedArray *passed = (PassedArray *) absent;
	Choice		choice = this_call.choice;

	if (!resident_fetch(absent))
		passed->make(passed->argument, passed_values(passed));
	this_call.choice = choice;
}

/* The device need not have the elements any longer, also after an error. */
static void
give_back(void *argument)
{
	PassedArray *passed = argument;

	resident_give_back(&passed->absent);
	passed->absent.resident = 0;
}

/* Room for "most" elements at most. */
PassedArray *
passed_begin(const ElementType *type, int64 most, MakePassed make,
			 void *argument)
{
	PassedArray *passed = palloc0(sizeof(PassedArray));
	ArrayType  *array = large_value_allocate(ARR_OVERHEAD_NONULLS(1) +
											 most * type->size);

	memset(array, 0, ARR_OVERHEAD_NONULLS(1));
	array->ndim = 1;
	array->elemtype = type->oid;
	passed->absent.array = array;
	passed->absent.arrived = true;
	passed->absent.fetch = fetch;
	passed->reader.type = *type;
	passed->make = make;
	passed->argument = argument;
	return passed;
}

/*
 * Runs the request that makes the elements, and opens their reader.  Returns
 * their number.
 */
int64
passed_run(PassedArray *passed, EngineRequest *request,
		   CallInput *const inputs[], int ninputs)
{
	ElementType type = passed->reader.type;
	EngineResult result;

	request->outputs[0].kind = type.kind;
	request->outputs[0].memory = passed_values(passed);
	request->stays = request->passes = true;
	result = call_engine_inputs(request, inputs, ninputs);
	if (result.resident != 0)
	{
		passed->absent.resident = result.resident;
		passed->absent.device = result.device;
		passed->absent.arrived = false;
		passed->at_reset.func = give_back;
		passed->at_reset.arg = passed;
		MemoryContextRegisterResetCallback(CurrentMemoryContext,
										   &passed->at_reset);
	}
	ARR_DIMS(passed->absent.array)[0] = (int) result.count;
	passed_reopen(passed);
	return result.count;
}

/* Opens the reader at the beginning. */
void
passed_reopen(PassedArray *passed)
{
	ElementType type = passed->reader.type;

	array_reader_open_values(&passed->reader, &type, passed_values(passed),
							 ARR_DIMS(passed->absent.array)[0]);
	if (!passed->absent.arrived)
		passed->reader.absent = &passed->absent;
}

/* Frees the elements.  The rest is freed with its memory context. */
void
passed_end(PassedArray *passed)
{
	give_back(passed);
	pfree(passed->absent.array);
}
