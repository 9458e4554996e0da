/*
 * job.h
 *	  A job of the CUDA engine, on its way through a lane.
 */
#ifndef GPUCOMPACT_JOB_H
#define GPUCOMPACT_JOB_H

#include "device.h"
#include "engine/team.h"
#include "operation.h"

/*
 * Staging: slots of pinned memory through which all data goes, in and out,
 * each with device memory of the same size beside it.  A slot is large enough
 * for the bus to run at full speed, and there are enough of them for reading,
 * upload, kernel, download and copying out to be at work on one each.
 */
#define SLOT_BYTES		((size_t) 4 * 1024 * 1024)
#define SLOTS			5

/* Room behind a piece in a slot, for what a kernel puts there. */
#define SLOT_SLACK		16

/* Device memory of the slots of a lane. */
#define SLOTS_BYTES		(2 * SLOTS * SLOT_BYTES)

/* From this many elements on, a job is given a team to copy its result. */
#define COPY_TEAM_COUNT	(1024 * 1024)

/* Parts into which a slot is cut for the team to copy. */
#define COPY_PARTS		8

/* Device memory that an idle lane keeps of each of its buffers, at most. */
#define KEPT_BYTES		((size_t) 4 * 1024 * 1024)

/* Longest wait for the device in a call, before it returns ENGINE_MORE. */
#define WAIT_NS			((int64_t) 1000000)

/* And in the call that ends a job. */
#define END_NS			((int64_t) 50 * 1000000)

/* What a slot is waiting for, in this order. */
typedef enum SlotState
{
	SLOT_FREE,
	SLOT_UPLOADING,				/* a part of a gathered array */
	SLOT_COMPUTING,
	SLOT_DOWNLOADING,
	SLOT_COPYING				/* to the result, by the team */
} SlotState;

/* When something began and ended on the device. */
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
	long long  *results;		/* pinned: how many, once computed */
	int64_t		bytes_out;
	char	   *destination;	/* where in the result they go */
	int			pending;		/* parts not copied yet */
	Span		upload;
	Span		kernel;
	Span		download;
} Slot;

/* Device memory that a job needs, beside the slots. */
typedef enum LaneBuffer
{
	BUFFER_IN,					/* a gathered array as it arrives */
	BUFFER_SECOND_IN,
	BUFFER_OUT,
	BUFFER_SECOND_OUT,
	BUFFER_SCRATCH,
	BUFFER_TABLE,
	BUFFER_SUMMARY,
	LANE_BUFFERS
} LaneBuffer;

/* Device memory that grows with need. */
typedef struct DeviceBuffer
{
	void	   *memory;
	size_t		size;
} DeviceBuffer;

/* Device memory that is kept from piece to piece: the most of any operation. */
#define STATE_BYTES		64

/* Streams that a job uses: upload, compute, download. */
#define LANE_STREAMS	3

/* The way of one job at a time to a device and back. */
typedef struct Lane
{
	bool		open;
	bool		busy;			/* may a job have left something in flight? */
	int			index;			/* of the device */
	Device	   *device;
	cudaStream_t upload;
	cudaStream_t download;
	cudaEvent_t left[LANE_STREAMS]; /* what the last job left is done */
	Slot		slots[SLOTS];
	DeviceBuffer buffers[LANE_BUFFERS];
	void	   *state;
	Span		whole;			/* of the work on a gathered array */
	DeviceReport *report;		/* pinned */
} Lane;

typedef struct CudaJob CudaJob;

/* Work that a thread does, as the driver takes long for it. */
typedef struct AsyncTask
{
	bool		running;
	pthread_t	thread;
	EngineStatus (*work) (CudaJob *job);
	EngineStatus status;
} AsyncTask;

/* A result on the device, and where it goes. */
typedef struct DeviceResult
{
	const void *from;
	void	   *to;
	int64_t		bytes;
} DeviceResult;

/* Those of a gathered array, and the summary. */
#define RESULT_SUMMARY	ENGINE_RESULTS
#define DEVICE_RESULTS	(RESULT_SUMMARY + 1)

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
	int64_t		uploaded;		/* bytes of the table */
	int64_t		pushed;			/* elements */
	int64_t		turn;			/* pieces */
	int64_t		pieces;			/* slots put to use */
	int64_t		retired;		/* slots used and free again */
	int64_t		written;		/* bytes of the result that have a place */
	bool		computing;		/* the whole array is being worked on */
	bool		computed;		/* these results are there: */
	bool		finished;		/* nothing is in flight */
	DeviceResult results[DEVICE_RESULTS];
	int			downloading;	/* which of them is on its way */
	int64_t		downloaded;		/* bytes of it */
	double		upload_ms;
	double		kernel_ms;
	double		download_ms;
	int64_t		copy_ns;		/* summed over the threads */
	int64_t		prefaulted;		/* bytes of the result taken on by helpers */
	int			prefaulting;	/* helpers that are at it */
	bool		stop_prefaulting;
};

/* Where an input is in a slot's memory, which begins at "base". */
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
extern EngineStatus staging_upload_bytes(CudaJob *job, Slot *slot,
										 const void *from, void *to,
										 size_t bytes);
extern EngineStatus staging_download(CudaJob *job, Slot *slot,
									 const void *from, void *to, size_t bytes);
extern EngineStatus staging_advance(CudaJob *job);
extern EngineStatus staging_drain(CudaJob *job);
extern void staging_start_team(CudaJob *job);
extern void staging_stop_prefaulting(CudaJob *job);
extern void staging_abandon(CudaJob *job);

#endif							/* GPUCOMPACT_JOB_H */
