/*
 * cpu_sort_keys.c
 *	  The order of keys, and their distinct values, by their kind.
 */
#include "contract/order.h"
#include "cpu/cpu_engine.h"

/* Keys that are looked at together. */
#define RUN_BLOCK			64

#define KIND_TEMPLATE		"cpu/cpu_sort_keys_template.h"
#include "cpu/cpu_kinds.h"

/* The functions for runs of equal keys. */
#define RUNS(kind) \
	.distinct = distinct_##kind, .heads = heads_##kind, \
	.longest = longest_##kind

const SortKeys cpu_sort_keys[ELEMENT_KINDS] = {
	[KIND_UINT1] = {RUNS(1)},
	[KIND_INT2] = {.flip = 0x8000, RUNS(2)},
	[KIND_INT4] = {.flip = 0x80000000, RUNS(4)},
	[KIND_UINT4] = {RUNS(4)},
	[KIND_INT8] = {.flip = 0x8000000000000000, RUNS(8)},
	[KIND_FLOAT4] = {
		.zero = INT32_MAX - FLOAT4_NANS,
		.nan = -(2 * FLOAT4_NANS),
		.order = order_float4,
		.order_canonical = order_canonical_float4,
		.restore = restore_float4,
		RUNS(float4)
	},
	[KIND_FLOAT8] = {
		.zero = INT64_MAX - FLOAT8_NANS,
		.nan = -(2 * FLOAT8_NANS),
		.order = order_float8,
		.order_canonical = order_canonical_float8,
		.restore = restore_float8,
		RUNS(float8)
	}
};
