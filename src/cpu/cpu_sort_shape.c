/*
 * cpu_sort_shape.c
 *	  The statistics, histograms and moves of a sort, by the elements' shape.
 */
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "cpu/cpu_engine.h"

/*
 * Elements whose digits are extracted together, in a loop that the compiler
 * vectorizes: the digits stay in the first-level cache.
 */
#define SORT_BATCH			128

/*
 * Keys that are looked at together for whether any two have a group in common,
 * and the number from which a group is not sorted by insertion.
 */
#define GROUP_BATCH			16
#define GROUP_SMALL			32

/*
 * The most bits of a digit within a group; and by how many bits more than
 * would number its keys a group is sorted, so that most keys differ.
 */
#define GROUP_DIGIT_BITS	12
#define GROUP_SPARE_BITS	8

/*
 * Writes part of a line of elements.  Whole cache lines are written with
 * non-temporal stores where the processor has them, so they are not read
 * first.
 */
static inline void
write_part(void *to, const void *line, int size, int count, int start, int end)
{
#ifdef __SSE2__
	if (end - start == count && count * size % CACHE_LINE == 0)
	{
		for (int i = 0; i < count * size; i += sizeof(__m128i))
			_mm_stream_si128((__m128i *) ((char *) to + i),
							 _mm_load_si128((const __m128i *)
											((const char *) line + i)));
		return;
	}
#endif
	memcpy((char *) to + start * size, (const char *) line + start * size,
		   (end - start) * size);
}

/* Orders non-temporal stores before the task is done. */
static inline void
stream_end(void)
{
#ifdef __SSE2__
	_mm_sfence();
#endif
}

#define SORT_KEY			KIND_BITS

#define SORT_NAME(name)		KIND_NAME(name)
#define KIND_WIDTHS_ONLY
#define KIND_TEMPLATE		"cpu/cpu_sort_shape_template.h"
#include "cpu/cpu_kinds.h"

#undef SORT_NAME
#define SORT_NAME(name)		KIND_NAME(name##_payload4)
#define SORT_PAYLOAD		int32_t
#define KIND_WIDTHS_ONLY
#define KIND_TEMPLATE		"cpu/cpu_sort_shape_template.h"
#include "cpu/cpu_kinds.h"

#undef SORT_NAME
#undef SORT_PAYLOAD
#define SORT_NAME(name)		KIND_NAME(name##_payload8)
#define SORT_PAYLOAD		int64_t
#define KIND_WIDTHS_ONLY
#define KIND_TEMPLATE		"cpu/cpu_sort_shape_template.h"
#include "cpu/cpu_kinds.h"

/* By the size of a payload, for keys of one size. */
#define SHAPES(size) { \
		[0] = &shape_##size, \
		[4] = &shape_payload4_##size, \
		[8] = &shape_payload8_##size \
	}

const SortShape *
cpu_sort_shape(int key_size, int payload_size)
{
	static const SortShape *const shapes[][sizeof(int64_t) + 1] = {
		[1] = SHAPES(1),
		[2] = SHAPES(2),
		[4] = SHAPES(4),
		[8] = SHAPES(8)
	};

	return shapes[key_size][payload_size];
}
