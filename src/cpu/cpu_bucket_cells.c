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
#include "loops/numbers.h"

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
	ElementKind kind;
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

typedef bool (*PutBorders) (CpuCells *cells, const void *thresholds,
							const uint16_t *at, int count);

static void
value_cells(const CpuCells *cells, const void *elements, const void *indexes,
			int count, uint16_t *at)
{
	find_cells(cells->kind, elements, count, cells->low, cells->scale,
			   cells->count - 1, at);
}

static const FindCells index_cells[ELEMENT_KINDS] = KIND_TABLE(index_cells);
static const PutBorders put_borders[ELEMENT_KINDS] = KIND_TABLE(put_borders);

/*
 * Lays cells of equal width over floats, and one for NaN.  Returns false if
 * that is not possible.
 */
static bool
lay_by_value(CpuCells *cells, ElementKind kind, const double *values,
			 int thresholds)
{
	double		high = values[thresholds - 1];

	if (isnan(high) && thresholds > 1)
		high = values[thresholds - 2];
	cells->low = values[0];
	cells->scale = (cells->count - 2) / (high - cells->low);
	if (kind == KIND_FLOAT4)
		cells->scale = (float) cells->scale;
	cells->kind = kind;
	cells->find = value_cells;
	return isfinite(high - cells->low) && cells->scale > 0 &&
		isfinite(cells->scale);
}

static void
lay_by_index(CpuCells *cells, const EngineRequest *request, int thresholds)
{
	int			size = input_size(request, 0);
	uint64_t	span;

	cells->low_index = cpu_element(request->table, size, 0);
	span = cpu_element(request->table, size, thresholds - 1) -
		cells->low_index;
	cells->shift = 0;
	while (span >> cells->shift >= (uint64_t) cells->count)
		cells->shift++;
	cells->find = index_cells[request->kinds[0]];
}

/* Lays as few cells as possible; returns false if there would be too many. */
static bool
lay_cells(CpuCells *cells, const EngineRequest *request, int thresholds)
{
	ElementKind kind = request->kinds[0];
	bool		has_values = kind_is_float(kind);
	uint64_t	elements[CPU_MAX_CELLS];
	double		values[CPU_MAX_CELLS];
	uint16_t	at[CPU_MAX_CELLS];

	if (has_values)
	{
		memcpy(elements, request->table, request->table_bytes);
		cpu_sort_keys[kind].restore(elements, thresholds);
		convert_numbers(kind, elements, thresholds, values);
	}
	for (cells->count = CPU_MIN_CELLS; cells->count <= CPU_MAX_CELLS;
		 cells->count *= 2)
	{
		if (cells->count < thresholds)
			continue;
		for (int by_value = has_values; by_value >= 0; by_value--)
		{
			if (!by_value)
				lay_by_index(cells, request, thresholds);
			else if (!lay_by_value(cells, kind, values, thresholds))
				continue;
			cells->find(cells, elements, request->table, thresholds, at);
			if (put_borders[kind] (cells, request->table, at, thresholds))
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
