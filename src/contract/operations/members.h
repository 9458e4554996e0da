/*
 * members.h
 *	  MEMBERS: the elements that the table has, or all others.
 *
 * The table has at least one element, each as an unsigned integer of an
 * element's width: order(x) - kind_least().  They ascend.
 */
#ifndef GPUCOMPACT_OPERATIONS_MEMBERS_H
#define GPUCOMPACT_OPERATIONS_MEMBERS_H

#include "contract/engine.h"

typedef struct MembersParameters
{
	bool		outside;		/* all others */
} MembersParameters;

#endif							/* GPUCOMPACT_OPERATIONS_MEMBERS_H */
