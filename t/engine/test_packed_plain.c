/*
 * test_packed_plain.c
 *	  The codec of packed arrays for any processor.
 */
#define VERSION_NAME	packed_plain
#define VERSION_TARGET
#include "packed_versions.h"
