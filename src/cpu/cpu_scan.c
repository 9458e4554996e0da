/*
 * cpu_scan.c
 *	  Scans and reductions, piece by piece.
 *
 * Each operator's code is written once, in functions that are inlined where
 * the operator is a constant.
 */
#include <math.h>
#include <string.h>

#include "engine/float_order.h"
#include "cpu_engine.h"

#define SCAN_INLINE		static inline __attribute__((always_inline))

#define SCAN_PASTE_(a, b)	a##_##b
#define SCAN_PASTE(a, b)	SCAN_PASTE_(a, b)

/* A name that starts with what a template is included for. */
#define SCAN(name)		SCAN_PASTE(SCAN_PREFIX, name)

/* A task that scans a piece. */
#define SCAN_WORK(name, scan_operator) \
	CPU_CLONES static void \
	SCAN(name) (void *job, int number) \
	{ \
		SCAN(scan_piece) (job, number, scan_operator); \
	}

/* Blocks of floats in a piece. */
#define SCAN_BLOCKS		(CPU_PIECE / FLOAT_BLOCK)

/* So many sums of floats side by side keep an adder busy. */
#define SCAN_ABREAST	8

/* Where the results of a piece go; NULL for a reduction, which has but one. */
static inline void *
scan_results(const EngineJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = &job->request;

	if (request->operation == ENGINE_REDUCE)
		return NULL;
	return (char *) request->result + piece->first * result_size(request);
}

/* Waits for what all pieces before come to; changes nothing if none is. */
static inline void
scan_take_over(EngineJob *job, const CpuPiece *piece, void *before,
			   size_t size)
{
	CpuChain   *chain = cpu_chain_wait(job, piece);

	if (piece->turn > 0)
		memcpy(before, &chain->value, size);
}

/* Hands on what all up to this piece come to: the result of a reduction. */
static inline void
scan_hand_on(EngineJob *job, const CpuPiece *piece, const void *total,
			 size_t size)
{
	CpuChain   *chain = &job->chain;

	memcpy(&chain->value, total, size);
	if (job->request.operation == ENGINE_REDUCE)
	{
		memcpy(job->request.result, total, size);
		chain->count = 1;
	}
	else
		chain->count += piece->count;
	cpu_chain_pass(job);
}

/* Elements in the block of a piece that begins with the element "first". */
static inline int
scan_block_size(const CpuPiece *piece, int first)
{
	int64_t		left = piece->count - first;

	return left < FLOAT_BLOCK ? (int) left : FLOAT_BLOCK;
}

#define SCAN_PREFIX		int2
#define SCAN_ELEMENT	int16_t
#define SCAN_RESULT		int16_t
#include "cpu_scan_integers_template.h"

#define SCAN_PREFIX		int4
#define SCAN_ELEMENT	int32_t
#define SCAN_RESULT		int32_t
#include "cpu_scan_integers_template.h"

#define SCAN_PREFIX		int8
#define SCAN_ELEMENT	int64_t
#define SCAN_RESULT		int64_t
#include "cpu_scan_integers_template.h"

#define SCAN_PREFIX		float4
#define SCAN_ELEMENT	float
#include "cpu_scan_floats_template.h"

#define SCAN_PREFIX		float8
#define SCAN_ELEMENT	double
#include "cpu_scan_floats_template.h"

/* Sums that are wider than the elements; there are no other operators. */
#define SCAN_SUMS_ONLY

#define SCAN_PREFIX		int2_to_int8
#define SCAN_ELEMENT	int16_t
#define SCAN_RESULT		int64_t
#include "cpu_scan_integers_template.h"

#define SCAN_PREFIX		int4_to_int8
#define SCAN_ELEMENT	int32_t
#define SCAN_RESULT		int64_t
#include "cpu_scan_integers_template.h"

/* What to do with a piece, by kind and operator. */
TeamWork
cpu_scan_work(const EngineRequest *request)
{
	static const TeamWork *const scans[ELEMENT_KINDS] = {
		[KIND_INT2] = int2_works,
		[KIND_INT4] = int4_works,
		[KIND_INT8] = int8_works,
		[KIND_FLOAT4] = float4_works,
		[KIND_FLOAT8] = float8_works
	};
	static const TeamWork *const wide_sums[ELEMENT_KINDS] = {
		[KIND_INT2] = int2_to_int8_works,
		[KIND_INT4] = int4_to_int8_works
	};
	const TeamWork *works = NULL;

	if (request->sum_kind == request->kind)
		works = scans[request->kind];
	else if (request->sum_kind == KIND_INT8)
		works = wide_sums[request->kind];
	return works ? works[request->scan_operator] : NULL;
}
