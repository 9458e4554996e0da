/*
 * cpu_window_percentile.c
 *	  Percentiles of the frame around each element.
 *
 * The elements of a span have their ranks in its order (cpu_span_order.c), and
 * a frame is a set of ranks, as bits.  From one frame to the next, one rank
 * goes and one comes, and the rank that is wanted stays in its word of the set
 * or is in one nearby (Suomela, "Median filtering is equivalent to sorting", 2014,
 * has lists instead of bits).  Threads make the results, span by span.
 *
 * A wide frame slides over the whole array, whose order is in the table, by
 * steps of the caller.  Narrow frames are sorted by a network, lane by lane.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/select.h"
#include "contract/operations/window_percentile.h"
#include "contract/order.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_search.h"
#include "cpu/cpu_span_order.h"
#include "loops/numbers.h"

/* A span has so many times the elements of a frame, if it may. */
#define SPAN_FRAMES			8

/* Results that are made together, before they become elements. */
#define RESULTS				1024

/* Elements that the caller lets a wide frame have, or results, at a time. */
#define WIDE_STEP			(16 * 1024)

/* The span of frames that a network sorts. */
#define NETWORK_BITS		10

/* The bits of a set's words, and the words and blocks that are counted. */
#define WORD_BITS			6
#define BLOCK_BITS			12
#define SUPER_BITS			18

/* Words near the last one that are looked at before the counts are. */
#define NEAR_WORDS			8

/* A bit of each byte. */
#define ONES				UINT64_C(0x0101010101010101)

/* Processors that put bits to the places of others. */
#if defined(__x86_64__) && defined(__GNUC__)
#define HAS_BMI2			CPU_MAY_USE(CPU_AVX2, "bmi2")
#define BMI2_TARGET			__attribute__((target("popcnt,bmi,bmi2")))
#endif

#define INLINE				static inline __attribute__((always_inline))

/* A set of ranks, and the word in which a rank is wanted. */
typedef struct RankSet
{
	uint64_t   *words;
	int32_t    *blocks;			/* ranks of 64 words */
	int32_t    *supers;			/* ranks of 64 blocks */
	int64_t		word;
	int64_t		before;			/* ranks before that word */
} RankSet;

/* The results of some frames, as keys and as the way between them. */
typedef struct Results
{
	bool		between;		/* else the low ones are the results */
	int64_t		low[RESULTS];
	int64_t		high[RESULTS];
	double		proportion[RESULTS];
} Results;

/* What a thread needs. */
typedef struct WindowThread
{
	CpuSpan		span;
	RankSet		set;
	Results		results;
} WindowThread;

typedef struct CpuPercentile
{
	WindowPercentileParameters parameters;
	ElementKind kind;
	int			size;			/* of an element */
	int64_t		count;
	int64_t		width;			/* of a frame that no end cuts */
	const int32_t *counts;		/* of each frame's values, or NULL */
	const int32_t *positions;	/* in order, for wide frames alone */
	const char *elements;
	int			bits;			/* of a span that is not wide */
	int			nthreads;
	WindowThread *threads;

	/* Of wide frames: */
	int64_t    *sorted;			/* keys */
	uint32_t   *ranks;
	int64_t		zeros;			/* the ranks of 0 and -0, of floats */
	int64_t		zeros_end;
	int64_t		next_zeros[2];	/* ranks that -0 takes next, and 0 downwards */
	int64_t		entered;		/* elements so far */
	int64_t		done;			/* results so far */
} CpuPercentile;

/* Keys are the elements' places in the order of their kind, with a sign. */
#define KEY_SIGN			((uint64_t) 1 << 63)

#define KIND_TEMPLATE		"cpu/cpu_window_percentile_template.h"
#include "cpu/cpu_kinds.h"

static void
make_keys(ElementKind kind, int64_t *keys, const void *elements, int64_t count)
{
	static void (*const of_kind[ELEMENT_KINDS]) (int64_t *restrict,
												 const void *, int64_t,
												 uint64_t) =
		KIND_TABLE(make_keys);

	of_kind[kind] (keys, elements, count, kind_least(kind));
}

static void
put_elements(ElementKind kind, void *elements, const int64_t *keys,
			 int64_t count)
{
	static void (*const of_kind[ELEMENT_KINDS]) (void *,
												 const int64_t *restrict,
												 int64_t, uint64_t) =
		KIND_TABLE(put_elements);

	of_kind[kind] (elements, keys, count, kind_least(kind));
}

/* Puts the numbers of keys. */
static void
put_numbers(ElementKind kind, double *numbers, const int64_t *keys, int count)
{
	int64_t		elements[RESULTS];

	put_elements(kind, kind == KIND_FLOAT8 ? (void *) numbers : elements,
				 keys, count);
	if (kind != KIND_FLOAT8)
		convert_numbers(kind, elements, count, numbers);
}

/* Interpolates as percentile_cont does. */
CPU_CLONES static void
interpolate(double *restrict numbers, const double *restrict next,
			const double *restrict proportions, int count)
{
	for (int i = 0; i < count; i++)
	{
		double		low = numbers[i];
		double		between = low + (proportions[i] * (next[i] - low));

		numbers[i] = proportions[i] == 0 ? low : between;
	}
}

/* Puts results in their place, from result "first" on. */
static void
put_results(CpuJob *job, const Results *results, int64_t first, int count)
{
	const CpuPercentile *state = job->state;
	char	   *to = (char *) job->request->outputs[0].memory +
		first * output_size(job->request, 0);
	double		next[RESULTS];

	if (!state->parameters.continuous)
	{
		put_elements(state->kind, to, results->low, count);
		return;
	}
	put_numbers(state->kind, (double *) to, results->low, count);
	if (!results->between)
		return;
	put_numbers(state->kind, next, results->high, count);
	interpolate((double *) to, next, results->proportion, count);
}

/* The values in the frame of an element, at least one. */
static inline int64_t
frame_values(const CpuPercentile *state, int64_t i)
{
	int64_t		first = i - state->parameters.preceding;
	int64_t		end = i + state->parameters.following + 1;
	int64_t		values;

	if (state->counts != NULL)
	{
		values = state->counts[i];
		return values > 0 ? values : 1;
	}
	return (end < state->count ? end : state->count) - (first > 0 ? first : 0);
}

/* Returns whether no end cuts the frames of some elements, all values. */
static inline bool
frames_are_whole(const CpuPercentile *state, int64_t first, int64_t count)
{
	return state->counts == NULL && first >= state->parameters.preceding &&
		first + count + state->parameters.following <= state->count;
}

/* The place in the frame of an element, given that of the frame before it. */
static inline void
next_place(const CpuPercentile *state, int64_t i, int64_t *values,
		   PercentilePlace *place)
{
	int64_t		here = frame_values(state, i);

	if (here == *values)
		return;
	*values = here;
	*place = percentile_place(state->parameters.fraction, here,
							  state->parameters.continuous);
}

INLINE void
add_rank(RankSet *set, uint32_t rank, bool wide)
{
	set->words[rank >> WORD_BITS] |= (uint64_t) 1 << rank % 64;
	set->before += rank >> WORD_BITS < set->word;
	if (wide)
	{
		set->blocks[rank >> BLOCK_BITS]++;
		set->supers[rank >> SUPER_BITS]++;
	}
}

INLINE void
remove_rank(RankSet *set, uint32_t rank, bool wide)
{
	set->words[rank >> WORD_BITS] &= ~((uint64_t) 1 << rank % 64);
	set->before -= rank >> WORD_BITS < set->word;
	if (wide)
	{
		set->blocks[rank >> BLOCK_BITS]--;
		set->supers[rank >> SUPER_BITS]--;
	}
}

/*
 * Goes to the word that has the set's rank of a number.  It is nearby, mostly.
 * The set of a wide frame has counts for long ways.
 */
INLINE void
find_word(RankSet *set, int64_t number, bool wide)
{
	int64_t		here = 0;

	for (int i = 0; i < NEAR_WORDS || !wide; i++)
	{
		int64_t		ranks = __builtin_popcountll(set->words[set->word]);

		if (number < set->before)
			set->before -= __builtin_popcountll(set->words[--set->word]);
		else if (number < set->before + ranks)
			return;
		else
		{
			set->before += ranks;
			set->word++;
		}
	}
	set->before = 0;
	for (; set->before + set->supers[here] <= number; here++)
		set->before += set->supers[here];
	here <<= SUPER_BITS - BLOCK_BITS;
	for (; set->before + set->blocks[here] <= number; here++)
		set->before += set->blocks[here];
	here <<= BLOCK_BITS - WORD_BITS;
	for (int ranks; set->before +
		 (ranks = __builtin_popcountll(set->words[here])) <= number; here++)
		set->before += ranks;
	set->word = here;
}

/* The first byte of sums that is greater than a number, times 8. */
INLINE int
find_sum(uint64_t sums, int number)
{
	return __builtin_ctzll(((sums | 0x80 * ONES) - (number + 1) * ONES) &
						   0x80 * ONES) & 0x38;
}

/*
 * The place of a word's bit of a number: by the instruction for that, or by
 * sums over bytes and over the bits of one (Vigna, "Broadword implementation of
 * rank/select queries", 2008).
 */
INLINE int
select_bit(uint64_t word, int number, bool deposits)
{
	uint64_t	sums = word - (word >> 1 & 0x55 * ONES);
	uint64_t	bits;
	int			byte;

#ifdef HAS_BMI2
	if (deposits)
	{
		__asm__("pdepq %2, %1, %0"
				:"=r"(bits)
				:"r"((uint64_t) 1 << number), "r"(word));
		return __builtin_ctzll(bits);
	}
#endif
	sums = (sums & 0x33 * ONES) + (sums >> 2 & 0x33 * ONES);
	sums = ((sums + (sums >> 4)) & 0x0F * ONES) * ONES;
	byte = find_sum(sums, number);
	number -= sums << 8 >> byte & 0xFF;
	bits = (word >> byte & 0xFF) * ONES & UINT64_C(0x8040201008040201);
	bits = ((bits + 0x7F * ONES) >> 7 & ONES) * ONES;
	return byte + find_sum(bits, number) / 8;
}

/* The rank of a number in the set, from 0 on. */
INLINE int64_t
select_rank(RankSet *set, int64_t number, bool wide, bool deposits)
{
	uint64_t	word = set->words[set->word];

	if ((uint64_t) (number - set->before) >=
		(uint64_t) __builtin_popcountll(word))
	{
		find_word(set, number, wide);
		word = set->words[set->word];
	}
	return set->word * 64 + select_bit(word, (int) (number - set->before),
									   deposits);
}

/* The rank behind one that has been selected. */
INLINE int64_t
select_next(const RankSet *set, int64_t rank, int64_t number, bool wide,
			bool deposits)
{
	uint64_t	behind = set->words[set->word] >> 1 >> rank % 64;
	RankSet		other;

	if (behind != 0)
		return rank + 1 + __builtin_ctzll(behind);
	other = *set;
	return select_rank(&other, number, wide, deposits);
}

/*
 * Makes the results of "count" elements from "first" on, of an array or a span
 * whose elements are "offset" elements into the array.  Frame by frame, the
 * element behind the frame enters, and the one before it leaves.
 */
INLINE void
slide_frames(const CpuPercentile *state, RankSet *set, const uint32_t *ranks,
			 const int64_t *sorted, int64_t offset, int64_t end, int64_t first,
			 int64_t count, Results *results, bool wide, bool deposits)
{
	int64_t		behind = state->parameters.following;
	int64_t		before = state->parameters.preceding + 1;
	bool		whole = frames_are_whole(state, offset + first, count);
	int64_t		values = 0;
	int64_t		plain = count;	/* results that are one key of a whole frame */
	PercentilePlace place = {0};

	/* What no store changes may stay in registers. */
	RankSet		frame = *set;

	next_place(state, offset + first, &values, &place);
	results->between = !whole || place.next_rank > place.rank;
	if (results->between || first + count + behind > end)
		plain = 0;
	else if (first < before)
		plain -= before - first < count ? before - first : count;
	for (int64_t i = 0; i < count - plain; i++)
	{
		int64_t		at = first + i;
		int64_t		rank;

		if (at >= before)
			remove_rank(&frame, ranks[at - before], wide);
		if (at + behind < end)
			add_rank(&frame, ranks[at + behind], wide);
		if (!whole)
			next_place(state, offset + at, &values, &place);
		rank = select_rank(&frame, place.rank, wide, deposits);
		results->low[i] = sorted[rank];
		if (whole && place.next_rank == place.rank)
			continue;
		if (place.next_rank > place.rank)
			rank = select_next(&frame, rank, place.next_rank, wide,
							   deposits);
		results->high[i] = sorted[rank];
		results->proportion[i] = place.proportion;
	}
	for (int64_t i = count - plain; i < count; i++)
	{
		remove_rank(&frame, ranks[first + i - before], wide);
		add_rank(&frame, ranks[first + i + behind], wide);
		results->low[i] = sorted[select_rank(&frame, place.rank, wide,
											 deposits)];
	}
	*set = frame;
}

/* Makes a function of it, for processors that have TARGET. */
#define SLIDE(name, TARGET, wide, deposits) \
	TARGET static void \
	name(const CpuPercentile *state, RankSet *set, const uint32_t *ranks, \
		 const int64_t *sorted, int64_t offset, int64_t end, int64_t first, \
		 int64_t count, Results *results) \
	{ \
		slide_frames(state, set, ranks, sorted, offset, end, first, count, \
					 results, wide, deposits); \
	}

SLIDE(slide_narrow, , false, false)
SLIDE(slide_wide, , true, false)

#ifdef HAS_BMI2
SLIDE(slide_narrow_bmi2, BMI2_TARGET, false, true)
SLIDE(slide_wide_bmi2, BMI2_TARGET, true, true)
#else
#define HAS_BMI2			false
#define slide_narrow_bmi2	slide_narrow
#define slide_wide_bmi2		slide_wide
#endif

static void
slide(const CpuPercentile *state, RankSet *set, const uint32_t *ranks,
	  const int64_t *sorted, int64_t offset, int64_t end, int64_t first,
	  int64_t count, Results *results)
{
	if (state->positions != NULL)
		(HAS_BMI2 ? slide_wide_bmi2 : slide_wide)
			(state, set, ranks, sorted, offset, end, first, count, results);
	else
		(HAS_BMI2 ? slide_narrow_bmi2 : slide_narrow)
			(state, set, ranks, sorted, offset, end, first, count, results);
}

/* Adds the ranks of "count" elements. */
static void
add_ranks(RankSet *set, const uint32_t *ranks, int64_t count, bool wide)
{
	for (int64_t i = 0; i < count; i++)
		add_rank(set, ranks[i], wide);
}

/* Frames whose elements a network sorts, lane by lane. */
static void
sort_frames(const CpuPercentile *state, const int64_t *keys, int64_t first,
			int count, Results *results)
{
	int			width = (int) state->width;
	bool		whole = frames_are_whole(state, first, count);
	int64_t		values = 0;
	PercentilePlace place = {0};

	next_place(state, first, &values, &place);
	results->between = !whole || place.next_rank > place.rank;
	for (int done = 0; done < count; done += FRAME_LANES)
	{
		int			lanes = cpu_min(count - done, FRAME_LANES);
		int64_t		rows[FRAME_ROWS][FRAME_LANES];

		cpu_span_sort_frames(rows, keys + done, width);
		if (!results->between)
		{
			memcpy(results->low + done, rows[place.rank],
				   lanes * sizeof(int64_t));
			continue;
		}
		for (int i = 0; i < lanes; i++)
		{
			if (!whole)
				next_place(state, first + done + i, &values, &place);
			results->low[done + i] = rows[place.rank][i];
			results->high[done + i] = rows[place.next_rank][i];
			results->proportion[done + i] = place.proportion;
		}
	}
}

/*
 * Puts the keys of a span whose first element is "first" of the array.  Those
 * that are not in the array are the greatest of those that are.
 */
static void
put_keys(const CpuPercentile *state, int64_t *keys, int64_t first)
{
	int64_t		room = (int64_t) 1 << state->bits;
	int64_t		from = first > 0 ? first : 0;
	int64_t		end = cpu_min(first + room, state->count);
	int64_t		greatest = INT64_MIN;

	make_keys(state->kind, keys + (from - first),
			  state->elements + from * state->size, end - from);
	if (end - from == room)
		return;
	for (int64_t i = from - first; i < end - first; i++)
		greatest = keys[i] > greatest ? keys[i] : greatest;
	for (int64_t i = 0; i < from - first; i++)
		keys[i] = greatest;
	for (int64_t i = end - first; i < room; i++)
		keys[i] = greatest;
}

/* Makes the results of a span. */
static void
make_span(CpuJob *job, int chunk, int number)
{
	const CpuPercentile *state = job->state;
	WindowThread *thread = &state->threads[number];
	CpuSpan    *span = &thread->span;
	Results    *results = &thread->results;
	int64_t		preceding = state->parameters.preceding;
	int64_t		first = chunk_first(job, chunk);
	int64_t		count = chunk_count(job, chunk);
	bool		sorts = state->width <= FRAME_ROWS;
	const int64_t *sorted = NULL;

	put_keys(state, span->keys, first - preceding);
	if (!sorts)
	{
		sorted = cpu_span_order(span);
		memset(thread->set.words, 0, (size_t) 1 << span->bits >> 3);
		thread->set.word = thread->set.before = 0;
		add_ranks(&thread->set, span->ranks, state->width - 1, false);
	}
	for (int64_t done = 0; done < count && !cpu_phases_cancelled(&job->phases);
		 done += RESULTS)
	{
		int64_t		some = cpu_min(count - done, RESULTS);

		if (sorts)
			sort_frames(state, span->keys + done, first + done, (int) some,
						results);
		else
			slide(state, &thread->set, span->ranks, sorted,
				  first - preceding, (int64_t) 1 << span->bits,
				  preceding + done, some, results);
		put_results(job, results, first + done, (int) some);
	}
}

/* The key of a place in the order of the array. */
static int64_t
key_at(const CpuPercentile *state, int64_t place)
{
	int64_t		position = state->positions[place] - 1;
	int64_t		key;

	make_keys(state->kind, &key, state->elements + position * state->size, 1);
	return key;
}

/* The first place whose key is not less than this one. */
static int64_t
find_key(const CpuPercentile *state, int64_t key)
{
	int64_t		place = 0;

	SEARCH(place, state->count, at, key_at(state, at) < key);
	return place;
}

/* The key of -0; that of 0 is the next one. */
static int64_t
minus_zero_key(ElementKind kind)
{
	uint64_t	zero = kind == KIND_FLOAT4 ? float4_order(0) : float8_order(0);

	return (int64_t) ((zero - 1) ^ KEY_SIGN);
}

/*
 * The order of the array takes 0 and -0 for equal.  Here -0 comes first, as in
 * the spans of narrow frames.
 */
static void
find_zeros(CpuPercentile *state)
{
	int64_t		key;

	if (!kind_is_float(state->kind))
		return;
	key = minus_zero_key(state->kind);
	state->zeros = state->next_zeros[0] = find_key(state, key);
	state->zeros_end = state->next_zeros[1] = find_key(state, key + 2);
}

/* Puts the ranks and the keys of some places in the order of the array. */
static void
put_ranks(CpuJob *job, int chunk, int number)
{
	CpuPercentile *state = job->state;
	int64_t		first = chunk_first(job, chunk);
	int64_t		end = first + chunk_count(job, chunk);
	int64_t		zeros = first > state->zeros ? first : state->zeros;
	int64_t		zeros_end = end < state->zeros_end ? end : state->zeros_end;
	int64_t		minus = 0;
	int64_t		plus;

	for (int64_t i = zeros; i < zeros_end; i++)
		minus += key_at(state, i) == minus_zero_key(state->kind);
	plus = zeros < zeros_end ? zeros_end - zeros - minus : 0;
	minus = __atomic_fetch_add(&state->next_zeros[0], minus, __ATOMIC_RELAXED);
	plus = __atomic_fetch_sub(&state->next_zeros[1], plus, __ATOMIC_RELAXED);
	for (int64_t i = first; i < end; i++)
	{
		int64_t		key = key_at(state, i);
		int64_t		rank = i;

		if (i >= zeros && i < zeros_end)
			rank = key == minus_zero_key(state->kind) ? minus++ : --plus;
		state->ranks[state->positions[i] - 1] = (uint32_t) rank;
		state->sorted[rank] = key;
	}
}

/* Lets a wide frame slide for a step. */
static EngineStatus
slide_some(CpuJob *job)
{
	CpuPercentile *state = job->state;
	WindowThread *thread = &state->threads[0];
	int64_t		left = state->parameters.following - state->entered;
	int64_t		end;

	if (left > 0)
	{
		left = cpu_min(left, WIDE_STEP);
		add_ranks(&thread->set, state->ranks + state->entered, left, true);
		state->entered += left;
		return ENGINE_MORE;
	}
	end = state->done + WIDE_STEP;
	while (state->done < state->count && state->done < end)
	{
		int64_t		some = cpu_min(state->count - state->done, RESULTS);

		slide(state, &thread->set, state->ranks, state->sorted, 0,
			  state->count, state->done, some, &thread->results);
		put_results(job, &thread->results, state->done, (int) some);
		state->done += some;
	}
	return state->done < state->count ? ENGINE_MORE : ENGINE_OK;
}

static void
free_threads(CpuPercentile *state)
{
	for (int i = 0; i < state->nthreads; i++)
	{
		WindowThread *thread = &state->threads[i];

		free(thread->span.keys);
		free(thread->set.words);
	}
	free(state->threads);
}

/* Gets a thread's memory for a set of ranks, and unless it is wide a span. */
static bool
allocate_thread(const CpuPercentile *state, WindowThread *thread)
{
	int64_t		room = (int64_t) 1 << state->bits;
	bool		wide = state->positions != NULL;
	int64_t		ranks = wide ? state->count : room;
	int64_t		words = (ranks >> WORD_BITS) + 1;
	int64_t		blocks = wide ? (ranks >> BLOCK_BITS) + 1 : 0;
	int64_t		supers = wide ? (ranks >> SUPER_BITS) + 1 : 0;
	size_t		size = SPAN_ARRAYS * room * sizeof(int64_t);
	CpuSpan    *span = &thread->span;

	/* Keys move all over a large span: all of it is in huge pages. */
	if (size > CPU_HUGE_PAGE)
		size = (size + CPU_HUGE_PAGE - 1) / CPU_HUGE_PAGE * CPU_HUGE_PAGE;
	thread->set.words = calloc(1, words * sizeof(uint64_t) +
							   (blocks + supers) * sizeof(int32_t));
	if (thread->set.words == NULL)
		return false;
	thread->set.blocks = (int32_t *) (thread->set.words + words);
	thread->set.supers = thread->set.blocks + blocks;
	if (wide)
		return true;
	span->bits = state->bits;
	span->keys = cpu_memory(size);
	span->sorted = span->keys + room;
	for (int i = 0; i < SPAN_SPARE; i++)
		span->spare[i] = span->sorted + (i + 1) * room;
	span->ranks = (uint32_t *) (span->spare[SPAN_SPARE - 1] + room);
	return span->keys != NULL;
}

/* Gets memory for the threads, and for the order of the array. */
static bool
allocate(CpuJob *job, CpuPercentile *state)
{
	int			threads = state->positions != NULL ? 1 : job->request->threads;

	threads = cpu_min(threads, job->phases.nchunks);
	state->threads = calloc(threads, sizeof(WindowThread));
	if (state->threads == NULL)
		return false;
	for (; state->nthreads < threads; state->nthreads++)
	{
		/* What there is of a thread that fails is freed, too. */
		if (!allocate_thread(state, &state->threads[state->nthreads]))
		{
			state->nthreads++;
			return false;
		}
	}
	if (state->positions == NULL)
		return true;
	state->sorted = cpu_memory(state->count * sizeof(int64_t));
	state->ranks = cpu_memory(state->count * sizeof(uint32_t));
	return state->sorted != NULL && state->ranks != NULL;
}

/* The bits of a span: enough for some frames, but not for far more elements. */
static int
span_bits(const CpuPercentile *state)
{
	int64_t		most = state->count + state->width;
	int			bits = SPAN_LEAST_BITS;

	while (bits < SPAN_MOST_BITS && (int64_t) 1 << bits < most &&
		   (int64_t) 1 << bits < SPAN_FRAMES * state->width)
		bits++;
	if (state->width <= FRAME_ROWS)
		bits = NETWORK_BITS;
	return bits;
}

/* The task of a piece, which is in its place. */
static void
gather_piece(CpuJob *job, CpuPiece *piece)
{
}

/* Starts to make results, once the array is gathered. */
static EngineStatus
start_percentiles(CpuJob *job)
{
	CpuPercentile *state = job->state;

	state->elements = job->gathered[0].elements;
	if (state->positions == NULL)
		return cpu_phase_start(job, make_span, NULL);
	find_zeros(state);
	return cpu_phase_start(job, put_ranks, slide_some);
}

static bool
percentile_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	CpuPercentile *state = calloc(1, sizeof(CpuPercentile));
	int64_t		chunk = CPU_PIECE;

	if (state == NULL)
		return false;
	state->parameters = *PARAMETERS(request, WindowPercentileParameters);
	state->kind = request->kinds[0];
	state->size = kind_size(state->kind);
	state->count = request->count;
	state->width = window_percentile_width(request);
	state->bits = span_bits(state);
	state->counts = state->parameters.counted ? request->table : NULL;
	if (window_percentile_is_wide(request))
		state->positions = (const int32_t *) request->table +
			(state->parameters.counted ? state->count : 0);
	else
		chunk = ((int64_t) 1 << state->bits) - (state->width - 1);
	job->state = state;
	return cpu_phases_begin(job, chunk, NULL, start_percentiles) &&
		cpu_gather_begin(job) && allocate(job, state);
}

static EngineStatus
percentile_finish(CpuJob *job, EngineResult *result)
{
	result->count = job->request->count;
	return cpu_phases_step(job);
}

static void
percentile_end(CpuJob *job)
{
	CpuPercentile *state = job->state;

	cpu_phases_end(job);
	cpu_gather_end(job);
	free_threads(state);
	free(state->sorted);
	free(state->ranks);
}

const CpuOperation cpu_window_percentile = {
	.begin = percentile_begin,
	.buffer = cpu_gather_buffer,
	.push = cpu_pieces_push,
	.finish = percentile_finish,
	.end = percentile_end,
	.piece = gather_piece,
	.piece_pushed = cpu_gather_pushed
};
