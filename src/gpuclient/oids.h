/*
 * oids.h
 *	  The counter from which identifiers of TOASTed values are issued.
 */
#ifndef GPUCOMPACT_OIDS_H
#define GPUCOMPACT_OIDS_H

#include "compat.h"

#include "access/transam.h"
#include "storage/lwlock.h"

/* The object identifier that this server, or its primary, issues next. */
static inline Oid
next_oid(void)
{
	Oid			next;

	LWLockAcquire(OidGenLock, LW_SHARED);
#if PG_VERSION_NUM >= 170000
	next = TransamVariables->nextOid;
#else
	next = ShmemVariableCache->nextOid;
#endif
	LWLockRelease(OidGenLock);
	return next;
}

#endif							/* GPUCOMPACT_OIDS_H */
