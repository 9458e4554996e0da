/*
 * engine.h
 *	  The interface of an engine.
 *
 * An engine runs operations over raw memory.  It knows the kinds of elements
 * and their bytes, and nothing of PostgreSQL: it uses no header of it, no
 * palloc and no ereport, and nothing longjmps across it.  This header is all
 * that the two sides share; both a C and a CUDA C++ compiler read it.
 *
 * A job runs in a context, which runs one job at a time:
 *
 *	  begin(context, request)				what to do
 *	  buffer(context, buffers, &capacity)	where the next piece is best put
 *	  fill(context, input, dest, spans, ...)	bytes of that piece, if wanted
 *	  push(context, data, count)			a piece of input
 *	  finish(context, &result)				the results are complete
 *	  end(context)							always, after an error too
 *
 * The host makes these calls, so that it can check for interrupts between two
 * of them.  None takes longer than a few milliseconds, whatever the size of
 * the array.  Instead of waiting longer, a call returns ENGINE_MORE, and is
 * repeated with the same arguments unless the host gives up.  Threads may use
 * contexts of their own at the same time.
 */
#ifndef GPUCOMPACT_ENGINE_H
#define GPUCOMPACT_ENGINE_H

#include "contract/identity.h"
#include "contract/kinds.h"
#include "contract/span.h"

typedef enum EngineStatus
{
	ENGINE_OK,
	ENGINE_MORE,				/* not an error: call again */
	ENGINE_NOT_SUPPORTED,		/* by the algorithm; another one may */
	ENGINE_NO_DEVICE,			/* no device to run on */
	ENGINE_OUT_OF_MEMORY,		/* of the host or of the device */
	ENGINE_DEVICE_FAILED,		/* the device or its driver reported an error,
								 * or is gone; another job may have it again */
	ENGINE_NOT_UNPACKED			/* a block of packed elements; another job may
								 * be given the elements */
} EngineStatus;

typedef enum EngineOperation
{
#define OPERATION(NAME, ...) ENGINE_##NAME,
#include "contract/operations.h"
} EngineOperation;

enum
{
	ENGINE_OPERATIONS = 0
#define OPERATION(NAME, ...) + 1
#include "contract/operations.h"
};

/* Leaves the calling function with a status, unless that is ENGINE_OK. */
#define TRY_STATUS(call) \
	do { \
		EngineStatus status_ = (call); \
		if (status_ != ENGINE_OK) \
			return status_; \
	} while (0)

#ifdef __cplusplus
extern "C"
{
#endif

/* The engines, by number. */
#define ENGINE_CPU			0
#define ENGINE_CUDA			1
#define ENGINES				2

/* The number of results of an operation. */
typedef enum ResultShape
{
	RESULT_NONE,				/* none; it only counts */
	RESULT_ONE,
	RESULT_EACH,				/* one for each element */
	RESULT_SOME,				/* at most "most" for each element */
	RESULT_TABLE,				/* one for each int64 of the table */
	RESULT_PLACES				/* one for each element of the table, if there
								 * is one, which are of the first input's
								 * kind; else as RESULT_EACH */
} ResultShape;

/*
 * The cost of a call: microseconds for the call, and nanoseconds for each
 * element, in the thread that reads the array and in work that all threads
 * share.  There is a team from "team_count" elements on.
 */
typedef struct EngineCost
{
	double		call_us;
	double		own_ns;
	double		shared_ns;
	int64_t		team_count;
} EngineCost;

/* What a sample of the first input says about the whole input. */
typedef enum InputSample
{
	INPUT_UNKNOWN,				/* there is none, or it says nothing */
	INPUT_EASY,					/* ASCII; or integers in a narrow range, or few
								 * distinct keys */
	INPUT_HARD
} InputSample;

#define INPUT_SAMPLES		(INPUT_HARD + 1)

/* What is sampled, if the cost depends on it. */
typedef enum InputSampling
{
	SAMPLE_NOTHING,
	SAMPLE_BYTES,
	SAMPLE_KEYS					/* of a sort that may count them */
} InputSampling;

/* Facts about an operation, from operations.h. */
typedef struct OperationFacts
{
	const char *name;
	ResultShape shape;
	int			most;
	bool		blocking;
	EngineCost	costs[ENGINES]; /* less than zero where it cannot run */
	InputSampling sampling;
	EngineCost	sampled_costs[INPUT_SAMPLES][ENGINES];	/* zero where "costs"
														 * hold */
} OperationFacts;

extern const OperationFacts operation_facts[ENGINE_OPERATIONS];

/*
 * The algorithm.  It does not change a result.  "auto" is the engine's choice.
 * An engine never gets a request for another engine's algorithm.
 */
typedef enum EngineAlgorithm
{
	ALGORITHM_AUTO,
	ALGORITHM_SEQUENTIAL,		/* CPU: one thread */
	ALGORITHM_PARALLEL,			/* CPU: several, one for each piece at most */
	ALGORITHM_NAIVE,			/* CUDA, this and those below */
	ALGORITHM_WORK_EFFICIENT,
	ALGORITHM_SINGLE_PASS,
	ALGORITHM_CUB
} EngineAlgorithm;

/*
 * Each piece but the last has a multiple of this many elements behind the
 * request's stages, if it is without elements that have no result.
 */
#define PIECE_MULTIPLE		4096

/*
 * A job on at most this many elements, which are one piece, with a table and a
 * summary of at most this many bytes, is short: it is over within a
 * millisecond, so that nobody needs to interrupt it.
 */
#define MAX_SHORT_JOB		PIECE_MULTIPLE
#define MAX_SHORT_TABLE		(32 * 1024)

/* The most input arrays that are pushed together, and the most outputs. */
#define ENGINE_INPUTS		3
#define ENGINE_RESULTS		2

/*
 * The arrays whose elements an engine may have already: the inputs by their
 * numbers, and the table.
 */
#define ENGINE_TABLE		ENGINE_INPUTS
#define ENGINE_SOURCES		(ENGINE_INPUTS + 1)

/* Aligned memory for results, or NULL if they are not needed. */
typedef struct EngineOutput
{
	void	   *memory;
	ElementKind kind;
} EngineOutput;

/*
 * Room for the parameters of any operation.  The operation's header has their
 * type; they are zero unless they are set.
 */
typedef struct EngineParameters
{
	char		bytes[32] __attribute__((aligned(8)));
} EngineParameters;

/* The parameters of a request, as a pointer to their type, which must fit. */
#define PARAMETERS(request, Type) \
	((Type *) ((request)->parameters.bytes + 0 * sizeof(char[ \
			   sizeof(Type) <= sizeof(EngineParameters) ? 1 : -1])))

/* Parameters from the members of their type, to initialize a request in C. */
#define PARAMETERS_OF(Type, ...) \
	(((union {Type own; EngineParameters all;}) {{__VA_ARGS__}}).all)

/*
 * A step that each piece of the only input goes through before the operation
 * gets it, while the piece is in the processor's cache.  The operation sees
 * only the elements that have a result.
 */
typedef struct EngineStage
{
	EngineOperation operation;
	ElementKind from;
	ElementKind kind;			/* of its results */
	EngineParameters parameters;
	int64_t		absent;			/* as in a request */
} EngineStage;

/* The most stages of a request. */
#define ENGINE_STAGES	8

typedef struct EngineRequest
{
	EngineOperation operation;
	EngineAlgorithm algorithm;
	int64_t		count;			/* elements of each input */
	int			inputs;			/* arrays */
	ElementKind kinds[ENGINE_INPUTS];

	/*
	 * Elements of the second of two arrays that are the only input, one behind
	 * the other; or zero.  The engine may then have each of the two, which are
	 * the first sources.  An array that it has is pushed as a piece of its own,
	 * whatever the capacity, so that the next piece begins anywhere.
	 */
	int64_t		joined;

	/*
	 * Stored values that the inputs and the table are, which the engine may
	 * cache; or NULL.
	 */
	const ValueIdentity *identities[ENGINE_SOURCES];
	uint32_t	next_oid;		/* that the server would issue, if any */

	/*
	 * If the sources are results of earlier jobs that have stayed on "device",
	 * the numbers of these; or zero.
	 */
	uint64_t	residents[ENGINE_SOURCES];
	EngineOutput outputs[ENGINE_RESULTS];
	bool		stays;			/* the first output may stay on the device */

	/*
	 * First elements without a result, fewer than there are; zero for all
	 * operations but DELTA.
	 */
	int64_t		absent;

	/*
	 * Stages that the input goes through; it has the kind of the first stage.
	 * A compaction among them leaves fewer elements than "count" says.  The
	 * operation must then be one whose results do not depend on the elements'
	 * positions, as a reduction or a compaction.  The stages stay until end().
	 */
	const EngineStage *stages;
	int			nstages;

	/*
	 * More that some operations take and give, as their headers say: plain
	 * memory, which stays until end().  The table may be NULL if the engine
	 * seems to have it; if it has not after begin(), the job cannot go on.
	 */
	const void *table;
	int64_t		table_bytes;
	void	   *summary;
	int64_t		summary_bytes;

	/*
	 * The room for results.  If SET, RESAMPLE or an operation on UTF-8 has
	 * more, the results are undefined, but they are counted all the same.  For
	 * other operations there is room for all, whatever the elements are.
	 */
	int64_t		room;

	/*
	 * For the cost alone.  They do not change a result.  The bytes are the
	 * packed size of the first input, or zero if it is not packed.
	 */
	InputSample sample;
	int64_t		packed_bytes;

	/* Not for engines: the first output is for the same call alone. */
	bool		temporary;

	/*
	 * Inputs come by fill(), from pages.  Few pages may be pinned at a time,
	 * so the smaller a piece is, the more pieces can be under way.
	 */
	bool		paged;

	/*
	 * The batches of the input may have blocks, which the engine may unpack by
	 * itself.  If it cannot unpack one, the job fails.
	 */
	bool		packed;

	int			threads;		/* CPU threads, including the caller's */
	int			device;			/* index of the GPU; -1: any */
	int64_t		memory_limit;	/* bytes on the GPU for this call; 0: none */

	EngineParameters parameters;
} EngineRequest;

/* Bytes of an element of an input; zero if there is no such input. */
static inline int
input_size(const EngineRequest *request, int input)
{
	return input < request->inputs ? kind_size(request->kinds[input]) : 0;
}

/* Bytes of an element of each input. */
static inline int
inputs_size(const EngineRequest *request)
{
	return input_size(request, 0) + input_size(request, 1) +
		input_size(request, 2);
}

/* Elements of an input, or of one of two joined arrays; zero if it is none. */
static inline int64_t
source_count(const EngineRequest *request, int source)
{
	if (request->joined > 0 && source < 2)
		return source == 0 ? request->count - request->joined :
			request->joined;
	return source < request->inputs ? request->count : 0;
}

/* Bytes of a source; zero if there is none. */
static inline int64_t
source_bytes(const EngineRequest *request, int source)
{
	return source == ENGINE_TABLE ? request->table_bytes :
		source_count(request, source) *
		input_size(request, request->joined > 0 ? 0 : source);
}

/* Bytes of a source as they are read, for the cost. */
static inline int64_t
source_read_bytes(const EngineRequest *request, int source)
{
	return source == 0 && request->packed_bytes > 0 ?
		request->packed_bytes : source_bytes(request, source);
}

/* Bytes of an element of an output. */
static inline int
output_size(const EngineRequest *request, int output)
{
	return kind_size(request->outputs[output].kind);
}

/*
 * Nanoseconds to read a byte of an array, which are a part of every operation's
 * cost, and were measured with the costs.
 */
#define READ_NS			0.18

/* Returns true if the table is a stored array, or has stayed on the device. */
static inline bool
request_table_is_array(const EngineRequest *request)
{
	return request->identities[ENGINE_TABLE] != NULL ||
		request->residents[ENGINE_TABLE] != 0;
}

/*
 * The cost of a request on the engine of that number, once it is open, in
 * microseconds; less than zero if it cannot run there.
 */
extern double request_cost_us(const EngineRequest *request, int engine);

/* Returns true if the cost may depend on a sample of the input. */
extern bool request_cost_varies(const EngineRequest *request);

/* Returns whether the job of a request is short. */
static inline bool
request_is_short(const EngineRequest *request)
{
	return request->count <= MAX_SHORT_JOB &&
		request->table_bytes <= MAX_SHORT_TABLE &&
		request->summary_bytes <= MAX_SHORT_TABLE;
}

/* First elements that have no result behind all stages of a request. */
static inline int64_t
stages_absent(const EngineRequest *request)
{
	int64_t		absent = 0;

	for (int i = 0; i < request->nstages; i++)
		absent += request->stages[i].absent;
	return absent;
}

/* The most results that a request can have. */
static inline int64_t
most_results(const EngineRequest *request)
{
	const OperationFacts *facts = &operation_facts[request->operation];

	switch (facts->shape)
	{
		case RESULT_ONE:
			return 1;
		case RESULT_TABLE:
			return request->table_bytes / (int64_t) sizeof(int64_t);
		case RESULT_PLACES:
			return request->table_bytes > 0 ?
				request->table_bytes / input_size(request, 0) : request->count;
		default:
			return facts->most *
				(request->count - stages_absent(request) - request->absent);
	}
}

/* The elements by which threads are counted. */
static inline int64_t
shared_elements(const EngineRequest *request)
{
	int64_t		places =
		operation_facts[request->operation].shape == RESULT_PLACES ?
		most_results(request) : 0;

	return places > request->count ? places : request->count;
}

typedef struct EngineResult
{
	int64_t		count;			/* results */
	EngineOverflow overflow;
	int64_t		errors;			/* as the operation's header says */
	int64_t		first_error;	/* elements before the first one */
	int64_t		elements;		/* behind the stages, or of an input */
	bool		stage_failed;	/* a stage had an overflow, and the results are
								 * undefined */
	uint64_t	resident;		/* the first output has stayed on "device", by
								 * this number; or zero */
	int			device;
	bool		on_device;		/* the following times are known */
	double		upload_ms;
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
} EngineDevice;

typedef struct Engine Engine;

/* Why an engine does not cache an input that it could. */
typedef enum CacheRefusal
{
	REFUSED_NOT,
	REFUSED_SIZE,				/* it is larger than the cache may be */
	REFUSED_IN_USE,				/* jobs use the values that it would replace */
	REFUSED_MEMORY				/* there is no memory */
} CacheRefusal;

/* The context of a job; an engine's own context begins with this. */
typedef struct EngineContext
{
	const Engine *engine;

	/*
	 * Inputs that the engine has cached, which need not be pushed, from
	 * begin() on; and whether it has the table.  If it has all inputs, none is
	 * pushed; else push() is given NULL instead of them.
	 */
	bool		has[ENGINE_SOURCES];
	CacheRefusal refused[ENGINE_SOURCES];	/* when it has finished */
} EngineContext;

/*
 * Returns whether the engine has the elements of an input that come behind
 * "pushed" ones.  Cuts the "count" of their piece so that it has all of them or
 * none.
 */
static inline bool
engine_has_piece(const EngineContext *context, const EngineRequest *request,
				 int input, int64_t pushed, int64_t *count)
{
	int64_t		first = source_count(request, 0);
	int			array = pushed < first ? 0 : 1;
	int64_t		left = (array == 0 ? first : request->count) - pushed;

	if (request->joined == 0)
		return context->has[input];
	if (context->has[array] || (context->has[1] && *count > left))
		*count = left;
	return context->has[array];
}

/* Returns whether nothing has to be pushed but the table. */
static inline bool
engine_has_inputs(const EngineContext *context, const EngineRequest *request)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (!context->has[i] && source_bytes(request, i) > 0)
			return false;
	}
	return true;
}

struct Engine
{
	const char *name;

	/* Returns a context, or NULL if there is not enough memory. */
	EngineContext *(*open) (void);

	/* Frees all that a context holds; no job may be running in it. */
	void		(*close) (EngineContext *context);

	/*
	 * The cost of a request, as request_cost_us; if "waits", with the
	 * microseconds for which the job waits for others before it begins.
	 */
	double		(*cost_us) (EngineContext *context,
							const EngineRequest *request, bool waits);

	/*
	 * Returns true if a request can be a stage of another one.  NULL if there
	 * are no stages.
	 */
	bool		(*can_be_stage) (const EngineRequest *request);

	/*
	 * Returns true if the engine seems to have cached an input of the
	 * request, or the table, or to have it as a result that has stayed.  NULL
	 * if it caches none.
	 */
	bool		(*has_cached) (EngineContext *context,
							   const EngineRequest *request, int source);

	/*
	 * Starts a job.  From then on end() has to be called, also if this fails
	 * or the host gives up.
	 */
	EngineStatus (*begin) (EngineContext *context,
						   const EngineRequest *request);

	/*
	 * Offers memory for the next piece of each input, and sets *capacity to
	 * the number of elements that the piece must have.  The last piece may
	 * have fewer.
	 */
	EngineStatus (*buffer) (EngineContext *context,
							void *buffers[ENGINE_INPUTS], int64_t *capacity);

	/*
	 * Copies a batch of spans, of the next piece of an input, to "dest", which
	 * is in the buffer that the preceding buffer() named.  A thread of the
	 * engine may go on with this after the return.  The caller sets "pending"
	 * to 1 before; until the thread sets it to zero, the batch, its spans and
	 * the bytes must not change.
	 *
	 * If the request is packed, the engine may take the batch's blocks instead
	 * of its elements, and unpack these later; then nothing is at "dest".
	 */
	void		(*fill) (EngineContext *context, int input, void *dest,
						 SpanBatch *batch, int *pending);

	/*
	 * Brings the end of a fill() nearer: does a part of the engine's work, or
	 * waits for a moment.
	 */
	void		(*wait) (EngineContext *context, const int *pending);

	/*
	 * Takes the next piece of each input, of the capacity that the preceding
	 * buffer() named, or the last one; of UTF-8 it may have fewer elements,
	 * so that tests can cut anywhere.  "data" are those buffers, or memory of
	 * the caller's, aligned to the element, which stays as it is until end();
	 * an operation that gathers is done with it when push() returns.
	 */
	EngineStatus (*push) (EngineContext *context,
						  const void *const data[ENGINE_INPUTS],
						  int64_t count);

	/*
	 * Called when all is pushed: returns ENGINE_OK once the results are
	 * complete, and ENGINE_MORE until then.
	 */
	EngineStatus (*finish) (EngineContext *context, EngineResult *result);

	/*
	 * Does a short job without stages: all that begin(), push() of all
	 * elements, finish() and end() do.  NULL if jobs have to take these steps.
	 */
	EngineStatus (*run) (EngineContext *context, const EngineRequest *request,
						 const void *const data[ENGINE_INPUTS],
						 EngineResult *result);

	/*
	 * Does stages for the elements of a short job, "*count" of them, which are
	 * aligned.  Returns the results, in memory that stays as it is until the
	 * next use of the context, and their number; or NULL if a stage has an
	 * overflow, or there is not enough memory.  NULL if there are no stages.
	 */
	const void *(*short_stages) (EngineContext *context,
								 const EngineStage *stages, int nstages,
								 const void *elements, int64_t *count);

	/*
	 * Gives back what the job held; from then on none of the host's memory is
	 * read or written.  It does not wait for a device.
	 */
	void		(*end) (EngineContext *context);

	/* The message of the last failure, valid until the next begin. */
	const char *(*message) (EngineContext *context);
};

extern const Engine cpu_engine;

#ifdef __cplusplus
}
#endif

#endif							/* GPUCOMPACT_ENGINE_H */
