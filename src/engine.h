/*
 * engine.h
 *	  What an engine is, and what it promises.
 *
 * An engine does one operation over raw memory.  It knows element kinds and
 * bytes, and nothing of PostgreSQL: no header of it, no palloc, no ereport,
 * and nothing ever longjmps across it.  This header is all that the two sides
 * share; a C and a CUDA C++ compiler both read it.
 *
 * A call is a job:
 *
 *	  begin(request, &job)				what to do
 *	  buffer(job, &buffer, &capacity)	where the next piece is best put
 *	  push(job, data, count)			a piece of input
 *	  finish(job, &result)				again while it says ENGINE_MORE
 *	  end(job)							always, after an error too
 *
 * The host drives, so that it can look for interrupts between two calls; none
 * of them takes longer than a few milliseconds of its own work, whatever the
 * size of the array.  One job at a time runs in a process.
 */
#ifndef GPUCOMPACT_ENGINE_H
#define GPUCOMPACT_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Changes whenever anything in this file does. */
#define ENGINE_API_VERSION	1

/* The name under which an engine's library exports its Engine. */
#define ENGINE_SYMBOL		"gpucompact_engine"

typedef enum EngineStatus
{
	ENGINE_OK,
	ENGINE_MORE,				/* not an error: finish is to be called again */
	ENGINE_NO_DEVICE,			/* there is nothing to run on */
	ENGINE_OUT_OF_MEMORY,		/* of the host or of the device */
	ENGINE_DEVICE_FAILED		/* the device or its driver reported an error */
} EngineStatus;

typedef enum EngineOperation
{
	ENGINE_SCAN,				/* running sums, int4 to int8 */
	ENGINE_COMPACT,				/* the elements that are not zero */
	ENGINE_SORT					/* ascending or descending */
} EngineOperation;

#define ENGINE_OPERATIONS	3

/*
 * How to do it.  None of this changes a result; "auto" is the engine's choice,
 * and an engine is not asked for what belongs to another.
 */
typedef enum EngineAlgorithm
{
	ALGORITHM_AUTO,
	ALGORITHM_SEQUENTIAL,		/* CPU: one thread */
	ALGORITHM_PARALLEL,			/* CPU: several, however small the array */
	ALGORITHM_NAIVE,			/* CUDA, this and those below */
	ALGORITHM_WORK_EFFICIENT,
	ALGORITHM_SINGLE_PASS,
	ALGORITHM_CUB
} EngineAlgorithm;

typedef struct EngineRequest
{
	EngineOperation operation;
	EngineAlgorithm algorithm;
	int64_t		count;			/* elements that will be pushed, exactly */
	bool		exclusive;		/* scan: leave the element itself out */
	bool		descending;		/* sort */
	int			device;			/* index of the GPU */
	int64_t		memory_limit;	/* bytes on the GPU for this process; 0: none */
	int			threads;		/* CPU threads at work, this one included */
	void	   *result;			/* aligned room for the largest result: count
								 * elements of int8 (scan) or of int4 */
} EngineRequest;

typedef struct EngineResult
{
	int64_t		count;			/* elements in the result */
	double		upload_ms;		/* zero where no device is involved */
	double		kernel_ms;
	double		download_ms;
	double		result_ms;		/* copying out of staging memory */
} EngineResult;

typedef struct EngineDevice
{
	int			index;
	char		name[256];
	int			major;			/* compute capability */
	int			minor;
	int64_t		memory_total;	/* bytes */
	int64_t		memory_free;	/* bytes, or -1 where unknown */
	int			driver_version; /* 1000 * major + 10 * minor */
	int			runtime_version;
	bool		open;			/* does this process hold a context there? */
} EngineDevice;

typedef struct EngineJob EngineJob;

typedef struct Engine
{
	uint32_t	api_version;
	const char *name;

	/*
	 * Starts a job.  Where this fails there is no job, and nothing to end.
	 */
	EngineStatus (*begin) (const EngineRequest *request, EngineJob **job);

	/*
	 * Memory for the next piece, and how many elements the piece may have;
	 * waits until there is some.
	 */
	EngineStatus (*buffer) (EngineJob *job, void **buffer, int64_t *capacity);

	/*
	 * Takes the next piece, of at most the capacity that the preceding
	 * buffer() named.  "data" is that buffer, or memory of the caller's,
	 * aligned to the element, which stays as it is until end(); a sort is
	 * done with it when push() returns.
	 */
	EngineStatus (*push) (EngineJob *job, const void *data, int64_t count);

	/*
	 * To be called when all is pushed: moves the job on, and says ENGINE_OK
	 * once the result is complete.
	 */
	EngineStatus (*finish) (EngineJob *job, EngineResult *result);

	/* Waits for what is in flight, and gives back what the job held. */
	void		(*end) (EngineJob *job);

	/*
	 * Fills in up to "capacity" devices and says how many there are.  Opens
	 * no context.
	 */
	EngineStatus (*devices) (EngineDevice *devices, int capacity, int *count);

	/* What the last failure was, in words; valid until the next call. */
	const char *(*message) (void);
} Engine;

extern const Engine cpu_engine;

#endif							/* GPUCOMPACT_ENGINE_H */
