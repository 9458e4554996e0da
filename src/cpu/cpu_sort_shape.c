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

static inline int
batch_count(int64_t left)
{
	return left < SORT_BATCH ? (int) left : SORT_BATCH;
}

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

#define SORT_KEY			uint8_t
#define SORT_NAME(name)		name##_1
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint16_t
#define SORT_NAME(name)		name##_2
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint32_t
#define SORT_NAME(name)		name##_4
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint64_t
#define SORT_NAME(name)		name##_8
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint8_t
#define SORT_PAYLOAD		int32_t
#define SORT_NAME(name)		name##_1_4
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint16_t
#define SORT_PAYLOAD		int32_t
#define SORT_NAME(name)		name##_2_4
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint32_t
#define SORT_PAYLOAD		int32_t
#define SORT_NAME(name)		name##_4_4
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint64_t
#define SORT_PAYLOAD		int32_t
#define SORT_NAME(name)		name##_8_4
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint8_t
#define SORT_PAYLOAD		int64_t
#define SORT_NAME(name)		name##_1_8
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint16_t
#define SORT_PAYLOAD		int64_t
#define SORT_NAME(name)		name##_2_8
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint32_t
#define SORT_PAYLOAD		int64_t
#define SORT_NAME(name)		name##_4_8
#include "cpu/cpu_sort_shape_template.h"

#define SORT_KEY			uint64_t
#define SORT_PAYLOAD		int64_t
#define SORT_NAME(name)		name##_8_8
#include "cpu/cpu_sort_shape_template.h"

const SortShape *
cpu_sort_shape(int key_size, int payload_size)
{
	static const SortShape *const shapes[][sizeof(int64_t) + 1] = {
		[1] = {[0] = &shape_1,[4] = &shape_1_4,[8] = &shape_1_8},
		[2] = {[0] = &shape_2,[4] = &shape_2_4,[8] = &shape_2_8},
		[4] = {[0] = &shape_4,[4] = &shape_4_4,[8] = &shape_4_8},
		[8] = {[0] = &shape_8,[4] = &shape_8_4,[8] = &shape_8_8}
	};

	return shapes[key_size][payload_size];
}
