/*
 * sort_reference.h
 *	  A reference implementation of sorts: qsort, with C's comparison.
 */
#ifndef GPUCOMPACT_SORT_REFERENCE_H
#define GPUCOMPACT_SORT_REFERENCE_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contract/engine.h"
#include "engines.h"

/* A key and its position. */
typedef struct Key
{
	int64_t		integer;		/* the value of an integer */
	double		real;			/* or of a float */
	uint64_t	bits;
	int32_t		position;		/* from 1 on */
} Key;

static Key
key_of(ElementKind kind, const void *in, int64_t i)
{
	TestValue	value = test_value(kind, in, i);
	int			size = kind_size(kind);
	Key			key = {value.integer, value.real, 0, (int32_t) (i + 1)};

	/* on a little-endian machine */
	memcpy(&key.bits, (const char *) in + i * size, size);
	return key;
}

/* As PostgreSQL compares: NaNs are equal, and greater than all else. */
static int
compare(const Key *x, const Key *y)
{
	if (x->integer != y->integer)
		return x->integer < y->integer ? -1 : 1;
	if (isnan(x->real) || isnan(y->real))
		return !!isnan(x->real) - !!isnan(y->real);
	return (x->real > y->real) - (x->real < y->real);
}

static int
or_by_position(int order, const Key *x, const Key *y)
{
	return order != 0 ? order : x->position - y->position;
}

static int
compare_stably_up(const void *a, const void *b)
{
	return or_by_position(compare(a, b), a, b);
}

static int
compare_stably_down(const void *a, const void *b)
{
	return or_by_position(compare(b, a), a, b);
}

/* -0 before 0; NaNs with the sign bit last, in descending order of bits. */
static int
compare_bits(const void *a, const void *b)
{
	const Key  *x = a;
	const Key  *y = b;
	int			order = compare(x, y);
	bool		minus = signbit(x->real);

	if (order != 0 || x->bits == y->bits)
		return order;
	if (minus != !!signbit(y->real))
		return minus == !!isnan(x->real) ? 1 : -1;
	return (x->bits < y->bits) == minus ? 1 : -1;
}

static Key *
sorted_keys(const Key *keys, int64_t count,
			int (*compare_keys) (const void *, const void *))
{
	Key		   *sorted = malloc(count * sizeof(Key));

	memcpy(sorted, keys, count * sizeof(Key));
	qsort(sorted, count, sizeof(Key), compare_keys);
	return sorted;
}

#endif							/* GPUCOMPACT_SORT_REFERENCE_H */
