/*
 * cpu_sort_shape_template.h
 *	  The statistics, histograms and moves of a sort, for one shape; and its
 *	  counting sort, if there is no payload.
 *
 * Define these before including this file:
 *
 *	  SORT_KEY		the unsigned integer of a key's size
 *	  SORT_PAYLOAD	the integer of a payload's size, if there is one
 *	  SORT_NAME(x)	the name with the shape's suffix
 */

/*
 * Elements that are written together: a line of payloads and their keys.
 * Without a payload, a cache line of keys, but no fewer than PAYLOAD_LINE.
 */
#ifdef SORT_PAYLOAD
#define SORT_LINE			PAYLOAD_LINE
#else
#define SORT_LINE \
	(sizeof(SORT_KEY) < sizeof(int32_t) ? \
	 (int) (CACHE_LINE / sizeof(SORT_KEY)) : PAYLOAD_LINE)
#endif

typedef struct SORT_NAME(Line)
{
	SORT_KEY	keys[SORT_LINE];
#ifdef SORT_PAYLOAD
	SORT_PAYLOAD payloads[SORT_LINE];
#endif
} __attribute__((aligned(CACHE_LINE))) SORT_NAME(Line);

CPU_CLONES static KeyStatistics
SORT_NAME(statistics) (const CpuSort *sort, int64_t first, int64_t count)
{
	const SORT_KEY *keys = (const SORT_KEY *) sort->from.keys + first;
	SORT_KEY	flip = (SORT_KEY) sort->flip;
	SORT_KEY	any = 0;
	SORT_KEY	all = (SORT_KEY) ~any;
	SORT_KEY	least = all;
	SORT_KEY	greatest = any;
	KeyStatistics statistics = {0};

	for (int64_t i = 0; i < count; i++)
	{
		SORT_KEY	key = keys[i] ^ flip;

		any |= key;
		all &= key;
		least = key < least ? key : least;
		greatest = key > greatest ? key : greatest;
	}
	statistics.any = any;
	statistics.all = all;
	statistics.least = least;
	statistics.greatest = greatest;
	return statistics;
}

/* A key, flipped, less the base. */
static uint64_t
SORT_NAME(order_at) (const CpuSort *sort, int64_t i)
{
	SORT_KEY	key = ((const SORT_KEY *) sort->from.keys)[i];

	return (SORT_KEY) ((key ^ (SORT_KEY) sort->flip) - (SORT_KEY) sort->base);
}

/* Extracts the current digit of a batch of keys. */
CPU_CLONES static void
SORT_NAME(extract_digits) (const CpuSort *sort, const SORT_KEY *keys, int count,
					   uint8_t digits[SORT_BATCH])
{
	SORT_KEY	flip = (SORT_KEY) sort->flip;
	SORT_KEY	base = (SORT_KEY) sort->base;
	int			shift = sort->shift;

	for (int i = 0; i < count; i++)
		digits[i] = (uint8_t) ((SORT_KEY) ((keys[i] ^ flip) - base) >> shift);
}

/* Counts in local memory, because the chunks' bins share cache lines. */
static void
SORT_NAME(count) (const CpuSort *sort, int64_t first, int64_t count,
				  uint32_t bins[SORT_BINS])
{
	const SORT_KEY *keys = (const SORT_KEY *) sort->from.keys + first;
	uint32_t	counts[SORT_BINS] = {0};

	for (int64_t done = 0; done < count && !cpu_sort_cancelled(sort);
		 done += SORT_BATCH)
	{
		int			batch = cpu_min(count - done, SORT_BATCH);
		uint8_t		digits[SORT_BATCH];

		SORT_NAME(extract_digits) (sort, keys + done, batch, digits);
		for (int i = 0; i < batch; i++)
			counts[digits[i]]++;
	}
	memcpy(bins, counts, sizeof(counts));
}

#ifdef SORT_PAYLOAD
/* The payloads of a batch that begins at "first". */
static inline const SORT_PAYLOAD *
SORT_NAME(get_payloads) (const CpuSort *sort, int64_t first,
						 SORT_PAYLOAD positions[SORT_BATCH])
{
	if (!sort->make_positions)
		return (const SORT_PAYLOAD *) sort->from.payloads + first;
	for (int i = 0; i < SORT_BATCH; i++)
		positions[i] = (SORT_PAYLOAD) (first + i + 1);
	return positions;
}
#endif

/* Writes elements of a line, from "start" to "end", to their place. */
static inline void
SORT_NAME(write_line) (const CpuSort *sort, const SORT_NAME(Line) *line,
					   int64_t place, int start, int end)
{
#ifdef SORT_PAYLOAD
	write_part((SORT_PAYLOAD *) sort->to.payloads + place, line->payloads,
			   sizeof(SORT_PAYLOAD), SORT_LINE, start, end);
	if (sort->drop_keys)
		return;
#endif
	write_part((SORT_KEY *) sort->to.keys + place, line->keys,
			   sizeof(SORT_KEY), SORT_LINE, start, end);
}

/*
 * Scatters elements to the positions of their bins, by cache lines, with
 * non-temporal stores.
 *
 * The elements of a bin are buffered in a line that has the alignment of their
 * destination.  The first "start" elements of that line, and in the end the
 * elements from "end" on, belong to other chunks or bins.
 */
static void
SORT_NAME(stream) (const CpuSort *sort, int64_t first, int64_t count,
				   uint32_t bins[SORT_BINS])
{
#ifdef SORT_PAYLOAD
	uintptr_t	lead = (uintptr_t) sort->to.payloads / sizeof(SORT_PAYLOAD);
#else
	uintptr_t	lead = (uintptr_t) sort->to.keys / sizeof(SORT_KEY);
#endif
	int32_t		places[SORT_BINS];
	uint8_t		start[SORT_BINS];
	uint8_t		end[SORT_BINS];
	SORT_NAME(Line) lines[SORT_BINS];

	for (int bin = 0; bin < SORT_BINS; bin++)
	{
		start[bin] = end[bin] = (lead + bins[bin]) % SORT_LINE;
		places[bin] = (int32_t) bins[bin] - start[bin];
	}
	for (int64_t last = first + count;
		 first < last && !cpu_sort_cancelled(sort); first += SORT_BATCH)
	{
		int			batch = cpu_min(last - first, SORT_BATCH);
		const SORT_KEY *keys = (const SORT_KEY *) sort->from.keys + first;
		uint8_t		digits[SORT_BATCH];
#ifdef SORT_PAYLOAD
		SORT_PAYLOAD positions[SORT_BATCH];
		const SORT_PAYLOAD *payloads =
			SORT_NAME(get_payloads) (sort, first, positions);
#endif

		SORT_NAME(extract_digits) (sort, keys, batch, digits);
		for (int i = 0; i < batch; i++)
		{
			int			bin = digits[i];
			int			at = end[bin]++;

			lines[bin].keys[at] = keys[i];
#ifdef SORT_PAYLOAD
			lines[bin].payloads[at] = payloads[i];
#endif
			if (at + 1 < SORT_LINE)
				continue;
			SORT_NAME(write_line) (sort, &lines[bin], places[bin], start[bin],
								   SORT_LINE);
			places[bin] += SORT_LINE;
			start[bin] = end[bin] = 0;
		}
	}
	for (int bin = 0; bin < SORT_BINS; bin++)
		SORT_NAME(write_line) (sort, &lines[bin], places[bin], start[bin],
							   end[bin]);
	stream_end();
}

#include "cpu/cpu_sort_groups_template.h"

#ifndef SORT_PAYLOAD
#include "cpu/cpu_sort_counting_template.h"
#include "cpu/cpu_sort_dictionary_template.h"
#endif

static const SortShape SORT_NAME(shape) = {
	.statistics = SORT_NAME(statistics),
	.order_at = SORT_NAME(order_at),
	.count = SORT_NAME(count),
	.stream = SORT_NAME(stream),
	.sort_groups = SORT_NAME(sort_groups),
#ifndef SORT_PAYLOAD
	.counting = &SORT_NAME(counting),
	.hash = SORT_NAME(hash)
#endif
};

#undef SORT_LINE
