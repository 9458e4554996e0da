/*
 * select.cu
 *	  Selection: the elements of given ranks.
 *
 * One rank or two take one launch (select_grid.cu); more of them take rounds,
 * unless the array is small (select_rounds.cu).
 */
#include <climits>

#include "contract/operations/select.h"
#include "kernels/select/select.h"

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
	else if (!select_fits_block(request))
		sizes->scratch = select_rounds_scratch_bytes(request);
	return cudaSuccess;
}

static cudaError_t
select_run(const DeviceWork *work)
{
	return select_fits_grid(work->request) ? select_in_grid(work) :
		select_by_rounds(work);
}

/* A block alone reads all elements once, and there may be one for each rank. */
static unsigned
select_traits(const EngineRequest *request)
{
	bool		in_grid = select_fits_grid(request);
	int64_t		reads = request->count * (in_grid ? 1 : most_results(request));

	if (!select_fits_block(request))
		return in_grid ? 0 : TRAIT_CHANGES;
	return TRAIT_ALONE | (reads <= SELECT_ALONE_ITEMS ? TRAIT_DIRECT : 0);
}

const DeviceOperation cuda_select = {
	.supports = select_supports,
	.sizes = select_sizes,
	.traits_of = select_traits,
	.run = select_run
};
