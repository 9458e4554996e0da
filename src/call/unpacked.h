/*
 * unpacked.h
 *	  The elements of a packed array.
 */
#ifndef GPUCOMPACT_UNPACKED_H
#define GPUCOMPACT_UNPACKED_H

#include "array/array_reader.h"

extern void unpack(ArrayReader *reader, void *values);
extern void call_unpack(ArrayReader *reader, void *values);

#endif							/* GPUCOMPACT_UNPACKED_H */
