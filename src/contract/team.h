/*
 * team.h
 *	  The thread pool of a job.
 *
 * Tasks begin in the order in which they are added, so a task may wait for
 * one that was added before it.  The threads block all signals and know
 * nothing of PostgreSQL.
 */
#ifndef GPUCOMPACT_TEAM_H
#define GPUCOMPACT_TEAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define TEAM_MAX_HELPERS	63
#define TEAM_QUEUE			128

/*
 * Threads that sleep until turns with the same remainder by this number are
 * woken up together.
 */
#define TEAM_TURNS			8

typedef void (*TeamWork) (void *job, int number);

typedef struct TeamTask
{
	TeamWork	work;
	void	   *job;
	int			number;
} TeamTask;

/* A team of all zeros has no helpers: the caller runs all tasks. */
typedef struct Team
{
	int			helpers;
	bool		threaded;		/* helpers may wait for a turn */
	pthread_t	threads[TEAM_MAX_HELPERS];
	pthread_mutex_t lock;		/* of all that follows */
	pthread_cond_t added;
	pthread_cond_t done;
	pthread_cond_t turns[TEAM_TURNS];
	int			sleepers;		/* threads that sleep until it is their turn */
	bool		stopping;
	uint64_t	tail;			/* tasks added */
	uint64_t	head;			/* tasks begun */
	TeamTask	tasks[TEAM_QUEUE];
} Team;

extern void team_start(Team *team, int helpers);
extern void team_add(Team *team, TeamWork work, void *job, int number);
extern bool team_help(Team *team);
extern void team_wait(Team *team, const int *pending);
extern void team_wait_turn(Team *team, const int64_t *turn, int64_t own);
extern void team_pass_turn(Team *team, int64_t *turn);
extern void team_stop(Team *team);

#ifdef __cplusplus
}
#endif

#endif							/* GPUCOMPACT_TEAM_H */
