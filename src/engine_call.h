/*
 * engine_call.h
 *	  A call of an SQL function, from its arguments to its result.
 */
#ifndef GPUCOMPACT_ENGINE_CALL_H
#define GPUCOMPACT_ENGINE_CALL_H

#include "compat.h"

#include "portability/instr_time.h"

#include "array_reader.h"
#include "choice.h"
#include "engine.h"

/* How the last call in this session went; gpu_last_call() shows it. */
typedef struct LastCall
{
	const char *function;		/* NULL before the first call */
	Choice		choice;			/* no engine where nothing was to be done */
	const char *source;
	int64		elements;
	int64		bytes_in;
	int64		bytes_out;
	bool		timed;			/* are these known? */
	double		total_ms;
	double		detoast_ms;
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
	double		result_ms;
} LastCall;

extern LastCall last_call;

extern void call_begin(const char *function);
extern void call_open_array(ArrayReader *reader, Datum datum,
							NullHandling null_handling, const void *fill);
extern void call_open_bytes(ArrayReader *reader, Datum datum);
extern EngineResult call_engine(EngineRequest *request, ArrayReader *reader,
								ArrayReader *mask);
extern Datum call_end(ArrayReader *reader, Datum result);
extern void call_end_bytes(ArrayReader *reader, int64 bytes_out);

#endif							/* GPUCOMPACT_ENGINE_CALL_H */
