/*
 * element.h
 *	  Facts about element types.
 *
 * Only types of fixed size, passed by value or not, whose size is a multiple
 * of their alignment, so that an array's elements lie side by side.
 */
#ifndef GPUCOMPACT_ELEMENT_H
#define GPUCOMPACT_ELEMENT_H

#include "compat.h"

#include "catalog/pg_type_d.h"

typedef struct ElementType
{
	Oid			oid;
	int			size;			/* bytes, and alignment */
} ElementType;

static const ElementType element_int4 = {INT4OID, 4};
static const ElementType element_int8 = {INT8OID, 8};

#endif							/* GPUCOMPACT_ELEMENT_H */
