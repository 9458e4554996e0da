/*
 * lab.cu
 *	  The algorithms of the laboratory, a row each.
 */
#include <cstring>

#include "lab.h"

/*
 * To add a scan is to add a row: compaction and split sort are made of
 * whatever scan the row has.
 */
const LabAlgorithm lab_algorithms[] = {
	{
		"naive",
		naive_scan_scratch, naive_scan<int, long long>,
		naive_scan<unsigned, unsigned>,
		flag_scratch, flag_compact,
		split_sort_scratch, split_sort
	},
	{
		"work_efficient",
		work_efficient_scan_scratch, work_efficient_scan<int, long long>,
		work_efficient_scan<unsigned, unsigned>,
		flag_scratch, flag_compact,
		split_sort_scratch, split_sort
	},
	{
		"cub",
		cub_scan_scratch, cub_scan,
		NULL,
		cub_compact_scratch, cub_compact,
		cub_sort_scratch, cub_sort
	},
	{NULL}
};

/* The algorithm of that name, or NULL. */
const LabAlgorithm *
lab_find(const char *name)
{
	for (const LabAlgorithm *row = lab_algorithms; row->name != NULL; row++)
	{
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}
