/*
 * select.h
 *	  The ways to select elements.
 */
#ifndef GPUCOMPACT_KERNELS_SELECT_H
#define GPUCOMPACT_KERNELS_SELECT_H

#include "kernels/sort/sort.h"

/*
 * select_grid.cu: return whether one launch selects the elements, and whether
 * it reads them once.  Ask the second only if the first is true.
 */
extern bool select_fits_grid(const EngineRequest *request);
extern bool select_fits_block(const EngineRequest *request);
extern size_t select_grid_scratch_bytes(const EngineRequest *request);
extern cudaError_t select_in_grid(const DeviceWork *work);

/* select_rounds.cu: selects elements of any number of ranks. */
extern size_t select_rounds_scratch_bytes(const EngineRequest *request);
extern cudaError_t select_by_rounds(const DeviceWork *work);

#endif							/* GPUCOMPACT_KERNELS_SELECT_H */
