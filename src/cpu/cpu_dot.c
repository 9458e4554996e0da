/*
 * cpu_dot.c
 *	  Sums of products of two inputs, piece by piece: the sum of each piece is
 *	  added to the sum of the pieces before it, as dot.h says.
 */
#include "contract/operations/dot.h"
#include "cpu/cpu_scan.h"

#define DOT(name)			TYPE_NAME(dot_##name)

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_dot_integers_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_scan_tiles_template.h"
#include "cpu/cpu_types.h"

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_dot_floats_template.h"
#include "cpu/cpu_types.h"

static PieceWork
dot_work(const EngineRequest *request)
{
	static const PieceWork works[ELEMENT_KINDS] = {
		TYPE_ROWS_NUMBERS(dot_piece)
	};

	return works[request->kinds[0]];
}

const CpuOperation cpu_dot = {CPU_BY_PIECES, .piece_work = dot_work};
