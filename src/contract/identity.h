/*
 * identity.h
 *	  What a stored value is known by.
 *
 * A TOAST value never changes, so an engine may cache its elements, and use
 * them when the value is asked for again.  The key says which value that is.
 * The same key can mean another value only after its object identifier was
 * issued again, and then the proof is another one, too: where the first chunk
 * is, which transaction has written it, and its bytes.
 *
 * Nothing here is PostgreSQL's: engines read it.
 */
#ifndef GPUCOMPACT_IDENTITY_H
#define GPUCOMPACT_IDENTITY_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * The most bytes of the first chunk that are stored; with 8 kB pages it has
 * 1996.
 */
#define IDENTITY_FIRST		2000

typedef struct IdentityKey
{
	uint32_t	database;
	uint32_t	tag;			/* of the TOAST pointer, */
	uint8_t		pointer[16];	/* and all of it */
	uint32_t	offset;			/* bytes of all values before the elements */
	uint16_t	booleans;		/* 1 if all bytes but 0 were made 1 */
	uint16_t	filling;		/* how NULLs were filled in, or 0 */
	int64_t		bytes;			/* of the elements */
	char		fill[8];		/* the value that NULLs became */
} IdentityKey;

typedef struct ValueIdentity
{
	IdentityKey key;
	uint32_t	relation;		/* the TOAST table, and in it */
	uint32_t	value;			/* the object identifier of the value */

	/* Of the first chunk. */
	uint32_t	block;
	uint32_t	item;
	uint32_t	xmin;			/* as it is stored, frozen or not */
	int32_t		nfirst;
	char		first[IDENTITY_FIRST];
} ValueIdentity;

/* Returns true if both are the same value.  Both have the same key. */
static inline bool
identity_is_proved(const ValueIdentity *kept, const ValueIdentity *found)
{
	return kept->block == found->block && kept->item == found->item &&
		kept->xmin == found->xmin && kept->nfirst == found->nfirst &&
		kept->nfirst >= 0 && kept->nfirst <= IDENTITY_FIRST &&
		memcmp(kept->first, found->first, kept->nfirst) == 0;
}

#endif							/* GPUCOMPACT_IDENTITY_H */
