/*
 * cpu_select_bins.c
 *	  Where the bins of a selection are laid.
 *
 * The more bins the elements spread over, the fewer are left in the bins with
 * the answers.  A sample says where most elements are.  The other elements have
 * a bin below and a bin above.
 */
#include <math.h>
#include <string.h>

#include "cpu/cpu_search.h"
#include "cpu/cpu_select.h"
#include "loops/numbers.h"

/*
 * More bins than about one for SELECT_BIN_ELEMENTS elements would take longer
 * than they save; but SELECT_MIN_BINS are always allowed.
 */
#define SELECT_BIN_ELEMENTS	4
#define SELECT_MIN_BINS	16

/* Elements of a sample.  SELECT_OUTLIERS at either end are left out. */
#define SELECT_SAMPLE		64
#define SELECT_OUTLIERS		1

/* With fewer elements in a range, the sample is useless. */
#define SELECT_MIN_SAMPLE	8

/* The first counts, for which a sample lays the bins. */
#define SELECT_SAMPLED		2

#define KIND_TEMPLATE "cpu_select_template.h"
#include "cpu/cpu_kinds.h"

/* Finds the bins of floats by value, as the template does by key. */
static void
bins_of_values(const CpuSelect *select, const void *data, int count,
			   uint16_t *bins)
{
	find_cells(select->float_kind, data, count, select->low, select->scale,
			   select->nbins - 1, bins);
}

const SelectKind *
cpu_select_kind(ElementKind kind)
{
	static const SelectKind *const kinds[ELEMENT_KINDS] =
		KIND_TABLE(&select_kind);

	return kinds[kind];
}

/* Makes the element of a key. */
void
cpu_select_restore(const CpuJob *job, uint64_t key, void *element)
{
	const SortKeys *keys = &cpu_sort_keys[job->request->kinds[0]];

	cpu_put_element(element, element_size(job), 0, key ^ keys->flip);
	if (keys->restore != NULL)
		keys->restore(element, 1);
}

/* Cuts a range into "most_bins" bins or fewer. */
static void
cut_range(SelectRange *range, int first_bin, int most_bins)
{
	uint64_t	span = range->high - range->low;
	int			shift = 0;

	while (shift < 64 && span >> shift >= (uint64_t) most_bins)
		shift++;
	range->first_bin = first_bin;
	range->shift = shift;
	range->nbins = shift == 64 ? 1 : (int) (span >> shift) + 1;
}

/*
 * Has a range end where its last bin does: elements are counted in that bin up
 * to there, unless several ranges are at work.
 */
static void
fill_last_bin(const CpuSelect *select, SelectRange *range)
{
	uint64_t	rest = select->last_key - range->low;

	if (rest >> range->shift >= (uint64_t) range->nbins)
		rest = ((uint64_t) range->nbins << range->shift) - 1;
	range->high = range->low + rest;
}

/* Samples the range at work.  Returns how many sampled elements are in it. */
static int
take_sample(const CpuJob *job, int64_t count, void *sorted)
{
	const CpuSelect *select = job->state;
	const SelectRange *range = &select->ranges[0];
	int64_t		chunk_size = job->phases.chunk_size;
	int			size = element_size(job);
	char		sample[SELECT_SAMPLE * sizeof(uint64_t)];
	int			met = 0;

	for (int i = 0; i < SELECT_SAMPLE; i++)
	{
		int64_t		at = count * i / SELECT_SAMPLE;
		const char *element = select->chunks[at / chunk_size] +
			at % chunk_size * size;
		uint64_t	key = select->kind->key(select, element);

		if (key >= range->low && key <= range->high)
			memcpy(sample + met++ * size, element, size);
	}
	if (met >= SELECT_MIN_SAMPLE)
		cpu_sort_few(job->request->kinds[0], select->flip, sample, met, sorted);
	return met;
}

/* Returns how many bins the elements, which are sorted, are in. */
static int
count_bins(const CpuSelect *select, const void *sorted, int count)
{
	uint16_t	bins[SELECT_SAMPLE];
	int			different = 1;

	select->find_bins(select, sorted, count, bins);
	for (int i = 1; i < count; i++)
		different += bins[i] != bins[i - 1];
	return different;
}

/*
 * Lays bins of equal width over floats, if they spread the sample over more
 * bins than bins of equally many keys do: half of all keys are floats between
 * -1 and 1.
 */
static bool
lay_bins_by_value(CpuJob *job, const void *sorted, int count, int most_bins)
{
	CpuSelect  *select = job->state;
	ElementKind kind = job->request->kinds[0];
	double		values[SELECT_SAMPLE];
	double		width;
	int			spread = count_bins(select, sorted, count);
	int			nbins = select->nbins;
	FindBins	find_bins = select->find_bins;

	convert_numbers(kind, sorted, count, values);
	width = values[count - 1] - values[0];
	select->float_kind = kind;
	select->scale = most_bins / width;
	if (kind == KIND_FLOAT4)
		select->scale = (float) select->scale;
	select->low = values[0] - 1 / select->scale;
	if (!(width < INFINITY && select->scale > 0 && select->scale < INFINITY))
		return false;
	select->find_bins = bins_of_values;
	select->nbins = most_bins + 2;
	select->by_value = count_bins(select, sorted, count) > spread;
	if (!select->by_value)
	{
		select->find_bins = find_bins;
		select->nbins = nbins;
	}
	return select->by_value;
}

/* Returns the bin of a key. */
static int
bin_of_key(const CpuJob *job, uint64_t key)
{
	const CpuSelect *select = job->state;
	uint64_t	element;
	uint16_t	bin;

	cpu_select_restore(job, key, &element);
	select->find_bins(select, &element, 1, &bin);
	return bin;
}

/* The first key of a bin of floats, or of the next bin that has a key. */
static uint64_t
first_key_of_bin(const CpuJob *job, int bin)
{
	const CpuSelect *select = job->state;
	double		value = select->low + bin / select->scale;
	float		narrow = (float) value;
	uint64_t	guess = select->kind->key(select, element_size(job) == 4 ?
										  (void *) &narrow : (void *) &value);
	uint64_t	low = guess;	/* the first key is not before this one, */
	uint64_t	high = guess;	/* nor behind this one */

	for (uint64_t step = 1; bin_of_key(job, low) >= bin; step *= 2)
	{
		if (low == 0)
			return 0;
		high = low;
		low = low > step ? low - step : 0;
	}
	for (uint64_t step = 1; bin_of_key(job, high) < bin; step *= 2)
	{
		low = high;
		high = select->last_key - high > step ? high + step : select->last_key;
	}
	low++;
	SEARCH(low, high, key, bin_of_key(job, key) < bin);
	return low;
}

/* Makes ranges of the keys below and above the range with the bins. */
static void
add_outer_ranges(CpuSelect *select, SelectRange middle)
{
	SelectRange below = {.high = middle.low - 1};
	SelectRange above = {.low = middle.high + 1, .high = select->last_key};
	SelectRange *range = select->ranges;

	cut_range(&below, 0, 1);
	cut_range(&above, select->nbins - 1, 1);
	if (middle.low > 0)
		*range++ = below;
	select->middle = range - select->ranges;
	*range++ = middle;
	if (middle.high < select->last_key)
		*range++ = above;
	select->nranges = range - select->ranges;
}

/*
 * Lays bins where most of the first "count" elements are.  The keys below, and
 * the keys above, become ranges, so that every key is in a range.  Returns
 * false if the sample is too small.
 */
static bool
lay_bins_by_sample(CpuJob *job, int64_t count, int most_bins)
{
	CpuSelect  *select = job->state;
	uint64_t	sorted[SELECT_SAMPLE];
	int			size = element_size(job);
	int			met = take_sample(job, count, sorted);
	char	   *inner = (char *) sorted + SELECT_OUTLIERS * size;
	int			ninner = met - 2 * SELECT_OUTLIERS;
	SelectRange middle = {0};

	if (met < SELECT_MIN_SAMPLE)
		return false;
	middle.low = select->kind->key(select, inner);
	middle.high = select->kind->key(select, inner + (ninner - 1) * size);
	cut_range(&middle, 1, most_bins);
	fill_last_bin(select, &middle);

	select->find_bins = select->kind->bins_of_range;
	select->nbins = middle.nbins + 2;
	select->ranges[0] = middle;
	select->middle = 0;
	if (kind_is_float(job->request->kinds[0]) &&
		lay_bins_by_value(job, inner, ninner, most_bins))
	{
		middle.nbins = most_bins;
		middle.low = first_key_of_bin(job, 1);
		middle.high = first_key_of_bin(job, most_bins + 1) - 1;
	}
	add_outer_ranges(select, middle);
	return true;
}

/* Cuts each range at work into bins of its own. */
static void
lay_bins_by_range(CpuSelect *select, int most_bins)
{
	bool		alone = select->nranges == 1 && select->gapless;
	int			bin = 1;

	if (most_bins < SELECT_MIN_BINS * select->nranges)
		most_bins = SELECT_BINS;
	for (int i = 0; i < select->nranges; i++)
	{
		cut_range(&select->ranges[i], bin, most_bins / select->nranges);
		bin += select->ranges[i].nbins;
	}
	if (alone)
		fill_last_bin(select, &select->ranges[0]);
	select->middle = alone ? 0 : -1;
	select->find_bins = alone ?
		select->kind->bins_of_range : select->kind->bins_of_ranges;
	select->nbins = bin + 1;
}

/*
 * Lays the bins for the next count.  Only the first "known" elements can be
 * looked at.
 */
void
cpu_select_lay_bins(CpuJob *job, int64_t known)
{
	CpuSelect  *select = job->state;
	int			most_bins = SELECT_MIN_BINS;

	select->by_value = false;
	while (most_bins < SELECT_BINS &&
		   most_bins < job->phases.count / SELECT_BIN_ELEMENTS)
		most_bins *= 2;
	if (select->rounds >= SELECT_SAMPLED || select->nranges > 1 ||
		!select->gapless || !lay_bins_by_sample(job, known, most_bins))
		lay_bins_by_range(select, most_bins);
	for (int i = 0; i < select->ntables; i++)
	{
		SelectTable *table = &select->tables[i];

		table->taken = false;
		memset(table->counts[0], 0, select->nbins * sizeof(uint32_t));
		memset(table->counts[1], 0, select->nbins * sizeof(uint32_t));
	}
	select->rounds++;
}

/* Returns the keys of a bin. */
SelectRange
cpu_select_range_of_bin(const CpuJob *job, const SelectRange *range, int bin)
{
	const CpuSelect *select = job->state;
	SelectRange keys = *range;

	if (range->nbins == 1)
		return keys;
	if (select->by_value)
	{
		keys.low = first_key_of_bin(job, range->first_bin + bin);
		keys.high = first_key_of_bin(job, range->first_bin + bin + 1) - 1;
	}
	else
	{
		uint64_t	rest = (UINT64_C(1) << range->shift) - 1;

		keys.low = range->low + ((uint64_t) bin << range->shift);
		if (range->high - keys.low > rest)
			keys.high = keys.low + rest;
	}
	return keys;
}
