/*
 * cpu_flag.c
 *	  A flag for each element, whether a predicate selects it.
 */
#include "cpu/cpu_compact.h"

#define KIND_TEMPLATE "cpu_flag_template.h"
#include "cpu/cpu_kinds.h"

typedef void (*FlagRange) (const void *data, int64_t count,
						   const EnginePredicate *predicate, uint8_t *flags);

/* The orders of some floats; those after infinity's are NaNs'. */
typedef struct FloatOrders
{
	uint64_t	zero;			/* that of -0 comes before it */
	uint64_t	infinity;
	uint64_t	nan;			/* the canonical NaN */
	uint64_t	last;
} FloatOrders;

/*
 * A predicate for floats as they are, from one for canonicalized floats: its
 * range has -0 if that has 0, and all NaNs if that has the canonical one.  So
 * no float has to be canonicalized.
 */
static EnginePredicate
predicate_for_all(const EnginePredicate *predicate, FloatOrders orders)
{
	uint64_t	low = predicate->low;
	uint64_t	high = low + predicate->span;

	if (predicate->span == orders.last)	/* a range of all */
		return *predicate;
	if (low == orders.zero)
		low--;
	else if (low > orders.infinity)
		low = orders.infinity + 1;
	if (high == orders.zero - 1)
		high--;
	else if (high >= orders.nan)
		high = orders.last;
	else if (high > orders.infinity)
		high = orders.infinity;
	return (EnginePredicate) {
		.low = low, .span = high - low, .outside = predicate->outside
	};
}

void
cpu_flag_selected(ElementKind kind, const void *data, int64_t count,
				  const EnginePredicate *predicate, uint8_t *flags)
{
	static const FlagRange flag[ELEMENT_KINDS] = KIND_TABLE(flag_range);
	const FloatOrders float4 = {
		float4_order(0), float4_order(0x7F800000), float4_order(0x7FC00000),
		UINT32_MAX
	};
	const FloatOrders float8 = {
		float8_order(0), float8_order(0x7FF0000000000000),
		float8_order(0x7FF8000000000000), UINT64_MAX
	};
	EnginePredicate all = *predicate;

	if (kind == KIND_FLOAT4)
		all = predicate_for_all(predicate, float4);
	else if (kind == KIND_FLOAT8)
		all = predicate_for_all(predicate, float8);
	flag[kind] (data, count, &all, flags);
}
