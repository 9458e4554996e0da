/*
 * cuda_library.h
 *	  The CUDA engine, in a library of its own.
 */
#ifndef GPUCOMPACT_CUDA_LIBRARY_H
#define GPUCOMPACT_CUDA_LIBRARY_H

#include "engine.h"

extern const Engine *cuda_engine(const char **why_not);

#endif							/* GPUCOMPACT_CUDA_LIBRARY_H */
