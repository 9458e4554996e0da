/*
 * compat.h
 *	  What differs between PostgreSQL versions, 15 and later.
 */
#ifndef GPUCOMPACT_COMPAT_H
#define GPUCOMPACT_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000
#error "gpucompact needs PostgreSQL 15 or later"
#endif

/* What is stored has the bytes of numbers as they are in memory. */
#ifdef WORDS_BIGENDIAN
#error "gpucompact needs a little-endian processor"
#endif

/* 16 moved the varlena macros out of postgres.h. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 16 renamed what says where a relation's files are. */
#if PG_VERSION_NUM < 160000
#define rd_locator rd_node
#endif

/* A buffer's state has 32 bits, and in newer versions 64. */
#define buffer_state(descriptor) \
	_Generic((descriptor)->state, \
			 pg_atomic_uint32: pg_atomic_read_u32, \
			 pg_atomic_uint64: pg_atomic_read_u64)(&(descriptor)->state)

/* Earlier releases have this by a longer name alone. */
#ifndef pg_always_inline
#define pg_always_inline pg_attribute_always_inline
#endif

/* Before 18, what says that a function does not return stands after it. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn __attribute__((noreturn))
#endif

/* From 18 on, a module can state its name and version. */
#if PG_VERSION_NUM >= 180000
#define GPUCOMPACT_MODULE_MAGIC \
	PG_MODULE_MAGIC_EXT(.name = "gpucompact", .version = "1.3.0")
#else
#define GPUCOMPACT_MODULE_MAGIC PG_MODULE_MAGIC
#endif

#endif							/* GPUCOMPACT_COMPAT_H */
