/*
 * kernels.h
 *	  The kernels, as what has an array on the device calls them: the engine,
 *	  and the benchmark of the kernels alone.
 *
 * All of them queue their work on a stream.  Arrays are aligned to 16 bytes.
 */
#ifndef GPUCOMPACT_KERNELS_H
#define GPUCOMPACT_KERNELS_H

#include <cuda_runtime.h>

#include "engine/engine.h"
#include "lookahead.h"

/*
 * Up to this many items an array is cut into small tiles, so that all of the
 * device has a part in it.
 */
#define SMALL_COUNT		((int64_t) 384 * 1024)

/*
 * scan.cu: the sums of integers, as wide as the elements or 8 bytes wide, from
 * *start on, or from zero if that is NULL.  The last one goes to *end, unless
 * that is NULL.  If any sum is out of range, overflow[OVERFLOW_UP] is set.
 */
extern EngineStatus scan_add(cudaStream_t stream, LookAhead *ahead,
							 ElementKind kind, ElementKind sum_kind,
							 const void *in, void *out, int64_t count,
							 const long long *start, long long *end,
							 int *overflow);

/*
 * scan_blocks.cu: the same by any operator that the kind has, or the last
 * result alone, if "out" is NULL.  *start and *end are of "sum_kind", and
 * without a *start the first result is the first element.  In the order of
 * float_order.h, the first element being the first of a block.
 */
extern bool scan_blocks_can(ScanOperator scan_operator, ElementKind kind,
							ElementKind sum_kind);
extern size_t scan_blocks_scratch_bytes(int64_t count);
extern EngineStatus scan_blocks(cudaStream_t stream,
								ScanOperator scan_operator, ElementKind kind,
								ElementKind sum_kind, const void *in,
								void *out, int64_t count, const void *start,
								void *end, void *scratch, int *overflow);

/* compact.cu */
extern EngineStatus compact_array(cudaStream_t stream, LookAhead *ahead,
								  ElementKind kind,
								  const EnginePredicate *predicate,
								  const void *in, void *out, int64_t count,
								  long long *survivors);

/* runs.cu */
extern EngineStatus runs_array(cudaStream_t stream, LookAhead *ahead,
							   ElementKind kind, const void *in, void *out,
							   int *starts, int64_t count, long long *found);

/*
 * What is kept on the device about an array of UTF-8, or of code points.
 */
typedef struct Utf8State
{
	unsigned	carry[2];		/* a piece's last bytes: two, used in turn */
	unsigned long long errors;
	unsigned long long first_error; /* as large as can be, if there is none */
} Utf8State;

/* utf8.cu: there has to be room for a byte more behind the array */
extern EngineStatus utf8_clear(cudaStream_t stream, Utf8State *state);
extern EngineStatus utf8_decode(cudaStream_t stream, LookAhead *ahead,
								unsigned char *in, int *out, int64_t count,
								Utf8State *state, long long *results);

/*
 * A sort, and its memory on the device.  The keys are in keys[0] at first, and
 * what is given to be moved with them in payloads[0]; where they are in the
 * end is known only then.
 */
typedef struct Sort
{
	ElementKind kind;			/* of the keys */
	bool		descending;
	SortPayload payload;
	int64_t		count;
	void	   *keys[2];
	void	   *payloads[2];	/* NULL without a payload */
	void	   *scratch;		/* sort_scratch_bytes() of it */
} Sort;

/* sort.cu: clear, count all keys, move them */
extern size_t sort_scratch_bytes(const Sort *sort);
extern EngineStatus sort_clear(cudaStream_t stream, const Sort *sort);
extern EngineStatus sort_count_keys(cudaStream_t stream, const Sort *sort,
									const void *keys, int64_t count);
extern EngineStatus sort_move_keys(cudaStream_t stream, const Sort *sort,
								   int *in_other);

#endif							/* GPUCOMPACT_KERNELS_H */
