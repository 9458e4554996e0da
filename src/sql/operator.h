/*
 * operator.h
 *	  An operator, or a method, that is an argument, as text.
 */
#ifndef GPUCOMPACT_OPERATOR_H
#define GPUCOMPACT_OPERATOR_H

#include "compat.h"

extern int	operator_argument(const char *function, Datum argument,
							  const char *const *names, int count);
extern int	method_argument(const char *function, Datum argument,
							const char *const *names, int count);
extern int	function_argument(const char *function, Datum argument,
							  const char *const *names, int count);
extern const char *name_to_write(const char *what, const char *name,
								 const char *const *names, int count);

#endif							/* GPUCOMPACT_OPERATOR_H */
