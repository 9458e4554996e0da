/*
 * textbook.c
 *	  Algorithms of the textbooks on the CPU, which only the benchmark runs.
 *
 * They check for interrupts after each million elements.
 */
#include "sql/textbook.h"

#include "miscadmin.h"

#include "array/large_value.h"

#define ELEMENTS_STEP	(1024 * 1024)

#define ST_SORT			sort_elements
#define ST_ELEMENT_TYPE	int32
#define ST_COMPARE(a, b) ((*(a) > *(b)) - (*(a) < *(b)))
#define ST_CHECK_FOR_INTERRUPTS
#define ST_SCOPE		static
#define ST_DEFINE
#include "lib/sort_template.h"

/*
 * The elements that are not zero, by map, scan and scatter, as GPUs compact
 * (Harris, Sengupta and Owens, "Parallel prefix sum (scan) with CUDA", 2007).
 * The flags, and then their sums, are in the unused half of the result's
 * memory.
 */
int64
textbook_compact(const int32 *elements, int64 count, int32 *result)
{
	int32	   *sums = result + count;
	int32		sum = 0;

	for (int64 i = 0; i < count; i++)	/* map */
	{
		if (i % ELEMENTS_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		sums[i] = elements[i] != 0;
	}
	for (int64 i = 0; i < count; i++)	/* scan, exclusive */
	{
		int32		flag = sums[i];

		if (i % ELEMENTS_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		sums[i] = sum;
		sum += flag;
	}
	for (int64 i = 0; i < count; i++)	/* scatter */
	{
		if (i % ELEMENTS_STEP == 0)
			CHECK_FOR_INTERRUPTS();
		if (elements[i] != 0)
			result[sums[i]] = elements[i];
	}
	return sum;
}

/* The elements in ascending order, by core's sort, which compares them. */
int64
textbook_sort(const int32 *elements, int64 count, int32 *result)
{
	move_bytes(result, elements, count * sizeof(int32));
	sort_elements(result, count);
	return count;
}
