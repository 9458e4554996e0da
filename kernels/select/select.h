/*
 * select.h
 *	  The ways to select elements.
 */
#ifndef GPUCOMPACT_KERNELS_SELECT_H
#define GPUCOMPACT_KERNELS_SELECT_H

#include "kernels/sort/sort.h"

/* Whether a block for each rank is the fastest to search all elements. */
static inline bool
select_fits_block(const EngineRequest *request)
{
	return request->count <= SELECT_ALONE_ITEMS;
}

/* select_grid.cu: returns whether one launch selects the elements. */
extern bool select_fits_grid(const EngineRequest *request);
extern size_t select_grid_scratch_bytes(const EngineRequest *request);
extern cudaError_t select_in_grid(const DeviceWork *work);

#endif							/* GPUCOMPACT_KERNELS_SELECT_H */
