/*
 * cpu_phases.h
 *	  The phases of a job.  In each phase, threads work on the job's chunks.
 *
 * In the first phase, elements arrive in pieces.  The task that brings a
 * chunk's last elements works on the chunk.  In a later phase, threads take
 * chunks one by one: the caller by cpu_phases_step(), helpers in a task each.
 */
#ifndef GPUCOMPACT_CPU_PHASES_H
#define GPUCOMPACT_CPU_PHASES_H

#include "contract/engine.h"

typedef struct CpuJob CpuJob;

/*
 * The work of a phase on a chunk.  No two threads have the same number at the
 * same time; numbers are below cpu_phase_threads().  In the first phase, the
 * number is always 0.
 */
typedef void (*PhaseWork) (CpuJob *job, int chunk, int thread);

/*
 * What follows a phase.  Starts the next phase and returns ENGINE_MORE, or
 * returns the status of the job.
 */
typedef EngineStatus (*PhaseNext) (CpuJob *job);

typedef struct CpuPhases
{
	int64_t		count;			/* elements in all chunks */
	int64_t		chunk_size;		/* elements */
	int			nchunks;
	bool		cancelled;		/* tasks must stop: results are lost */

	/* The current phase: */
	PhaseWork	work;			/* on each chunk */
	PhaseNext	next;			/* NULL if this is the last phase */
	int			next_chunk;		/* the first one that no thread has taken */
	int			pending;		/* tasks that are not done */

	/* By chunk: the elements that have arrived. */
	int64_t    *arrived;
} CpuPhases;

/*
 * Divides a job's elements into chunks, and sets the first phase.  "work" is
 * NULL if the task of a piece is not cpu_phases_piece().  Returns false if
 * there is not enough memory.
 */
extern bool cpu_phases_begin(CpuJob *job, int64_t chunk_size, PhaseWork work,
							 PhaseNext next);

/* Divides another number of elements into chunks of the same size. */
extern void cpu_phases_shrink(CpuJob *job, int64_t count);

/* The threads that work in a phase. */
extern int	cpu_phase_threads(const CpuJob *job);

/* Starts a phase; returns ENGINE_MORE. */
extern EngineStatus cpu_phase_start(CpuJob *job, PhaseWork work,
									PhaseNext next);

/*
 * Works on one chunk of the current phase, or starts the next phase.  Returns
 * ENGINE_OK once the last phase is done.
 */
extern EngineStatus cpu_phases_step(CpuJob *job);

/* Ends the tasks: each stops after its chunk, or where it looks for this. */
extern void cpu_phases_end(CpuJob *job);

/* Returns whether a thread must stop within its chunk. */
static inline bool
cpu_phases_cancelled(const CpuPhases *phases)
{
	return __atomic_load_n(&phases->cancelled, __ATOMIC_RELAXED);
}

#endif							/* GPUCOMPACT_CPU_PHASES_H */
