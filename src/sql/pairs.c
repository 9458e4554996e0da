/*
 * pairs.c
 *	  The pairs of two arrays, element by element, without those that have a
 *	  NULL.
 *
 * Arrays without NULLs go to the engine as they are.  Otherwise both are read
 * with a value in place of each NULL, and the pairs that have a NULL are
 * removed.
 */
#include "compat.h"

#include "call/temporary.h"
#include "sql/pairs.h"

/* Finds the pairs without a NULL. */
static void
find_values(ArrayPairs *pairs)
{
	int64		nitems = pairs->first.nitems;

	pairs->values = NULL;
	pairs->count = nitems;
	if (pairs->first.nulls == NULL && pairs->second.nulls == NULL)
		return;
	pairs->values = palloc(null_bitmap_bytes(nitems));
	null_bitmap_combine(pairs->values, pairs->first.nulls,
						pairs->second.nulls, nitems, false);
	pairs->count = null_bitmap_count_values(pairs->values, 0, nitems);
}

/*
 * Opens the first two arguments of a function, which have these names.
 *
 * Raises 0A000 if they are no arrays of numbers, which the first one need not
 * be unless "numbers" says so, or have several dimensions, and 2202E if they
 * differ in length.
 */
void
pairs_open(ArrayPairs *pairs, FunctionCallInfo fcinfo,
		   const char *first_name, const char *second_name, bool numbers)
{
	call_open_list(&pairs->first, fcinfo, 0, NULLS_FILLED);
	if (numbers)
		call_check_number(&pairs->first, fcinfo, 0);
	call_open_list(&pairs->second, fcinfo, 1, NULLS_FILLED);
	call_check_number(&pairs->second, fcinfo, 1);
	call_check_pair(&pairs->first, first_name, &pairs->second, second_name);
	find_values(pairs);
}

/* Runs a request over all pairs, in which a zero stands for each NULL. */
EngineResult
pairs_run_filled(ArrayPairs *pairs, EngineRequest *request)
{
	CallInput	second = array_input(&pairs->second);

	request->count = pairs->first.nitems;
	return call_engine_beside(request, &pairs->first, &second);
}

/* Runs a request over the pairs without a NULL. */
EngineResult
pairs_run(ArrayPairs *pairs, EngineRequest *request)
{
	SelectedElements first;
	SelectedElements second;
	EngineResult result;

	if (pairs->values == NULL)
		return pairs_run_filled(pairs, request);
	selected_begin(&first, &pairs->first, pairs->values, pairs->count, NULL);
	selected_begin(&second, &pairs->second, pairs->values, pairs->count, NULL);
	request->count = pairs->count;
	result = call_engine_inputs(request,
								(CallInput *[]) {&first.input, &second.input},
								2);
	selected_end(&second);
	selected_end(&first);
	return result;
}

/* Ends the call, with a result of "bytes_out" bytes. */
void
pairs_end(ArrayPairs *pairs, int64 bytes_out)
{
	if (pairs->values != NULL)
		pfree(pairs->values);
	array_reader_close(&pairs->second);
	call_end_bytes(&pairs->first, bytes_out);
}
