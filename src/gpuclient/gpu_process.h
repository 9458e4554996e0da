/*
 * gpu_process.h
 *	  The GPU processes of this server: whether they are there, and asking for
 *	  them.
 */
#ifndef GPUCOMPACT_GPU_PROCESS_H
#define GPUCOMPACT_GPU_PROCESS_H

#include "compat.h"

#include "access/transam.h"
#include "datatype/timestamp.h"
#include "postmaster/bgworker.h"
#include "storage/lwlock.h"

#include "gpuclient/gpu_engine.h"

/* What a worker does for its GPU, as a file next to the socket says. */
typedef enum WorkerState
{
	WORKER_NONE,
	WORKER_STARTING,			/* the process is opening the GPU */
	WORKER_SERVING,
	WORKER_WAITING,				/* to start it again, after a failure */
	WORKER_NO_DEVICE,			/* there is no such GPU; the worker has ended */
	WORKER_DONE					/* it was idle, or told to end, and has ended */
} WorkerState;

/*
 * A run of the server: from its start, or its restart after a crash, to its
 * end.  Each run has shared memory of its own.  Files of an earlier run are
 * ignored.
 */
typedef struct ServerRun
{
	TimestampTz started;
	uint64		memory;			/* a random number, which that has */
} ServerRun;

typedef struct WorkerStatus
{
	int32		state;			/* a WorkerState */
	int32		worker_pid;
	int32		process_pid;	/* of the GPU process, or 0 */
	int32		failures;		/* since it last served for a while */
	int64		since;			/* seconds since 1970 */
	int64		retry;			/* when it is started again, the same */
	char		last_failure[512];
	ServerRun	run;			/* that the worker is of */
} WorkerStatus;

/* The file that has the status; the worker of the GPU holds a lock on it. */
#define GPU_STATUS_FILE		"gpucompact.gpu%d.status"
#define GPU_ASKED_FILE		"gpucompact.gpu%d.asked"

typedef enum GpuState
{
	GPU_READY,
	GPU_STARTING,				/* it was asked for */
	GPU_ABSENT					/* for a reason in words */
} GpuState;

extern void gpu_program_path(char *path);
extern bool gpu_program_installed(void);
extern GpuState gpu_process_state(EngineContext *context, int device,
								  const char **why_not);
extern void gpu_process_meet(EngineContext *context, int device);
extern bool gpu_process_status(int device, WorkerStatus *status);
extern void gpu_worker_fill(BackgroundWorker *worker, int device,
							int restart_s);
extern ServerRun server_run(void);
extern uint32 gpu_wait_event(void);
extern int	gpu_list_devices(EngineDevice *devices, int capacity,
							 const char **why_not);

/* The object identifier that this server, or its primary, issues next. */
static inline Oid
next_oid(void)
{
	Oid			next;

	LWLockAcquire(OidGenLock, LW_SHARED);
#if PG_VERSION_NUM >= 170000
	next = TransamVariables->nextOid;
#else
	next = ShmemVariableCache->nextOid;
#endif
	LWLockRelease(OidGenLock);
	return next;
}

#endif							/* GPUCOMPACT_GPU_PROCESS_H */
