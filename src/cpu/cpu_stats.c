/*
 * cpu_stats.c
 *	  Statistics of numbers, piece by piece: the statistics of each piece are
 *	  merged with the statistics of the pieces before it, as stats.h says.
 */
#include "contract/float_order.h"
#include "contract/order.h"
#include "contract/operations/stats.h"
#include "cpu/cpu_engine.h"

#define STATS_PASTE_(a, b)	a##_##b
#define STATS_PASTE(a, b)	STATS_PASTE_(a, b)

/* A name with the prefix for which a template is included. */
#define STATS(name)			STATS_PASTE(STATS_PREFIX, name)

/* Tiles of floats in a piece. */
#define STATS_TILES			(CPU_PIECE / FLOAT_TILE)

/* Segments that are summed side by side, enough to keep an adder busy. */
#define STATS_ABREAST		8

#define STATS_PREFIX	int2
#define STATS_ELEMENT	int16_t
#include "cpu/cpu_stats_integers_template.h"

#define STATS_PREFIX	int4
#define STATS_ELEMENT	int32_t
#include "cpu/cpu_stats_integers_template.h"

#define STATS_PREFIX	int8
#define STATS_ELEMENT	int64_t
#include "cpu/cpu_stats_integers_template.h"

/* An element of each segment, in the precision of the moments. */
typedef double WideLanes
			__attribute__((vector_size(STATS_ABREAST * sizeof(double))));

#define STATS_PREFIX	float4
#define STATS_ELEMENT	float
#define STATS_BITS		uint32_t
#include "cpu/cpu_stats_floats_template.h"

#define STATS_PREFIX	float8
#define STATS_ELEMENT	double
#define STATS_BITS		uint64_t
#include "cpu/cpu_stats_floats_template.h"

static TeamWork
stats_work(const EngineRequest *request)
{
	static const TeamWork works[ELEMENT_KINDS] = {
		[KIND_INT2] = int2_stats,
		[KIND_INT4] = int4_stats,
		[KIND_INT8] = int8_stats,
		[KIND_FLOAT4] = float4_stats,
		[KIND_FLOAT8] = float8_stats
	};

	return works[request->kinds[0]];
}

const CpuOperation cpu_stats = {CPU_BY_PIECES, .piece_work = stats_work};
