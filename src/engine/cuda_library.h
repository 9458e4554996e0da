/*
 * cuda_library.h
 *	  The CUDA engine, in a library of its own.
 */
#ifndef GPUCOMPACT_CUDA_LIBRARY_H
#define GPUCOMPACT_CUDA_LIBRARY_H

#include "engine/engine.h"

extern bool cuda_library_installed(void);
extern const Engine *cuda_library_open(const char **why_not);

#endif							/* GPUCOMPACT_CUDA_LIBRARY_H */
