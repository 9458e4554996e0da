/*
 * gpu_resident.h
 *	  Results that stay on the device for this session's next jobs.
 */
#ifndef GPUCOMPACT_GPU_RESIDENT_H
#define GPUCOMPACT_GPU_RESIDENT_H

#include "gpuclient/gpu_connection.h"

extern uint64_t gpu_resident_take(GpuConnection *connection);
extern void gpu_resident_give_back(GpuConnection *connection, uint64_t number);

#endif							/* GPUCOMPACT_GPU_RESIDENT_H */
