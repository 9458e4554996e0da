/*
 * test_packed_avx2.c
 *	  The codec of packed arrays for processors with AVX2; elsewhere, for any.
 */
#define VERSION_NAME	packed_avx2
#ifdef __x86_64__
#define VERSION_TARGET	__attribute__((target("avx2")))
#else
#define VERSION_TARGET
#endif
#include "packed_versions.h"
