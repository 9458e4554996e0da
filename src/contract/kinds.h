/*
 * kinds.h
 *	  The kinds of elements of the engines.
 */
#ifndef GPUCOMPACT_KINDS_H
#define GPUCOMPACT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Inlined in the host's code, and in kernels. */
#ifdef __CUDACC__
#define ENGINES_INLINE __host__ __device__ static inline
#else
#define ENGINES_INLINE static inline
#endif

typedef enum ElementKind
{
	KIND_UINT1,
	KIND_INT2,
	KIND_INT4,
	KIND_UINT4,
	KIND_INT8,
	KIND_FLOAT4,
	KIND_FLOAT8
} ElementKind;

#define ELEMENT_KINDS		(KIND_FLOAT8 + 1)

/* EACH(NAME, type) of each kind, KIND_NAME. */
#define FOR_EACH_KIND(EACH) \
	EACH(UINT1, uint8_t) \
	EACH(INT2, int16_t) \
	EACH(INT4, int32_t) \
	EACH(UINT4, uint32_t) \
	EACH(INT8, int64_t) \
	EACH(FLOAT4, float) \
	EACH(FLOAT8, double)

/* Bytes of an element. */
static inline int
kind_size(ElementKind kind)
{
	return kind == KIND_UINT1 ? 1 : kind == KIND_INT2 ? 2 :
		kind == KIND_INT8 || kind == KIND_FLOAT8 ? 8 : 4;
}

/*
 * Calls an inlined function whose last argument is the size of an element: with
 * a constant, so that the loops in it are made for each size.
 */
#define CALL_WITH_SIZE(size, function, ...) \
	do { \
		switch (size) \
		{ \
			case 1: function(__VA_ARGS__, 1); break; \
			case 2: function(__VA_ARGS__, 2); break; \
			case 4: function(__VA_ARGS__, 4); break; \
			case 8: function(__VA_ARGS__, 8); break; \
		} \
	} while (0)

static inline bool
kind_is_float(ElementKind kind)
{
	return kind == KIND_FLOAT4 || kind == KIND_FLOAT8;
}

/*
 * Returns the order of the least element.  The order of an integer is its
 * bits, as an unsigned integer; order.h has the order of a float.
 */
static inline uint64_t
kind_least(ElementKind kind)
{
	return kind == KIND_INT2 ? 0x8000 : kind == KIND_INT4 ? 0x80000000 :
		kind == KIND_INT8 ? 0x8000000000000000 : 0;
}

/* How a result is out of the range of its kind. */
typedef enum EngineOverflow
{
	OVERFLOW_NONE,
	OVERFLOW_UP,				/* too large, or too far below zero */
	OVERFLOW_DOWN				/* a product of nonzero floats is zero */
} EngineOverflow;

#define OVERFLOWS			(OVERFLOW_DOWN + 1)

#endif							/* GPUCOMPACT_KINDS_H */
