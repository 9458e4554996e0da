/*
 * absent.c
 *	  Arrays in memory whose elements are elsewhere until they are asked for.
 */
#include "compat.h"

#include "array/absent.h"

/* The last one that was made absent is first. */
AbsentArray *absent_arrays = NULL;

AbsentArray *
absent_search(const void *array)
{
	for (AbsentArray *absent = absent_arrays; absent != NULL;
		 absent = absent->next)
	{
		if (absent->array == array)
			return absent;
	}
	return NULL;
}

/* Puts the elements into the array, unless they are there. */
void
absent_fetch(AbsentArray *absent)
{
	if (!absent->arrived)
		absent->fetch(absent);
	absent->arrived = true;
}
