/*
 * rows.h
 *	  Arrays of one length, folded position by position.
 */
#ifndef GPUCOMPACT_LOOPS_ROWS_H
#define GPUCOMPACT_LOOPS_ROWS_H

#include "contract/kinds.h"
#include "contract/operations/stats.h"
#include "contract/wide_sum.h"

typedef enum RowsOperator
{
	ROWS_SUM,
	ROWS_MIN,
	ROWS_MAX,
	ROWS_AVG,					/* the sums; rows.c of src/sql divides */
	ROWS_STDDEV,				/* the moments; rows.c computes the
								 * deviation */
	ROWS_COUNT					/* nothing but the counts of rows.c */
} RowsOperator;

#define ROWS_OPERATORS		(ROWS_COUNT + 1)

/* A WideSum in memory that is aligned to 8 bytes. */
typedef struct RowsWideSum
{
	uint64_t	low;
	int64_t		high;
} RowsWideSum;

static inline WideSum
rows_wide_sum(const RowsWideSum *sum)
{
	return (WideSum) ((unsigned __int128) sum->high << 64 | sum->low);
}

/* The moments of up to 2^33 integers.  Those of floats are Moments. */
typedef struct RowsIntegerMoments
{
	WideInteger sum;
	WideInteger squares;
} RowsIntegerMoments;

/*
 * Folds "count" elements into "count" results, one into each.  Returns whether a
 * sum is out of range; then the results are undefined.
 */
typedef bool (*RowsFold) (void *results, const void *elements, int64_t count);

/* How elements of a kind are folded by an operator. */
typedef struct RowsFolds
{
	ElementKind kind;			/* of the results */
	int			size;			/* of one of the structs above, which the
								 * results are instead; or 0 */
	RowsFold	add;			/* the elements of an array */
	RowsFold	merge;			/* other results */
} RowsFolds;

/* Without functions where the operator does not take elements of the kind. */
extern const RowsFolds cpu_rows_folds[ROWS_OPERATORS][ELEMENT_KINDS];

#endif							/* GPUCOMPACT_LOOPS_ROWS_H */
