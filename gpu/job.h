/*
 * job.h
 *	  A job of the CUDA engine, and the lane that it uses.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include "device.h"
#include "engine/team.h"
#include "operation.h"

/*
 * Staging: all data goes through slots of pinned memory, each of which has
 * device memory of the same size.  A slot is large enough for the full
 * bandwidth of the bus, and there is one for each stage of the pipeline:
 * reading, upload, kernel, download, and copying to the result.
 */
#define SLOT_BYTES		((size_t) 4 * 1024 * 1024)
#define SLOTS			5

/* Room after a piece in a slot, for padding that a kernel writes. */
#define SLOT_SLACK		16

/* The device memory of a lane's slots. */
#define SLOTS_BYTES		(2 * SLOTS * SLOT_BYTES)

/* A job of at least this many elements gets a team to copy its result. */
#define COPY_TEAM_COUNT	(1024 * 1024)

/* Parts of a slot that the team copies, each as a task. */
#define COPY_PARTS		8

/* The most device memory that an idle lane keeps of each of its buffers. */
#define KEPT_BYTES		((size_t) 4 * 1024 * 1024)

/* The longest wait for the device before a call returns ENGINE_MORE. */
#define WAIT_NS			((int64_t) 1000000)

/* The longest wait in the call that ends a job. */
#define END_NS			((int64_t) 50 * 1000000)

/* What a slot waits for, in this order. */
typedef enum SlotState
{
	SLOT_FREE,
	SLOT_UPLOADING,				/* a piece of a gathered array */
	SLOT_COMPUTING,
	SLOT_DOWNLOADING,
	SLOT_COPYING				/* to the result, by the team */
} SlotState;

/* The events around some work on the device. */
typedef struct Span
{
	cudaEvent_t begin;
	cudaEvent_t end;
} Span;

typedef struct Slot
{
	SlotState	state;
	void	   *host_in;		/* pinned */
	void	   *host_out;		/* pinned */
	void	   *device_in;
	void	   *device_out;
	long long  *results;		/* pinned: their number, once computed */
	int64_t		bytes_out;
	char	   *destination;	/* the place of the results */
	int			pending;		/* parts not copied yet */
	Span		upload;
	Span		kernel;
	Span		download;
} Slot;

/* Device memory that a job needs besides the slots. */
typedef enum LaneBuffer
{
	BUFFER_IN,					/* the gathered array */
	BUFFER_SECOND_IN,
	BUFFER_OUT,
	BUFFER_SECOND_OUT,
	BUFFER_SCRATCH,
	LANE_BUFFERS
} LaneBuffer;

/* Device memory that grows with need. */
typedef struct DeviceBuffer
{
	void	   *memory;
	size_t		size;
} DeviceBuffer;

/* The largest state of any operation. */
#define STATE_BYTES		64

/* Streams that a job uses: upload, compute, download. */
#define LANE_STREAMS	3

/* The streams and memory that take one job at a time to a device and back. */
typedef struct Lane
{
	bool		open;
	bool		busy;			/* may a job have left work in flight? */
	int			index;			/* of the device */
	Device	   *device;
	cudaStream_t upload;
	cudaStream_t download;
	cudaEvent_t left[LANE_STREAMS]; /* when the last job's work is done */
	Slot		slots[SLOTS];
	DeviceBuffer buffers[LANE_BUFFERS];
	void	   *state;
	Span		whole;			/* of the work on a gathered array */
	DeviceReport *report;		/* pinned */
} Lane;

typedef struct CudaJob CudaJob;

/* A task for a thread, because the driver takes long for it. */
typedef struct AsyncTask
{
	bool		running;
	pthread_t	thread;
	EngineStatus (*work) (CudaJob *job);
	EngineStatus status;
} AsyncTask;

/* A result on the device, and its destination. */
typedef struct DeviceResult
{
	const void *from;
	void	   *to;
	int64_t		bytes;
} DeviceResult;

/* A context of the CUDA engine, and the job in it. */
struct CudaJob
{
	EngineContext base;
	Failure		failure;		/* the last one */
	Lane		lane;
	AsyncTask	async;
	EngineDevice *listed;		/* by the task that lists devices */
	int			listed_count;
	EngineRequest request;
	const DeviceOperation *operation;
	Team		team;
	int64_t		capacity;		/* elements in a slot */
	int64_t		pushed;			/* elements */
	int64_t		pieces;			/* slots used */
	int64_t		retired;		/* those that are free again */
	int64_t		written;		/* bytes of the result so far */
	bool		computing;		/* has work on the gathered array started? */
	bool		computed;		/* is it done?  Then: */
	bool		finished;		/* is nothing in flight? */
	DeviceResult results[ENGINE_RESULTS];
	int			downloading;	/* the index of the current one */
	int64_t		downloaded;		/* bytes of it */
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
	int64_t		copy_ns;		/* summed over the threads */
	int64_t		prefaulted;		/* bytes of the result that helpers took */
	int			prefaulting;	/* helpers that still prefault */
	bool		stop_prefaulting;
};

/* The address of an input in a slot's memory, which begins at "base". */
static inline void *
slot_input(const CudaJob *job, void *base, int input)
{
	return (char *) base +
		(input > 0 ? job->capacity * input_size(&job->request, 0) : 0);
}

/* lane.cu */
extern int64_t now_ns(void);
extern EngineStatus lane_open(CudaJob *job);
extern void lane_close(Lane *lane);
extern EngineStatus lane_reserve(CudaJob *job, const DeviceSizes *sizes);
extern EngineStatus lane_leave(CudaJob *job);
extern EngineStatus lane_settle(CudaJob *job, int64_t wait_ns);

/* staging.cu */
extern Slot *staging_next(CudaJob *job);
extern EngineStatus staging_make_room(CudaJob *job);
extern EngineStatus staging_upload(CudaJob *job, Slot *slot,
								   const void *const data[ENGINE_INPUTS],
								   void *const to[ENGINE_INPUTS],
								   int64_t count);
extern EngineStatus staging_download(CudaJob *job, Slot *slot,
									 const void *from, void *to, size_t bytes);
extern EngineStatus staging_advance(CudaJob *job);
extern EngineStatus staging_drain(CudaJob *job);
extern void staging_start_team(CudaJob *job);
extern void staging_stop_prefaulting(CudaJob *job);
extern void staging_abandon(CudaJob *job);

#endif							/* GPUCOMPACT_JOB_H */
