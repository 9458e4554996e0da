/*
 * cpu_interpolate_template.h
 *	  The results for a block of places, for cpu_types.h.
 */
#ifdef TYPE_BITS
#define X_GREATEST		INFINITY
#define X_EQUAL			FLOATS_EQUAL
#define X_DISTANCE		float_distance
#else
#define X_GREATEST		TYPE_LAST
#define X_EQUAL			INTEGERS_EQUAL
#define X_DISTANCE(from, to) \
	integer_distance((uint64_t) (from), (uint64_t) (to))
#endif

/*
 * Returns how many of the x from "from" to before "to" are no greater than a
 * place, and how many come before them.
 */
static inline int32_t
TYPE_NAME(count_up_to) (const TYPE_ELEMENT *x, int32_t from, int32_t to,
						TYPE_ELEMENT place)
{
	SEARCH(from, to, at, x[at] <= place);
	return from;
}

/*
 * Finds how many x are no greater than each place.  A NaN is greater than all
 * others.
 */
CPU_CLONES static void
TYPE_NAME(find_places) (const TYPE_ELEMENT *x, int32_t points,
						const TYPE_ELEMENT *places, int count,
						int32_t *restrict before)
{
	TYPE_ELEMENT least = X_GREATEST;
	TYPE_ELEMENT greatest = TYPE_FIRST;
	int32_t		from;
	int32_t		to;

	for (int i = 0; i < count; i++)
	{
		TYPE_ELEMENT place = places[i];

		least = place < least ? place : least;
		greatest = place > greatest ? place : greatest;
	}
	from = TYPE_NAME(count_up_to) (x, 0, points, least);
	to = TYPE_NAME(count_up_to) (x, from, points, greatest);
	for (int i = 0; i < count; i++)
		before[i] = from;
	for (int32_t left = to - from, half; left > 0; left -= half)
	{
		half = (left + 1) / 2;
		for (int i = 0; i < count; i++)
		{
			/* A mask, as a compiler may make a branch of a condition. */
			int32_t		mask =
				-(int32_t) (x[before[i] + half - 1] <= places[i]);

			before[i] += half & mask;
		}
	}
#ifdef TYPE_BITS
	for (int i = 0; i < count; i++)
		before[i] = places[i] != places[i] ? points : before[i];
#endif
}

/* The last of the points with the same x as the one at "at". */
static inline int32_t
TYPE_NAME(last_equal) (const TYPE_ELEMENT *x, int32_t points, int32_t at)
{
	if (at + 1 == points || !X_EQUAL(x[at + 1], x[at]))
		return at;
#ifdef TYPE_BITS
	if (x[at] != x[at])
		return points - 1;
#endif
	return TYPE_NAME(count_up_to) (x, at, points, x[at]) - 1;
}

static void
TYPE_NAME(interpolate) (const EngineRequest *request, const void *places,
						int count, double *results, EngineOverflow *overflow)
{
	const InterpolateParameters *parameters =
		PARAMETERS(request, InterpolateParameters);
	int32_t		points = (int32_t) interpolate_points(request);
	const double *y = request->table;
	const TYPE_ELEMENT *x = (const TYPE_ELEMENT *) (y + points);
	const TYPE_ELEMENT *at = places;
	int32_t		before[PLACES];

	TYPE_NAME(find_places) (x, points, at, count, before);
	for (int i = 0; i < count; i++)
		__builtin_prefetch(&y[before[i]]);
	for (int i = 0; i < count; i++)
	{
		int32_t		last = before[i] - 1;
		int32_t		next;

		if (last >= 0 && X_EQUAL(x[last], at[i]))
			results[i] = y[last];
		else if (last < 0 || last + 1 == points)
			results[i] = interpolate_null();
		else
		{
			next = TYPE_NAME(last_equal) (x, points, last + 1);
			results[i] =
				interpolate_between(parameters, X_DISTANCE(x[last], at[i]),
									X_DISTANCE(x[last], x[next]), y[last],
									y[next], overflow);
		}
	}
}

#undef X_GREATEST
#undef X_EQUAL
#undef X_DISTANCE
