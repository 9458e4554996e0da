/*
 * cpu_resample_template.h
 *	  Summaries of numbers in bins, for a type of them; for cpu_types.h.
 */

#define RESAMPLE(name)		TYPE_NAME(name)

#ifdef TYPE_BITS

RESAMPLE_INLINE void
RESAMPLE(find_extremes) (const void *numbers, int64_t count, BinSummary *bin)
{
	const TYPE_BITS *bits = numbers;
	TYPE_BITS	least = (TYPE_BITS) -1;
	TYPE_BITS	greatest = 0;

	for (int64_t i = 0; i < count; i++)
	{
		TYPE_BITS	order = TYPE_NAME(order) (bits[i]);

		least = order < least ? order : least;
		greatest = order > greatest ? order : greatest;
	}
	bin->least = least;
	bin->greatest = greatest;
}

/* Equal floats become the same one: their orders are next to each other. */
RESAMPLE_INLINE TYPE_ELEMENT
RESAMPLE(number_of) (uint64_t order)
{
	TYPE_BITS	bits =
		TYPE_NAME(canonicalize) (TYPE_NAME(of_order) ((TYPE_BITS) order));
	TYPE_ELEMENT number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

/*
 * The sum of a segment is begun.  "at" elements of the bin are in the segments
 * before it.
 */
RESAMPLE_INLINE void
RESAMPLE(begin_segment) (double *c, double *r, double *s, int64_t at,
						 bool checked, bool *overflow)
{
	if (at > 0 && at % FLOAT_TILE == 0)
	{
		*c = add_floats(*c, *r, checked, overflow);
		*c = add_floats(*c, *s, checked, overflow);
		*r = -0.0;
	}
	else if (at > 0)
		*r = add_floats(*r, *s, checked, overflow);
	*s = -0.0;
}

/* Adds numbers to the sums of a bin that has "offset" numbers already. */
RESAMPLE_INLINE void
RESAMPLE(add_in_order) (const TYPE_ELEMENT *numbers, int64_t count,
						int64_t offset, double sums[3], bool checked,
						bool *overflow)
{
	double		c = sums[0];
	double		r = sums[1];
	double		s = sums[2];

	for (int64_t i = 0, length; i < count; i += length)
	{
		int64_t		at = offset + i;
		double		before;

		if (at % FLOAT_SEGMENT == 0)
			RESAMPLE(begin_segment) (&c, &r, &s, at, checked, overflow);
		length = FLOAT_SEGMENT - at % FLOAT_SEGMENT;
		if (length > count - i)
			length = count - i;
		before = add_floats(c, r, checked, overflow);
		for (int64_t j = i; j < i + length; j++)
		{
			s = add_floats(s, numbers[j], checked, overflow);
			if (checked)
				(void) add_floats(before, s, checked, overflow);
		}
	}
	sums[0] = c;
	sums[1] = r;
	sums[2] = s;
}

/*
 * Adds numbers with these extremes.  Only if they are so great that a sum may
 * overflow, or not finite, each addition is checked.
 */
RESAMPLE_INLINE void
RESAMPLE(add_numbers) (const TYPE_ELEMENT *numbers, int64_t count,
					   int64_t offset, const BinSummary *extremes,
					   BinSummary *bin, bool *overflow)
{
	double		low = fabs((double) RESAMPLE(number_of) (extremes->least));
	double		high = fabs((double) RESAMPLE(number_of) (extremes->greatest));
	double	   *sums = bin->sums.floats;
	double		bound = fabs(sums[0]) + fabs(sums[1]) + fabs(sums[2]) +
		(double) count * (low > high ? low : high);

	if (2 * bound < (double) INFINITY && high == high)
		RESAMPLE(add_in_order) (numbers, count, offset, sums, false, overflow);
	else
		RESAMPLE(add_in_order) (numbers, count, offset, sums, true, overflow);
}

RESAMPLE_INLINE double
RESAMPLE(average) (const BinSummary *bin, int64_t count)
{
	const double *sums = bin->sums.floats;
	double		average = (sums[0] + sums[1] + sums[2] + 0.0) / (double) count;

	return average == average ? average : (double) NAN;
}

#else

RESAMPLE_INLINE void
RESAMPLE(find_extremes) (const void *numbers, int64_t count, BinSummary *bin)
{
	const TYPE_ELEMENT *elements = numbers;
	TYPE_ELEMENT least = TYPE_LAST;
	TYPE_ELEMENT greatest = TYPE_FIRST;

	for (int64_t i = 0; i < count; i++)
	{
		least = elements[i] < least ? elements[i] : least;
		greatest = elements[i] > greatest ? elements[i] : greatest;
	}
	bin->least = order_of_integer(least);
	bin->greatest = order_of_integer(greatest);
}

RESAMPLE_INLINE TYPE_ELEMENT
RESAMPLE(number_of) (uint64_t order)
{
	return (TYPE_ELEMENT) (int64_t) (order ^ INTEGER_SIGN);
}

/* Sums of halves never overflow, as there are fewer than 2^31 elements. */
RESAMPLE_INLINE void
RESAMPLE(add_numbers) (const TYPE_ELEMENT *numbers, int64_t count,
					   int64_t offset, const BinSummary *extremes,
					   BinSummary *bin, bool *overflow)
{
	int64_t		low = 0;
	int64_t		high = 0;

	for (int64_t i = 0; i < count; i++)
	{
		if (sizeof(TYPE_ELEMENT) < sizeof(int64_t))
			low += numbers[i];
		else
		{
			low += (uint32_t) numbers[i];
			high += (int64_t) numbers[i] >> 32;
		}
	}
	bin->sums.halves[0] += low;
	bin->sums.halves[1] += high;
}

RESAMPLE_INLINE double
RESAMPLE(average) (const BinSummary *bin, int64_t count)
{
	return wide_sum_average(((WideSum) 1 << 32) * bin->sums.halves[1] +
							bin->sums.halves[0], count);
}

#endif

/*
 * Adds numbers to a bin that has "offset" numbers already: block by block, as
 * each block is read twice.
 */
CPU_CLONES static void
RESAMPLE(add) (const void *numbers, int64_t count, int64_t offset,
			   BinSummary *bin, bool *overflow)
{
	for (int64_t done = 0; done < count; done += RESAMPLE_BLOCK)
	{
		const TYPE_ELEMENT *block = (const TYPE_ELEMENT *) numbers + done;
		int64_t		length = cpu_min(count - done, RESAMPLE_BLOCK);
		BinSummary	extremes;

		RESAMPLE(find_extremes) (block, length, &extremes);
		RESAMPLE(add_numbers) (block, length, offset + done, &extremes, bin,
							   overflow);
		bin->least = extremes.least < bin->least ?
			extremes.least : bin->least;
		bin->greatest = extremes.greatest > bin->greatest ?
			extremes.greatest : bin->greatest;
	}
}

/*
 * Puts a bin of "count" numbers into the columns.  These are its last numbers.
 */
static void
RESAMPLE(put) (const ResampleColumns *columns, int64_t number,
			   const BinSummary *bin, int64_t count, const void *numbers,
			   int64_t added)
{
	const TYPE_ELEMENT *own = numbers;

	if (added == count)
		((TYPE_ELEMENT *) columns->firsts)[number] = own[0];
	((TYPE_ELEMENT *) columns->lasts)[number] = own[added - 1];
	((TYPE_ELEMENT *) columns->leasts)[number] =
		RESAMPLE(number_of) (bin->least);
	((TYPE_ELEMENT *) columns->greatests)[number] =
		RESAMPLE(number_of) (bin->greatest);
	columns->counts[number] = count;
	columns->averages[number] = RESAMPLE(average) (bin, count);
}

static const BinLoops RESAMPLE(loops) = {
	RESAMPLE(add), RESAMPLE(put)
};

#undef RESAMPLE
