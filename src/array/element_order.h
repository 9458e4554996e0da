/*
 * element_order.h
 *	  The elements of a kind by their index in its order: the least has 0.
 *	  Equal elements have the same index.
 */
#ifndef GPUCOMPACT_ELEMENT_ORDER_H
#define GPUCOMPACT_ELEMENT_ORDER_H

#include "array/element.h"

extern uint64 kind_mask(ElementKind kind);
extern uint64 last_index(ElementKind kind);
extern uint64 element_index(ElementKind kind, uint64 bits);
extern int64 integer_at(ElementKind kind, uint64 index);
extern float8 float_at(ElementKind kind, uint64 index);

#endif							/* GPUCOMPACT_ELEMENT_ORDER_H */
