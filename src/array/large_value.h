/*
 * large_value.h
 *	  Allocation and movement of large values.
 */
#ifndef GPUCOMPACT_LARGE_VALUE_H
#define GPUCOMPACT_LARGE_VALUE_H

#include "compat.h"

/* Bytes that are moved, or compared, between two checks for interrupts. */
#define BYTES_STEP		((Size) 16 * 1024 * 1024)

extern void *large_value_allocate(Size size);
extern void *large_value_cut(void *value, Size from, Size to);
extern void move_bytes(void *to, const void *from, Size bytes);
extern void set_bytes(void *to, int value, Size bytes);

#endif							/* GPUCOMPACT_LARGE_VALUE_H */
