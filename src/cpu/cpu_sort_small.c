/*
 * cpu_sort_small.c
 *	  Sorts of few keys: by a network, or by ranks.
 */
#include <string.h>

#include "cpu/cpu_network.h"
#include "cpu/cpu_sort_parts.h"

#if SORT_SMALL > NETWORK_MAX
#error "a network must have room for all few keys"
#endif

/*
 * Keys whose ranks are counted together; more would not fit into registers.
 * Eight narrow keys take longer than four twice, up to 150 keys.
 */
#define RANK_BATCH			(sizeof(KIND_BITS) < sizeof(int64_t) ? 4 : 8)

#define KIND_WIDTHS_ONLY
#define KIND_TEMPLATE		"cpu/cpu_sort_small_template.h"
#include "cpu/cpu_kinds.h"

typedef struct SmallSort
{
	/* Sorts keys by a network. */
	void		(*sort) (void *result, const void *keys, int count,
						 uint64_t flip);

	/* Computes the place of each key among the sorted ones. */
	void		(*rank) (const void *keys, int count, uint64_t flip,
						 uint8_t *places);

	/* Scatters elements to their places. */
	void		(*scatter) (void *result, const void *data, int count,
							const uint8_t *places);
} SmallSort;

/* By the size of an element. */
static const SmallSort small_sorts[] = {
	[1] = {sort_1, rank_1, scatter_1},
	[2] = {sort_2, rank_2, scatter_2},
	[4] = {sort_4, rank_4, scatter_4},
	[8] = {sort_8, rank_8, scatter_8}
};

/* Puts the ranks of keys whose places among the sorted ones are known. */
static void
put_ranks(const EngineRequest *request, const void *ordered,
		  const uint8_t *places)
{
	RankMethod	method = PARAMETERS(request, SortParameters)->method;
	int			size = input_size(request, 0);
	int32_t    *ranks = request->outputs[0].memory;
	uint8_t    *heads = request->outputs[0].memory;
	uint8_t		sorted[SORT_SMALL]; /* keys, by their places */
	int			count = request->count;
	int			runs = 0;

	for (int i = 0; i < count; i++)
		sorted[places[i]] = i;
	for (int first = 0, end; first < count; first = end)
	{
		const char *key = (const char *) ordered + sorted[first] * size;

		for (end = first + 1; end < count &&
			 memcmp((const char *) ordered + sorted[end] * size, key,
					size) == 0;)
			end++;
		runs++;
		for (int i = first; i < end; i++)
		{
			if (method == RANK_HEADS)
				heads[sorted[i]] = i == first;
			else
				ranks[sorted[i]] = method == RANK_DENSE ? runs :
					method == RANK_FIRST ? i + 1 :
					cpu_tied_rank(method, first, end);
		}
	}
}

/* Sorts elements of a kind, at most SORT_SMALL. */
void
cpu_sort_few(ElementKind kind, uint64_t flip, const void *data, int count,
			 void *sorted)
{
	const SortKeys *keys = &cpu_sort_keys[kind];
	const SmallSort *small = &small_sorts[kind_size(kind)];
	uint64_t	orders[SORT_SMALL];
	uint8_t		places[SORT_SMALL];

	if (keys->order != NULL)
	{
		keys->order(orders, data, count);
		data = orders;
	}
	if (cpu_network_pays(count, kind_size(kind)))
		small->sort(sorted, data, count, flip);
	else
	{
		small->rank(data, count, flip, places);
		small->scatter(sorted, data, count, places);
	}
	if (keys->restore != NULL)
		keys->restore(sorted, count);
}

/* Sorts all of a request's elements, at most SORT_SMALL. */
void
cpu_sort_small(const EngineRequest *request, uint64_t flip,
			   const void *const data[ENGINE_INPUTS])
{
	ElementKind kind = request->kinds[0];
	const SortKeys *keys = &cpu_sort_keys[kind];
	int			count = request->count;
	void	   *result = request->outputs[0].memory;
	const void *ordered = data[0];
	uint64_t	orders[SORT_SMALL];
	uint8_t		places[SORT_SMALL];

	if (sort_payload_size(request) == 0)
	{
		cpu_sort_few(kind, flip, data[0], count, result);
		return;
	}
	if (keys->order != NULL)
	{
		keys->order_canonical(orders, data[0], count);
		ordered = orders;
	}
	small_sorts[kind_size(kind)].rank(ordered, count, flip, places);
	if (request->operation == ENGINE_RANK)
		put_ranks(request, ordered, places);
	else if (request->inputs == 1)
	{
		for (int i = 0; i < count; i++)
			((int32_t *) result)[places[i]] = i + 1;
	}
	else
		small_sorts[output_size(request, 0)].scatter(result, data[1], count,
													 places);
}
