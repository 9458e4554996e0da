/*
 * packed_frame.c
 *	  Writing frames, in the base and number of bits that take the fewest bytes.
 *
 * Most integers of a block are often close to each other, and a few are not.
 * For each number of bits and the best base for it, a histogram yields the
 * number of exceptions.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_frame.h"

/* The range of the integers is divided into up to this many buckets. */
#define BUCKET_BITS			8
#define BUCKETS				(1 << BUCKET_BITS)

/* Counters that take turns, as no counter can be added to again at once. */
#define TURNS				4

/* The fewest bits that are tried are this many less than the range has. */
#define FEWER_BITS			7

/* Histograms of fewer and fewer bits. */
#define MOST_HISTOGRAMS		3

/* More exceptions take too long to unpack. */
#define MOST_EXCEPTIONS		255

/* Integers by the distance from their minimum. */
typedef struct Histogram
{
	uint64_t	start;			/* of the first bucket */
	int			bits;			/* of the distances from it */
	int			shift;			/* number of bits of a bucket */
	uint32_t	below[BUCKETS + 1]; /* integers in front of a bucket */
} Histogram;

typedef struct Extremes
{
	int64_t		least;
	int64_t		greatest;
} Extremes;

CPU_CLONES static Extremes
find_extremes(const int64_t *integers, int count)
{
	Extremes	found = {integers[0], integers[0]};

	for (int i = 1; i < count; i++)
	{
		found.least = integers[i] < found.least ? integers[i] : found.least;
		found.greatest = integers[i] > found.greatest ? integers[i] :
			found.greatest;
	}
	return found;
}

/* Counts the integers in each bucket; others are in none. */
CPU_CLONES static void
count_buckets(Histogram *histogram, const int64_t *integers, int count,
			  uint64_t least)
{
	uint32_t	buckets[PACKED_BLOCK];
	uint32_t	counts[TURNS][BUCKETS + 1];
	uint64_t	start = least + histogram->start;
	int			shift = histogram->shift;
	uint32_t	total = 0;

	for (int i = 0; i < count; i++)
	{
		uint64_t	bucket = ((uint64_t) integers[i] - start) >> shift;

		buckets[i] = bucket >> BUCKET_BITS == 0 ? (uint32_t) bucket : BUCKETS;
	}
	for (int i = count; i % TURNS > 0; i++)
		buckets[i] = BUCKETS;
	memset(counts, 0, sizeof(counts));
	for (int i = 0; i < count; i += TURNS)
	{
		for (int turn = 0; turn < TURNS; turn++)
			counts[turn][buckets[i + turn]]++;
	}
	for (int i = 0; i < BUCKETS; i++)
		counts[0][i] += counts[1][i] + counts[2][i] + counts[3][i];
	for (int i = 0; i < BUCKETS; i++)
	{
		histogram->below[i] = total;
		total += counts[0][i];
	}
	histogram->below[BUCKETS] = total;
}

/* The most integers that are in "width" buckets in a row. */
CPU_CLONES static int
most_inside(const Histogram *histogram, int width)
{
	const uint32_t *below = histogram->below;
	uint32_t	most = 0;

	for (int i = 0; i + width <= BUCKETS; i++)
	{
		uint32_t	inside = below[i + width] - below[i];

		most = inside > most ? inside : most;
	}
	return (int) most;
}

/* Where the buckets with so many integers begin. */
static uint64_t
find_window(const Histogram *histogram, int width, int inside)
{
	const uint32_t *below = histogram->below;
	uint64_t	first = 0;

	while (below[first + width] - below[first] != (uint32_t) inside)
		first++;
	return histogram->start + (first << histogram->shift);
}

/* Bytes of each exception, by the extremes. */
static int
exception_size(const Extremes *extremes, int64_t base, int bits)
{
	int			low = bytes_of((int64_t) ((uint64_t) extremes->least -
										  (uint64_t) base) >> bits);
	int			high = bytes_of((int64_t) ((uint64_t) extremes->greatest -
										   (uint64_t) base) >> bits);

	return low > high ? low : high;
}

/* Takes a frame that begins so far from the minimum, if it is better. */
static void
consider(FramePlan *plan, int count, const Extremes *extremes, uint64_t start,
		 int bits, int exceptions)
{
	int64_t		base = (int64_t) ((uint64_t) extremes->least + start);
	int			size = exceptions == 0 ? 0 :
		exception_size(extremes, base, bits);
	int64_t		bytes = frame_bytes(count, bits, exceptions, size);

	if (bytes >= plan->bytes)
		return;
	plan->base = base;
	plan->bits = bits;
	plan->exceptions = exceptions;
	plan->bytes = bytes;
}

/*
 * Tries frames of fewer bits than the histogram's.  Returns true if one of the
 * fewest bits is the best, so that even fewer may be better.
 */
static bool
try_fewer_bits(FramePlan *plan, const Histogram *histogram, int count,
			   const Extremes *extremes)
{
	int			bits = histogram->bits;
	int			fewest = bits - histogram->shift < FEWER_BITS ?
		histogram->shift : bits - FEWER_BITS;

	while (--bits >= fewest)
	{
		int			width = 1 << (bits - histogram->shift);
		int			inside = most_inside(histogram, width);

		if (count - inside > MOST_EXCEPTIONS)
			return false;
		if (frame_bytes(count, bits, count - inside, 1) < plan->bytes)
			consider(plan, count, extremes,
					 find_window(histogram, width, inside), bits,
					 count - inside);
	}
	return plan->bits == fewest && fewest > 0;
}

/*
 * Moves the histogram to the integers that are no exceptions of the plan, and
 * makes it as small as these allow.
 */
CPU_CLONES static void
narrow(Histogram *histogram, const FramePlan *plan,
	   const int64_t *restrict integers, int count, uint64_t minimum)
{
	uint64_t	base = (uint64_t) plan->base;
	int			bits = plan->bits;
	uint64_t	least = UINT64_MAX;
	uint64_t	greatest = 0;

	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - base;
		uint64_t	outside = distance >> bits == 0 ? 0 : UINT64_MAX;
		uint64_t	low = distance | outside;
		uint64_t	high = distance & ~outside;

		least = low < least ? low : least;
		greatest = high > greatest ? high : greatest;
	}
	histogram->start = base + least - minimum;
	histogram->bits = bits_of(greatest - least);
}

void
plan_frame(FramePlan *plan, const int64_t *integers, int count, int width)
{
	Extremes	extremes = find_extremes(integers, count);
	Histogram	histogram;

	histogram.start = 0;
	histogram.bits = bits_of((uint64_t) extremes.greatest -
							 (uint64_t) extremes.least);
	plan->exceptions = 0;
	plan->bytes = INT64_MAX;
	for (int i = 0; i < MOST_HISTOGRAMS; i++)
	{
		consider(plan, count, &extremes, histogram.start, histogram.bits,
				 plan->exceptions);
		if (histogram.bits <= 1)
			break;
		histogram.shift = histogram.bits > BUCKET_BITS ?
			histogram.bits - BUCKET_BITS : 0;
		count_buckets(&histogram, integers, count,
					  (uint64_t) extremes.least);
		if (!try_fewer_bits(plan, &histogram, count, &extremes))
			break;
		narrow(&histogram, plan, integers, count, (uint64_t) extremes.least);
	}
	if (plan->bits > width)
		plan->bytes = INT64_MAX;
}

/* Row by row.  A word is written when its last bits are there. */
PACKED_INLINE void
pack_rows(const uint32_t *restrict in, int bits, int rows, int lanes,
		  uint8_t *restrict words)
{
	uint32_t	partial[32];

	memset(partial, 0, sizeof(partial));
	for (int row = 0; row < rows; row++, in += lanes)
	{
		int			shift = row * bits % 32;

		for (int lane = 0; lane < lanes; lane++)
			partial[lane] |= in[lane] << shift;
		if (shift + bits < 32 && row < rows - 1)
			continue;
		for (int lane = 0; lane < lanes; lane++)
			store_32(words + lane * 4, partial[lane]);
		words += lanes * 4;

		/* The bits that do not fit go to the next word. */
		if (shift + bits <= 32)
			memset(partial, 0, sizeof(partial));
		else
		{
			for (int lane = 0; lane < lanes; lane++)
				partial[lane] = in[lane] >> (32 - shift);
			if (row == rows - 1)
				memcpy(words, partial, lanes * 4);
		}
	}
}

/*
 * Packs integers that have no more than these bits.  Those behind the last
 * one, up to the end of its row, are zero.
 */
PACKED_INLINE void
pack_words(const uint32_t in[PACKED_BLOCK], int bits, int count,
		   uint8_t *restrict words)
{
	if (bits == 0)
		return;
	if (frame_lanes(count) == 8)
		pack_rows(in, bits, (count + 7) / 8, 8, words);
	else
		pack_rows(in, bits, (count + 31) / 32, 32, words);
}

/*
 * Packs the lower bits of the distances from the base.  Returns all higher
 * bits that are set in any distance.
 */
CPU_CLONES static uint64_t
write_words(const FramePlan *plan, const int64_t *restrict integers,
			int count, uint8_t *bytes)
{
	uint32_t	low[PACKED_BLOCK];
	uint64_t	base = (uint64_t) plan->base;
	int			bits = plan->bits;
	uint32_t	mask = bits_mask(bits);
	uint64_t	all = 0;

	memset(low + count, 0, (PACKED_BLOCK - count) * sizeof(uint32_t));
	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - base;

		low[i] = (uint32_t) distance & mask;
		all |= distance;
	}
	pack_words(low, bits < 32 ? bits : 32, count, bytes);
	if (bits > 32)
	{
		bytes += words_bytes(count, 32);
		mask = bits_mask(bits - 32);
		for (int i = 0; i < count; i++)
			low[i] = (uint32_t) (((uint64_t) integers[i] - base) >> 32) & mask;
		pack_words(low, bits - 32, count, bytes);
	}
	return bits == 64 ? 0 : all >> bits;
}

/* What is above the packed bits of an integer; zero if it is no exception. */
static inline int64_t
exception_of(const FramePlan *plan, int64_t integer)
{
	return (int64_t) ((uint64_t) integer - (uint64_t) plan->base) >> plan->bits;
}

/*
 * Writes the exceptions, and to the frame's head how many there are.  There are
 * some, so that there are fewer than 64 bits.  Returns the number of bytes.
 */
static int64_t
write_exceptions(const FramePlan *plan, const int64_t *integers, int count,
				 uint8_t *head, uint8_t *bytes)
{
	int			size = 1;
	int			total = 0;
	int			next = 0;

	for (int i = 0; i < count; i++)
	{
		int64_t		value = exception_of(plan, integers[i]);

		if (value == 0)
			continue;
		size = bytes_of(value) > size ? bytes_of(value) : size;
		head[i / FRAME_QUARTER]++;
		total++;
	}
	head[5] = (uint8_t) size;
	memset(bytes, 0, PACKED_ALIGN(total * (size + 1)));
	for (int i = 0; i < count; i++)
	{
		int64_t		value = exception_of(plan, integers[i]);

		if (value == 0)
			continue;
		store_sized(bytes + next * size, (uint64_t) value, size);
		bytes[total * size + next++] = (uint8_t) (i % FRAME_QUARTER);
	}
	return PACKED_ALIGN(total * (size + 1));
}

int64_t
write_frame(const FramePlan *plan, const int64_t *integers, int count,
			uint64_t origin, uint64_t step, uint8_t *bytes)
{
	uint8_t    *at = bytes + FRAME_HEAD;
	bool		has_exceptions;

	memset(bytes, 0, FRAME_HEAD);
	bytes[4] = (uint8_t) plan->bits;
	store_64(bytes + 8, origin + step * (uint64_t) plan->base);
	if (step != 1)
	{
		bytes[6] = FRAME_HAS_STEP;
		store_64(at, step);
		at += 8;
	}
	has_exceptions = write_words(plan, integers, count, at) != 0;
	at += frame_words_bytes(count, plan->bits);
	if (has_exceptions)
		at += write_exceptions(plan, integers, count, bytes, at);
	return at - bytes;
}
