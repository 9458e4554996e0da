/*
 * defer.c
 *	  Steps of a chain that are not run by themselves.
 *
 * A chain allows a step to return a deferred value.  The step's request has to
 * allow it, too: most functions put NULLs into their results, or change them
 * in another way.  The results stay on a device; or the request becomes a stage
 * of the next one.
 *
 * An element-wise step of a chain is not run by itself on the CPU.  Its
 * results would go through memory, which takes longer than computing them.
 * Instead, the request of the next step does it as a stage, and reads the
 * array that the first stage starts from.
 *
 * A query may call a chain for each of many rows.  For a short array, the work
 * takes less time than the preparation of each step: its arguments, types,
 * operators and engine.  If the step's other arguments do not change, the
 * preparation is the same for all rows.  If the call for the first row is one
 * request that can be a stage, the calls for later rows are done as that
 * stage, behind the stages of the preceding step.  So is the call of the last
 * step, which may also reduce the array to an element.
 */
#include "compat.h"

#include "array/large_value.h"
#include "call/job.h"
#include "settings.h"

/*
 * Results of fewer bytes are written to their array at once, which takes no
 * longer than deferring them.
 */
#define MIN_DEFERRED	(256 * 1024)

/* Returns whether the call may defer a result that is large enough. */
static bool
may_defer(void)
{
	return this_call.step != NULL && this_call.step->may_defer;
}

/* Returns whether a request, which allows it, may defer its results. */
bool
defer_allowed(const EngineRequest *request)
{
	return (request->temporary || may_defer()) &&
		request->outputs[1].memory == NULL &&
		most_results(request) * output_size(request, 0) >= MIN_DEFERRED;
}

static void
give_back_at_reset(void *value)
{
	resident_give_back(value);
}

/*
 * Gives the engine the identity of a source that has stayed on a device.  A
 * source on another device than the first one gets none.
 */
void
resident_identify(EngineRequest *request, int source,
				  const DeferredValue *value)
{
	if (value->resident == 0)
		return;
	for (int i = 0; i < source; i++)
	{
		if (request->residents[i] != 0 && request->device != value->device)
			return;
	}
	request->residents[source] = value->resident;
	request->device = value->device;
}

/*
 * Returns whether the array that an input comes from can be read again when the
 * stages are run: it takes no work to find its elements, and they are all.
 */
static bool
can_be_source(const EngineRequest *request, const CallInput *input)
{
	const ArrayReader *reader = input->reader;

	return input->plain && input->second == NULL && reader->nulls == NULL &&
		!reader->is_packed &&
		reader->at.next == 0 && reader->count == request->count &&
		(reader->copy == NULL || reader->at.values_at_hand < reader->count);
}

/* Returns whether a request with one input can be a stage on the CPU. */
static bool
can_be_stage(const EngineRequest *request, const CallInput *input)
{
	return setting_algorithm == ALGORITHM_AUTO &&
		can_be_source(request, input) && cpu_engine.can_be_stage(request);
}

/* The stage that a request is. */
static EngineStage
stage_of(const EngineRequest *request)
{
	return (EngineStage)
	{
		request->operation, request->kinds[0], request->outputs[0].kind,
			request->parameters, request->absent
	};
}

/* Records in a step whether its request can be a stage, and which one. */
void
stage_tell(CallStep *step, const EngineRequest *request,
		   CallInput *const inputs[])
{
	step->requests++;
	step->is_stage = request->stays && !request->temporary &&
		request->inputs == 1 && can_be_stage(request, inputs[0]);
	step->stage = stage_of(request);
}

/*
 * Returns the stages of a request on the CPU with one input, if the request can
 * be deferred; else NULL.
 */
static DeferredStages *
stages_of(const EngineRequest *request, const CallInput *input)
{
	const DeferredStages *before = deferred_stages(input->reader->deferred);
	EngineRequest whole = *request;
	DeferredStages *stages;

	if (before != NULL)
	{
		whole.stages = before->stages;
		whole.nstages = before->nstages;
	}
	if (!can_be_stage(&whole, input) ||
		(before != NULL ? before->nstages == ENGINE_STAGES :
		 input->reader->deferred != NULL))
		return NULL;
	stages = palloc0(sizeof(DeferredStages));
	if (before != NULL)
		*stages = *before;
	else
		stages->source = input->reader->datum;
	stages->stages[stages->nstages++] = stage_of(request);
	if (operation_facts[request->operation].shape == RESULT_SOME)
		stages->filtered = true;
	return stages;
}

/*
 * Returns whether a request on an array that is still to be computed can have
 * its stages.  A request that leaves out the last element, as an exclusive scan
 * does, cannot: a stage may fail there, and the frames before it need it.
 */
bool
stages_support(const DeferredStages *stages, const EngineRequest *request,
			   CallInput *const inputs[])
{
	EngineRequest whole = *request;

	if (request->inputs != 1 || setting_algorithm != ALGORITHM_AUTO ||
		setting_engine == ENGINE_CUDA || !inputs[0]->plain ||
		inputs[0]->second != NULL || inputs[0]->reader->at.next != 0 ||
		inputs[0]->reader->filled ||
		request->count != inputs[0]->reader->count)
		return false;
	whole.kinds[0] = stages->stages[0].from;
	whole.threads = 1;
	whole.stages = stages->stages;
	whole.nstages = stages->nstages;
	return cpu_engine.cost_us(NULL, &whole, false) >= 0;
}

/* Shortens an array to its first "count" elements. */
static ArrayType *
cut(ArrayType *array, int64 count, int size)
{
	Size		room = VARSIZE(array);

	if (count == 0)
	{
		Oid			element = ARR_ELEMTYPE(array);

		pfree(array);
		return construct_empty_array(element);
	}
	ARR_DIMS(array)[0] = (int) count;
	SET_VARSIZE(array, ARR_OVERHEAD_NONULLS(1) + count * size);
	return large_value_cut(array, room, VARSIZE(array));
}

/* Makes the operation a copy if the last stage cannot be one behind stages. */
static void
copy_instead(EngineRequest *request)
{
	if (cpu_engine.cost_us(NULL, request, false) >= 0)
		return;
	request->operation = ENGINE_COPY;
	request->absent = 0;
	request->nstages++;
}

/*
 * Computes an array by its stages: the last one is the operation.  Returns NULL
 * if one fails.
 */
static ArrayType *
stages_run(DeferredValue *value)
{
	const DeferredStages *stages = value->stages;
	const EngineStage *last = &stages->stages[stages->nstages - 1];
	ArrayType  *array = deferred_room(value);
	EngineRequest request = {
		.operation = last->operation,
		.kinds[0] = stages->stages[0].from,
		.inputs = 1,
		.threads = 1,
		.outputs[0] = {ARR_DATA_PTR(array), last->kind},
		.stages = stages->stages,
		.nstages = stages->nstages - 1,
		.absent = last->absent,
		.parameters = last->parameters
	};
	EngineResult result;
	EngineStatus status;
	ArrayReader source;

	array_reader_open(&source, stages->source, NULLS_DROPPED, NULL);
	request.count = source.count;
	copy_instead(&request);
	status = job_alone(&request, &source, &result);
	array_reader_close(&source);
	if (status != ENGINE_OK || result.stage_failed ||
		result.overflow != OVERFLOW_NONE)
	{
		pfree(array);
		return NULL;
	}
	return stages->filtered ?
		cut(array, result.count, kind_size(last->kind)) : array;
}

/* The array, with its elements from the device; NULL if that has lost them. */
static ArrayType *
fetch_resident(DeferredValue *value)
{
	ArrayType  *array = deferred_room(value);
	ElementType type = element_type(ARR_ELEMTYPE(array));
	int64		count = ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array)) -
		value->leading_nulls;
	EngineRequest request = {
		.operation = ENGINE_COPY,
		.residents[0] = value->resident,
		.device = value->device,
		.outputs[0] = {ARR_DATA_PTR(array), type.kind}
	};
	ArrayReader reader;
	EngineResult result;

	Assert(value->resident != 0);
	if (count == 0)
		return array;
	array_reader_open_values(&reader, &type, NULL, count);
	if (job_alone(&request, &reader, &result) == ENGINE_OK)
		return array;
	resident_give_back(value);
	pfree(array);
	return NULL;
}

static ArrayType *
fetch_packed(DeferredValue *value)
{
	ArrayType  *array = deferred_room(value);
	ArrayReader reader;

	array_reader_open_packed(&reader, value->packed, 1, PG_INT32_MAX);
	unpack(&reader, ARR_DATA_PTR(array));
	array_reader_close(&reader);
	return array;
}

/* A deferred value.  When it is freed, the device frees its elements, too. */
static DeferredValue *
begin(MakeArray fetch)
{
	DeferredValue *value = deferred_make(fetch);

	value->at_reset.func = give_back_at_reset;
	value->at_reset.arg = value;
	MemoryContextRegisterResetCallback(value->base.eoh_context,
									   &value->at_reset);
	return value;
}

/* The value whose elements a request has left on a device. */
DeferredValue *
defer_resident(const EngineResult *result)
{
	DeferredValue *value = begin(fetch_resident);

	value->resident = result->resident;
	value->device = result->device;
	return value;
}

/*
 * Defers a request whose results may stay, to be a stage of the next one.
 * Returns whether that is possible.
 */
bool
defer_request(EngineRequest *request, CallInput *const inputs[])
{
	DeferredStages *stages;

	if (request->temporary || !defer_allowed(request) || request->inputs != 1)
		return false;
	request->kinds[0] = inputs[0]->reader->type.kind;
	stages = stages_of(request, inputs[0]);
	if (stages == NULL)
		return false;
	this_call.step->deferred = begin(stages_run);
	this_call.step->deferred->stages = stages;
	choose_cpu(&this_call.choice, request->count, CHOSEN_AS_STAGE);
	return true;
}

/*
 * Leaves the values of a packed array packed, if the next step can take them
 * from there.  The reader has the whole array.  Returns false if it cannot.
 */
bool
defer_packed(const ArrayReader *reader)
{
	if (!may_defer() ||
		reader->count * reader->type.size < MIN_DEFERRED)
		return false;
	this_call.step->deferred = begin(fetch_packed);
	this_call.step->deferred->packed = reader->datum;
	choose_cpu(&this_call.choice, reader->nitems, CHOSEN_AS_STAGE);
	return true;
}

/* The request that has made the result is repeated. */
void
defer_not(void)
{
	CallStep   *step = this_call.step;

	if (step == NULL || step->deferred == NULL)
		return;
	deferred_free(step->deferred);
	step->deferred = NULL;
}

/*
 * Steps over short arrays, done as stages: only with arrays of one dimension,
 * lower bound 1 and without NULLs, in memory.  An element for which a stage has
 * no result is NULL.  The functions do all other calls, and calls whose stages
 * fail.
 */
struct ShortStages
{
	Oid			element;		/* of the source */
	ValuePlaces places;			/* of sources */
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

/* Returns whether a stage makes one element of an array. */
static bool
is_element(const EngineStage *stage)
{
	return operation_facts[stage->operation].shape == RESULT_ONE;
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
 * is NULL, and the step's own.  Returns NULL if one of the two is no short
 * list, if the source cannot be used in place, or if the CPU has not run the
 * call.
 */
ShortStages *
short_stages_make(const ShortStages *before, const CallStep *step,
				  Datum source, Datum result)
{
	const EngineStage *stage = &step->stage;
	const ArrayType *to = is_element(stage) ? NULL :
		(ArrayType *) DatumGetPointer(result);
	const ArrayType *from;
	ShortStages *stages;
	LastCall   *call;
	int64		aligned[SHORT_WORDS];

	from = short_list(source, aligned);
	if (from == NULL || !is_used_in_place(from) ||
		this_call.choice.engine != ENGINE_CPU ||
		(to != NULL && (VARATT_IS_EXTENDED(to) || ARR_NDIM(to) != 1 ||
						ARR_LBOUND(to)[0] != 1)) ||
		(before != NULL && before->nstages == ENGINE_STAGES))
		return NULL;
	stages = palloc0(sizeof(ShortStages));
	if (before != NULL)
		*stages = *before;
	stages->element = ARR_ELEMTYPE(from);
	stages->stages[stages->nstages] = *stage;
	call = &stages->calls[stages->nstages++];
	*call = this_call;
	call->timed = false;
	if (to == NULL)
		return stages;
	if (step->self.next != NULL)
		call->choice.reason = CHOSEN_AS_STAGE;
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
static Datum
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
		return PointerGetDatum(stages->result);
	ARR_DIMS(stages->result)[0] = (int) count;
	stages->result->dataoffset = nulls > 0 ? overhead : 0;
	if (nulls > 0)
		array_put_leading_nulls(stages->result, nulls);
	memcpy(ARR_DATA_PTR(stages->result), values, nvalues * kind_size(kind));
	return PointerGetDatum(stages->result);
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
						  is_element(done) ? kind_size(done->kind) :
						  list_size(count, done->kind));
	}
}

/*
 * Makes an array of the source by the stages, which does not change until they
 * are run again; or an element, or NULL.  Returns false if the functions have
 * to be called instead.
 */
bool
short_stages_run(ShortStages *stages, Datum source, Datum *result,
				 bool *isnull)
{
	ElementKind from = stages->stages[0].from;
	const EngineStage *last = &stages->stages[stages->nstages - 1];
	const ArrayType *array;
	const void *values;
	int64		count;
	int64		left;
	int64		nulls;

	call_prefetch(&stages->places, source);
	array = short_list(source, stages->aligned);
	if (array == NULL || ARR_ELEMTYPE(array) != stages->element ||
		!is_allowed())
		return false;
	left = count = ARR_DIMS(array)[0];
	if (VARSIZE(array) != list_size(count, from))
		return false;
	values = cpu_engine.short_stages(session_context(ENGINE_CPU),
									 stages->stages, stages->nstages,
									 ARR_DATA_PTR(array), &left);
	if (values == NULL)
		return false;
	nulls = stages->filtered ? stages->absent : count - left;
	*isnull = is_element(last) && left == 0;
	if (is_element(last))
		*result = *isnull ? (Datum) 0 :
			fetch_att(values, true, kind_size(last->kind));
	else if (stages->filtered && nulls > 0 && left == 0)
		return false;			/* nobody knows how many elements were left */
	else
		*result = put_result(stages, nulls, values, left, last->kind);
	record_calls(stages, count);
	return true;
}
