/*
 * chain_operation.c
 *	  The operation that a function of a chain has an engine do, for estimates.
 */
#include "compat.h"

#include "sql/chain_operation.h"

/* The start of all functions' names. */
#define PREFIX		"gpu_"

/* Functions whose names do not begin with their operation's. */
static const struct
{
	const char *function;
	EngineOperation operation;
}			others[] = {
	{"gpu_prefix_sum", ENGINE_SCAN},
	{"gpu_date_bin", ENGINE_MAP},
	{"gpu_sum", ENGINE_REDUCE},
	{"gpu_min", ENGINE_REDUCE},
	{"gpu_max", ENGINE_REDUCE},
	{"gpu_avg", ENGINE_STATS},
	{"gpu_positions", ENGINE_COMPACT},
	{"gpu_compact_in", ENGINE_MEMBERS},
	{"gpu_overlaps", ENGINE_MEMBERS},
	{"gpu_contains", ENGINE_MEMBERS},
	{"gpu_radix_sort", ENGINE_SORT},
	{"gpu_argsort", ENGINE_SORT},
	{"gpu_sort_by_key", ENGINE_SORT},
	{"gpu_mode", ENGINE_SORT},
	{"gpu_distinct_counts", ENGINE_SORT},
	{"gpu_percentile_cont", ENGINE_SELECT},
	{"gpu_percentile_disc", ENGINE_SELECT},
	{"gpu_median", ENGINE_SELECT},
	{"gpu_top_k", ENGINE_SELECT},
	{"gpu_union", ENGINE_SET},
	{"gpu_intersect", ENGINE_SET},
	{"gpu_intersect_count", ENGINE_SET},
	{"gpu_except", ENGINE_SET},
	{"gpu_run_lengths", ENGINE_RUNS}
};

/*
 * Returns the operation with the longest of the names that the function's name
 * begins with, or the most important one; or -1 if no engine has a part in the
 * function.
 */
int
chain_operation(const char *function)
{
	size_t		longest = 0;
	int			operation = -1;

	for (int i = 0; i < lengthof(others); i++)
	{
		if (strcmp(function, others[i].function) == 0)
			return others[i].operation;
	}
	if (strncmp(function, PREFIX, strlen(PREFIX)) != 0)
		return -1;
	function += strlen(PREFIX);
	for (int i = 0; i < ENGINE_OPERATIONS; i++)
	{
		const char *name = operation_facts[i].name;
		size_t		length = strlen(name);

		if (length > longest && strncmp(function, name, length) == 0 &&
			(function[length] == '\0' || function[length] == '_'))
		{
			longest = length;
			operation = i;
		}
	}
	return operation;
}
