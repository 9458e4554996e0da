/*
 * absent_result.c
 *	  Where the elements of a call's result are, if not in its array.
 *
 * Before it calls a function whose array goes to another function, a chain
 * allows the elements to be elsewhere.  The function's request has to allow it,
 * too, as most functions put NULLs into their results, or change them
 * otherwise.  The array that the function then returns has no elements yet: the
 * chain makes it an absent one.
 */
#include "compat.h"

#include "call/absent_result.h"
#include "call/engines.h"

/*
 * Results of fewer bytes are put into their array at once, which takes no
 * longer than to do without.
 */
#define MIN_ABSENT		(256 * 1024)

static bool allowed = false;
static AbsentResult noted;

/* Allows the results of the next call to be absent, or not. */
void
absent_result_allow(bool allow)
{
	allowed = allow;
	noted = (AbsentResult) {0};
}

/* Returns whether the results of the last call are absent, and where. */
bool
absent_result_take(AbsentResult *result)
{
	*result = noted;
	absent_result_allow(false);
	return result->resident != 0 || result->staged != NULL ||
		result->packed != (Datum) 0;
}

/* Gives back what was noted for a request that is repeated. */
void
absent_result_repeat(void)
{
	if (noted.resident != 0)
		gpu_engine_give_back(session_engines[ENGINE_CUDA].context,
							 noted.device, noted.resident);
	noted = (AbsentResult) {0};
}

/* Gives back what was noted for a call that has failed. */
void
absent_result_drop(void)
{
	absent_result_repeat();
	absent_result_allow(false);
}

/* Returns whether the results of a request, which allows it, may be absent. */
bool
absent_result_allowed(const EngineRequest *request)
{
	return (allowed || request->passes) && request->outputs[1].memory == NULL &&
		most_results(request) * output_size(request, 0) >= MIN_ABSENT;
}

/* Notes that the results of a request are absent. */
void
absent_result_note(AbsentResult result)
{
	noted = result;
}
