/*
 * operator.h
 *	  An operator, or a method, that is an argument, as text.
 */
#ifndef GPUCOMPACT_OPERATOR_H
#define GPUCOMPACT_OPERATOR_H

#include "compat.h"

extern int	name_argument(const char *what, Datum argument,
						  const char *const *names, int count);
extern int	operator_argument(Datum argument, const char *const *names,
							  int count);

#endif							/* GPUCOMPACT_OPERATOR_H */
