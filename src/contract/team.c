/*
 * team.c
 *	  The thread pool of a job.
 *
 * The team lives as long as the job, so a session has no helpers between two
 * calls.  Starting a thread takes some 20 us, so a small job should have no
 * helpers.
 */
#include <signal.h>
#include <string.h>
#include <time.h>

#include "contract/team.h"

/* The longest wait for a helper's task before checking again. */
#define WAIT_NS			1000000

/*
 * How often a thread looks whether it is its turn before it sleeps.  To wake it
 * up takes longer than most turns.
 */
#define TURN_POLLS		2000

/* Takes the oldest task.  The lock is held. */
static bool
take_task(Team *team, TeamTask *task)
{
	if (team->head == team->tail)
		return false;
	*task = team->tasks[team->head++ % TEAM_QUEUE];
	return true;
}

static void *
helper_main(void *argument)
{
	Team	   *team = argument;
	TeamTask	task;

	pthread_mutex_lock(&team->lock);
	while (!team->stopping)
	{
		if (!take_task(team, &task))
		{
			pthread_cond_wait(&team->added, &team->lock);
			continue;
		}
		pthread_mutex_unlock(&team->lock);
		task.work(task.job, task.number);
		pthread_mutex_lock(&team->lock);
		pthread_cond_signal(&team->done);
	}
	pthread_mutex_unlock(&team->lock);
	return NULL;
}

/*
 * Starts a team with up to "helpers" threads besides the caller's.  The system
 * may allow fewer, or none: then the team is as one without helpers.
 */
void
team_start(Team *team, int helpers)
{
	sigset_t	all;
	sigset_t	before;

	team->helpers = 0;
	team->head = team->tail = 0;
	team->sleepers = 0;
	team->stopping = false;
	team->threaded = helpers > 0;
	if (!team->threaded)
		return;

	pthread_mutex_init(&team->lock, NULL);
	pthread_cond_init(&team->added, NULL);
	pthread_cond_init(&team->done, NULL);
	for (int i = 0; i < TEAM_TURNS; i++)
		pthread_cond_init(&team->turns[i], NULL);

	/* A thread inherits the signal mask: helpers handle no signals. */
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	while (team->helpers < helpers && team->helpers < TEAM_MAX_HELPERS &&
		   pthread_create(&team->threads[team->helpers], NULL,
						  helper_main, team) == 0)
		team->helpers++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (team->helpers == 0)
		team_stop(team);
}

/*
 * Adds a task.  Without helpers, the caller runs it at once.  If the queue is
 * full, the caller first runs the oldest task.
 */
void
team_add(Team *team, TeamWork work, void *job, int number)
{
	if (team->helpers == 0)
	{
		work(job, number);
		return;
	}
	pthread_mutex_lock(&team->lock);
	while (team->tail - team->head == TEAM_QUEUE)
	{
		pthread_mutex_unlock(&team->lock);
		team_help(team);
		pthread_mutex_lock(&team->lock);
	}
	team->tasks[team->tail++ % TEAM_QUEUE] = (TeamTask) {work, job, number};
	pthread_cond_signal(&team->added);
	pthread_mutex_unlock(&team->lock);
}

/* Runs the oldest task in the queue; returns false if there is none. */
bool
team_help(Team *team)
{
	TeamTask	task;
	bool		taken;

	if (team->helpers == 0)
		return false;
	pthread_mutex_lock(&team->lock);
	taken = take_task(team, &task);
	pthread_mutex_unlock(&team->lock);
	if (taken)
		task.work(task.job, task.number);
	return taken;
}

/*
 * Runs a task, or if there is none waits for one to end, but at most WAIT_NS.
 * Returns at once if "pending", which tasks count down, is zero.
 */
void
team_wait(Team *team, const int *pending)
{
	struct timespec until;

	if (__atomic_load_n(pending, __ATOMIC_ACQUIRE) == 0 || team_help(team))
		return;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += WAIT_NS;
	if (until.tv_nsec >= 1000000000)
	{
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&team->lock);
	if (__atomic_load_n(pending, __ATOMIC_ACQUIRE) != 0)
		pthread_cond_timedwait(&team->done, &team->lock, &until);
	pthread_mutex_unlock(&team->lock);
}

/* Leaves the processor core to its other thread for some cycles. */
static inline void
pause_core(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/*
 * Waits until "turn" is "own".  A thread passes it on by team_pass_turn(); the
 * task whose turn it is must have begun.
 */
void
team_wait_turn(Team *team, const int64_t *turn, int64_t own)
{
	for (int polls = 0; polls < TURN_POLLS; polls++)
	{
		if (__atomic_load_n(turn, __ATOMIC_ACQUIRE) == own)
			return;
		pause_core();
	}
	pthread_mutex_lock(&team->lock);
	__atomic_add_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n(turn, __ATOMIC_SEQ_CST) != own)
		pthread_cond_wait(&team->turns[own % TEAM_TURNS], &team->lock);
	__atomic_sub_fetch(&team->sleepers, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_unlock(&team->lock);
}

/*
 * Passes the turn on.  Either this sees that a thread sleeps, or that thread
 * sees the turn before it sleeps.
 */
void
team_pass_turn(Team *team, int64_t *turn)
{
	int64_t		next = *turn + 1;

	__atomic_store_n(turn, next, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&team->sleepers, __ATOMIC_SEQ_CST) == 0)
		return;
	pthread_mutex_lock(&team->lock);
	pthread_cond_broadcast(&team->turns[next % TEAM_TURNS]);
	pthread_mutex_unlock(&team->lock);
}

/* Drops queued tasks, waits for running ones, and ends the threads. */
void
team_stop(Team *team)
{
	if (!team->threaded)
		return;

	pthread_mutex_lock(&team->lock);
	team->stopping = true;
	pthread_cond_broadcast(&team->added);
	pthread_mutex_unlock(&team->lock);
	while (team->helpers > 0)
		pthread_join(team->threads[--team->helpers], NULL);
	for (int i = 0; i < TEAM_TURNS; i++)
		pthread_cond_destroy(&team->turns[i]);
	pthread_cond_destroy(&team->done);
	pthread_cond_destroy(&team->added);
	pthread_mutex_destroy(&team->lock);
	team->threaded = false;
}
