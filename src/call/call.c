/*
 * call.c
 *	  The life of a call of an SQL function, its array arguments, its record,
 *	  and its site (site.h).
 *
 * A family's function calls, in this order, call_begin, call_open_array (or
 * one like it), array_writer_begin, call_engine and call_end.  These record
 * the statistics of the call.  Arguments are checked after call_begin, so that
 * a call with a wrong argument is recorded as a failed one.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/call_stat.h"
#include "settings.h"

LastCall	this_call = {.choice.engine = NO_ENGINE};

static uint64 calls = 0;
static instr_time last_lap;

/* On the stack of error contexts while a call is under way. */
static void note_error(void *arg);
static ErrorContextCallback at_error = {.callback = note_error};

/* From now on the call is timed. */
void
record_begin_times(void)
{
	this_call.timed = true;
	INSTR_TIME_SET_CURRENT(last_lap);
}

/* The part of record_lap for a call that is timed. */
void
record_add_lap(double *part_ms)
{
	instr_time	now;
	instr_time	since;

	INSTR_TIME_SET_CURRENT(now);
	since = now;
	INSTR_TIME_SUBTRACT(since, last_lap);
	*part_ms += INSTR_TIME_GET_MILLISEC(since);
	this_call.total_ms += INSTR_TIME_GET_MILLISEC(since);
	last_lap = now;
}

/*
 * Notes the SQLSTATE of a report during a call.  The report may be less than
 * an error, such as a notice; if the call ends normally, the SQLSTATE is
 * forgotten.
 */
static void
note_error(void *arg)
{
	double		unfinished_ms = 0;

	record_lap(&unfinished_ms);
	this_call.error = geterrcode();
}

/*
 * Records the last call if it has failed: an error has left it without its
 * end.  To be called before the call is looked at or counted.
 */
void
call_settle(void)
{
	if (!this_call.under_way)
		return;
	if (this_call.choice.reason == CHOSEN_NONE)
	{
		this_call.choice.engine = NO_ENGINE;
		this_call.choice.reason = CHOSEN_FAILED_BEFORE;
	}
	this_call.under_way = false;
	call_stat_add(&this_call);
}

static void
settle_at_end(XactEvent event, void *arg)
{
	call_settle();
	call_stat_pass_on();
}

/* Meanwhile, the call is set aside.  If the check fails, so does the call. */
static void
check_null_of(Oid domain)
{
	LastCall	call = call_suspend();

	PG_TRY();
	{
		domain_check((Datum) 0, true, domain, NULL, NULL);
	}
	PG_CATCH();
	{
		call_settle();
		call_resume(&call);
		if (call.under_way)
			this_call.error = geterrcode();
		PG_RE_THROW();
	}
	PG_END_TRY();
	call_settle();
	call_resume(&call);
}

/* To be called when the module is loaded. */
void
call_init(void)
{
	array_check_null_of = check_null_of;
	if (call_stat_init())
		RegisterXactCallback(settle_at_end, NULL);
}

/* Returns whether a call is under way that has not failed. */
static bool
is_on_stack(void)
{
	const ErrorContextCallback *context = error_context_stack;

	while (context != NULL && context != &at_error)
		context = context->previous;
	return context != NULL;
}

/* The call that the record is of is under way from now on. */
static void
go_on(void)
{
	Assert(!is_on_stack());
	this_call.under_way = true;
	at_error.previous = error_context_stack;
	error_context_stack = &at_error;
}

/* The call is no longer under way. */
static void
leave_call(void)
{
	error_context_stack = at_error.previous;
	this_call.under_way = false;
	this_call.step = NULL;
}

/*
 * Begins a call, which one of the functions call_end... ends.  Calls do not
 * nest: an argument that is a call has ended before.
 */
void
call_begin(const char *function)
{
	if (this_call.under_way)
		call_settle();
	memset(&this_call, 0, offsetof(LastCall, choice));
	this_call.choice.engine = NO_ENGINE;
	this_call.choice.reason = CHOSEN_NONE;
	this_call.function = function;
	this_call.number = ++calls;
	this_call.error = ERRCODE_INTERNAL_ERROR;	/* unless it ends */
	go_on();
}

/* Like call_begin, for a function that opens no argument as an array. */
void
call_begin_at(FunctionCallInfo fcinfo, const char *function)
{
	call_begin(function);
	this_call.step = call_step(fcinfo);
	this_call.site = call_site(fcinfo);
}

/*
 * Sets the call aside, for other calls, until call_resume.  Returns its record.
 */
LastCall
call_suspend(void)
{
	LastCall	call;

	if (!is_on_stack())
		call_settle();			/* nothing but a call that has failed */
	call = this_call;
	if (call.under_way)
		leave_call();
	return call;
}

/* Goes on with the call that was set aside. */
void
call_resume(const LastCall *call)
{
	if (!call->under_way)
		return;
	this_call = *call;
	go_on();
}

/*
 * Ends the call without recording it, because it was only a part of a call;
 * "before" is what call_suspend has returned.  A part that fails is recorded
 * all the same.
 */
void
call_end_unrecorded(const LastCall *before)
{
	leave_call();
	this_call = *before;
	call_resume(before);
}

/*
 * Returns whether all arguments but the first are constants.  A parameter is
 * none: an expression of PL/pgSQL is evaluated with several values of it.
 */
static bool
has_constants(const FmgrInfo *flinfo)
{
	const FuncExpr *call = (const FuncExpr *) flinfo->fn_expr;
	ListCell   *cell;

	if (call == NULL || !IsA(call, FuncExpr))
		return false;
	for_each_from(cell, call->args, 1)
	{
		if (!IsA(lfirst(cell), Const))
			return false;
	}
	return true;
}

/* The first call of a function in a query begins its site. */
CallSite *
call_site_begin(FunctionCallInfo fcinfo)
{
	FmgrInfo   *flinfo = fcinfo->flinfo;
	CallSite   *site = MemoryContextAllocZero(flinfo->fn_mcxt,
											  sizeof(CallSite));

	site->constant = has_constants(flinfo);
	site->option = -1;
	flinfo->fn_extra = site;
	return site;
}

/*
 * Raises 42804 if a row type does not have as many columns, or not of these
 * types: it was altered.  A record cannot be; its types are NULL.
 */
void
check_columns(TupleDesc type, int columns, const Oid *types)
{
	if (type->natts != columns)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s has %d columns, but %d are needed",
						format_type_be(type->tdtypeid), type->natts,
						columns)));
	for (int i = 0; types != NULL && i < columns; i++)
	{
		const FormData_pg_attribute *column = TupleDescAttr(type, i);

		if (column->atttypid != types[i])
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH),
					 errmsg("column \"%s\" of type %s is of type %s, but %s is needed",
							NameStr(column->attname),
							format_type_be(type->tdtypeid),
							format_type_be(column->atttypid),
							format_type_be(types[i]))));
	}
}

/*
 * The type of a row that a function returns.  Raises what check_columns does.
 */
TupleDesc
call_row_type(FunctionCallInfo fcinfo, int columns, const Oid *types)
{
	CallSite   *site = call_site(fcinfo);

	if (site->row_type == NULL)
	{
		MemoryContext caller =
			MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		TupleDesc	type;

		if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		check_columns(type, columns, types);
		site->row_type = BlessTupleDesc(type);
		MemoryContextSwitchTo(caller);
	}
	return site->row_type;
}

/*
 * Calls on arrays of fewer bytes are not timed, because reading the clock
 * takes as long as some 40 elements; unless slow calls are logged.
 */
#define MIN_TIMED		4096

/*
 * The first bytes of a value, which are prefetched.  The processor itself
 * prefetches the bytes that follow.
 */
#define PREFETCHED		1024
#define CACHE_LINE		64

/* Prefetches the beginning of a value. */
static inline void
prefetch_value(const char *value, Size bytes)
{
	for (Size i = 0; i < bytes; i += CACHE_LINE)
		__builtin_prefetch(value + i);
}

/*
 * Prefetches the value that the call after the next one will probably open, in
 * a row that is not in the processor's cache yet.  Rows of one length are
 * adjacent in a page, so the distance to the next value is the distance from
 * the previous one.  Where a page begins, prefetches its first three values.
 */
void
call_prefetch(ValuePlaces *places, Datum datum)
{
	const char *value = DatumGetPointer(datum);
	intptr_t	step = (uintptr_t) value - (uintptr_t) places->last;
	Size		bytes = VARATT_IS_EXTERNAL(value) ? CACHE_LINE :
		Min(VARSIZE_ANY(value), PREFETCHED);

	places->last = value;
	if (step == 0)
		return;
	if (step > -BLCKSZ && step < BLCKSZ)
		places->step = step;
	else
	{
		prefetch_value(value, bytes);
		prefetch_value(value + places->step, bytes);
	}
	prefetch_value(value + 2 * places->step, bytes);
}

/* The size of a value, when it is detoasted. */
static inline Size
raw_size(Datum datum)
{
	const DeferredValue *deferred;

	if (VARATT_IS_4B_U(DatumGetPointer(datum)))
		return VARSIZE(DatumGetPointer(datum));
	deferred = deferred_find(datum);
	return deferred != NULL ? VARSIZE(deferred->header) :
		toast_raw_datum_size(datum);
}

/* To be called before a reader of the datum is opened. */
static inline void
begin_opening(Datum datum)
{
	if (!this_call.timed && (setting_log_min_duration >= 0 ||
							 raw_size(datum) >= MIN_TIMED))
		record_begin_times();
}

/* To be called after the reader is opened. */
static inline void
end_opening(const ArrayReader *reader)
{
	if (reader->copy != NULL)
		record_lap(&this_call.detoast_ms);
	if (this_call.source == NULL)
	{
		this_call.source = reader->origin;
		this_call.elements = reader->nitems;
	}
	this_call.bytes_in += reader->size;
}

/*
 * Opens an array.  gpu_last_call() shows the first one opened.
 */
void
call_open_datum(ArrayReader *reader, Datum datum, NullHandling null_handling,
				const ElementValue *fill)
{
	begin_opening(datum);
	array_reader_open(reader, datum, null_handling, fill);
	end_opening(reader);
}

/* The name of an argument, or NULL. */
static const char *
argument_name(Oid function, int argument)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid		   *types;
	char	  **names;
	char	   *modes;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	(void) get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names != NULL ? names[argument] : NULL;
}

static bool
has_other_array(FunctionCallInfo fcinfo, int argument)
{
	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (i != argument && OidIsValid(type) &&
			OidIsValid(get_element_type(getBaseType(type))))
			return true;
	}
	return false;
}

/*
 * The type of the elements of an array argument, which may be NULL.
 *
 * Raises 42804 if it is not known: a column of pg_stats is of type anyarray,
 * and a function that is called by its OID has no types.
 */
Oid
element_of_argument(FunctionCallInfo fcinfo, int argument)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid			element = OidIsValid(declared) ?
		get_base_element_type(declared) : InvalidOid;

	if (!OidIsValid(element))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("could not determine the type of the result")));
	return element;
}

/*
 * Raises 0A000 for an array argument whose elements are of a type.  If others
 * are arrays, too, the error says which argument it is.
 */
pg_noreturn static void
raise_unsupported(FunctionCallInfo fcinfo, int argument, Oid element,
				  const char *hint)
{
	const char *name = argument_name(fcinfo->flinfo->fn_oid, argument);

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of type %s are not supported",
					format_type_be(element)),
			 name != NULL && has_other_array(fcinfo, argument) ?
			 errdetail("The argument \"%s\" of %s is an array of that type.",
					   name, this_call.function) : 0,
			 name != NULL && getBaseType(element) == NUMERICOID ?
			 errhint("Cast to double precision[], which has 15 digits: "
					 "%s::double precision[].", name) :
			 errhint("%s", hint)));
}

/* Returns whether a function is declared to take a packed array there. */
static bool
takes_packed(const FmgrInfo *flinfo, int argument)
{
	Oid		   *types;
	int			n;

	if (!OidIsValid(flinfo->fn_oid))
		return false;
	(void) get_func_signature(flinfo->fn_oid, &types, &n);
	return get_typtype(types[argument]) == TYPTYPE_BASE &&
		!OidIsValid(get_element_type(types[argument]));
}

/*
 * Notes the type of an array argument in the query; InvalidOid if it is not
 * known.
 */
static void
check_type(FunctionCallInfo fcinfo, int argument, SiteArgument *known)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!is_supported_array(declared))
	{
		Oid			element = OidIsValid(declared) ?
			get_element_type(getBaseType(declared)) : InvalidOid;

		if (OidIsValid(element) && !is_supported_type(element))
			raise_unsupported(fcinfo, argument, element,
							  unsupported_type_hint(element));
		known->is_packed = takes_packed(fcinfo->flinfo, argument);
	}
	known->declared = declared;
	known->is_checked = true;
}

/*
 * The known facts about an array argument.
 *
 * Raises 0A000 if arrays of its type in the query are not supported.
 */
static inline SiteArgument *
site_argument(FunctionCallInfo fcinfo, int argument)
{
	SiteArgument *known;

	Assert(argument < SITE_ARGUMENTS);
	this_call.step = call_step(fcinfo);
	this_call.site = call_site(fcinfo);
	known = &this_call.site->arguments[argument];
	if (!known->is_checked)
		check_type(fcinfo, argument, known);
	return known;
}

/* Opens an argument, as call_open_datum opens a datum. */
void
call_open_array(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				NullHandling null_handling, const ElementValue *fill)
{
	SiteArgument *known = site_argument(fcinfo, argument);
	Datum		datum = PG_GETARG_DATUM(argument);

	call_prefetch(&known->places, datum);
	begin_opening(datum);
	if (known->is_packed)
	{
		Assert(null_handling <= NULLS_COUNTED);
		array_reader_open_packed(reader, datum, 1, PG_INT32_MAX);
	}
	else
		array_reader_open(reader, datum, null_handling, fill);
	end_opening(reader);
	if (known->declared != reader->type.array && !known->is_packed)
		check_declared(&reader->type, known->declared);
}

/*
 * Opens an array again with the elements that it has, if these may be fewer
 * than its reader says.
 */
void
call_open_counted(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				  NullHandling null_handling)
{
	if (!array_reader_is_filtered(reader))
		return;
	array_reader_close(reader);
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
}

/* Opens a bytea or a text, as call_open_datum opens an array. */
void
call_open_bytes(ArrayReader *reader, Datum datum)
{
	begin_opening(datum);
	array_reader_open_bytes(reader, datum);
	end_opening(reader);
}

/* Opens elements of a packed array, as call_open_datum opens an array. */
void
call_open_packed(ArrayReader *reader, Datum packed, int64 first, int64 last)
{
	begin_opening(packed);
	array_reader_open_packed(reader, packed, first, last);
	end_opening(reader);
}

/* Raises 0A000 if an array has more than one dimension. */
void
call_check_list(const ArrayReader *reader)
{
	if (reader->ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support multidimensional arrays",
						this_call.function)));
}

/* Raises 0A000 if an argument is no array of numbers. */
void
call_check_number(const ArrayReader *reader, FunctionCallInfo fcinfo,
				  int argument)
{
	if (!reader->type.is_number)
		raise_unsupported(fcinfo, argument, reader->type.oid,
						  _(NUMBER_TYPES_HINT));
}

/* Like call_open_array, for an array that must have at most one dimension. */
void
call_open_list(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
			   NullHandling null_handling)
{
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
	call_check_list(reader);
}

/* Raises 2202E if two arrays whose elements are paired differ in length. */
void
call_check_pair(const ArrayReader *first, const char *first_name,
				const ArrayReader *second, const char *second_name)
{
	if (first->nitems != second->nitems)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays \"%s\" and \"%s\" differ in length",
						first_name, second_name),
				 errdetail("They have lengths " INT64_FORMAT " and " INT64_FORMAT
						   ".", first->nitems, second->nitems)));
}

/*
 * Opens the elements of a list from the position "first" to "last", as
 * array_reader_open_slice does.
 */
void
call_open_slice(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				int64 first, int64 last)
{
	SiteArgument *known = site_argument(fcinfo, argument);
	Datum		datum = PG_GETARG_DATUM(argument);

	begin_opening(datum);
	array_reader_open_slice(reader, datum, first, last);
	end_opening(reader);
	check_declared(&reader->type, known->declared);
	call_check_list(reader);
}

/* Opens an array that is paired with another one, as call_open_list does. */
void
call_open_paired(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				 NullHandling null_handling, const ArrayReader *array,
				 const char *name)
{
	call_open_list(reader, fcinfo, argument, null_handling);
	call_check_pair(array, "a", reader, name);
}

/* Logs how a call went, by the names that gpu_last_call() has for it. */
static void
log_call(const LastCall *call)
{
	bool		ran = call->choice.engine != NO_ENGINE;

	ereport(LOG,
			(errmsg("%s took %.3f ms: source=\"%s\" "
					"elements=" INT64_FORMAT " bytes_in=" INT64_FORMAT " "
					"bytes_out=" INT64_FORMAT " detoast_ms=%.3f "
					"upload_ms=%.3f kernel_ms=%.3f download_ms=%.3f "
					"result_ms=%.3f; %s",
					call->function, call->total_ms, call->source,
					call->elements, call->bytes_in, call->bytes_out,
					call->detoast_ms, call->upload_ms, call->kernel_ms,
					call->download_ms, call->result_ms,
					ran ? choice_in_words(&call->choice) : "nothing to do")));
}

/* Counts a call that is over. */
static inline void
count_call(const LastCall *call)
{
	const Choice *choice = &call->choice;
	SiteCalls  *calls;

	call_stat_add(call);
	if (call->site == NULL)
		return;
	calls = &call->site->calls;
	calls->function = call->function;
	calls->source = call->source;
	if (choice->engine == NO_ENGINE)
		calls->idle++;
	else if (choice->reason == CHOSEN_AS_STAGE)
		calls->stages++;
	else
	{
		calls->on[choice->engine]++;
		calls->reason = choice->reason;
	}
	if (call->timed)
		calls->total_ms += call->total_ms;
}

/*
 * Records a call that is over, which the stages of a chain have done, in a
 * record of the same call for another row.  The call that has the chain's
 * result is the last call.
 */
void
call_record_stage(LastCall *call, int64 elements, int64 bytes_in,
				  int64 bytes_out)
{
	call->number = ++calls;
	call->noted = false;
	call->elements = call->choice.elements = elements;
	call->bytes_in = bytes_in;
	call->bytes_out = bytes_out;
	count_call(call);
	chain_record_add(call);
	if (call->choice.reason != CHOSEN_AS_STAGE)
		this_call = *call;
}

/* To be called where the function itself does the work, on the CPU. */
void
call_on_cpu(const ArrayReader *reader)
{
	choose_cpu(&this_call.choice, reader->nitems, CHOSEN_ONLY);
}

/* The deferred value that is the result of the call, or the array. */
static Datum
end_deferred(Datum result, int64 leading_nulls)
{
	CallStep   *step = this_call.step;
	ArrayType  *array = (ArrayType *) DatumGetPointer(result);

	if (step == NULL || step->deferred == NULL)
		return result;
	Assert(!ARR_HASNULL(array) || leading_nulls > 0 ||
		   step->deferred->packed != (Datum) 0);
	deferred_set_header(step->deferred, array, leading_nulls);
	pfree(array);
	return deferred_datum(step->deferred);
}

/* Ends the call, and returns its result, which may be deferred. */
Datum
call_end(ArrayReader *reader, Datum result)
{
	int64		bytes_out = VARSIZE(DatumGetPointer(result));

	result = end_deferred(result, 0);
	call_end_bytes(reader, bytes_out);
	return result;
}

/*
 * Ends the call, and returns the writer's array, which may be deferred although
 * it begins with NULLs.
 *
 * Raises what array_writer_check does.
 */
Datum
call_end_writer(ArrayReader *reader, ArrayWriter *writer)
{
	Datum		result = PointerGetDatum(writer->array);
	int64		bytes_out = VARSIZE(writer->array);

	if (this_call.step != NULL && this_call.step->deferred != NULL)
	{
		array_writer_check(writer);
		result = end_deferred(result, writer->leading_nulls);
	}
	else
		result = array_writer_finish(writer);
	call_end_bytes(reader, bytes_out);
	return result;
}

/* Ends the call, with a result of "bytes_out" bytes. */
void
call_end_bytes(ArrayReader *reader, int64 bytes_out)
{
	array_reader_close(reader);
	record_lap(&this_call.result_ms);
	this_call.bytes_out = bytes_out;
	this_call.error = 0;
	leave_call();
	count_call(&this_call);
	if (setting_log_min_duration >= 0 &&
		this_call.total_ms >= setting_log_min_duration)
		log_call(&this_call);
}

/*
 * Ends the call with a list of the reader's elements, and of NULLs behind them
 * up to "n" elements.  The reader leaves out NULLs.
 */
Datum
call_end_padded(ArrayReader *reader, int64 n)
{
	ArrayWriter writer;

	array_writer_begin_null_list(&writer, &reader->type, n,
								 n - reader->nvalues);
	if (writer.bitmap != NULL)
		nulls_append(reader, writer.bitmap, 0);
	array_reader_copy(reader, writer.values, reader->nvalues);
	return call_end(reader,
					array_writer_finish_null_list(&writer, n,
												  reader->nvalues));
}

/* Ends the call, with the result NULL. */
Datum
call_end_null(FunctionCallInfo fcinfo, ArrayReader *reader)
{
	call_end_bytes(reader, 0);
	PG_RETURN_NULL();
}

/*
 * How the calls of the last chain went.  A chain may run for each of many rows
 * with short calls, which must not pay for this: the text is only made on
 * demand.  A chain of more steps loses those before the last one.
 */
#define MAX_STEPS	32

static LastCall steps[MAX_STEPS];
static int	nsteps = 0;

/* A chain begins, after the last call. */
void
chain_record_begin(void)
{
	call_settle();
	nsteps = 0;
	this_call.noted = true;
}

/*
 * Adds the call of a step, unless it is there already, or no call of the chain:
 * a step with a NULL may make none.
 */
void
chain_record_add(LastCall *call)
{
	if (call->noted)
		return;
	call->noted = true;
	if (nsteps == MAX_STEPS)
		nsteps--;
	steps[nsteps++] = *call;
}

static void
append_step(StringInfo text, const LastCall *step)
{
	appendStringInfo(text, "%s%s (", text->len > 0 ? ", " : "",
					 step->function);
	if (step->choice.engine == NO_ENGINE)
		appendStringInfoString(text, "nothing to do");
	else if (step->choice.reason == CHOSEN_AS_STAGE)
		appendStringInfoString(text, choice_reason_name(step->choice.reason));
	else
	{
		appendStringInfo(text, "%s, %s",
						 session_engines[step->choice.engine]->name,
						 step->source);
		if (step->timed)
			appendStringInfo(text, ", %.3f ms", step->total_ms);
	}
	appendStringInfoChar(text, ')');
}

/* The steps of the chain that the last call has ended, or NULL. */
char *
chain_record_text(void)
{
	StringInfoData text;

	if (nsteps < 2 || steps[nsteps - 1].number != this_call.number)
		return NULL;
	initStringInfo(&text);
	for (int i = 0; i < nsteps; i++)
		append_step(&text, &steps[i]);
	return text.data;
}
