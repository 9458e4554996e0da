/*
 * cpu_resample_bins_template.h
 *	  The bins of a piece, for a type of integers in ascending order; for
 *	  cpu_types.h.
 */

/*
 * Returns the end of the bin that begins with element number "from": before it,
 * "guess" elements were in a bin.
 */
static inline __attribute__((always_inline)) int64_t
TYPE_NAME(find_end) (const TYPE_ELEMENT *at, int64_t from, int64_t count,
					 int64_t guess, int64_t begin, uint64_t width)
{
	int64_t		inside = from;	/* an element that is */
	int64_t		outside = count;	/* one that is not, or the end */

#define TYPE_IS_INSIDE(i) ((uint64_t) at[i] - (uint64_t) begin < width)

	if (guess > 0 && guess < count - from && TYPE_IS_INSIDE(from + guess - 1))
	{
		if (!TYPE_IS_INSIDE(from + guess))
			return from + guess;
		inside = from + guess;
	}
	for (int64_t step = 1; step < outside - inside; step *= 2)
	{
		if (!TYPE_IS_INSIDE(inside + step))
			outside = inside + step;
		else
			inside += step;
	}
	inside++;
	SEARCH(inside, outside, i, TYPE_IS_INSIDE(i));
	return inside;

#undef TYPE_IS_INSIDE
}

static void
TYPE_NAME(find_bins) (const BinParameters *parameters, const void *elements,
					  int64_t count, PieceBins *bins)
{
	const TYPE_ELEMENT *at = elements;
	int64_t		begin = 0;
	uint64_t	width = 0;

	bins->first_at = at[0];
	bins->last_at = at[count - 1];
	for (int64_t from = 0, to; from < count; from = to)
	{
		int64_t		before = bins->count == 0 ? 0 :
			from - bins->heads[bins->count - 1];

		/* The next bin in most series, which takes no division. */
		if (!bin_is_infinite(parameters, at[from]) &&
			(uint64_t) at[from] - (uint64_t) begin - width < width)
			begin += (int64_t) width;
		else
			begin = bin_begin(parameters, at[from], &bins->out_of_range);
		width = bin_width(parameters, begin);
		if (bins->count == 0)
			bins->first_width = width;
		bins->heads[bins->count] = (int32_t) from;
		bins->begins[bins->count++] = begin;
		to = TYPE_NAME(find_end) (at, from, count, before, begin, width);
	}
	bins->heads[bins->count] = (int32_t) count;
}
