/*
 * cpu_sort_small.c
 *	  Rank sort, for few keys.
 */
#include "cpu_engine.h"

/*
 * Keys whose ranks are counted together; more would not fit into registers.
 * Eight narrow keys take longer than four twice, up to 150 keys.
 */
#define RANK_BATCH			(sizeof(SORT_KEY) < sizeof(int64_t) ? 4 : 8)

#define SORT_KEY			uint8_t
#define SORT_SIGNED			int8_t
#define SORT_NAME(name)		name##_1
#include "cpu_sort_small_template.h"

#define SORT_KEY			uint16_t
#define SORT_SIGNED			int16_t
#define SORT_NAME(name)		name##_2
#include "cpu_sort_small_template.h"

#define SORT_KEY			uint32_t
#define SORT_SIGNED			int32_t
#define SORT_NAME(name)		name##_4
#include "cpu_sort_small_template.h"

#define SORT_KEY			uint64_t
#define SORT_SIGNED			int64_t
#define SORT_NAME(name)		name##_8
#include "cpu_sort_small_template.h"

typedef struct SmallSort
{
	/* Computes the place of each key among the sorted ones. */
	void		(*rank) (const void *keys, int count, uint64_t flip,
						 uint8_t *places);

	/* Scatters elements to their places. */
	void		(*scatter) (void *result, const void *data, int count,
							const uint8_t *places);
} SmallSort;

/* By the size of an element. */
static const SmallSort small_sorts[] = {
	[1] = {rank_1, scatter_1},
	[2] = {rank_2, scatter_2},
	[4] = {rank_4, scatter_4},
	[8] = {rank_8, scatter_8}
};

/* Sorts all of a request's elements, at most SORT_SMALL. */
void
cpu_sort_small(const EngineRequest *request, uint64_t flip,
			   const void *const data[ENGINE_INPUTS])
{
	const SortKeys *keys = &cpu_sort_keys[request->kinds[0]];
	int			key_size = kind_size(request->kinds[0]);
	int			count = request->count;
	void	   *result = request->outputs[0].memory;
	const void *ordered = data[0];
	uint64_t	orders[SORT_SMALL];
	uint8_t		places[SORT_SMALL];

	if (keys->order != NULL)
	{
		if (payload_size(request) == 0)
			keys->order(orders, data[0], count);
		else
			keys->order_canonical(orders, data[0], count);
		ordered = orders;
	}
	small_sorts[key_size].rank(ordered, count, flip, places);

	if (payload_size(request) > 0 && request->inputs == 1)
	{
		for (int i = 0; i < count; i++)
			((int32_t *) result)[places[i]] = i + 1;
	}
	else
		small_sorts[output_size(request, 0)].scatter(result,
													 data[request->inputs - 1],
													 count, places);
}
