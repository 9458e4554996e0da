/*
 * short_stages.c
 *	  Steps of a chain over short arrays, done as stages of the next step.
 *
 * A query may call a chain for each of many rows.  For a short array, the work
 * takes less time than the preparation of each step: its arguments, types,
 * operators and engine.  If the step's other arguments do not change, the
 * preparation is the same for all rows.  If the call for the first row is one
 * request that can be a stage, the calls for later rows are done as that
 * stage, behind the stages of the preceding step.
 *
 * This is done only with arrays of one dimension, lower bound 1 and without
 * NULLs, in memory.  An element for which a stage has no result is NULL.  The
 * functions do all other calls, and calls whose stages fail.
 */
#include "compat.h"

#include "call/call.h"
#include "settings.h"

struct ShortStages
{
	Oid			element;		/* of the source */
	const char *last;			/* where the last source was */
	int			nstages;
	EngineStage stages[ENGINE_STAGES];
	LastCall	calls[ENGINE_STAGES];	/* their records */
	bool		filtered;		/* a stage leaves elements out, */
	int64		absent;			/* and later stages have no result for so many
								 * first elements */
	ArrayType  *result;
	Size		room;			/* bytes, for the result */
	int64		aligned[SHORT_WORDS];	/* a source stored without alignment */
};

/*
 * The elements of a datum that is a short list without NULLs, in memory; else
 * NULL.
 */
static ArrayType *
short_list(Datum datum, int64 *aligned)
{
	ArrayType  *array = (ArrayType *) DatumGetPointer(datum);

	if (VARATT_IS_EXTERNAL(array))
		return NULL;
	if (VARATT_IS_SHORT(array))
	{
		Size		size = VARSIZE_SHORT(array) - VARHDRSZ_SHORT;

		memcpy(VARDATA(aligned), VARDATA_SHORT(array), size);
		SET_VARSIZE(aligned, size + VARHDRSZ);
		array = (ArrayType *) aligned;
	}
	else if (!VARATT_IS_4B_U(array))
		return NULL;
	if (VARSIZE(array) < ARR_OVERHEAD_NONULLS(1) || ARR_NDIM(array) != 1 ||
		ARR_HASNULL(array) || ARR_LBOUND(array)[0] != 1 ||
		ARR_DIMS(array)[0] < 1 || ARR_DIMS(array)[0] > MAX_SHORT_JOB)
		return NULL;
	return array;
}

static Size
list_size(int64 count, ElementKind kind)
{
	return ARR_OVERHEAD_NONULLS(1) + count * kind_size(kind);
}

/*
 * Returns whether a reader changes no element on the way to an engine.  In
 * arrays of booleans, it changes all bytes but 0 and 1.
 */
static bool
is_used_in_place(const ArrayType *array)
{
	return element_type(ARR_ELEMTYPE(array)).base != BOOLOID;
}

/*
 * Returns the stages that make "result" of "source": "before", or none if that
 * is NULL, and another one.  Returns NULL if one of the two is no short list,
 * or if the source cannot be used in place.
 */
ShortStages *
short_stages_make(const ShortStages *before, const EngineStage *stage,
				  Datum source, Datum result)
{
	const ArrayType *to = (ArrayType *) DatumGetPointer(result);
	const ArrayType *from;
	ShortStages *stages;
	int64		aligned[SHORT_WORDS];

	from = short_list(source, aligned);
	if (from == NULL || !is_used_in_place(from) ||
		VARATT_IS_EXTENDED(to) || ARR_NDIM(to) != 1 ||
		ARR_LBOUND(to)[0] != 1 ||
		(before != NULL && before->nstages == ENGINE_STAGES))
		return NULL;
	stages = palloc0(sizeof(ShortStages));
	if (before != NULL)
		*stages = *before;
	stages->element = ARR_ELEMTYPE(from);
	stages->stages[stages->nstages] = *stage;
	stages->calls[stages->nstages] = this_call;
	choose_cpu(&stages->calls[stages->nstages].choice, this_call.elements,
			   CHOSEN_AS_STAGE);
	stages->nstages++;
	stages->absent += stage->absent;
	if (operation_facts[stage->operation].shape == RESULT_SOME)
	{
		stages->filtered = true;
		stages->absent = 0;
	}
	Assert(!ARR_HASNULL(to) || stages->absent > 0);
	stages->room = VARSIZE(to);
	stages->result = palloc(stages->room);
	memcpy(stages->result, to, ARR_OVERHEAD_NONULLS(1));
	return stages;
}

/*
 * Puts NULLs and "nvalues" values behind them into the result, which has no
 * dimension if it is empty.
 */
static void
put_result(ShortStages *stages, int64 nulls, const void *values, int64 nvalues,
		   ElementKind kind)
{
	int64		count = nulls + nvalues;
	Size		overhead = nulls > 0 ? ARR_OVERHEAD_WITHNULLS(1, count) :
		ARR_OVERHEAD_NONULLS(count > 0);
	Size		size = overhead + nvalues * kind_size(kind);

	if (size > stages->room)
	{
		stages->result = repalloc(stages->result, size);
		stages->room = size;
	}
	SET_VARSIZE(stages->result, size);
	ARR_NDIM(stages->result) = count > 0;
	if (count == 0)
		return;
	ARR_DIMS(stages->result)[0] = (int) count;
	stages->result->dataoffset = nulls > 0 ? overhead : 0;
	if (nulls > 0)
		array_put_leading_nulls(stages->result, nulls);
	memcpy(ARR_DATA_PTR(stages->result), values, nvalues * kind_size(kind));
}

/* Returns whether the settings leave it to us how calls are made. */
static bool
is_allowed(void)
{
	return setting_algorithm == ALGORITHM_AUTO &&
		(setting_engine == ENGINE_AUTO || setting_engine == ENGINE_CPU) &&
		setting_log_min_duration < 0;
}

/* Records the calls of all stages, each of "count" elements at most. */
static void
record_calls(ShortStages *stages, int64 count)
{
	for (int i = 0; i < stages->nstages; i++)
	{
		const EngineStage *done = &stages->stages[i];

		call_record_stage(&stages->calls[i], count,
						  list_size(count, done->from),
						  list_size(count, done->kind));
	}
}

/*
 * Makes an array of the source by the stages.  It does not change until they
 * are run again.  Returns false if the functions have to be called instead.
 */
bool
short_stages_run(ShortStages *stages, Datum source, Datum *result)
{
	SessionEngine *engine = &session_engines[ENGINE_CPU];
	ElementKind from = stages->stages[0].from;
	ElementKind kind = stages->stages[stages->nstages - 1].kind;
	const ArrayType *array;
	const void *values;
	int64		count;
	int64		left;
	int64		nulls;

	call_prefetch(&stages->last, source);
	array = short_list(source, stages->aligned);
	if (array == NULL || ARR_ELEMTYPE(array) != stages->element ||
		!is_allowed())
		return false;
	left = count = ARR_DIMS(array)[0];
	if (VARSIZE(array) != list_size(count, from))
		return false;
	values = cpu_engine.short_stages(session_engine_context(engine),
									 stages->stages, stages->nstages,
									 ARR_DATA_PTR(array), &left);
	if (values == NULL)
		return false;
	nulls = stages->filtered ? stages->absent : count - left;
	if (stages->filtered && nulls > 0 && left == 0)
		return false;			/* nobody knows how many elements were left */
	put_result(stages, nulls, values, left, kind);
	record_calls(stages, count);
	*result = PointerGetDatum(stages->result);
	return true;
}
