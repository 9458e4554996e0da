/*
 * cpu_sort_small.c
 *	  Sorts a few keys, by their ranks.
 */
#include <string.h>

#include "cpu_engine.h"

/* Keys whose ranks are counted at once: more would not stay in registers. */
#define SORT_LINE			8

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
	/* Fills in the place of each key among the sorted ones. */
	void		(*rank) (const void *keys, int count, uint64_t flip,
						 uint8_t *places);

	/* Moves elements to their places. */
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

/* Sorts all of a request's elements, of which there are SORT_SMALL at most. */
void
cpu_sort_small(const EngineRequest *request, uint64_t flip,
			   const void *const data[ENGINE_INPUTS])
{
	const SortKeys *keys = &cpu_sort_keys[request->kind];
	int			key_size = kind_size(request->kind);
	int			count = request->count;
	const void *ordered = data[0];
	uint64_t	orders[SORT_SMALL];
	uint8_t		places[SORT_SMALL];

	if (keys->order != NULL)
	{
		if (request->payload == PAYLOAD_NONE)
			keys->order(orders, data[0], count);
		else
			keys->order_unified(orders, data[0], count);
		ordered = orders;
	}
	small_sorts[key_size].rank(ordered, count, flip, places);

	switch (request->payload)
	{
		case PAYLOAD_NONE:
			small_sorts[key_size].scatter(request->result, data[0], count,
										  places);
			break;
		case PAYLOAD_POSITIONS:
			for (int i = 0; i < count; i++)
				((int32_t *) request->result)[places[i]] = i + 1;
			break;
		case PAYLOAD_INT4:
		case PAYLOAD_INT8:
			small_sorts[payload_size(request->payload)].scatter(
				request->result, data[1], count, places);
			break;
	}
}
