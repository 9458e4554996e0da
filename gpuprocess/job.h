/*
 * job.h
 *	  A lane's way to a device: its streams, its memory, and the job in it.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include "gpuprocess/device.h"
#include "kernels/common/operation.h"

/* What a lane's slot is waiting for on the device, in this order. */
typedef enum DeviceSlotState
{
	DEVICE_SLOT_FREE,			/* or being filled by the session */
	DEVICE_SLOT_UPLOADING,
	DEVICE_SLOT_COMPUTING,
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
	EventPair	events;			/* around them */
	cudaStream_t stream;
	bool		tells;			/* one kernel, which reports its own end */
	KernelTimer  *end;			/* pinned: written by the kernel */
	unsigned	number;			/* end->number once the kernel has ended */
	int64_t		asked_ns;		/* when the driver was last asked */
} Watch;

/* A LaneSlot on its way through the device. */
typedef struct DeviceSlot
{
	DeviceSlotState state;
	LaneSlot   *shared;
	char	   *host_in;		/* shared and pinned, as host_out is */
	char	   *host_out;
	char	   *device_in;
	char	   *device_out;
	long long  *results;		/* pinned: their number, once computed */
	int64_t		first;			/* elements before the piece */
	int64_t		count;			/* elements of the piece */
	int64_t		turn;			/* pieces before it; -1: a piece of the table */
	int			nblocks;		/* that have elements of the piece; they are
								 * copied to the memory for results */
	int64_t		block_bytes;	/* of these */
	bool		in_blocks;		/* they have all elements */
	bool		uploaded;		/* the piece is copied to the device */
	bool		stays;			/* its results are not the session's */
	EventPair	upload;
	Watch		kernel;
	EventPair	download;
} DeviceSlot;

/* Device memory that a job needs, in one block. */
typedef enum LaneBuffer
{
	BUFFER_IN,					/* a gathered array as it arrives */
	BUFFER_SECOND_IN,
	BUFFER_THIRD_IN,
	BUFFER_OUT,
	BUFFER_SECOND_OUT,
	BUFFER_SCRATCH,
	BUFFER_TABLE,
	BUFFER_SUMMARY,
	BUFFER_SLOTS,				/* of pieces that are not gathered, or come in
								 * blocks */
	LANE_BUFFERS
} LaneBuffer;

/* Bytes of state from one piece to the next: the most of any operation. */
#define STATE_BYTES		64

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
	Device	   *device;
	cudaStream_t upload;
	cudaStream_t download;
	cudaEvent_t ready;			/* memory that was asked for is there */
	cudaEvent_t left[LANE_STREAMS]; /* what the last job left is done */
	DeviceSlot	slots[LANE_SLOTS];
	char	   *own_memory;		/* of LANE_BYTES, in place of a small block */
	char	   *memory;			/* the block, or NULL */
	void	   *state;
	GridState  *grid;
	Watch		whole;			/* of the work on a gathered array */
	DeviceReport *report;		/* pinned */
	bool		settling;		/* "left" has been recorded */

	const CacheUse *uses;		/* of its inputs, and of its table */
	bool		has_all;		/* all inputs were cached before the job */

	/* All that follows is the job's. */
	EngineRequest request;
	char	   *stays;			/* where the first output goes, or NULL */
	const DeviceOperation *operation;
	char	   *buffers[LANE_BUFFERS];
	bool		has_payload;	/* the operation's second output is the
								 * request's first */
	bool		direct;			/* kernels use the slots in host memory */
	bool		reads_cached;	/* kernels read cached inputs where they are,
								 * although the operation gathers them */
	bool		undivided;		/* cached inputs are one piece, and the number
								 * of its results is not known before */
	bool		slotted;		/* pieces need slots on the device */
	bool		unpacks;		/* pieces may come in blocks */
	bool		urgent;			/* small, and kernels do not wait for other
								 * lanes' */
	int64_t		capacity;		/* elements of a piece */
	int64_t		table_pushed;	/* bytes of the table */
	int64_t		pushed;			/* elements */
	int64_t		turn;			/* pieces of the inputs */
	int64_t		pieces;			/* slots put to use */
	int64_t		retired;		/* slots used and free again */
	int64_t		written;		/* bytes of the result that have a place */
	bool		computing;		/* the whole array is being worked on */
	bool		computed;		/* all results are there */
	bool		finished;		/* nothing is in flight */
	DeviceResult results[LANE_OUTPUTS];
	int			downloading;	/* which of them is on its way */
	int64_t		downloaded;		/* bytes of it */
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
};

/*
 * Returns true if the operation gathers its input, and kernels use the whole
 * array directly instead.
 */
static inline bool
is_direct_whole(const DeviceLane *lane)
{
	return lane->direct && lane->operation->gathers;
}

/*
 * The stream of the job's kernels.  The lane's own has the highest priority:
 * its kernels run in front of thread blocks of other lanes that have not begun.
 */
static inline cudaStream_t
kernel_stream(const DeviceLane *lane)
{
	return lane->urgent ? lane->download : lane->device->compute;
}

/* lane.cu */
extern EngineStatus lane_reserve(DeviceLane *lane, const DeviceSizes *sizes);

/* operations.cu */
extern EngineStatus device_operation(const EngineRequest *request,
									 Failure *failure,
									 const DeviceOperation **operation);

/* pipeline.cu */
extern EngineStatus pipeline_advance(DeviceLane *lane, bool *moved);
extern EngineStatus pipeline_take_piece(DeviceLane *lane, bool *moved);
extern EngineStatus pipeline_download(DeviceLane *lane, bool *moved);
extern DeviceWork make_work(DeviceLane *lane, int64_t first, int64_t count);
extern bool pipeline_is_queued(DeviceLane *lane, int64_t piece);
extern bool pipeline_waits_for_device(const DeviceLane *lane);
extern void pipeline_use_host(DeviceLane *lane);

/* watch.cu */
extern cudaError_t event_pair_open(EventPair *events);
extern EngineStatus event_pair_add(DeviceLane *lane, const EventPair *events,
								   double *ms);
extern EngineStatus event_pair_look(DeviceLane *lane, const EventPair *events,
									bool *ended, double *ms);
extern cudaError_t watch_open(Watch *watch);
extern EngineStatus watch_begin(DeviceLane *lane, Watch *watch,
								DeviceWork *work, bool tells);
extern EngineStatus watch_queued(DeviceLane *lane, Watch *watch);
extern EngineStatus watch_look(DeviceLane *lane, Watch *watch, bool *ended,
							   double *ms);

#endif							/* GPUCOMPACT_JOB_H */
