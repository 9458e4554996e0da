/*
 * cpu_bucket_cells_template.h
 *	  Cells of indexes, their borders, and look-ups in cells, for a kind of
 *	  elements (see cpu_kinds.h).
 */

CPU_CLONES static void
KIND_NAME(find_indexes) (const KIND_BITS *elements, int count, KIND_BITS least,
						 KIND_BITS *restrict indexes)
{
	for (int i = 0; i < count; i++)
		indexes[i] = KIND_ORDER(KIND_CANONICALIZE(elements[i])) - least;
}

/* Finds the cells of indexes.  A cell has 2^shift indexes. */
CPU_CLONES static void
KIND_NAME(index_cells) (const CpuCells *cells, const void *elements,
						const void *indexes, int count, uint16_t *restrict at)
{
	const KIND_BITS *index = indexes;
	KIND_BITS	low = (KIND_BITS) cells->low_index;
	KIND_BITS	last = (KIND_BITS) (cells->count - 1);	/* or all bits */
	int			shift = cells->shift;

	for (int i = 0; i < count; i++)
	{
		KIND_BITS	beyond = (index[i] > low ? index[i] : low) - low;
		KIND_BITS	cell = beyond >> shift;

		at[i] = (uint16_t) (cell < last ? cell : last);
	}
}

/*
 * Puts the thresholds into their cells.  Returns false if two are in the same
 * cell.  The border of a cell without a threshold is 0: no index is less.
 */
static bool
KIND_NAME(put_borders) (CpuCells *cells, const void *thresholds,
						const uint16_t *at, int count)
{
	KIND_BITS  *borders = (KIND_BITS *) cells->borders;
	int			next = 0;

	for (int cell = 0; cell < cells->count; cell++)
	{
		bool		has_one = next < count && at[next] == cell;

		borders[cell] = has_one ? ((const KIND_BITS *) thresholds)[next] : 0;
		cells->before[cell] = has_one ? next : next - 1;
		next += has_one;
	}
	return next == count;
}

static void
KIND_NAME(look_up_buckets) (const CpuJob *job, const void *elements,
							int64_t count, int32_t *restrict buckets)
{
	const CpuCells *cells = job->state;
	const int32_t *before = cells->before;
	const KIND_BITS *data = elements;
	const KIND_BITS *borders = (const KIND_BITS *) cells->borders;
	KIND_BITS	least = kind_least(job->request->kinds[0]);
	KIND_BITS	indexes[CELL_BLOCK];
	uint16_t	at[CELL_BLOCK];

	for (int64_t done = 0; done < count; done += CELL_BLOCK)
	{
		int			block = cpu_min(count - done, CELL_BLOCK);

		KIND_NAME(find_indexes) (data + done, block, least, indexes);
		cells->find(cells, data + done, indexes, block, at);
		for (int i = 0; i < block; i++)
			buckets[done + i] = before[at[i]] +
				(indexes[i] >= borders[at[i]]);
	}
}
