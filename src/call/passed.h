/*
 * passed.h
 *	  An array that a request makes for a later request of the same call.
 */
#ifndef GPUCOMPACT_CALL_PASSED_H
#define GPUCOMPACT_CALL_PASSED_H

#include "array/absent.h"
#include "call/input.h"

typedef struct PassedArray PassedArray;

/* Makes the elements, which a device has lost, in their place. */
typedef void (*MakePassed) (void *argument, char *values);

struct PassedArray
{
	AbsentArray absent;			/* unless it has arrived */
	ArrayReader reader;			/* for the later request */
	MakePassed	make;
	void	   *argument;
	MemoryContextCallback at_reset;
};

extern PassedArray *passed_begin(const ElementType *type, int64 most,
								 MakePassed make, void *argument);
extern int64 passed_run(PassedArray *passed, EngineRequest *request,
						CallInput *const inputs[], int ninputs);
extern void passed_reopen(PassedArray *passed);
extern void passed_end(PassedArray *passed);

/* The elements, which are here if absent.arrived. */
static inline char *
passed_values(const PassedArray *passed)
{
	return ARR_DATA_PTR(passed->absent.array);
}

#endif							/* GPUCOMPACT_CALL_PASSED_H */
