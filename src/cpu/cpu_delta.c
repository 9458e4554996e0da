/*
 * cpu_delta.c
 *	  Differences of neighbours, or of two inputs, piece by piece.
 */
#include <math.h>
#include <string.h>

#include "contract/operations/delta.h"
#include "cpu/cpu_engine.h"

#define DELTA_PASTE_(a, b)	a##_##b
#define DELTA_PASTE(a, b)	DELTA_PASTE_(a, b)
#define DELTA(name)			DELTA_PASTE(DELTA_PREFIX, name)

/* A difference that is out of range wraps, and has the wrong sign. */
#define DELTA_STEP(result, a, b, overflow) \
	((result) = (uint64_t) (a) - (uint64_t) (b), \
	 (overflow) |= ((a) < (b)) != ((result) < 0))

/* The least and the greatest integer may stand for infinity. */
#define DELTA_INFINITE(x) \
	((uint64_t) ((x) < 0 ? ~(x) : (x)) == UINT64_MAX >> (65 - 8 * sizeof(x)))

#define DELTA_PREFIX	int2
#define DELTA_ELEMENT	int16_t
#include "cpu/cpu_delta_template.h"

#define DELTA_PREFIX	int4
#define DELTA_ELEMENT	int32_t
#include "cpu/cpu_delta_template.h"

#define DELTA_PREFIX	int8
#define DELTA_ELEMENT	int64_t
#include "cpu/cpu_delta_template.h"

/*
 * A difference of floats that is infinite although its operands are finite is
 * out of range.  All NaNs become the same one.
 */
#undef DELTA_STEP
#undef DELTA_INFINITE
#define DELTA_STEP(result, a, b, overflow) \
	((result) = (a) - (b), \
	 (overflow) |= (isinf(result) != 0) & !isinf(a) & !isinf(b), \
	 (result) = isnan(result) ? NAN : (result))
#define DELTA_INFINITE(x)	false

#define DELTA_PREFIX	float4
#define DELTA_ELEMENT	float
#include "cpu/cpu_delta_template.h"

#define DELTA_PREFIX	float8
#define DELTA_ELEMENT	double
#include "cpu/cpu_delta_template.h"

#define DELTA_TABLE(name) \
	{ \
		[KIND_INT2] = int2_##name, \
		[KIND_INT4] = int4_##name, \
		[KIND_INT8] = int8_##name, \
		[KIND_FLOAT4] = float4_##name, \
		[KIND_FLOAT8] = float8_##name \
	}

static TeamWork
delta_work(const EngineRequest *request)
{
	static const TeamWork works[ELEMENT_KINDS] = DELTA_TABLE(delta);

	return works[request->kinds[0]];
}

static TeamWork
subtract_work(const EngineRequest *request)
{
	static const TeamWork works[ELEMENT_KINDS] = DELTA_TABLE(subtract);

	return works[request->kinds[0]];
}

const CpuOperation cpu_delta = {CPU_BY_PIECES, .piece_work = delta_work};
const CpuOperation cpu_subtract = {CPU_BY_PIECES, .piece_work = subtract_work};
