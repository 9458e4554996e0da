/*
 * cpu_histogram.c
 *	  How many elements are in each bucket, piece by piece.
 *
 * Few buckets are counted piece by piece in several copies, so that equal
 * neighbours need not wait for each other, and then the counts are added to
 * the counts of the other pieces.  To add many buckets would take as long as to
 * count: then a piece's elements are counted when it is the piece's turn.
 */
#include <string.h>

#include "cpu/cpu_bucket.h"

/* Up to FEW_COUNTERS counters have copies. */
#define FEW_COUNTERS		1024
#define COPIES				4

/* Copies pay from this many elements for each counter on. */
#define COPIES_MIN_ELEMENTS	8

/* Elements whose buckets are found at once. */
#define HISTOGRAM_BLOCK		1024

/* Pieces are half as long as others: buckets take the rest of their buffers. */
#define HISTOGRAM_PIECE		(CPU_PIECE / 2)

/* Bytes of counters that are cleared at once. */
#define CLEAR_BYTES			((int64_t) 1024 * 1024)

static int64_t
count_counters(const EngineRequest *request)
{
	return request->summary_bytes / sizeof(int32_t);
}

static void
count_few(CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	FindBuckets find = cpu_find_buckets(job);
	int			size = input_size(request, 0);
	int64_t		counters = count_counters(request);
	int32_t    *counts = request->summary;
	bool		is_all = piece->count == request->count;
	int32_t		copies[COPIES][FEW_COUNTERS];
	int32_t		buckets[HISTOGRAM_BLOCK];

	for (int copy = 0; copy < COPIES; copy++)
		memset(copies[copy], 0, counters * sizeof(int32_t));
	for (int64_t first = 0; first < piece->count; first += HISTOGRAM_BLOCK)
	{
		int			count = cpu_min(piece->count - first, HISTOGRAM_BLOCK);

		find(job, (const char *) piece->data[0] + first * size, count,
			 buckets);
		for (; count % COPIES != 0; count--)
			copies[0][buckets[count - 1]]++;
		for (int i = 0; i < count; i += COPIES)
		{
			for (int copy = 0; copy < COPIES; copy++)
				copies[copy][buckets[i + copy]]++;
		}
	}
	for (int64_t i = 0; i < counters; i++)
	{
		int32_t		count = 0;

		for (int copy = 0; copy < COPIES; copy++)
			count += copies[copy][i];
		if (is_all)
			counts[i] = count;
		else if (count > 0)
			__atomic_add_fetch(&counts[i], count, __ATOMIC_RELAXED);
	}
}

static void
count_many(CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	int32_t    *counts = request->summary;
	int32_t    *buckets = (int32_t *) ((char *) piece->buffer +
									   HISTOGRAM_PIECE * sizeof(int64_t));

	cpu_find_buckets(job) (job, piece->data[0], piece->count, buckets);
	cpu_chain_wait(job, piece);
	for (int64_t i = 0; i < piece->count; i++)
		counts[buckets[i]]++;
	cpu_chain_pass(job);
}

static void
histogram_piece(CpuJob *job, CpuPiece *piece)
{
	if (count_counters(job->request) <= FEW_COUNTERS &&
		job->request->count / COPIES_MIN_ELEMENTS >=
		count_counters(job->request))
		count_few(job, piece);
	else
		count_many(job, piece);
}

static bool
histogram_begin(CpuJob *job)
{
	job->cleared = 0;
	return cpu_buckets_begin(job) && cpu_pieces_begin(job);
}

/* Before the first piece the counters are cleared. */
static EngineStatus
histogram_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	int64_t		left = job->request->summary_bytes - job->cleared;
	int64_t		bytes = cpu_min(left, CLEAR_BYTES);

	if (left > 0)
		memset((char *) job->request->summary + job->cleared, 0, bytes);
	job->cleared += bytes;
	if (left > bytes)
		return ENGINE_MORE;
	return cpu_pieces_buffer(job, buffers, capacity);
}

const CpuOperation cpu_histogram = {
	.begin = histogram_begin,
	.buffer = histogram_buffer,
	.push = cpu_pieces_push,
	.finish = cpu_pieces_finish,
	.end = cpu_drop_pieces,
	.piece = histogram_piece,
	.piece_count = HISTOGRAM_PIECE
};
