/*
 * call.h
 *	  A call of an SQL function, from its arguments to its result.
 */
#ifndef GPUCOMPACT_CALL_H
#define GPUCOMPACT_CALL_H

#include "compat.h"

#include "access/tupdesc.h"
#include "portability/instr_time.h"

#include "array/array_writer.h"
#include "call/site.h"
#include "call/step.h"

/* An array whose elements are a request's table. */
typedef struct CallTable
{
	ArrayReader *reader;
	const char *elements;		/* NULL until they are read */
	char	   *copy;			/* palloc'd: they, or NULL */
} CallTable;

/* An input of an engine's job, piece by piece. */
typedef struct CallInput
{
	/* The next "count" elements, in "buffer" or in memory that stays. */
	const void *(*next) (struct CallInput *input, void *buffer, int64 count);

	ArrayReader *reader;		/* the array that they come from */
	ArrayReader *second;		/* and the one that follows it, or NULL */
	bool		plain;			/* they are the arrays' own, unchanged */
	CallTable  *table;			/* the elements are positions in it; or NULL */
} CallInput;

/*
 * The call that is under way; between two calls, the last one in this session,
 * which gpu_last_call() shows.
 */
typedef struct LastCall
{
	const char *function;		/* NULL before the first call */
	uint64		number;			/* of the calls of the session */
	const char *source;
	int64		elements;
	int64		bytes_in;
	int64		bytes_out;
	int			error;			/* an SQLSTATE, as elog.h has it; 0: none */
	bool		under_way;		/* or failed, and not settled yet */
	bool		timed;			/* the times below are known */
	bool		noted;			/* among the calls of a chain, or none of it */
	double		total_ms;
	double		detoast_ms;
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
	double		result_ms;
	CallStep   *step;			/* of a chain, or NULL; while the call is under
								 * way, once it is known */
	CallSite   *site;			/* or NULL; until the query ends */
	Choice		choice;			/* no engine if there was nothing to do */
} LastCall;

extern LastCall this_call;

extern void record_begin_times(void);
extern void record_add_lap(double *part_ms);

/* Adds the time since the last lap to a part of the call. */
static inline void
record_lap(double *part_ms)
{
	if (this_call.timed)
		record_add_lap(part_ms);
}

extern void call_init(void);
extern void call_settle(void);
extern void call_begin(const char *function);
extern void call_begin_at(FunctionCallInfo fcinfo, const char *function);
extern void call_open_datum(ArrayReader *reader, Datum datum,
							NullHandling null_handling,
							const ElementValue *fill);
extern void call_open_array(ArrayReader *reader, FunctionCallInfo fcinfo,
							int argument, NullHandling null_handling,
							const ElementValue *fill);
extern void call_open_counted(ArrayReader *reader, FunctionCallInfo fcinfo,
							  int argument, NullHandling null_handling);
extern void call_prefetch(ValuePlaces *places, Datum datum);
extern void call_open_bytes(ArrayReader *reader, Datum datum);
extern void call_open_packed(ArrayReader *reader, Datum packed, int64 first,
							 int64 last);
extern Oid	element_of_argument(FunctionCallInfo fcinfo, int argument);
extern void call_check_list(const ArrayReader *reader);
extern void call_check_number(const ArrayReader *reader,
							  FunctionCallInfo fcinfo, int argument);
extern void call_open_list(ArrayReader *reader, FunctionCallInfo fcinfo,
						   int argument, NullHandling null_handling);
extern void call_open_slice(ArrayReader *reader, FunctionCallInfo fcinfo,
							int argument, int64 first, int64 last);
extern void call_check_pair(const ArrayReader *first, const char *first_name,
							const ArrayReader *second,
							const char *second_name);
extern void call_open_paired(ArrayReader *reader, FunctionCallInfo fcinfo,
							 int argument, NullHandling null_handling,
							 const ArrayReader *array, const char *name);
extern const void *array_input_next(CallInput *input, void *buffer,
									int64 count);
extern CallInput joined_input(ArrayReader *reader, ArrayReader *second);
extern CallInput positions_input(ArrayReader *reader);
extern ArrayReader *source_reader(const EngineRequest *request,
								  CallInput *const inputs[], int source);
extern CallTable call_table(ArrayReader *reader);
extern void call_table_read(CallTable *table, EngineRequest *request);
extern void call_table_free(CallTable *table);
extern void call_run(EngineRequest *request, CallInput *const inputs[],
					 int ninputs, EngineResult *result);
extern int	call_choose_engine(EngineRequest *request, ArrayReader *reader);
extern void call_on_cpu(const ArrayReader *reader);
extern EngineResult call_alone(EngineRequest *request, ArrayReader *reader);
extern void unpack(ArrayReader *reader, void *values);
extern bool defer_allowed(const EngineRequest *request);
extern bool defer_packed(const ArrayReader *reader);
extern void defer_not(void);
extern int64 null_results_leave_out(ArrayWriter *writer);
extern int64 null_results_fetch(ArrayWriter *writer,
								const EngineResult *stayed);
extern Datum call_end_null_results(ArrayReader *reader, ArrayWriter *writer);
extern LastCall call_suspend(void);
extern void call_resume(const LastCall *call);
extern void call_record_stage(LastCall *call, int64 elements, int64 bytes_in,
							  int64 bytes_out);
extern void call_end_unrecorded(const LastCall *before);
extern Datum call_end(ArrayReader *reader, Datum result);
extern Datum call_end_writer(ArrayReader *reader, ArrayWriter *writer);
extern void call_end_bytes(ArrayReader *reader, int64 bytes_out);
extern Datum call_end_padded(ArrayReader *reader, int64 n);
extern Datum call_end_null(FunctionCallInfo fcinfo, ArrayReader *reader);
extern void chain_record_begin(void);
extern void chain_record_add(LastCall *call);
extern char *chain_record_text(void);

/* The elements of an array as they are. */
static inline CallInput
array_input(ArrayReader *reader)
{
	return (CallInput) {array_input_next, .reader = reader, .plain = true};
}

/*
 * The next functions are inlined, because copying the result takes a noticeable
 * part of a short call.
 */

/* Runs a request, as call_run does. */
static inline EngineResult
call_engine_inputs(EngineRequest *request, CallInput *const inputs[],
				   int ninputs)
{
	EngineResult result;

	call_run(request, inputs, ninputs, &result);
	return result;
}

/* Runs a request over the elements of one reader. */
static inline EngineResult
call_engine(EngineRequest *request, ArrayReader *reader)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	return call_engine_inputs(request, inputs, lengthof(inputs));
}

/* Makes a reader's elements the input, and a writer's values the output. */
static inline void
request_into(EngineRequest *request, const ArrayReader *reader,
			 const ArrayWriter *writer)
{
	request->count = reader->count;
	request->outputs[0] = (EngineOutput) {writer->values, writer->type.kind};
}

/* Like call_engine, with a writer's values as the output. */
static inline EngineResult
call_engine_into(EngineRequest *request, ArrayReader *reader,
				 const ArrayWriter *writer)
{
	request_into(request, reader, writer);
	return call_engine(request, reader);
}

/*
 * Like call_engine, with another array as the table.  Its elements are read
 * only if the engine does not have them.
 */
static inline EngineResult
call_engine_table(EngineRequest *request, ArrayReader *reader,
				  CallTable *table)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input};

	input.table = table;
	return call_engine_inputs(request, inputs, lengthof(inputs));
}

/* Like call_engine, with a second input. */
static inline EngineResult
call_engine_paired(EngineRequest *request, ArrayReader *reader,
				   CallInput *beside)
{
	CallInput	input = array_input(reader);
	CallInput  *inputs[] = {&input, beside};

	return call_engine_inputs(request, inputs, lengthof(inputs));
}

#endif							/* GPUCOMPACT_CALL_H */
