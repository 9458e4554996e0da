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
 * Compiles a function for several processors, the best of which is taken when
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

/* Elements in a piece, at most 512 kB: they stay in the second-level cache. */
#define CPU_PIECE			(64 * 1024)
#define CPU_PIECE_BYTES		(CPU_PIECE * (sizeof(int64_t) + 1))

/*
 * Bytes of UTF-8 in a piece.  To decide what a byte is takes three bytes on
 * either side: so the last three of a piece wait for the next one, which is
 * put behind them, and behind three more that are decided.  The piece's buffer
 * has room for that in front of it, and behind it for what is found out.
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
	int			pending;		/* 1 until it is done with */
	uint8_t		before[UTF8_BEFORE];	/* bytes of UTF-8 */
	void	   *buffer;			/* room for CPU_PIECE_BYTES, kept for the
								 * session */
} CpuPiece;

/*
 * Pieces are worked on at the same time, but each needs something of those
 * before it: a sum, a count, an element.  That is handed on from piece to
 * piece: a chained scan.
 */
typedef struct CpuChain
{
	int64_t		turn;			/* the piece that may take it */
	int64_t		count;			/* elements of the result before that piece */
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

struct EngineJob
{
	EngineRequest request;
	int64_t		pushed;			/* elements so far */
	Team		team;
	TeamWork	piece_work;		/* NULL for a sort */
	CpuPiece	pieces[CPU_PIECES];
	int			npieces;		/* that this job uses */
	int64_t		turn;			/* pieces pushed */
	int64_t		piece_count;	/* elements in a piece */
	uint8_t		before[UTF8_BEFORE];	/* last bytes of UTF-8 pushed */
	CpuChain	chain;
	int			overflow;		/* an EngineOverflow, once a piece has one */
	CpuSort		sort;
	SortChunk	sort_chunk;		/* for a sort that needs but one */
};

extern CpuChain *cpu_chain_wait(EngineJob *job, const CpuPiece *piece);
extern void cpu_chain_pass(EngineJob *job);
extern void cpu_piece_done(CpuPiece *piece);
extern void cpu_note_overflow(EngineJob *job, EngineOverflow overflow);
extern void *cpu_piece_buffer(CpuPiece *piece);

/*
 * What is to be done with each piece of a request, as a task of a team; NULL
 * where there is no such thing.
 */
extern TeamWork cpu_scan_work(const EngineRequest *request);
extern TeamWork cpu_delta_work(const EngineRequest *request);
extern TeamWork cpu_compact_work(const EngineRequest *request);
extern TeamWork cpu_runs_work(const EngineRequest *request);
extern TeamWork cpu_copy_work(const EngineRequest *request);
extern TeamWork cpu_utf8_work(const EngineRequest *request);

extern void cpu_utf8_push(EngineJob *job, CpuPiece *piece);

extern bool cpu_sort_begin(EngineJob *job);
extern void cpu_sort_buffer(EngineJob *job, void *buffers[ENGINE_INPUTS],
							int64_t *capacity);
extern void cpu_sort_push(EngineJob *job,
						  const void *const data[ENGINE_INPUTS],
						  int64_t count);
extern EngineStatus cpu_sort_finish(EngineJob *job, EngineResult *result);
extern void cpu_sort_end(EngineJob *job);

#endif							/* GPUCOMPACT_CPU_ENGINE_H */
