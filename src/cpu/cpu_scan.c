/*
 * cpu_scan.c
 *	  Scans, reductions, and reductions of groups, piece by piece.
 *
 * The code is written once for all operators, in functions that are inlined
 * where the operator is a constant.
 */
#include <string.h>

#include "cpu/cpu_scan.h"
#include "cpu/cpu_search.h"

/* The type of the results. */
#define SCAN_RESULT		TYPE_ELEMENT

/* A task that scans a piece by a function. */
#define SCAN_TASK(name, scan_operator, function) \
	CPU_CLONES static void \
	SCAN(name) (CpuJob *job, CpuPiece *piece) \
	{ \
		SCAN(function) (job, piece, scan_operator); \
	}
#define SCAN_WORK(name, scan_operator) \
	SCAN_TASK(name, scan_operator, scan_piece)
#define SCAN_EXTREME_WORK(name, scan_operator) \
	SCAN_TASK(name, scan_operator, scan_extremes)
#define GROUP_WORK(name, scan_operator) \
	SCAN_TASK(group_##name, scan_operator, group_piece)

/* Rows of the tables of these tasks. */
#define SCAN_ROW(name, scan_operator)	[scan_operator] = SCAN(name),
#define GROUP_ROW(name, scan_operator)	[scan_operator] = SCAN(group_##name),

/* The operators of some types, by their tasks' names: SCAN_EACH is one. */
#define SCAN_SUMS(X)		X(add, SCAN_ADD)
#define SCAN_EXTREMES(X)	X(min, SCAN_MIN) X(max, SCAN_MAX)
#define SCAN_PRODUCTS(X)	SCAN_SUMS(X) X(multiply, SCAN_MULTIPLY)
#define SCAN_FLOATS(X)		SCAN_PRODUCTS(X) SCAN_EXTREMES(X)
#define SCAN_INTEGERS(X) \
	SCAN_FLOATS(X) X(and, SCAN_AND) X(or, SCAN_OR) X(xor, SCAN_XOR)

/* Floats whose keys are found before they are compared. */
#define SCAN_BLOCK		256

/* A reduction has only one result, which scan_pass_prefix() stores. */
static inline bool
scan_reduces(const CpuJob *job)
{
	return job->request->operation == ENGINE_REDUCE;
}

/* Where the results of a piece go, unless the job is a reduction. */
static inline void *
scan_results(const CpuJob *job, const CpuPiece *piece)
{
	const EngineRequest *request = job->request;

	if (scan_reduces(job))
		return NULL;
	return (char *) request->outputs[0].memory +
		piece->first * output_size(request, 0);
}

/* Waits for the prefix of a piece; the first piece keeps the identity. */
static inline void
scan_wait_prefix(CpuJob *job, const CpuPiece *piece, void *prefix,
				 size_t size)
{
	CpuChain   *chain = cpu_chain_wait(job, piece);

	if (piece->turn > 0)
		memcpy(prefix, &chain->value, size);
}

/*
 * Passes the prefix that includes this piece to the next one.  The last one is
 * the result of a reduction.
 */
static inline void
scan_pass_prefix(CpuJob *job, const CpuPiece *piece, const void *prefix,
				 size_t size)
{
	CpuChain   *chain = &job->chain;

	memcpy(&chain->value, prefix, size);
	if (scan_reduces(job))
	{
		memcpy(job->request->outputs[0].memory, prefix, size);
		chain->count = 1;
	}
	else
		chain->count += piece->count;
	cpu_chain_pass(job);
}

#define SCAN_EACH			SCAN_INTEGERS

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_scan_integers_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_scan_tiles_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_fold_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_scan_floats_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_scan_extremes_template.h"
#include "cpu/cpu_types.h"

/*
 * Returns how many elements are before a group.  The group after the last one
 * begins at the end of the array.
 */
static inline int64_t
group_begin(const EngineRequest *request, int64_t group)
{
	const int32_t *starts = request->table;

	return group < request->table_bytes / (int64_t) sizeof(int32_t) ?
		starts[group] - 1 : request->count;
}

/* Returns the group that an element is in. */
static inline int64_t
group_at(const EngineRequest *request, int64_t element)
{
	int64_t		group = 1;

	SEARCH(group, request->table_bytes / (int64_t) sizeof(int32_t), at,
		   group_begin(request, at) <= element);
	return group - 1;
}

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_group_template.h"
#include "cpu/cpu_types.h"

/* Elements that are not numbers have only minima and maxima. */
#undef SCAN_EACH
#define SCAN_EACH			SCAN_EXTREMES

#define TYPES				TYPES_UNSIGNED
#define TYPE_TEMPLATE		"cpu/cpu_scan_integers_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_UNSIGNED
#define TYPE_TEMPLATE		"cpu/cpu_group_template.h"
#include "cpu/cpu_types.h"

#undef SCAN_EACH
#define SCAN_EACH			SCAN_FLOATS

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_group_template.h"
#include "cpu/cpu_types.h"

/* Only sums can be wider than the elements. */
#undef SCAN_EACH
#undef SCAN
#undef SCAN_RESULT
#define SCAN_EACH		SCAN_SUMS
#define SCAN(name)		TYPE_NAME(to_int8_##name)
#define SCAN_RESULT		int64_t

#define TYPES				TYPES_SHORT
#define TYPE_TEMPLATE		"cpu/cpu_scan_integers_template.h"
#include "cpu/cpu_types.h"

/* The tasks of a kind, by operator. */
typedef const PieceWork (*ScanWorks)[SCAN_OPERATORS];

static PieceWork
scan_work(const EngineRequest *request)
{
	static const ScanWorks scans[ELEMENT_KINDS] = {TYPE_ROWS(works)};
	static const ScanWorks wide_sums[ELEMENT_KINDS] = {
		[KIND_INT2] = &int2_to_int8_works,
		[KIND_INT4] = &int4_to_int8_works
	};
	ElementKind kind = request->kinds[0];
	ElementKind sum_kind = request->outputs[0].kind;
	ScanWorks	works = NULL;

	if (sum_kind == kind)
		works = scans[kind];
	else if (sum_kind == KIND_INT8)
		works = wide_sums[kind];
	return works ? (*works)[PARAMETERS(request, ScanParameters)->op] : NULL;
}

static PieceWork
group_work(const EngineRequest *request)
{
	static const ScanWorks groups[ELEMENT_KINDS] = {TYPE_ROWS(group_works)};

	return (*groups[request->kinds[0]])
		[PARAMETERS(request, ScanParameters)->op];
}

/* The last stage for the elements of a short job. */
static int64_t
reduce_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
			 CpuStageChain *chain, void *out)
{
	job->own_request = (EngineRequest)
	{
		.operation = ENGINE_REDUCE,
		.kinds[0] = stage->from,
		.outputs[0] = {out, stage->kind},
		.parameters = stage->parameters
	};
	job->request = &job->own_request;
	job->chain = (CpuChain) {0};
	job->overflow = OVERFLOW_NONE;
	if (piece->count > 0)
		scan_work(job->request) (job, piece);
	if (job->overflow != OVERFLOW_NONE)
		cpu_stage_failed(job);
	return job->chain.count;
}

const CpuOperation cpu_scan = {CPU_BY_PIECES, .piece_work = scan_work};
const CpuOperation cpu_reduce = {
	CPU_BY_PIECES,
	.piece_work = scan_work,
	.stage = reduce_stage,
	.can_be_stage = request_is_short
};
const CpuOperation cpu_group = {CPU_BY_PIECES, .piece_work = group_work};
