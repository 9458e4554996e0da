/*
 * call_stat.h
 *	  The calls of all sessions, counted by function, engine and reason.
 */
#ifndef GPUCOMPACT_CALL_STAT_H
#define GPUCOMPACT_CALL_STAT_H

#include "compat.h"

#include "datatype/timestamp.h"

#include "call/call.h"

/* Calls of one function that ran on one engine for one reason. */
typedef struct CallStat
{
	char		function[NAMEDATALEN];
	int			engine;			/* its number; NO_ENGINE: nothing to do */
	ChoiceReason reason;
	int64		calls;
	int64		elements;
	int64		bytes_in;
	int64		bytes_out;
	int64		timed_calls;	/* calls whose time is known, */
	double		total_ms;		/* and the sum of their times */
	int64		failed_calls;	/* in none of the other figures */
} CallStat;

extern bool call_stat_init(void);
extern void call_stat_add(const LastCall *call);
extern void call_stat_pass_on(void);
extern CallStat *call_stat_list(int *count, TimestampTz *since);
extern void call_stat_reset(void);

#endif							/* GPUCOMPACT_CALL_STAT_H */
