/*
 * select.cu
 *	  Selection: the elements of given ranks.
 *
 * One rank or two take one launch (select_grid.cu); more of them take rounds
 * (select_rounds.cu), unless the array is small: then it is sorted.
 */
#include <climits>

#include "contract/operations/select.h"
#include "kernels/select/select.h"

/* The sort of the elements, without its memory. */
static Sort
sort_of_elements(const EngineRequest *request)
{
	return {.kind = request->kinds[0], .count = request->count};
}

/* Returns whether a sort of the elements takes less time than rounds. */
static bool
is_to_be_sorted(const EngineRequest *request)
{
	return request->count * input_size(request, 0) <= SELECT_MAX_SORT_BYTES;
}

/* Returns whether one kernel reads all elements, once. */
static bool
reads_once(const EngineRequest *request)
{
	Sort		sort = sort_of_elements(request);

	if (select_fits_grid(request))
		return select_fits_block(request);
	return is_to_be_sorted(request) && sort_takes_one_launch(&sort);
}

/* Bytes of the scratch memory of a sort, before the second buffer. */
static size_t
sort_bytes(const EngineRequest *request)
{
	Sort		sort = sort_of_elements(request);

	return aligned(sort_scratch_bytes(&sort));
}

/* Takes the elements of the ranks from the buffer that is sorted. */
template <typename Key>
__global__ void __launch_bounds__(SELECT_MAX_RANKS)
pick_ranks(const Key *first, const Key *other, const int *selector,
		   const long long *wanted, Key *out, int ranks, long long *results)
{
	let_next_start();
	wait_for_preceding();
	if (threadIdx.x < ranks)
		out[threadIdx.x] = (*selector ? other : first)[wanted[threadIdx.x]];
	if (threadIdx.x == 0)
		*results = ranks;
}

template <typename Key>
static cudaError_t
sort_and_pick(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		sort = sort_of_elements(request);

	sort.keys[0] = work->in[0];
	sort.keys[1] = (char *) work->scratch + sort_bytes(request);
	sort.scratch = work->scratch;
	TRY(sort_array(work->stream, &sort));
	return launch_dependent(work->stream, pick_ranks<Key>, 1,
							SELECT_MAX_RANKS, 0, (const Key *) sort.keys[0],
							(const Key *) sort.keys[1], sort_selector(&sort),
							(const long long *) work->table,
							(Key *) work->out[0], (int) most_results(request),
							work->results);
}

static bool
select_supports(const EngineRequest *request)
{
	return most_results(request) <= SELECT_MAX_RANKS &&
		request->count <= UINT_MAX;
}

static cudaError_t
select_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	if (select_fits_grid(request))
		sizes->scratch = select_grid_scratch_bytes(request);
	else if (is_to_be_sorted(request))
		sizes->scratch = sort_bytes(request) + sizes->in[0];
	else
		sizes->scratch = select_rounds_scratch_bytes(request);
	return cudaSuccess;
}

static cudaError_t
select_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;

	if (select_fits_grid(request))
		return select_in_grid(work);
	if (is_to_be_sorted(request))
		RETURN_BY_SIZE(request->kinds[0], sort_and_pick, work);
	return select_by_rounds(work);
}

static unsigned
select_traits(const EngineRequest *request)
{
	return (reads_once(request) ? TRAIT_DIRECT | TRAIT_ALONE : 0) |
		(select_fits_grid(request) ? 0 : TRAIT_CHANGES);
}

const DeviceOperation cuda_select = {
	.supports = select_supports,
	.sizes = select_sizes,
	.traits_of = select_traits,
	.run = select_run
};
