/*
 * gpu_job.h
 *	  A session's job in a GPU process.
 */
#ifndef GPUCOMPACT_GPU_JOB_H
#define GPUCOMPACT_GPU_JOB_H

#include "gpuclient/gpu_engine.h"
#include "contract/team.h"

/* Bytes that the team copies, from or to a slot. */
typedef struct SlotCopy
{
	char	   *to;
	const char *from;
	int64_t		bytes;

	/*
	 * The parts that are still to be copied, plus one until the slot is handed
	 * over: without that one, a slot that is copied but still ready would be
	 * taken twice.
	 */
	int			pending;
	bool		results;		/* of the slot, which is free after that */
} SlotCopy;

/* The packed blocks in a slot, or room for them. */
typedef struct SlotBlocks
{
	int			number;
	int64_t		bytes;
	int64_t		elements;		/* of the piece, that they have */
} SlotBlocks;

/* A batch that a thread puts into its piece's slot. */
typedef struct SlotFill
{
	char	   *to;
	SpanBatch  *batch;
	int			slot;
	bool		in_blocks;		/* it is not unpacked here */
	SlotBlocks	before;			/* these, which are in front of its blocks */
	int		   *pending;		/* set to zero once it is there */
	int			busy;			/* it is not copied yet */
} SlotFill;

/* From this many elements to copy on, a job is given a team. */
#define COPY_TEAM_COUNT	(1024 * 1024)

/* Fills that are noted at a time; more are copied at once. */
#define SLOT_FILLS		32

/* A context, and the job in it. */
typedef struct GpuJob
{
	EngineContext base;
	char		message[512];
	GpuConnection connections[MAX_GPUS];
	bool		had_many[ENGINE_OPERATIONS];	/* results, the last time */

	/* All that follows is the job's. */
	GpuConnection *at;			/* the process that it is to run in */
	bool		lost;			/* the process has gone */
	bool		waiting;		/* for a lane there */
	bool		asked;			/* which inputs the process has cached */
	int			lane_number;
	SharedLane *lane;			/* that it leases, or NULL */
	int64_t		leased_ns;		/* when */
	uint32_t	progress;		/* of the process, as last seen, */
	int64_t		progress_ns;	/* and when */
	EngineRequest request;
	uint64_t	resident;		/* number of the output, if it may stay and the
								 * host does not have it yet; or zero */
	int64_t		capacity;		/* elements in a slot */
	int64_t		table_pushed;	/* bytes of the table */
	int64_t		pushed;			/* elements */
	int64_t		pieces;			/* slots filled */
	Team		team;
	SlotCopy	copies[LANE_SLOTS];
	SlotFill	fills[SLOT_FILLS];
	int			nfills;			/* so far */

	/*
	 * The fills that a slot still waits for, plus one for its push, plus one
	 * until it is handed over.  A slot is free only if this is zero, too.
	 */
	int			unfilled[LANE_SLOTS];
	SlotBlocks	blocks[LANE_SLOTS];
	int64_t		taken;			/* bytes of results, copied or about to be */
	int64_t		copy_ns;		/* summed over the threads */
	int64_t		prefaulted;		/* bytes of the result taken on by helpers */
	bool		stop_prefaulting;
} GpuJob;

/* gpu_lease.c */
extern EngineStatus job_failed(GpuJob *job, EngineStatus status,
							   const char *format, ...)
			__attribute__((format(printf, 3, 4)));
extern double process_queue_length(const GpuConnection *connection);
extern GpuConnection *job_find_process(GpuJob *job,
									   const EngineRequest *request);
extern EngineStatus job_process_lost(GpuJob *job);
extern EngineStatus job_wait(GpuJob *job, Doorbell *doorbell, uint32_t seen);
extern EngineStatus job_lease(GpuJob *job);
extern void job_leave_queue(GpuJob *job);
extern void job_note_lease(GpuJob *job);
extern uint64_t gpu_resident_take(GpuConnection *connection);
extern void gpu_resident_give_back(GpuConnection *connection, uint64_t number);

/* gpu_slots.c */
extern EngineStatus job_status(GpuJob *job);
extern void job_start_team(GpuJob *job);
extern EngineStatus job_help_or_wait(GpuJob *job, uint32_t seen);
extern char *slot_memory(const GpuJob *job, int slot);
extern void slot_start_copy(GpuJob *job, int slot, char *to, const char *from,
							int64_t bytes, bool results);
extern bool slot_is_copying(const GpuJob *job, int slot);
extern EngineStatus slots_next(GpuJob *job);
extern void slots_push(GpuJob *job, int64_t count);
extern EngineStatus slots_push_table(GpuJob *job);
extern void slots_fill(EngineContext *context, int input, void *dest,
					   SpanBatch *batch, int *pending);
extern EngineStatus slots_take_results(GpuJob *job);
extern bool slots_all_copied(GpuJob *job);

#endif							/* GPUCOMPACT_GPU_JOB_H */
