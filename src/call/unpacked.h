/*
 * unpacked.h
 *	  The elements of a packed array, in an array.
 */
#ifndef GPUCOMPACT_UNPACKED_H
#define GPUCOMPACT_UNPACKED_H

#include "array/absent.h"
#include "array/array_reader.h"

extern void call_unpack(ArrayReader *reader, void *values);
extern bool call_leave_packed(const ArrayReader *reader);
extern bool unpacked_fetch(AbsentArray *absent);

#endif							/* GPUCOMPACT_UNPACKED_H */
