/*
 * cpu_bucket_cells.c
 *	  Buckets by cells.  No cell has more than one threshold.
 *
 * A greater element is in the same cell or in a later one.  So an element is no
 * less than the thresholds of earlier cells, and less than the thresholds of
 * later cells.  It needs to be compared with one threshold alone.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cpu/cpu_bucket.h"

/* Powers of two.  The tables of CPU_MAX_CELLS cells fit into the L2 cache. */
#define CPU_MIN_CELLS		64
#define CPU_MAX_CELLS		4096

/* For fewer elements than this, laying cells takes longer than a search. */
#define CELLS_MIN_ELEMENTS	16384

/* Elements whose cells are found at once. */
#define CELL_BLOCK			256

typedef struct CpuCells CpuCells;

/* Finds the cells of a few elements, which have these indexes. */
typedef void (*FindCells) (const CpuCells *cells, const void *elements,
						   const void *indexes, int count, uint16_t *at);

struct CpuCells
{
	FindCells	find;
	int			count;

	/* Cells of indexes: */
	uint64_t	low_index;		/* the least threshold */
	int			shift;

	/* Cells of floats by value: of equal width, and one for NaN. */
	double		low;			/* the least threshold */
	double		scale;			/* cells for a difference of 1 */

	/*
	 * The bucket of a cell's elements that are less than its border.  The
	 * other ones are in the next bucket.  Borders are as wide as elements.
	 */
	int32_t		before[CPU_MAX_CELLS];
	uint64_t	borders[CPU_MAX_CELLS];
};

#define KIND_TEMPLATE "cpu_bucket_cells_template.h"
#include "cpu/cpu_kinds.h"

/*
 * Rounding is monotonic, so a greater float is in the same cell or in a later
 * one.
 */
#define VALUE_CELLS(name, type) \
	CPU_CLONES static void \
	name(const CpuCells *cells, const void *elements, const void *indexes, \
		 int count, uint16_t *restrict at) \
	{ \
		const type *data = elements; \
		type		low = (type) cells->low; \
		type		scale = (type) cells->scale; \
		type		last = (type) (cells->count - 2); \
		int			nan = cells->count - 1; \
		\
		for (int i = 0; i < count; i++) \
		{ \
			type		x = data[i]; \
			type		cell = (x - low) * scale; \
			\
			cell = cell > 0 ? cell : 0; \
			cell = cell < last ? cell : last; \
			at[i] = (uint16_t) (x == x ? (int) cell : nan); \
		} \
	}

VALUE_CELLS(value_cells_float4, float)
VALUE_CELLS(value_cells_float8, double)

typedef bool (*PutBorders) (CpuCells *cells, const void *thresholds,
							const uint16_t *at, int count);

static const FindCells index_cells[ELEMENT_KINDS] = KIND_TABLE(index_cells);
static const PutBorders put_borders[ELEMENT_KINDS] = KIND_TABLE(put_borders);

static uint64_t
get_index(const EngineRequest *request, int threshold)
{
	switch (input_size(request, 0))
	{
		case 1:
			return ((const uint8_t *) request->table)[threshold];
		case 2:
			return ((const uint16_t *) request->table)[threshold];
		case 4:
			return ((const uint32_t *) request->table)[threshold];
		default:
			return ((const uint64_t *) request->table)[threshold];
	}
}

/* Returns the float of a threshold, and its bits as an element has them. */
static double
get_value(const EngineRequest *request, int threshold, uint64_t *bits)
{
	uint64_t	index = get_index(request, threshold);
	uint32_t	narrow_bits = float4_of_order((uint32_t) index);
	float		narrow;
	double		wide;

	if (request->kinds[0] == KIND_FLOAT4)
	{
		*bits = narrow_bits;
		memcpy(&narrow, &narrow_bits, sizeof(narrow));
		return narrow;
	}
	*bits = float8_of_order(index);
	memcpy(&wide, bits, sizeof(wide));
	return wide;
}

/*
 * Lays cells of equal width over floats, and one for NaN.  Returns false if
 * that is not possible.
 */
static bool
lay_by_value(CpuCells *cells, const EngineRequest *request, int thresholds)
{
	bool		wide = request->kinds[0] == KIND_FLOAT8;
	uint64_t	bits;
	double		high = get_value(request, thresholds - 1, &bits);

	if (isnan(high) && thresholds > 1)
		high = get_value(request, thresholds - 2, &bits);
	cells->low = get_value(request, 0, &bits);
	cells->scale = (cells->count - 2) / (high - cells->low);
	if (!wide)
		cells->scale = (float) cells->scale;
	cells->find = wide ? value_cells_float8 : value_cells_float4;
	return isfinite(high - cells->low) && cells->scale > 0 &&
		isfinite(cells->scale);
}

static void
lay_by_index(CpuCells *cells, const EngineRequest *request, int thresholds)
{
	uint64_t	span;

	cells->low_index = get_index(request, 0);
	span = get_index(request, thresholds - 1) - cells->low_index;
	cells->shift = 0;
	while (span >> cells->shift >= (uint64_t) cells->count)
		cells->shift++;
	cells->find = index_cells[request->kinds[0]];
}

/* The thresholds as elements, if they are floats. */
static void
get_values(const EngineRequest *request, int thresholds, void *values)
{
	int			size = input_size(request, 0);

	for (int i = 0; kind_is_float(request->kinds[0]) && i < thresholds; i++)
	{
		uint64_t	bits;

		(void) get_value(request, i, &bits);
		memcpy((char *) values + i * size, &bits, size);	/* little-endian */
	}
}

/* Lays as few cells as possible; returns false if there would be too many. */
static bool
lay_cells(CpuCells *cells, const EngineRequest *request, int thresholds)
{
	bool		has_values = kind_is_float(request->kinds[0]);
	uint64_t	values[CPU_MAX_CELLS];
	uint16_t	at[CPU_MAX_CELLS];

	get_values(request, thresholds, values);
	for (cells->count = CPU_MIN_CELLS; cells->count <= CPU_MAX_CELLS;
		 cells->count *= 2)
	{
		if (cells->count < thresholds)
			continue;
		for (int by_value = has_values; by_value >= 0; by_value--)
		{
			if (!by_value)
				lay_by_index(cells, request, thresholds);
			else if (!lay_by_value(cells, request, thresholds))
				continue;
			cells->find(cells, values, request->table, thresholds, at);
			if (put_borders[request->kinds[0]] (cells, request->table, at,
												thresholds))
				return true;
		}
	}
	return false;
}

/* Lays cells if they pay.  Returns false if there is not enough memory. */
bool
cpu_buckets_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		thresholds = request->table_bytes / input_size(request, 0);

	if (request->count < CELLS_MIN_ELEMENTS || thresholds > CPU_MAX_CELLS ||
		request->table_bytes <= BUCKET_COMPARE)
		return true;
	job->state = malloc(sizeof(CpuCells));
	if (job->state == NULL)
		return false;
	if (!lay_cells(job->state, request, (int) thresholds))
	{
		free(job->state);
		job->state = NULL;
	}
	return true;
}

FindBuckets
cpu_look_up_buckets(ElementKind kind)
{
	static const FindBuckets finds[ELEMENT_KINDS] =
		KIND_TABLE(look_up_buckets);

	return finds[kind];
}
