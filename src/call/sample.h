/*
 * sample.h
 *	  What a sample says about the whole array.
 */
#ifndef GPUCOMPACT_SAMPLE_H
#define GPUCOMPACT_SAMPLE_H

#include "array/array_reader.h"
#include "contract/engine.h"

extern InputSample sample_input(const EngineRequest *request,
								ArrayReader *reader);

#endif							/* GPUCOMPACT_SAMPLE_H */
