/*
 * operator.h
 *	  An operator that is an argument, as text.
 */
#ifndef GPUCOMPACT_OPERATOR_H
#define GPUCOMPACT_OPERATOR_H

#include "compat.h"

extern int	operator_argument(Datum argument, const char *const *names,
							  int count);

#endif							/* GPUCOMPACT_OPERATOR_H */
