/*
 * operator.h
 *	  An operator, a method or a function that is an argument, as text.
 */
#ifndef GPUCOMPACT_OPERATOR_H
#define GPUCOMPACT_OPERATOR_H

#include "compat.h"

extern int	name_argument(const char *what, const char *function,
						  Datum argument, const char *const *names, int count);

#endif							/* GPUCOMPACT_OPERATOR_H */
