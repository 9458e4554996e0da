/*
 * deferred.c
 *	  Arrays whose elements are not in memory until they are needed.
 */
#include "compat.h"

#include "array/array_writer.h"
#include "array/large_value.h"

/* A value without a header, in a memory context of its own. */
DeferredValue *
deferred_make(MakeArray fetch)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext,
												  "gpucompact deferred value",
												  ALLOCSET_SMALL_SIZES);
	DeferredValue *value = MemoryContextAllocZero(context,
												  sizeof(DeferredValue));

	EOH_init_header(&value->base, &deferred_methods, context);
	value->fetch = fetch;
	return value;
}

/* The size of the part of an array in front of its elements that is kept. */
static Size
header_size(const ArrayType *array, int64 leading_nulls)
{
	return leading_nulls > 0 ?
		ARR_OVERHEAD_NONULLS(ARR_NDIM(array)) : ARR_DATA_OFFSET(array);
}

/*
 * Keeps the part of an array in front of its elements; of leading NULLs, only
 * their number.
 */
void
deferred_set_header(DeferredValue *value, const ArrayType *array,
					int64 leading_nulls)
{
	Size		size = header_size(array, leading_nulls);

	Assert(value->header == NULL && value->array == NULL);
	value->leading_nulls = leading_nulls;
	value->header = MemoryContextAlloc(value->base.eoh_context, size);
	memcpy(value->header, array, size);
}

/* The array, with room for its elements. */
ArrayType *
deferred_room(const DeferredValue *value)
{
	ArrayType  *array = large_value_allocate(VARSIZE(value->header));

	memcpy(array, value->header,
		   header_size(value->header, value->leading_nulls));
	if (value->leading_nulls > 0)
		array_put_leading_nulls(array, value->leading_nulls);
	return array;
}

/*
 * The array, which stays until the value is freed.
 *
 * Raises what its elements raise when they are computed.
 */
ArrayType *
deferred_array(DeferredValue *value)
{
	if (value->array == NULL)
	{
		MemoryContext caller =
			MemoryContextSwitchTo(value->base.eoh_context);

		value->array = value->fetch(value);
		if (value->array == NULL)
			value->array = value->compute(value);
		Assert(value->array != NULL);
		MemoryContextSwitchTo(caller);
	}
	return value->array;
}

/* A datum, or its array if it is a deferred value. */
Datum
deferred_flat(Datum datum)
{
	DeferredValue *value = deferred_find(datum);

	return value == NULL ? datum : PointerGetDatum(deferred_array(value));
}

static Size
flat_size(ExpandedObjectHeader *object)
{
	return VARSIZE(deferred_array((DeferredValue *) object));
}

static void
flatten(ExpandedObjectHeader *object, void *result, Size size)
{
	const ArrayType *array = ((DeferredValue *) object)->array;

	Assert(array != NULL && size == VARSIZE(array));
	move_bytes(result, array, size);
}

const ExpandedObjectMethods deferred_methods = {flat_size, flatten};
