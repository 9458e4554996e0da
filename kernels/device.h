/*
 * device.h
 *	  What the parts of the CUDA engine share: a session's device memory and
 *	  staging, and a job on its way through them.
 */
#ifndef GPUCOMPACT_DEVICE_H
#define GPUCOMPACT_DEVICE_H

#include <cuda_runtime.h>
#include <signal.h>

#include "engine/engine.h"
#include "lookahead.h"
#include "engine/team.h"

/*
 * Staging: slots of pinned memory through which all data goes, in and out,
 * each with device memory of the same size beside it.  A slot is large enough
 * for the bus to run at full speed, and there are enough of them for reading,
 * upload, kernel, download and copying out to be at work on one each.
 */
#define SLOT_BYTES		((size_t) 4 * 1024 * 1024)
#define SLOTS			5

/* From this many elements on, a job is given a team to copy its result. */
#define COPY_TEAM_COUNT	(1024 * 1024)

/* Parts into which a slot is cut for the team to copy. */
#define COPY_PARTS		8

/* Device memory that an idle session keeps of each of its buffers, at most. */
#define KEPT_BYTES		((size_t) 4 * 1024 * 1024)

/* Longest wait for the device in a call, before it says ENGINE_MORE. */
#define WAIT_NS			((int64_t) 1000000)

/* And in the call that ends a job. */
#define END_NS			((int64_t) 50 * 1000000)

/* What a slot is waiting for, in this order. */
typedef enum SlotState
{
	SLOT_FREE,
	SLOT_UPLOADING,				/* a part of what gathers on the device */
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
	long long  *count;			/* pinned: survivors, once computed */
	bool		counted;		/* do they say how long the results are? */
	int64_t		bytes_out;
	char	   *destination;	/* where in the result they go */
	int			pending;		/* parts not copied yet */
	Span		upload;
	Span		kernel;
	Span		download;
} Slot;

/* What a job needs device memory for that gathers the array first. */
typedef enum SessionBuffer
{
	BUFFER_GATHERED,			/* the array as it arrives */
	BUFFER_OTHER,				/* the result, or a sort's other keys */
	BUFFER_SECOND,				/* the second input, or a second result */
	BUFFER_OTHER_SECOND,
	BUFFER_SCRATCH,
	SESSION_BUFFERS
} SessionBuffer;

/* Device memory that grows with need. */
typedef struct DeviceBuffer
{
	void	   *memory;
	size_t		size;
} DeviceBuffer;

/* What this process holds on its device; all zeros before the first job. */
typedef struct Session
{
	bool		open;
	bool		lost;			/* has the device failed? */
	bool		busy;			/* may a job have left something in flight? */
	int			device;
	cudaStream_t upload;
	cudaStream_t compute;
	cudaStream_t download;
	Slot		slots[SLOTS];
	long long  *carry;			/* from a piece to the next: two, used in
								 * turn, of any type of 8 bytes or fewer */
	DeviceBuffer buffers[SESSION_BUFFERS];
	LookAhead	ahead;
	Span		compute_span;	/* of the work on a gathered array */
	int		   *in_other;		/* pinned: which buffer has the sorted keys */
	long long  *survivors;		/* pinned: of a gathered array's compaction */
	int		   *overflow;		/* pinned, by EngineOverflow: set by kernels */
} Session;

/* A result on the device, and where it goes. */
typedef struct DeviceResult
{
	const void *from;
	void	   *to;
	int64_t		bytes;
} DeviceResult;

/* The most results that a job has: of runs, the values and the starts. */
#define JOB_RESULTS		2

/* How an operation is done. */
typedef struct DeviceOperation
{
	bool		gathers;		/* does it need the whole array at once? */

	/* May say no; fills in the device memory that a gathered array needs. */
	EngineStatus (*sizes) (const EngineJob *job, size_t *sizes);

	/* Queues what comes before the first piece; or NULL. */
	EngineStatus (*begin) (EngineJob *job);

	/*
	 * Queues the work on a piece that arrives.  Of a gathered array, it is in
	 * its place behind the "pushed" elements before it, and this may be NULL.
	 * Else it is in slot->device_in, and its results, of slot->bytes_out, are
	 * to be in slot->device_out; what is not known before may be "counted".
	 */
	EngineStatus (*piece) (EngineJob *job, Slot *slot, int64_t count);

	/* Queues the work on the gathered array. */
	EngineStatus (*start) (EngineJob *job);

	/* All is done: fills in results that are not in place yet; or NULL. */
	EngineStatus (*finish) (EngineJob *job);
} DeviceOperation;

struct EngineJob
{
	EngineRequest request;
	Session    *session;
	Team		team;
	int			input_sizes[ENGINE_INPUTS];	/* bytes of an element */
	int			result_size;
	int64_t		capacity;		/* elements in a slot */
	int64_t		pushed;			/* elements */
	int64_t		pieces;			/* slots put to use */
	int64_t		retired;		/* slots used and free again */
	int64_t		written;		/* bytes of the result that have a place */
	int64_t		room;			/* for so many */
	const DeviceOperation *operation;
	const struct LabAlgorithm *lab; /* NULL: the kernels of our own */
	bool		computing;		/* the whole array is being worked on */
	bool		finished;		/* nothing is in flight */
	bool		computed;		/* the whole array's results are there: */
	DeviceResult results[JOB_RESULTS];
	int			downloading;	/* of which this one is on its way */
	int64_t		downloaded;		/* so many bytes of it */
	int64_t		errors;			/* in UTF-8 */
	int64_t		first_error;
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
staging_input(const EngineJob *job, void *base, int input)
{
	return (char *) base + (input > 0 ? job->capacity * job->input_sizes[0] :
							0);
}

/* Leaves the calling function, with a status, if a CUDA call fails. */
#define TRY_CUDA(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) \
			return device_failed(error_, #call); \
	} while (0)

#define TRY(call) \
	do { \
		EngineStatus status_ = (call); \
		if (status_ != ENGINE_OK) \
			return status_; \
	} while (0)

/* device.cu */
extern EngineStatus device_failed(cudaError_t error, const char *call);
extern EngineStatus not_supported(const char *why);
extern EngineStatus device_open(const EngineRequest *request,
								Session **session);
extern EngineStatus device_list(EngineDevice *devices, int capacity,
								int *count);
extern EngineStatus device_reserve(EngineJob *job, const size_t *sizes);
extern EngineStatus device_settle(Session *session, int64_t wait_ns);
extern bool device_idle(void);
extern const char *device_message(void);
extern sigset_t block_signals(void);
extern void restore_signals(sigset_t before);

/* staging.cu */
extern int64_t now_ns(void);
extern Slot *staging_next(EngineJob *job);
extern EngineStatus staging_make_room(EngineJob *job);
extern EngineStatus staging_upload(EngineJob *job, Slot *slot,
								   const void *const data[ENGINE_INPUTS],
								   void *const to[ENGINE_INPUTS],
								   int64_t count);
extern EngineStatus staging_download(EngineJob *job, Slot *slot,
									 const void *from, void *to, size_t bytes);
extern EngineStatus staging_advance(EngineJob *job);
extern EngineStatus staging_drain(EngineJob *job);
extern void staging_start_team(EngineJob *job);
extern void staging_stop_prefaulting(EngineJob *job);
extern void staging_abandon(EngineJob *job);

/* utf8_encode.cu */
extern EngineStatus utf8_encode_piece(EngineJob *job, Slot *slot,
									  int64_t count);

/* The operations, each in the file of its name. */
extern const DeviceOperation device_scan;
extern const DeviceOperation device_reduce;
extern const DeviceOperation device_delta;
extern const DeviceOperation device_compact;
extern const DeviceOperation device_sort;
extern const DeviceOperation device_distinct;
extern const DeviceOperation device_runs;
extern const DeviceOperation device_copy;
extern const DeviceOperation device_whole_scan;
extern const DeviceOperation device_whole_compact;	/* both in whole.cu */
extern const DeviceOperation device_utf8;	/* all but encode */
extern const DeviceOperation device_utf8_encode;
extern const DeviceOperation device_lab;	/* any, in lab/lab_job.cu */

#endif							/* GPUCOMPACT_DEVICE_H */
