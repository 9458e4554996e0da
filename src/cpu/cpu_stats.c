/*
 * cpu_stats.c
 *	  Statistics of numbers, piece by piece: the statistics of each piece are
 *	  merged with the statistics of the pieces before it, as stats.h says.
 */
#include "contract/float_order.h"
#include "contract/order.h"
#include "contract/operations/stats.h"
#include "cpu/cpu_engine.h"

#define STATS(name)			TYPE_NAME(name)

/* Tiles of floats in a piece. */
#define STATS_TILES			(CPU_PIECE / FLOAT_TILE)

/* Segments that are summed side by side, enough to keep an adder busy. */
#define STATS_ABREAST		8

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_stats_integers_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_stats_floats_template.h"
#include "cpu/cpu_types.h"

static PieceWork
stats_work(const EngineRequest *request)
{
	static const PieceWork works[ELEMENT_KINDS] = {
		TYPE_ROWS_NUMBERS(stats)
	};

	return works[request->kinds[0]];
}

const CpuOperation cpu_stats = {CPU_BY_PIECES, .piece_work = stats_work};
