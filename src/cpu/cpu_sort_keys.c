/*
 * cpu_sort_keys.c
 *	  The order of keys, and their distinct values, by their kind.
 */
#include "contract/order.h"
#include "cpu/cpu_engine.h"

#define SORT_KIND			uint1
#define SORT_KEY			uint8_t
#include "cpu/cpu_sort_keys_template.h"

#define SORT_KIND			int2
#define SORT_KEY			uint16_t
#include "cpu/cpu_sort_keys_template.h"

#define SORT_KIND			int4
#define SORT_KEY			uint32_t
#include "cpu/cpu_sort_keys_template.h"

#define SORT_KIND			int8
#define SORT_KEY			uint64_t
#include "cpu/cpu_sort_keys_template.h"

#define SORT_KIND			float4
#define SORT_KEY			uint32_t
#define SORT_FLOAT
#include "cpu/cpu_sort_keys_template.h"

#define SORT_KIND			float8
#define SORT_KEY			uint64_t
#define SORT_FLOAT
#include "cpu/cpu_sort_keys_template.h"

const SortKeys cpu_sort_keys[ELEMENT_KINDS] = {
	[KIND_UINT1] = {.distinct = uint1_distinct},
	[KIND_INT2] = {.flip = 0x8000, .distinct = int2_distinct},
	[KIND_INT4] = {.flip = 0x80000000, .distinct = int4_distinct},
	[KIND_UINT4] = {.distinct = int4_distinct},
	[KIND_INT8] = {.flip = 0x8000000000000000, .distinct = int8_distinct},
	[KIND_FLOAT4] = {
		.order = float4_order_keys,
		.order_canonical = float4_order_canonical,
		.restore = float4_restore,
		.distinct = float4_distinct
	},
	[KIND_FLOAT8] = {
		.order = float8_order_keys,
		.order_canonical = float8_order_canonical,
		.restore = float8_restore,
		.distinct = float8_distinct
	}
};
