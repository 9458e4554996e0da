/*
 * cpu_select.h
 *	  What the parts of a selection share.
 *
 * A key is an element as an unsigned integer in the order of elements, in which
 * no two that differ in a bit are the same (order.h).
 */
#ifndef GPUCOMPACT_CPU_SELECT_H
#define GPUCOMPACT_CPU_SELECT_H

#include "contract/operations/select.h"
#include "cpu/cpu_engine.h"

/* Bins that are counted at once: two tables of counts fit into the L1 cache. */
#define SELECT_BINS			2048

/* These, and the two bins for elements outside of a range. */
#define SELECT_ALL_BINS		(SELECT_BINS + 2)

/* Elements whose bins are found at once. */
#define SELECT_BLOCK		256

/* Elements that are tested together for keys in a range. */
#define SELECT_GROUP		64

/* Keys from "low" to "high". */
typedef struct SelectRange
{
	uint64_t	low;
	uint64_t	high;
	int64_t		below;			/* elements of the array with lesser keys */
	int64_t		count;			/* elements with its keys */
	int			first_bin;		/* of the bins into which it is cut */
	int			nbins;
	int			shift;			/* a bin has 2^shift keys; 64 if it has all */
} SelectRange;

/* The counts of one thread: a bin's count is the sum of two counts. */
typedef struct SelectTable
{
	bool		taken;
	uint32_t	counts[2][SELECT_ALL_BINS];
} SelectTable;

typedef struct CpuSelect CpuSelect;

/* Finds the bins of a few elements. */
typedef void (*FindBins) (const CpuSelect *select, const void *data, int count,
						  uint16_t *bins);

/* Copies the elements to keep out of a few, and returns how many. */
typedef int (*KeepElements) (const CpuSelect *select, const void *data,
							 int count, void *kept);

/* The functions for a kind of elements; see the template. */
typedef struct SelectKind
{
	uint64_t	(*key) (const CpuSelect *select, const void *element);
	FindBins	bins_of_range;
	FindBins	bins_of_ranges;
	void		(*count) (const CpuSelect *select, const void *data,
						  int64_t count, SelectTable *table);
	KeepElements keep;
	KeepElements keep_range;
	void		(*few) (const void *data, int count, uint64_t flip, int rank,
						uint64_t found[2]);
} SelectKind;

struct CpuSelect
{
	const SelectKind *kind;
	uint64_t	flip;
	uint64_t	last_key;		/* the greatest that a kind can have */
	bool		found[SELECT_MAX_RANKS];	/* by rank: its element is known */
	int			rounds;			/* counts that have been made */

	/* The elements that are left: those of the job's phases. */
	const char **chunks;
	char	   *memory;			/* where they are, if it is to be freed */
	bool		gapless;		/* their ranks have no gaps, from first_rank */
	int64_t		first_rank;

	/* The ranges at work, in order, and their bins. */
	SelectRange ranges[SELECT_MAX_RANKS];
	int			nranges;
	int			middle;			/* the range with the bins, if the others lie
								 * outside; or -1 */
	FindBins	find_bins;
	int			nbins;
	bool		by_value;		/* floats are in bins of equal width */
	ElementKind float_kind;		/* then, theirs; */
	double		low;			/* the first value in bin 0, which is for all
								 * before the next bin; */
	double		scale;			/* and bins for a difference of 1 */
	uint8_t		keep[SELECT_ALL_BINS];	/* a bin is among the next ranges */

	/* The next ranges: the bins that have answers. */
	SelectRange next[SELECT_MAX_RANKS];
	int			nnext;
	int64_t		next_count;		/* elements in them */

	char	   *kept;			/* room for the elements in the next ranges */
	int64_t		nkept;

	int			ntables;		/* one for each thread that may be at work */
	SelectTable tables[];
};

static inline int
element_size(const CpuJob *job)
{
	return input_size(job->request, 0);
}

static inline const int64_t *
ranks_of(const CpuJob *job)
{
	return job->request->table;
}

static inline int
count_ranks(const CpuJob *job)
{
	return (int) most_results(job->request);
}

static inline void *
result_of(const CpuJob *job, int rank)
{
	return (char *) job->request->outputs[0].memory + rank * element_size(job);
}

/* cpu_select_bins.c */
extern const SelectKind *cpu_select_kind(ElementKind kind);
extern void cpu_select_restore(const CpuJob *job, uint64_t key, void *element);
extern void cpu_select_lay_bins(CpuJob *job, int64_t known);
extern SelectRange cpu_select_range_of_bin(const CpuJob *job,
										   const SelectRange *range, int bin);

#endif							/* GPUCOMPACT_CPU_SELECT_H */
