/*
 * dot.c
 *	  gpu_dot: the sum of the products of two arrays' elements.
 */
#include "compat.h"

#include "fmgr.h"

#include "contract/operations/dot.h"
#include "sql/pairs.h"
#include "sql/wide_numeric.h"

PG_FUNCTION_INFO_V1(gpu_dot);

/* The sum, in the type of the function for elements of this kind. */
static Datum
dot_datum(const EngineDot *dot, ElementKind kind)
{
	switch (kind)
	{
		case KIND_FLOAT4:
			return Float4GetDatum(one_nan(dot->floats));
		case KIND_FLOAT8:
			return Float8GetDatum(one_nan(dot->floats));
		case KIND_INT2:
			return Int64GetDatum((int64) dot->integers.words[0]);
		default:
			return wide_numeric(dot->integers);
	}
}

/*
 * Runs the request.  A pair with a zero adds nothing to a sum of integers; of
 * floats, 0 * NaN does, and the order of the others depends on their number.
 */
static EngineResult
run(ArrayPairs *pairs, EngineRequest *request)
{
	return kind_is_float(pairs->first.type.kind) ?
		pairs_run(pairs, request) : pairs_run_filled(pairs, request);
}

/*
 * gpu_dot(a T[], b T[])
 *		returns bigint for smallint, numeric for integer and bigint, and T for
 *		floats
 *
 * As sum(x * y) over unnest(a, b) AS u (x, y); of integers, with x cast to a
 * type in which no product overflows: sum(x::integer * y), sum(x::bigint * y),
 * sum(x::numeric * y).
 *
 * Raises 2202E if the arrays differ in length, and 22003 if floats overflow or
 * underflow.
 */
Datum
gpu_dot(PG_FUNCTION_ARGS)
{
	EngineDot	dot;
	EngineRequest request = {
		.operation = ENGINE_DOT,
		.summary = &dot,
		.summary_bytes = sizeof(dot)
	};
	ArrayPairs	pairs;
	ElementKind kind;

	call_begin("gpu_dot");
	pairs_open(&pairs, fcinfo, "a", "b", true);
	kind = pairs.first.type.kind;
	check_overflow(kind, run(&pairs, &request).overflow);
	pairs_end(&pairs, pairs.count > 0 ? sizeof(Datum) : 0);
	if (pairs.count == 0)
		PG_RETURN_NULL();
	return dot_datum(&dot, kind);
}
