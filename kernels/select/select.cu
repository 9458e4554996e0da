/*
 * select.cu
 *	  Selection: the elements of given ranks.
 *
 * One rank or two take one launch (select_grid.cu); more of them take rounds
 * (select_rounds.cu).  In a small array, each rank takes a thread block.
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

/* In a small array, the block of each rank reads all elements. */
static unsigned
select_traits(const EngineRequest *request)
{
	if (!select_fits_block(request))
		return select_fits_grid(request) ? 0 : TRAIT_CHANGES;
	return TRAIT_ALONE | (request->count * most_results(request) <=
						  SELECT_DIRECT_READS ? TRAIT_DIRECT : 0);
}

const DeviceOperation cuda_select = {
	.supports = select_supports,
	.sizes = select_sizes,
	.traits_of = select_traits,
	.run = select_run
};
