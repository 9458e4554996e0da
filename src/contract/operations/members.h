/*
 * members.h
 *	  MEMBERS: the elements that the table has, or all others.
 *
 * The table has at least one element, of the input's kind.  They are distinct,
 * and ascend.
 */
#ifndef GPUCOMPACT_OPERATIONS_MEMBERS_H
#define GPUCOMPACT_OPERATIONS_MEMBERS_H

#include "contract/engine.h"

typedef struct MembersParameters
{
	bool		outside;		/* all others */
} MembersParameters;

#endif							/* GPUCOMPACT_OPERATIONS_MEMBERS_H */
