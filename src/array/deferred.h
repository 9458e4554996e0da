/*
 * deferred.h
 *	  Arrays whose elements are not in memory until they are needed.
 *
 * A deferred value is an expanded object of PostgreSQL's, which has all of an
 * array but its elements.  The elements have stayed on a device, or stages
 * compute them from another array, or they are packed.  Our readers take them
 * from there.  All other code flattens the value, and so gets a plain array.
 */
#ifndef GPUCOMPACT_DEFERRED_H
#define GPUCOMPACT_DEFERRED_H

#include "compat.h"

#include "utils/array.h"
#include "utils/expandeddatum.h"
#include "utils/memutils.h"

#include "contract/engine.h"

/* The stages that compute the elements from the elements of another array. */
typedef struct DeferredStages
{
	Datum		source;			/* which has no NULLs */
	bool		filtered;		/* a stage leaves elements out */
	bool		done;			/* a request had all stages, and none failed */
	int			nstages;
	EngineStage stages[ENGINE_STAGES];
} DeferredStages;

typedef struct DeferredValue DeferredValue;

/* Returns the array of a value, or NULL. */
typedef ArrayType *(*MakeArray) (DeferredValue *value);

struct DeferredValue
{
	ExpandedObjectHeader base;
	ArrayType  *header;			/* what the array has before its elements; if
								 * it is filtered, it has as many at most */
	int64		leading_nulls;	/* which are not in the header: it has no bitmap
								 * if there are any */
	ArrayType  *array;			/* NULL before it is needed */

	/* Where the elements are. */
	uint64		resident;		/* by which a device knows them, or zero if it
								 * no longer has them */
	int			device;
	DeferredStages *stages;		/* or NULL */
	Datum		packed;			/* or zero */

	MakeArray	fetch;			/* from there */
	MakeArray	compute;		/* without that, if it fails */
	void	   *argument;		/* for compute() */
	MemoryContextCallback at_reset;
};

extern const ExpandedObjectMethods deferred_methods;

extern DeferredValue *deferred_make(MakeArray fetch);
extern void deferred_set_header(DeferredValue *value, const ArrayType *array,
								int64 leading_nulls);
extern ArrayType *deferred_room(const DeferredValue *value);
extern ArrayType *deferred_array(DeferredValue *value);
extern Datum deferred_flat(Datum datum);

static inline Datum
deferred_datum(DeferredValue *value)
{
	return EOHPGetRODatum(&value->base);
}

static inline void
deferred_free(DeferredValue *value)
{
	MemoryContextDelete(value->base.eoh_context);
}

/* The deferred value that a datum is, or NULL. */
static inline DeferredValue *
deferred_find(Datum datum)
{
	ExpandedObjectHeader *object;

	if (!VARATT_IS_EXTERNAL_EXPANDED((struct varlena *)
									 DatumGetPointer(datum)))
		return NULL;
	object = DatumGetEOHP(datum);
	return object->eoh_methods == &deferred_methods ?
		(DeferredValue *) object : NULL;
}

/* The stages of a value that is still to be computed by them; else NULL. */
static inline DeferredStages *
deferred_stages(const DeferredValue *value)
{
	return value != NULL && value->array == NULL ? value->stages : NULL;
}

#endif							/* GPUCOMPACT_DEFERRED_H */
