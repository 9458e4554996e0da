/*
 * packed_integers.c
 *	  The choice of a scheme for the integers of a block.
 *
 * The bytes that each scheme would take are estimated from cheap statistics:
 * histograms of the integers and of their differences, the number of runs, and
 * the number of distinct values of a sample.
 */
#include "contract/cpu_clones.h"
#include "packed/packed_integers.h"

/* Integers that are looked at for a common divisor, and for few values. */
#define DIVISOR_SAMPLE		8
#define VALUES_SAMPLE		64

/* The most distinct values of the sample, and of the block. */
#define MOST_SAMPLED		40
#define MOST_VALUES			256

/* The hash table of distinct values. */
#define SLOT_BITS			10

/* Runs pay if they have this many integers or more. */
#define LEAST_RUN			2

static uint64_t
greatest_common_divisor(uint64_t a, uint64_t b)
{
	while (b > 0)
	{
		uint64_t	rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * The greatest common divisor of the differences between a few of the
 * integers.
 */
static uint64_t
sample_divisor(const int64_t *integers, int count)
{
	uint64_t	divisor = 0;

	for (int i = 0; i < DIVISOR_SAMPLE && divisor != 1; i++)
	{
		uint64_t	one = (uint64_t) integers[i * count / DIVISOR_SAMPLE];
		uint64_t	next = (uint64_t) integers[((i + 1) * count - 1) /
											   DIVISOR_SAMPLE];

		divisor = greatest_common_divisor(divisor, one > next ? one - next :
										  next - one);
	}
	return divisor;
}

/*
 * Divides the distances from an integer.  Returns false if any is no multiple
 * of the divisor.
 *
 * An odd divisor has an inverse modulo 2^64, and the product by it is a
 * quotient if it is no greater than one can be: Granlund and Montgomery,
 * "Division by Invariant Integers using Multiplication", PLDI 1994, section 9.
 */
CPU_CLONES static bool
divide_distances(const int64_t *restrict integers, int count, int64_t least,
				 uint64_t divisor, int64_t *restrict quotients)
{
	int			shift = __builtin_ctzll(divisor);
	uint64_t	odd = divisor >> shift;
	uint64_t	inverse = odd;	/* its lowest three bits are right */
	uint64_t	most = UINT64_MAX / divisor;
	uint64_t	rests = 0;
	uint64_t	greatest = 0;

	for (int bits = 3; bits < 64; bits *= 2)
		inverse *= 2 - odd * inverse;
	for (int i = 0; i < count; i++)
	{
		uint64_t	distance = (uint64_t) integers[i] - (uint64_t) least;
		uint64_t	quotient = (distance >> shift) * inverse;

		rests |= distance & ((1ull << shift) - 1);
		greatest = quotient > greatest ? quotient : greatest;
		quotients[i] = (int64_t) quotient;
	}
	return rests == 0 && greatest <= most;
}

/* Finds a step, and sets the integers, which are then no longer multiples. */
static void
find_step(PackedIntegers *plan, const int64_t *integers)
{
	uint64_t	divisor = sample_divisor(integers, plan->count);
	int64_t		least = integers[0];

	plan->step = 1;
	if (divisor > 1)
	{
		for (int i = 1; i < plan->count; i++)
			least = integers[i] < least ? integers[i] : least;
		if (divide_distances(integers, plan->count, least, divisor,
							 plan->integers))
		{
			plan->origin += (uint64_t) least;
			plan->step = divisor;
			return;
		}
	}
	memcpy(plan->integers, integers, plan->count * sizeof(int64_t));
}

/*
 * The first difference may have any value: the integer in front of the first
 * one is written.  Returns the number of runs.
 */
CPU_CLONES static int
find_differences(const int64_t *restrict integers, int count,
				 int64_t *restrict differences)
{
	int			runs = 1;

	for (int i = 1; i < count; i++)
	{
		differences[i] = (int64_t)
			((uint64_t) integers[i] - (uint64_t) integers[i - 1]);
		runs += differences[i] != 0;
	}
	differences[0] = differences[1];
	return runs;
}

/* Chooses a scheme that has two frames, if it is better. */
static void
choose_two_frames(PackedIntegers *plan, PackedScheme scheme, int number,
				  const FramePlan *values, const FramePlan *numbers)
{
	int64_t		bytes = PACKED_NUMBER_HEAD + values->bytes + numbers->bytes;

	if (values->bytes >= plan->bytes || bytes >= plan->bytes)
		return;
	plan->scheme = scheme;
	plan->bytes = bytes;
	plan->number = number;
	plan->value_frame = *values;
	plan->frame = *numbers;
}

static void
plan_runs(PackedIntegers *plan)
{
	FramePlan	values;
	FramePlan	lengths;
	int			runs = 0;
	int			start = 0;

	for (int i = 1; i <= plan->count; i++)
	{
		if (i < plan->count && plan->differences[i] == 0)
			continue;
		plan->values[runs] = plan->integers[start];
		plan->numbers[runs++] = i - start;
		start = i;
	}
	plan_frame(&values, plan->values, runs, plan->width);
	plan_frame(&lengths, plan->numbers, runs, 32);
	choose_two_frames(plan, PACKED_RUNS, runs, &values, &lengths);
}

/*
 * Looks each integer up, or one of "stride", in the order of their first
 * appearance.  Returns the number of distinct ones, or more than "most".
 */
static int
find_values(PackedIntegers *plan, int stride, int most)
{
	int16_t		slots[1 << SLOT_BITS];	/* numbers from 1 */
	int			found = 0;

	memset(slots, 0, sizeof(slots));
	for (int i = 0; i < plan->count && found <= most; i += stride)
	{
		uint64_t	hash = (uint64_t) plan->integers[i] *
			0x9E3779B97F4A7C15ull;
		int			slot = (int) (hash >> (64 - SLOT_BITS));

		while (slots[slot] > 0 &&
			   plan->values[slots[slot] - 1] != plan->integers[i])
			slot = (slot + 1) % (1 << SLOT_BITS);
		if (slots[slot] == 0)
		{
			plan->values[found] = plan->integers[i];
			slots[slot] = (int16_t) ++found;
		}
		plan->numbers[i] = slots[slot] - 1;
	}
	return found;
}

static void
plan_dictionary(PackedIntegers *plan)
{
	FramePlan	values;
	FramePlan	numbers;
	int			found;

	if (plan->count < 2 * VALUES_SAMPLE)
		return;
	found = find_values(plan, plan->count / VALUES_SAMPLE, MOST_SAMPLED);
	if (found > MOST_SAMPLED ||
		frame_bytes(plan->count, bits_of((uint64_t) found - 1), 0, 0) >=
		plan->bytes)
		return;
	found = find_values(plan, 1, MOST_VALUES);
	if (found > MOST_VALUES)
		return;
	plan_frame(&values, plan->values, found, plan->width);
	numbers.base = 0;
	numbers.bits = bits_of((uint64_t) found - 1);
	numbers.exceptions = 0;
	numbers.bytes = frame_bytes(plan->count, numbers.bits, 0, 0);
	choose_two_frames(plan, PACKED_DICTIONARY, found, &values, &numbers);
}

void
plan_integers(PackedIntegers *plan, const int64_t *integers, int count,
			  int width, uint64_t origin)
{
	FramePlan	differences;
	int			runs;

	plan->count = count;
	plan->width = width;
	plan->origin = origin;
	find_step(plan, integers);
	plan->scheme = PACKED_FRAME;
	plan_frame(&plan->frame, plan->integers, count, width);
	plan->bytes = plan->frame.bytes;
	if (plan->frame.bits == 0 && plan->frame.exceptions == 0)
	{
		plan->scheme = PACKED_CONSTANT;
		plan->bytes = 8;
	}
	if (plan->frame.bits <= 1 || count == 1)
		return;

	runs = find_differences(plan->integers, count, plan->differences);
	plan_frame(&differences, plan->differences, count, width);
	if (differences.bytes < plan->bytes - 8)
	{
		plan->scheme = PACKED_DELTA;
		plan->bytes = 8 + differences.bytes;
		plan->frame = differences;
	}
	if (runs <= count / LEAST_RUN)
		plan_runs(plan);
	else
		plan_dictionary(plan);
}

/* Writes the distinct values, or the values of runs. */
static int64_t
write_values(const PackedIntegers *plan, uint8_t *bytes)
{
	memset(bytes, 0, PACKED_NUMBER_HEAD);
	store_16(bytes, (uint16_t) plan->number);
	return PACKED_NUMBER_HEAD +
		write_frame(&plan->value_frame, plan->values, plan->number,
					plan->origin, plan->step, bytes + PACKED_NUMBER_HEAD);
}

int64_t
write_integers(const PackedIntegers *plan, uint8_t *bytes)
{
	uint64_t	first = plan->origin +
		plan->step * (uint64_t) plan->integers[0];
	int64_t		length;

	switch (plan->scheme)
	{
		case PACKED_CONSTANT:
			store_64(bytes, first);
			return 8;
		case PACKED_DELTA:
			store_64(bytes, first -
					 plan->step * (uint64_t) plan->differences[0]);
			return 8 + write_frame(&plan->frame, plan->differences,
								   plan->count, 0, plan->step, bytes + 8);
		case PACKED_DICTIONARY:
			length = write_values(plan, bytes);
			return length + write_frame(&plan->frame, plan->numbers,
										plan->count, 0, 1, bytes + length);
		case PACKED_RUNS:
			length = write_values(plan, bytes);
			return length + write_frame(&plan->frame, plan->numbers,
										plan->number, 0, 1, bytes + length);
		default:
			return write_frame(&plan->frame, plan->integers, plan->count,
							   plan->origin, plan->step, bytes);
	}
}
