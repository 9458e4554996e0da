/*
 * cpu_engine.h
 *	  What the parts of the CPU engine share.
 */
#ifndef GPUCOMPACT_CPU_ENGINE_H
#define GPUCOMPACT_CPU_ENGINE_H

#include "engine/engine.h"
#include "engine/team.h"
#include "cpu_sort.h"

/*
 * Compiles a function for several processors; the best version is chosen when
 * the library is loaded.
 */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && \
	!defined(__clang__)
#define CPU_CLONES \
	__attribute__((target_clones("default", "avx2", "avx512f")))
#else
#define CPU_CLONES
#endif

/* From this many pieces on, a job is given a team. */
#define CPU_TEAM_PIECES		4

/*
 * Elements in a piece at most, and its bytes: 512 kB and a mask, which stay in
 * the second-level cache.
 */
#define CPU_PIECE			(64 * 1024)
#define CPU_PIECE_BYTES		(CPU_PIECE * (sizeof(int64_t) + 1))

/*
 * Bytes of UTF-8 in a piece.  Whether a byte starts a unit depends on three
 * bytes on either side.  So the last three of a piece wait for the next piece,
 * which has them, and the three before them, in front of its own.  The buffer
 * of a piece has room for these, and behind the piece for the bits that are
 * found.
 */
#define CPU_UTF8_PIECE		(4 * CPU_PIECE)
#define CPU_UTF8_FRONT		64
#define UTF8_CONTEXT		3
#define UTF8_BEFORE			(2 * UTF8_CONTEXT)

/* Pieces under way at most: one for each thread, and two for the caller. */
#define CPU_PIECES			(TEAM_MAX_HELPERS + 3)

/* A piece of an operation that takes the array piece by piece. */
typedef struct CpuPiece
{
	const void *data[ENGINE_INPUTS];
	int64_t		count;
	int64_t		first;			/* elements before it */
	int64_t		turn;			/* pieces before it */
	int			pending;		/* 1 until the piece is done */
	uint8_t		before[UTF8_BEFORE];	/* bytes of UTF-8 */
	void	   *buffer;			/* of CPU_PIECE_BYTES, kept by the context */
} CpuPiece;

/*
 * Pieces are worked on at the same time, but each needs something from those
 * before it: a sum, a count, an element.  Each piece hands that on to the next
 * one: a chained scan.
 */
typedef struct CpuChain
{
	int64_t		turn;			/* the piece that may take it */
	int64_t		count;			/* results before that piece */
	int64_t		errors;			/* in the pieces before it */
	int64_t		first_error;	/* the first of them */
	union
	{
		int64_t		int8;
		uint64_t	bits;
		float		float4;
		double		float8;
	}			value;			/* the sum, or the element, before it */
} CpuChain;

typedef struct CpuOperation CpuOperation;

/* A context of the CPU engine, and the job in it. */
typedef struct CpuJob
{
	EngineContext base;
	const char *message;		/* of the last failure */
	const CpuOperation *operation;
	EngineRequest request;
	Team		team;
	int64_t		pushed;			/* elements so far */
	CpuPiece	pieces[CPU_PIECES];

	/* An operation that takes the array piece by piece: */
	TeamWork	piece_work;
	int64_t		piece_count;	/* elements in a piece */
	int64_t		turn;			/* pieces pushed */
	uint8_t		before[UTF8_BEFORE];	/* last bytes of UTF-8 pushed */
	CpuChain	chain;
	int			overflow;		/* an EngineOverflow, once a piece has one */
	int64_t		cleared;		/* bytes of a histogram's counters */

	/* A sort: */
	CpuSort		sort;
	SortChunk	sort_chunk;		/* if it needs only one */
} CpuJob;

/*
 * How an operation is done.  Its functions are called as those of the engine
 * are; begin reserves what the operation needs before the team starts, and
 * returns false for want of memory.
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
	 * For the functions of cpu_pieces.c: the task of a piece, or NULL if the
	 * request is not supported.
	 */
	TeamWork	(*piece_work) (const EngineRequest *request);

	/* Elements of a piece, if not CPU_PIECE; and of UTF-8, what precedes. */
	int64_t		piece_count;
	size_t		piece_front;	/* bytes before the piece in its buffer */
	void		(*piece_pushed) (CpuJob *job, CpuPiece *piece);
};

/* The functions of an operation that takes the array piece by piece. */
#define CPU_BY_PIECES \
	.begin = cpu_pieces_begin, \
	.buffer = cpu_pieces_buffer, \
	.push = cpu_pieces_push, \
	.finish = cpu_pieces_finish, \
	.end = cpu_pieces_end

#define OPERATION(NAME, name, ...) extern const CpuOperation cpu_##name;
#include "engine/operations.h"

/* cpu_engine.c */
extern EngineStatus cpu_out_of_memory(CpuJob *job);
extern void *cpu_piece_buffer(CpuPiece *piece);

/* cpu_pieces.c */
extern bool cpu_pieces_begin(CpuJob *job);
extern EngineStatus cpu_pieces_buffer(CpuJob *job,
									  void *buffers[ENGINE_INPUTS],
									  int64_t *capacity);
extern void cpu_pieces_push(CpuJob *job,
							const void *const data[ENGINE_INPUTS],
							int64_t count);
extern EngineStatus cpu_pieces_finish(CpuJob *job, EngineResult *result);
extern void cpu_pieces_end(CpuJob *job);

/* For the tasks of pieces. */
extern CpuChain *cpu_chain_wait(CpuJob *job, const CpuPiece *piece);
extern void cpu_chain_pass(CpuJob *job);
extern void cpu_piece_done(CpuPiece *piece);
extern void cpu_note_overflow(CpuJob *job, EngineOverflow overflow);

#endif							/* GPUCOMPACT_CPU_ENGINE_H */
