/*
 * program.h
 *	  What the parts of the GPU process share.
 *
 * The process is a program of its own, gpucompact_gpu.  main.c talks to
 * sessions, and lanes.c has a thread for each lane.  These use a device by the
 * functions at the end, which are in device.cu, lane.cu and job.cu.
 * Tests without a GPU compile these as C: t/engine/cpu_device.c has what they
 * need of CUDA.
 */
#ifndef GPUCOMPACT_PROGRAM_H
#define GPUCOMPACT_PROGRAM_H

#include "protocol/hello.h"

#ifdef __cplusplus
extern "C"
{
#endif

/* What went wrong, in words. */
typedef struct Failure
{
	char		message[512];
} Failure;

/* What a job waits for when it cannot go on. */
typedef enum JobWait
{
	WAIT_FOR_NOTHING,			/* it has gone on */
	WAIT_FOR_DEVICE,
	WAIT_FOR_SESSION
} JobWait;

/* A lane's way to the device. */
typedef struct DeviceLane DeviceLane;

/*
 * A job's use of an input, or of the table, that is cached or will be, or that
 * is a result which has stayed on the device; and of an output that stays.
 */
#define CACHE_OUTPUT	ENGINE_SOURCES
#define CACHE_USES		(CACHE_OUTPUT + 1)

typedef struct CacheUse
{
	int			entry;			/* from CACHE_ENTRIES on a result; or -1 */
	char	   *memory;			/* on the device, for all of it */
	bool		has;			/* it is here; else the job fills "memory" */
} CacheUse;

/* device.cu: returns a status, and says why. */
extern EngineStatus device_refused(Failure *failure, EngineStatus status,
								   const char *format,...)
			__attribute__((format(printf, 3, 4)));

/* cache.c */
extern void cache_begin(SharedLane *lane, DeviceLane *device,
						CacheUse uses[CACHE_USES]);
extern void cache_end(const SharedLane *lane, CacheUse uses[CACHE_USES],
					  bool complete);
extern bool cache_give_up(SharedLane *lane, CacheUse uses[CACHE_USES]);
extern void cache_set_size(int64_t bytes);
extern void cache_clear(void);
extern bool cache_evict(int64_t bytes);
extern void cache_sweep(void);
extern void cache_forget(int session);

/* lab.c */
struct LabLibrary;
extern const struct LabLibrary *lab_library(Failure *failure);

/* lanes.c */
extern SharedLanes *lanes_shared;
extern LanesLayout lanes_layout;
extern int	lanes_memory;		/* its descriptor */
extern int	lanes_devices;		/* GPUs of the machine, by device_open */

extern EngineStatus lanes_start(int index, int nlanes, int64_t slot_bytes,
								Failure *failure);
extern void lanes_session_came(int number);
extern void lanes_session_gone(int number);
extern int64_t lanes_last_use(void);
extern void lanes_note_memory(void);
extern bool lanes_close_if_idle(int64_t idle_ns);
extern void lanes_exit(int status) __attribute__((noreturn));

/*
 * The device.  device_open fills in its properties and its free memory.  Lanes
 * are opened one by one, and used by one thread each.
 */
extern EngineStatus device_open(int index, EngineDevice *device,
								Failure *failure);
extern EngineStatus device_list(EngineDevice *devices, int capacity,
								int *count, Failure *failure);
extern EngineStatus device_share(void *memory, size_t bytes,
								 Failure *failure);
extern int64_t device_bytes_in_use(void);
extern void device_trim_pool(void); /* frees its reserve */

/*
 * Memory for a cached value, to be used by the lane first; NULL if there is
 * none.  The caller of device_cache_free makes sure that no job uses it.
 */
extern char *device_cache_alloc(DeviceLane *lane, int64_t bytes);
extern void device_cache_free(char *memory);

extern DeviceLane *lane_open(SharedLane *shared, int number, Failure *failure);

/*
 * A job, whose request is in the shared lane.  Cached inputs are where "uses"
 * says, and so is a first output that does not go to the session.  The other
 * inputs are pushed, and stored there if they will be cached.
 * job_step returns ENGINE_MORE, and what it waits for, until the device has
 * nothing left to do; then the shared lane has the result.  job_settle drains
 * the job: it returns ENGINE_MORE until nothing of the job is at work on the
 * device.  It is called after job_begin even if the job has failed.  An urgent
 * job is small, and its kernels do not wait for other lanes'.
 */
extern EngineStatus job_begin(DeviceLane *lane,
							  const CacheUse uses[CACHE_USES]);
extern EngineStatus job_step(DeviceLane *lane, JobWait *wait);
extern EngineStatus job_settle(DeviceLane *lane);
extern bool job_is_urgent(const DeviceLane *lane);
extern const char *job_message(DeviceLane *lane);

#ifdef __cplusplus
}
#endif

#endif							/* GPUCOMPACT_PROGRAM_H */
