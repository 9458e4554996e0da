/*
 * job.h
 *	  The device; a lane's way to it: its streams, its memory, the job in it.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include <cuda_runtime.h>

#include "gpuprocess/program.h"
#include "kernels/common/operation.h"

/* The GPU of this process. */
typedef struct Device
{
	int			index;

	/*
	 * All kernels run in one stream, as those that look ahead need all of their
	 * blocks to be resident.
	 */
	cudaStream_t compute;
	LookAhead	ahead;
	cudaMemPool_t pool;			/* memory for jobs and for cached values */
	int			maps_host;		/* kernels can use pinned host memory */
	cudaStream_t evictions;		/* frees evicted values */
} Device;

/* device.cu */
extern Device the_device;
extern EngineStatus device_failed(Failure *failure, cudaError_t error,
								  const char *call);

/* Leaves the calling function, with a status, if a CUDA call fails. */
#define TRY_CUDA(failure, call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return device_failed(failure, error_, #call); \
	} while (0)

/* What a lane's slot is waiting for on the device. */
typedef enum DeviceSlotState
{
	DEVICE_SLOT_FREE,			/* or being filled by the session */
	DEVICE_SLOT_UPLOADING,
	DEVICE_SLOT_COMPUTING,		/* if the job is in parts */
	DEVICE_SLOT_DOWNLOADING,
	DEVICE_SLOT_HANDED_OVER		/* its results are the session's to copy */
} DeviceSlotState;

/* When something began and ended on the device. */
typedef struct EventPair
{
	cudaEvent_t begin;
	cudaEvent_t end;
} EventPair;

/* Kernels that are waited for. */
typedef struct Watch
{
	EventPair	events;			/* around them, if they do not tell */
	KernelTimer *end;			/* pinned: written by a kernel that tells */
	unsigned	number;			/* end->number once the kernel has ended */
	int64_t		asked_ns;		/* when the driver was last asked */
} Watch;

/* A LaneSlot, and what goes through it to the device, or from there. */
typedef struct DeviceSlot
{
	DeviceSlotState state;
	LaneSlot   *shared;
	char	   *host_in;		/* shared and pinned, as host_out is */
	char	   *host_out;
	EventPair	copy;			/* around the upload or the download */
	EventPair	kernel;			/* around the work on the piece, if in parts */
	long long  *results;		/* pinned: of that work, if they are counted */
	int64_t		first;			/* elements before the piece */
	int64_t		count;			/* its elements; 0: it is of the table */
	bool		stays;			/* the results are not the session's */
} DeviceSlot;

/* What a job waits for: README.md has the states as a diagram. */
typedef enum JobState
{
	JOB_ACQUIRES,				/* the session pushes what the device lacks */
	JOB_ARRIVES,				/* all is queued, but not yet there */
	JOB_COMPUTES,
	JOB_DOWNLOADS,
	JOB_FINISHED				/* nothing is at work on the device */
} JobState;

/* Device memory that a job needs, in one block. */
typedef enum LaneBuffer
{
	BUFFER_IN,					/* inputs that kernels do not read elsewhere */
	BUFFER_SECOND_IN,
	BUFFER_THIRD_IN,
	BUFFER_OUT,
	BUFFER_SECOND_OUT,
	BUFFER_SCRATCH,
	BUFFER_TABLE,
	BUFFER_SUMMARY,
	BUFFER_BLOCKS,				/* of a piece that comes packed */
	LANE_BUFFERS
} LaneBuffer;

/* Streams that a job uses: upload, compute, download. */
#define LANE_STREAMS	3

/* A result on the device, and how large it is. */
typedef struct DeviceResult
{
	const char *from;
	int64_t		bytes;
} DeviceResult;

struct DeviceLane
{
	SharedLane *shared;
	Failure		failure;		/* the last one */
	cudaStream_t upload;
	cudaStream_t download;
	cudaEvent_t arrived;		/* all that "upload" had to do is done */
	cudaEvent_t left[LANE_STREAMS]; /* what the last job left is done */
	DeviceSlot	slots[LANE_SLOTS];
	char	   *own_memory;		/* of LANE_BYTES, in place of a small block */
	char	   *memory;			/* the block, or NULL */
	GridState  *grid;
	Watch		kernel;
	DeviceReport *report;		/* pinned */
	bool		settling;		/* "left" has been recorded */

	const CacheUse *uses;		/* of its inputs, and of its table */

	/* All that follows is the job's. */
	EngineRequest request;
	JobState	state;
	const DeviceOperation *operation;
	unsigned	traits;			/* of the request: a set of DeviceTrait */
	bool		has_all;		/* all inputs were cached before the job */
	bool		direct;			/* kernels use the slots in host memory */
	bool		urgent;			/* small, and kernels do not wait for other
								 * lanes' */
	bool		in_parts;		/* kernels run on a piece when it is there */
	char	   *buffers[LANE_BUFFERS];
	char	   *sources[ENGINE_SOURCES];	/* where kernels read them */
	char	   *stays;			/* where the first output goes, or NULL */
	int			first_out;		/* the operation's output that is the first of
								 * the request */
	bool		uploads;		/* "upload" has had something to do */
	int64_t		table_pushed;	/* bytes of the table */
	int64_t		pushed;			/* elements */
	int64_t		launched;		/* elements of parts whose work is queued */
	int64_t		pieces;			/* slots put to use */
	int64_t		count;			/* results */
	DeviceResult results[LANE_OUTPUTS];
	int			downloading;	/* which of them is on its way */
	int64_t		downloaded;		/* bytes of it */
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
};

/* The slot that a piece goes through. */
static inline DeviceSlot *
slot_of(DeviceLane *lane, int64_t piece)
{
	return &lane->slots[piece % LANE_SLOTS];
}

/* Where the results of a part are, which has a piece's elements. */
static inline char *
part_results(const DeviceLane *lane, const DeviceSlot *slot)
{
	return lane->buffers[BUFFER_OUT] +
		slot->first * operation_facts[lane->request.operation].most *
		output_size(&lane->request, 0);
}

/*
 * The stream of the job's kernels.  The lane's own has the highest priority:
 * its kernels run before thread blocks of other lanes that have not started.
 */
static inline cudaStream_t
kernel_stream(const DeviceLane *lane)
{
	return lane->urgent ? lane->download : the_device.compute;
}

/* lane.cu */
extern EngineStatus lane_reserve(DeviceLane *lane, const DeviceSizes *sizes);
extern EngineStatus event_pair_look(DeviceLane *lane, const EventPair *events,
									bool *ended, double *ms);
extern EngineStatus event_pair_run(DeviceLane *lane, const EventPair *events,
								   const DeviceWork *work);
extern EngineStatus watch_run(DeviceLane *lane, DeviceWork *work);
extern EngineStatus watch_look(DeviceLane *lane, bool *ended);

/* operations.cu */
extern EngineStatus device_operation(const EngineRequest *request,
									 Failure *failure,
									 const DeviceOperation **operation);

/* job.cu */
extern void slot_free(DeviceLane *lane, DeviceSlot *slot);

/* upload.cu */
extern void upload_place(DeviceLane *lane);
extern bool upload_in_place(const DeviceLane *lane, int source);
extern EngineStatus upload_take_piece(DeviceLane *lane, bool *moved);
extern EngineStatus upload_finish(DeviceLane *lane);

/* download.cu */
extern void download_begin(DeviceLane *lane);
extern EngineStatus download_part(DeviceLane *lane, DeviceSlot *slot);
extern EngineStatus download_next(DeviceLane *lane, bool *moved);
extern void download_end(DeviceLane *lane, DeviceSlot *slot);

#endif							/* GPUCOMPACT_JOB_H */
