/*
 * cpu_type.h
 *	  Includes TYPE_TEMPLATE for one type, for cpu_types.h.
 */
#include TYPE_TEMPLATE
#undef TYPE_NAME
#undef TYPE_ELEMENT
#undef TYPE_FIRST
#undef TYPE_LAST
#undef TYPE_BITS
