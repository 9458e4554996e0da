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

/* Sums of floats that run side by side, enough to keep an adder busy. */
#define SCAN_ABREAST	8

/* Where the results of a piece go; NULL for a reduction, which has only one. */
static inline void *
scan_results(const CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = &job->request;

	if (request->operation == ENGINE_REDUCE)
		return NULL;
	return (char *) request->outputs[0].memory + piece->first * output_size(request, 0);
}

/* Waits for the result of all pieces before; changes nothing without any. */
static inline void
scan_take_over(CpuJob *job, const CpuPiece *piece, void *before,
			   size_t size)
{
	CpuChain   *chain = cpu_chain_wait(job, piece);

	if (piece->turn > 0)
		memcpy(before, &chain->value, size);
}

/* Hands on the result up to this piece, which is that of a reduction. */
static inline void
scan_hand_on(CpuJob *job, const CpuPiece *piece, const void *total,
			 size_t size)
{
	CpuChain   *chain = &job->chain;

	memcpy(&chain->value, total, size);
	if (job->request.operation == ENGINE_REDUCE)
	{
		memcpy(job->request.outputs[0].memory, total, size);
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

/* Sums that are wider than the elements; other operators have no such. */
#define SCAN_SUMS_ONLY

#define SCAN_PREFIX		int2_to_int8
#define SCAN_ELEMENT	int16_t
#define SCAN_RESULT		int64_t
#include "cpu_scan_integers_template.h"

#define SCAN_PREFIX		int4_to_int8
#define SCAN_ELEMENT	int32_t
#define SCAN_RESULT		int64_t
#include "cpu_scan_integers_template.h"

/* The task of a piece, by kind and operator. */
static TeamWork
scan_work(const EngineRequest *request)
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
	ElementKind kind = request->kinds[0];
	ElementKind sum_kind = request->outputs[0].kind;
	const TeamWork *works = NULL;

	if (sum_kind == kind)
		works = scans[kind];
	else if (sum_kind == KIND_INT8)
		works = wide_sums[kind];
	return works ? works[request->parameters.scan.op] : NULL;
}

const CpuOperation cpu_scan = {CPU_BY_PIECES, .piece_work = scan_work};
const CpuOperation cpu_reduce = {CPU_BY_PIECES, .piece_work = scan_work};
