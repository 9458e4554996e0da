/*
 * cpu_bucket_template.h
 *	  The buckets of some elements, for a kind of them (see cpu_kinds.h).
 */

/* Finds how many of "count" thresholds are no greater than each element. */
static inline __attribute__((always_inline)) void
KIND_NAME(find_abreast) (const KIND_BITS *elements, int lanes,
						 const KIND_BITS *thresholds, int64_t count,
						 KIND_BITS least, int32_t *buckets)
{
	KIND_BITS	index[BUCKET_ABREAST];
	int32_t		from[BUCKET_ABREAST];

	for (int lane = 0; lane < lanes; lane++)
	{
		KIND_BITS	bits = elements[lane];

		index[lane] = KIND_ORDER(KIND_CANONICALIZE(bits)) - least;
		from[lane] = 0;
	}
	if (count * sizeof(KIND_BITS) <= BUCKET_COMPARE)
	{
		for (int64_t i = 0; i < count; i++)
		{
			for (int lane = 0; lane < lanes; lane++)
				from[lane] += thresholds[i] <= index[lane];
		}
		count = 0;
	}

	/* Thresholds before "from" are no greater; from + count on, all are. */
	while (count > 0)
	{
		int32_t		half = (count + 1) / 2;

		for (int lane = 0; lane < lanes; lane++)
		{
			/* A mask, as a compiler may make a branch of a condition. */
			int32_t		mask =
				-(int32_t) (thresholds[from[lane] + half - 1] <= index[lane]);

			from[lane] += half & mask;
		}
		count -= half;
	}
	for (int lane = 0; lane < lanes; lane++)
		buckets[lane] = from[lane];
}

CPU_CLONES static void
KIND_NAME(search_buckets) (const CpuJob *job, const void *elements,
						   int64_t count, int32_t *buckets)
{
	const EngineRequest *request = job->request;
	const KIND_BITS *data = elements;
	const KIND_BITS *thresholds = request->table;
	int64_t		nthresholds = request->table_bytes / sizeof(KIND_BITS);
	KIND_BITS	least = kind_least(request->kinds[0]);
	int64_t		i = 0;

	for (; count - i >= BUCKET_ABREAST; i += BUCKET_ABREAST)
		KIND_NAME(find_abreast) (data + i, BUCKET_ABREAST, thresholds,
								 nthresholds, least, buckets + i);
	for (; i < count; i++)
		KIND_NAME(find_abreast) (data + i, 1, thresholds, nthresholds, least,
								 buckets + i);
}
