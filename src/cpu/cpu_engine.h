/*
 * cpu_engine.h
 *	  What the parts of the CPU engine share.
 */
#ifndef GPUCOMPACT_CPU_ENGINE_H
#define GPUCOMPACT_CPU_ENGINE_H

#include "contract/cpu_clones.h"
#include "contract/engine.h"
#include "contract/team.h"
#include "cpu/cpu_phases.h"
#include "cpu/cpu_sort.h"

/* The huge page of x86-64, and of arm64 with 4 kB pages. */
#define CPU_HUGE_PAGE		((size_t) 2 * 1024 * 1024)

/*
 * The most elements of a piece, and its bytes: 512 kB and a mask, which stay in
 * the second-level cache.
 */
#define CPU_PIECE			(64 * 1024)
#define CPU_PIECE_BYTES		(CPU_PIECE * (sizeof(int64_t) + 1))

/*
 * Bytes of UTF-8 in a piece.  Whether a byte starts a unit depends on three
 * bytes on either side.  So a piece leaves its last three bytes to the next
 * piece, whose buffer begins with the last six bytes before it.  The buffer
 * also has room for the bits found, after the piece.
 */
#define CPU_UTF8_PIECE		(4 * CPU_PIECE)
#define CPU_UTF8_FRONT		64
#define UTF8_CONTEXT		3
#define UTF8_BEFORE			(2 * UTF8_CONTEXT)

/*
 * Bytes of a piece whose inputs come from pages: some 16 pages of 8 kB.  64
 * pages may be held at a time, so four pieces can be under way.
 */
#define CPU_PAGED_BYTES		(125 * 1024)

/*
 * The most elements of a piece that goes through stages, and its bytes: few, so
 * that the results of all stages stay in the cache.
 */
#define CPU_STAGED_PIECE	(16 * 1024)
#define CPU_STAGED_BYTES	(64 * 1024)

/* A batch that is still to be put into a buffer. */
typedef struct CpuFill
{
	char	   *dest;
	SpanBatch  *batch;
	int		   *pending;		/* set to zero once it is there */
} CpuFill;

#define CPU_FILLS			8

typedef struct CpuFills
{
	int			count;
	CpuFill		fills[CPU_FILLS];
} CpuFills;

/* Pieces in flight at most: one for each thread, and two for the caller. */
#define CPU_PIECES			(TEAM_MAX_HELPERS + 3)

/* A piece of the inputs, and the task that works on it. */
typedef struct CpuPiece
{
	CpuFills	fills;			/* what its buffers still lack */
	const void *data[ENGINE_INPUTS];
	int64_t		count;
	int64_t		first;			/* elements before it */
	int64_t		turn;			/* pieces before it */
	bool		is_last;		/* none comes after it */
	int			pending;		/* 1 until the piece is done */
	uint8_t		before[UTF8_BEFORE];	/* bytes of UTF-8 */
	void	   *buffer;			/* of CPU_PIECE_BYTES, kept by the context */
	void	   *stage_buffer;	/* the same for results of stages; or NULL */
} CpuPiece;

/*
 * Threads work on several pieces at the same time, but each piece needs a
 * prefix from the pieces before it: a sum, a count or an element.  Each piece
 * passes its inclusive prefix to the next one: a chained scan.
 */
typedef struct CpuChain
{
	int64_t		turn;			/* the piece whose turn it is */
	int64_t		count;			/* results before that piece */
	int64_t		errors;			/* in the pieces before it */
	int64_t		first_error;	/* the first of them */
	union
	{
		int64_t		int8;
		uint64_t	bits;
		float		float4;
		double		float8;
	}			value;			/* the sum up to it, or the element before it */
	int64_t		group[5];		/* the values so far of a group that goes on */
} CpuChain;

/* An input that is gathered. */
typedef struct CpuGathered
{
	char	   *memory;			/* room for it */
	const char *elements;		/* there, or where they were pushed from */
} CpuGathered;

/* The most elements of the pieces before one that a stage keeps. */
#define CPU_STAGE_KEPT		(8 * 1024)

/* What a stage needs of the pieces before one. */
typedef struct CpuStageChain
{
	int64_t		turn;			/* the piece whose turn it is */
	int64_t		count;			/* elements before that piece */
	int64_t		absent;			/* first results without one in a later stage */
	char		kept[CPU_STAGE_KEPT * sizeof(int64_t)]
		__attribute__((aligned(8)));	/* as the stage needs them */
} CpuStageChain;

typedef struct CpuOperation CpuOperation;

/* The task of a piece, which is done when it returns. */
typedef void (*PieceWork) (CpuJob *job, CpuPiece *piece);

/* A context of the CPU engine, and the job in it. */
struct CpuJob
{
	EngineContext base;
	const char *message;		/* of the last failure */
	const CpuOperation *operation;
	const EngineRequest *request;
	EngineRequest own_request;	/* of a job that is not short */
	Team		team;
	int64_t		pushed;			/* elements pushed so far */
	int64_t		turn;			/* pieces pushed so far */
	int			place;			/* of the piece that is pushed next */
	CpuPiece	pieces[CPU_PIECES];

	/* An operation that takes the array piece by piece: */
	PieceWork	piece_work;
	int64_t		piece_count;	/* elements in a piece */
	uint8_t		before[UTF8_BEFORE];	/* last bytes of UTF-8 pushed */
	CpuChain	chain;
	CpuStageChain stage_chains[ENGINE_STAGES];
	ElementKind pushed_kind;	/* of the first input, before stages */
	int64_t		staged;			/* elements behind the stages */
	int			stage_failed;
	int			overflow;		/* an EngineOverflow, once a piece has one */
	int64_t		cleared;		/* bytes of a histogram's counters */

	/* An operation that gathers its inputs: */
	CpuGathered gathered[ENGINE_INPUTS];

	/* An operation that works in phases: */
	CpuPhases	phases;

	/* A sort: */
	CpuSort		sort;

	/* Another operation's own, or NULL; the engine frees it. */
	void	   *state;
};

/*
 * The implementation of an operation.  The engine's functions call these ones
 * of the same names.  begin allocates what the operation needs, before the team
 * starts, and returns false if there is not enough memory; if there is a state
 * by then, end is called.
 */
struct CpuOperation
{
	bool		(*begin) (CpuJob *job);
	EngineStatus (*buffer) (CpuJob *job, void *buffers[ENGINE_INPUTS],
							int64_t *capacity);
	void		(*push) (CpuJob *job, const void *const data[ENGINE_INPUTS],
						 int64_t count);
	EngineStatus (*finish) (CpuJob *job, EngineResult *result);
	void		(*end) (CpuJob *job);

	/*
	 * Does a short job, whose request is set.  NULL for cpu_run_by_steps().
	 */
	EngineStatus (*run) (CpuJob *job, const void *const data[ENGINE_INPUTS],
						 EngineResult *result);

	/*
	 * For the functions of cpu_pieces.c: the task of a piece; or how to choose
	 * one for a request, NULL if that is not supported.
	 */
	PieceWork	piece;
	PieceWork	(*piece_work) (const EngineRequest *request);

	/*
	 * Does a stage: puts the results for a piece's elements, which may be none,
	 * into "out", and returns their number.  NULL if the operation is never a
	 * stage; or if "can_be_stage" says so, which gets the stages before it.  If
	 * the results are those of other elements, sets the piece's first one.
	 */
	int64_t		(*stage) (CpuJob *job, CpuPiece *piece,
						  const EngineStage *stage, CpuStageChain *chain,
						  void *out);
	bool		(*can_be_stage) (const EngineRequest *request);

	/* Elements of a piece, if not CPU_PIECE; what precedes, for UTF-8. */
	int64_t		piece_count;
	size_t		piece_front;	/* bytes before the piece in its buffer */
	bool		stage_buffer;	/* the operation uses that of stages, too */
	void		(*piece_pushed) (CpuJob *job, CpuPiece *piece, int64_t count);
};

/* The task of a piece for a request, or NULL. */
static inline PieceWork
cpu_piece_work(const CpuOperation *operation, const EngineRequest *request)
{
	return operation->piece_work != NULL ?
		operation->piece_work(request) : operation->piece;
}

static inline int64_t
cpu_min(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A table of functions by the size of an element. */
#define SIZE_TABLE(name) \
	{[1] = name##_1,[2] = name##_2,[4] = name##_4,[8] = name##_8}

/* The bits of an element of a size. */
static inline uint64_t
cpu_element(const void *elements, int size, int64_t i)
{
	switch (size)
	{
		case 1:
			return ((const uint8_t *) elements)[i];
		case 2:
			return ((const uint16_t *) elements)[i];
		case 4:
			return ((const uint32_t *) elements)[i];
		default:
			return ((const uint64_t *) elements)[i];
	}
}

static inline void
cpu_put_element(void *elements, int size, int64_t i, uint64_t bits)
{
	switch (size)
	{
		case 1:
			((uint8_t *) elements)[i] = (uint8_t) bits;
			break;
		case 2:
			((uint16_t *) elements)[i] = (uint16_t) bits;
			break;
		case 4:
			((uint32_t *) elements)[i] = (uint32_t) bits;
			break;
		default:
			((uint64_t *) elements)[i] = bits;
			break;
	}
}

/* The elements of a chunk. */
static inline int64_t
chunk_first(const CpuJob *job, int chunk)
{
	return chunk * job->phases.chunk_size;
}

static inline int64_t
chunk_count(const CpuJob *job, int chunk)
{
	return cpu_min(job->phases.count - chunk_first(job, chunk),
				   job->phases.chunk_size);
}

/* The functions of an operation that takes the array piece by piece. */
#define CPU_BY_PIECES \
	.begin = cpu_pieces_begin, \
	.buffer = cpu_pieces_buffer, \
	.push = cpu_pieces_push, \
	.finish = cpu_pieces_finish, \
	.end = cpu_drop_pieces, \
	.run = cpu_pieces_run

static inline EngineStatus
cpu_out_of_memory(CpuJob *job)
{
	job->message = "The CPU engine could not get memory from the system.";
	return ENGINE_OUT_OF_MEMORY;
}

static inline EngineStatus
cpu_not_supported(CpuJob *job)
{
	job->message = "The CPU engine does not know this operation.";
	return ENGINE_NOT_SUPPORTED;
}

#define OPERATION(NAME, name, ...) extern const CpuOperation cpu_##name;
#include "contract/operations.h"

/* cpu_engine.c */
extern const CpuOperation *const cpu_operations[ENGINE_OPERATIONS];
extern void *cpu_memory(size_t size);
extern void *cpu_scratch(CpuJob *job, int piece, size_t size);
extern void cpu_scratch_free(CpuJob *job, int piece, void *scratch);
extern EngineStatus cpu_run_by_steps(CpuJob *job,
									 const void *const data[ENGINE_INPUTS],
									 EngineResult *result);

/* cpu_stages.c */
extern void cpu_stages_begin(CpuJob *job, const EngineStage *stages,
							 int nstages);
extern bool cpu_stages_reserve(CpuPiece *piece);
extern void cpu_stages_run(CpuJob *job, CpuPiece *piece);
extern const void *cpu_short_stages(EngineContext *context,
									const EngineStage *stages, int nstages,
									const void *elements, int64_t *count);
extern void cpu_stage_failed(CpuJob *job);

/* cpu_fill.c */
extern void cpu_fills_copy(CpuFills *fills);
extern void cpu_fills_copy_end(const CpuFills *fills, int bytes);
extern void cpu_fills_add(CpuFills *fills, CpuFill fill, bool now);
extern bool cpu_fills_have(const CpuFills *fills, const int *pending);

/* cpu_phases.c: the task of a piece, which may bring the last of a chunk */
extern void cpu_phases_piece(CpuJob *job, CpuPiece *piece);

/* cpu_pieces.c */
extern void *cpu_piece_buffer(CpuPiece *piece);
extern void cpu_piece_done(CpuPiece *piece);
extern int64_t cpu_piece_count(const CpuJob *job);
extern CpuPiece *cpu_next_piece(CpuJob *job);
extern void cpu_push_piece(CpuJob *job, int64_t count, TeamWork work);
extern void cpu_drop_pieces(CpuJob *job);
extern bool cpu_pieces_begin(CpuJob *job);
extern EngineStatus cpu_pieces_buffer(CpuJob *job,
									  void *buffers[ENGINE_INPUTS],
									  int64_t *capacity);
extern void cpu_pieces_push(CpuJob *job,
							const void *const data[ENGINE_INPUTS],
							int64_t count);
extern EngineStatus cpu_pieces_wait(CpuJob *job);
extern EngineStatus cpu_pieces_finish(CpuJob *job, EngineResult *result);
extern EngineStatus cpu_pieces_run(CpuJob *job,
								   const void *const data[ENGINE_INPUTS],
								   EngineResult *result);

/* cpu_gather.c */
extern bool cpu_gather_begin(CpuJob *job);
extern EngineStatus cpu_gather_buffer(CpuJob *job,
									  void *buffers[ENGINE_INPUTS],
									  int64_t *capacity);
extern EngineStatus cpu_gather_chunk(CpuJob *job,
									 void *buffers[ENGINE_INPUTS],
									 int64_t *capacity);
extern void cpu_gather_pushed(CpuJob *job, CpuPiece *piece, int64_t count);
extern void cpu_gather_copy(CpuJob *job, CpuPiece *piece, int64_t count);
extern void cpu_gather_end(CpuJob *job);

/* For the tasks that work on pieces. */

/*
 * Waits for a piece's turn.  The preceding piece's task has already started, so
 * the wait is short unless its thread is not running.
 */
static inline void
cpu_wait_turn(CpuJob *job, const int64_t *turn, const CpuPiece *piece)
{
	if (job->team.helpers > 0)
		team_wait_turn(&job->team, turn, piece->turn);
}

static inline void
cpu_pass_turn(CpuJob *job, int64_t *turn)
{
	if (job->team.helpers > 0)
		team_pass_turn(&job->team, turn);
	else
		++*turn;
}

/*
 * Waits for a piece's turn.  Returns the chain, which has the prefix of all
 * pieces before it.  The caller adds this piece, and passes the chain on with
 * cpu_chain_pass.
 */
static inline CpuChain *
cpu_chain_wait(CpuJob *job, const CpuPiece *piece)
{
	cpu_wait_turn(job, &job->chain.turn, piece);
	return &job->chain;
}

static inline void
cpu_chain_pass(CpuJob *job)
{
	cpu_pass_turn(job, &job->chain.turn);
}

/*
 * For a task with a result for each element: returns the place of the piece's
 * results.
 */
static inline void *
cpu_piece_results(CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = job->request;

	cpu_chain_wait(job, piece)->count += piece->count;
	cpu_chain_pass(job);
	return (char *) request->outputs[0].memory +
		piece->first * output_size(request, 0);
}

extern void cpu_note_overflow(CpuJob *job, EngineOverflow overflow);

#endif							/* GPUCOMPACT_CPU_ENGINE_H */
