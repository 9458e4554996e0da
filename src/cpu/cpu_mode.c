/*
 * cpu_mode.c
 *	  The most frequent key of many, without a sort: see cpu_mode.h.
 */
#include <string.h>

#include "cpu_mode.h"
#include "engine/order.h"

/* The hash table of a group: with keys of 8 bytes, 48 kB. */
#define MODE_SLOT_BITS		12
#define MODE_SLOTS			(1 << MODE_SLOT_BITS)

/* More collisions for each key are too many. */
#define MODE_COLLISIONS		4

/* Of groups of more different keys, the table would be too full. */
#define MODE_GROUP			(MODE_SLOTS / 2)

#define MODE_KEY			uint32_t
#define MODE_MULTIPLIER		UINT32_C(0x9E3779B1)
#define MODE_INVERSE		UINT32_C(0x0E8B2F51)
#define MODE_NAME(name)		name##_4
#include "cpu_mode_template.h"

#define MODE_KEY			uint64_t
#define MODE_MULTIPLIER		UINT64_C(0x9E3779B97F4A7C15)
#define MODE_INVERSE		UINT64_C(0xF1DE83E19937733D)
#define MODE_NAME(name)		name##_8
#include "cpu_mode_template.h"

/* Those of a request that wants a mode alone; NULL if a sort is as good. */
const ModeKeys *
cpu_mode_keys(const EngineRequest *request)
{
	if (!request->parameters.sort.longest_run ||
		request->count <= CPU_PIECE)
		return NULL;
	switch (input_size(request, 0))
	{
		case 4:
			return &mode_keys_4;
		case 8:
			return &mode_keys_8;
		default:
			return NULL;
	}
}

int
cpu_mode_passes(int64_t count)
{
	return count / SORT_BINS <= MODE_SPLIT / 2 ? 1 : 2;
}

/* There is -0, or NaN, of which there are many. */
bool
cpu_mode_ambiguous(ElementKind kind, const void *keys, int64_t count)
{
	switch (kind)
	{
		case KIND_FLOAT4:
			return has_any_4(keys, count, float4_order(0x80000000u),
							 float4_order(0x7F800000u));
		case KIND_FLOAT8:
			return has_any_8(keys, count,
							 float8_order(0x8000000000000000ull),
							 float8_order(0x7FF0000000000000ull));
		default:
			return false;
	}
}
