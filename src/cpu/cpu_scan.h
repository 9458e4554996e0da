/*
 * cpu_scan.h
 *	  What scans and sums of products share.
 */
#ifndef GPUCOMPACT_CPU_SCAN_H
#define GPUCOMPACT_CPU_SCAN_H

#include "contract/float_order.h"
#include "contract/operations/scan.h"
#include "contract/order.h"
#include "cpu/cpu_engine.h"

#define SCAN_INLINE		static inline __attribute__((always_inline))

/* What the templates are included for: a type. */
#define SCAN(name)		TYPE_NAME(name)
#define SCAN_ELEMENT	TYPE_ELEMENT

/* Tiles of floats in a piece. */
#define SCAN_TILES		(CPU_PIECE / FLOAT_TILE)

/*
 * Segments of floats whose scans are interleaved: enough independent
 * additions to hide the latency of one.
 */
#define SCAN_INTERLEAVE	8

#endif							/* GPUCOMPACT_CPU_SCAN_H */
