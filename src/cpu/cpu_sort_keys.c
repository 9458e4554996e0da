/*
 * cpu_sort_keys.c
 *	  The order of keys, and their distinct values, by their kind.
 */
#include "cpu/cpu_engine.h"

#define KIND_TEMPLATE		"cpu/cpu_sort_keys_template.h"
#include "cpu/cpu_kinds.h"

const SortKeys cpu_sort_keys[ELEMENT_KINDS] = {
	[KIND_UINT1] = {.distinct = distinct_1},
	[KIND_INT2] = {.flip = 0x8000, .distinct = distinct_2},
	[KIND_INT4] = {.flip = 0x80000000, .distinct = distinct_4},
	[KIND_UINT4] = {.distinct = distinct_4},
	[KIND_INT8] = {.flip = 0x8000000000000000, .distinct = distinct_8},
	[KIND_FLOAT4] = {
		.order = order_float4,
		.order_canonical = order_canonical_float4,
		.restore = restore_float4,
		.distinct = distinct_float4
	},
	[KIND_FLOAT8] = {
		.order = order_float8,
		.order_canonical = order_canonical_float8,
		.restore = restore_float8,
		.distinct = distinct_float8
	}
};
