/*
 * chain_array.c
 *	  An array that goes from one step of a chain to the next.
 *
 * If a step has run on a GPU, its results stay there for the next step.  If it
 * is done element by element on the CPU, the next step does it; and the next
 * step unpacks what is packed.  In all cases the array has no elements in the
 * session's memory until somebody asks for them.  They then come from the GPU,
 * or from the packed array, or the steps before are done as if there were no
 * chain: if that GPU has gone meanwhile, or was not used.
 */
#include "compat.h"

#include "array/large_value.h"
#include "call/absent_result.h"
#include "call/call.h"
#include "call/resident.h"
#include "call/staged.h"
#include "call/unpacked.h"
#include "sql/chain_array.h"

/* To be called before a step's function, with the calls behind it. */
void
chain_array_begin(bool may_be_absent, const LaterCall *later)
{
	absent_result_allow(may_be_absent);
	choice_later_calls = may_be_absent ? later : NULL;
}

static bool
is_filtered(const AbsentArray *absent)
{
	return absent->staged != NULL && absent->staged->filtered;
}

/*
 * Computes the elements by the steps before.  The call that asks for them is
 * set aside.
 */
static void
compute(ChainArray *array)
{
	LastCall	asking = call_suspend();
	ArrayType  *old = array->base.array;
	ArrayType  *new = DatumGetArrayTypeP(array->compute(array));

	call_resume(&asking);
	if (VARSIZE(new) > VARSIZE(old) ||
		(VARSIZE(new) < VARSIZE(old) && !is_filtered(&array->base)))
		elog(ERROR, "step of a chain returned another array than before");
	move_bytes(old, new, VARSIZE(new));
	pfree(new);
}

static void
fetch(AbsentArray *absent)
{
	if (!resident_fetch(absent) && !staged_fetch(absent) &&
		!unpacked_fetch(absent))
		compute((ChainArray *) absent);
}

/* Makes the result of a step's function absent, if its elements are. */
void
chain_array_end(ChainArray *array, Datum result)
{
	ArrayType  *value = (ArrayType *) DatumGetPointer(result);
	AbsentResult absent;

	choice_later_calls = NULL;
	if (!absent_result_take(&absent))
		return;
	if ((ARR_HASNULL(value) && absent.packed == (Datum) 0) || absent.count !=
		ArrayGetNItems(ARR_NDIM(value), ARR_DIMS(value)))
		elog(ERROR, "absent results are not the elements of the array");
	array->base = (AbsentArray)
	{
		.next = absent_arrays,
			.array = value,
			.resident = absent.resident,
			.device = absent.device,
			.staged = absent.staged,
			.packed = absent.packed,
			.arrived = absent.count == 0,
			.fetch = fetch
	};
	absent_arrays = &array->base;
}

/* Sees to it that a value is whole, before others than our functions get it. */
void
chain_array_fetch(Datum value)
{
	AbsentArray *absent = absent_find(DatumGetPointer(value));

	if (absent != NULL)
		absent_fetch(absent);
}

/*
 * Computes staged elements that nobody has asked for, as their step may have an
 * error.
 */
void
chain_array_check(ChainArray *array)
{
	if (!array->base.stages_done)
		absent_fetch(&array->base);
}

/* The step that has used an absent array is over. */
void
chain_array_done(ChainArray *array)
{
	AbsentArray **from = &absent_arrays;

	while (*from != &array->base)
		from = &(*from)->next;
	*from = array->base.next;
	resident_give_back(&array->base);
	array->base.array = NULL;
}

/*
 * After an error: forgets the arrays that were made absent after "before".
 * Returns whether some were still to be computed.
 */
bool
chain_arrays_drop(AbsentArray *before)
{
	bool		pending = false;

	choice_later_calls = NULL;
	absent_result_drop();
	while (absent_arrays != before)
	{
		pending |= chain_array_is_pending((ChainArray *) absent_arrays);
		chain_array_done((ChainArray *) absent_arrays);
	}
	return pending;
}
