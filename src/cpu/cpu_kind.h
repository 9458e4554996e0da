/*
 * cpu_kind.h
 *	  Includes KIND_TEMPLATE for one kind, for cpu_kinds.h.
 */
#ifndef KIND_ORDER				/* integers */
#define KIND_CANONICALIZE(bits)	(bits)
#define KIND_ORDER(bits)	(bits)
#define KIND_OF_ORDER(order)	(order)
#endif
#include KIND_TEMPLATE
#undef KIND_NAME
#undef KIND_BITS
#undef KIND_CANONICALIZE
#undef KIND_ORDER
#undef KIND_OF_ORDER
#undef KIND_SIGNED
#undef KIND_FLOAT
