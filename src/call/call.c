/*
 * call.c
 *	  The life of a call of an SQL function, its record, and its site (site.h).
 *
 * A family's function calls, in this order, call_begin, call_open_array (or
 * one like it), array_writer_begin, call_engine and call_end.  These record
 * the statistics of the call.  Arguments are checked after call_begin, so that
 * a call with a wrong argument is recorded as a failed one.
 */
#include "compat.h"

#include "access/xact.h"
#include "funcapi.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"

#include "call/call_stat.h"
#include "settings.h"

LastCall	this_call;

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
		this_call.choice.engine = NULL;
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
	this_call.choice.engine = NULL;
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

/* Raises 42804 if a row type does not have as many columns: it was altered. */
void
check_columns(TupleDesc type, int columns)
{
	if (type->natts != columns)
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("type %s has %d columns, but %d are needed",
						format_type_be(type->tdtypeid), type->natts,
						columns)));
}

/*
 * The type of a row that a function returns.  Raises what check_columns does.
 */
TupleDesc
call_row_type(FunctionCallInfo fcinfo, int columns)
{
	CallSite   *site = call_site(fcinfo);

	if (site->row_type == NULL)
	{
		MemoryContext caller =
			MemoryContextSwitchTo(fcinfo->flinfo->fn_mcxt);
		TupleDesc	type;

		if (get_call_result_type(fcinfo, NULL, &type) != TYPEFUNC_COMPOSITE)
			elog(ERROR, "return type must be a row type");
		check_columns(type, columns);
		site->row_type = BlessTupleDesc(type);
		MemoryContextSwitchTo(caller);
	}
	return site->row_type;
}

/* Logs how a call went, by the names that gpu_last_call() has for it. */
static void
log_call(const LastCall *call)
{
	bool		ran = call->choice.engine != NULL;

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
	if (choice->engine == NULL)
		calls->idle++;
	else if (choice->reason == CHOSEN_AS_STAGE)
		calls->stages++;
	else
	{
		calls->on[choice->engine - session_engines]++;
		calls->reason = choice->reason;
	}
	if (call->timed)
		calls->total_ms += call->total_ms;
}

/*
 * Records a call that is over, which another call of a chain has done, in a
 * record of the same call for another row.
 */
void
call_record_stage(LastCall *call, int64 elements, int64 bytes_in,
				  int64 bytes_out)
{
	call->number = ++calls;
	call->elements = call->choice.elements = elements;
	call->bytes_in = bytes_in;
	call->bytes_out = bytes_out;
	count_call(call);
	chain_record_add(call);
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
 * demand.  A chain of more steps loses its last ones.
 */
#define MAX_STEPS	32

typedef struct StepRecord
{
	uint64		number;			/* of the call */
	const char *function;
	const char *source;
	const SessionEngine *engine;	/* NULL if there was nothing to do */
	ChoiceReason reason;
	double		total_ms;		/* less than 0: not timed */
} StepRecord;

static StepRecord steps[MAX_STEPS];
static int	nsteps = 0;

/* A chain begins. */
void
chain_record_begin(void)
{
	nsteps = 0;
}

/* Adds the call of a step, unless it is there already. */
void
chain_record_add(const LastCall *call)
{
	if (nsteps == MAX_STEPS ||
		(nsteps > 0 && steps[nsteps - 1].number == call->number))
		return;
	steps[nsteps++] = (StepRecord)
	{
		call->number, call->function, call->source, call->choice.engine,
			call->choice.reason, call->timed ? call->total_ms : -1
	};
}

static void
append_step(StringInfo text, const StepRecord *step)
{
	appendStringInfo(text, "%s%s (", text->len > 0 ? ", " : "",
					 step->function);
	if (step->engine == NULL)
		appendStringInfoString(text, "nothing to do");
	else if (step->reason == CHOSEN_AS_STAGE)
		appendStringInfoString(text, choice_reason_name(step->reason));
	else
	{
		appendStringInfo(text, "%s, %s", step->engine->name, step->source);
		if (step->total_ms >= 0)
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
