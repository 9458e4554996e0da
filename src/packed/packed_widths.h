/*
 * packed_widths.h
 *	  Includes a template, WIDTH_TEMPLATE, for each width of elements.  The
 *	  template can use:
 *
 *		WIDTH_NAME(name)		the name with the bytes of an element
 *		WIDTH_BITS				unsigned integer of this width
 */
#define WIDTH_NAME(name)	name##_1
#define WIDTH_BITS			uint8_t
#include WIDTH_TEMPLATE
#undef WIDTH_NAME
#undef WIDTH_BITS

#define WIDTH_NAME(name)	name##_2
#define WIDTH_BITS			uint16_t
#include WIDTH_TEMPLATE
#undef WIDTH_NAME
#undef WIDTH_BITS

#define WIDTH_NAME(name)	name##_4
#define WIDTH_BITS			uint32_t
#include WIDTH_TEMPLATE
#undef WIDTH_NAME
#undef WIDTH_BITS

#define WIDTH_NAME(name)	name##_8
#define WIDTH_BITS			uint64_t
#include WIDTH_TEMPLATE
#undef WIDTH_NAME
#undef WIDTH_BITS

#undef WIDTH_TEMPLATE
