/*
 * packed_series.h
 *	  What is packed by tests: series with the properties that the schemes are
 *	  for, and those that none is for.
 */
#ifndef GPUCOMPACT_TEST_PACKED_SERIES_H
#define GPUCOMPACT_TEST_PACKED_SERIES_H

#include "engines.h"
#include "packed/packed.h"

typedef enum Series
{
	SERIES_DATA,				/* as make_data() has them */
	SERIES_CONSTANT,
	SERIES_GAPS,				/* ascending */
	SERIES_STEPS,				/* multiples of a number */
	SERIES_KINDS,				/* few distinct values */
	SERIES_RUNS,
	SERIES_OUTLIERS,			/* a few that are far away, on both sides */
	SERIES_BITS,				/* random bits, of a few NaNs with payloads */
	SERIES_DECIMALS,			/* quotients by 100 */
	SERIES_PRODUCTS,			/* products by 0.01 */
	SERIES_EIGHTHS,
	SERIES_SPECIALS,			/* decimals, and -0, NaNs and infinities */
	SERIES_SIGNS				/* floats of both signs */
} Series;

#define SERIES		(SERIES_SIGNS + 1)

extern const char *const series_names[SERIES];
extern void make_series(ElementKind kind, Series series, int data,
						void *elements, int64_t count);

/*
 * Packs elements, in memory of exactly the right size, which the caller
 * frees.  "bitmap" may be NULL.
 */
extern uint8_t *pack_all(PackedArray *packed, const void *elements,
						 const uint8_t *bitmap);

/* Changes a few of some bytes, to random or special ones. */
extern void forge_bytes(uint8_t *bytes, int64_t length, int changes);

/* Reports what is wrong with a series. */
extern void expect_packed(bool condition, const PackedArray *packed,
						  Series series, const char *what, int data);

#endif							/* GPUCOMPACT_TEST_PACKED_SERIES_H */
