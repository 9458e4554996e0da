/*
 * sample.h
 *	  What a sample of an array says of all of it.
 */
#ifndef GPUCOMPACT_SAMPLE_H
#define GPUCOMPACT_SAMPLE_H

#include "array/array_reader.h"
#include "contract/engine.h"

extern InputSample sample_input(const EngineRequest *request,
								ArrayReader *reader);

#endif							/* GPUCOMPACT_SAMPLE_H */
