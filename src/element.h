/*
 * element.h
 *	  Facts about element types.
 *
 * Only types of fixed size whose size is a multiple of their alignment, so
 * that an array's elements lie side by side.
 */
#ifndef GPUCOMPACT_ELEMENT_H
#define GPUCOMPACT_ELEMENT_H

#include "compat.h"

#include "catalog/pg_type_d.h"

#include "engine.h"

typedef struct ElementType
{
	Oid			oid;			/* a domain over the type keeps its own */
	ElementKind kind;
	int			size;			/* bytes */
	bool		numeric;		/* can elements be added? */
	bool		has_zero;		/* is one of them 0? */
} ElementType;

extern ElementType element_type(Oid oid);

#endif							/* GPUCOMPACT_ELEMENT_H */
