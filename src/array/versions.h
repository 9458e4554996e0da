/*
 * versions.h
 *	  What differs between PostgreSQL versions in the reading of TOAST tables.
 */
#ifndef GPUCOMPACT_ARRAY_VERSIONS_H
#define GPUCOMPACT_ARRAY_VERSIONS_H

#include "compat.h"

#include "access/genam.h"
#include "access/toast_internals.h"
#include "utils/snapmgr.h"

/* The snapshot for TOAST tables, which up to 17 needs room. */
static inline Snapshot
toast_snapshot(SnapshotData *room)
{
#if PG_VERSION_NUM >= 180000
	return get_toast_snapshot();
#else
	init_toast_snapshot(room);
	return room;
#endif
}

/* 18 and 19 gave an index scan one more argument each. */
static inline IndexScanDesc
begin_index_scan(Relation table, Relation index, Snapshot snapshot, int nkeys)
{
#if PG_VERSION_NUM >= 190000
	return index_beginscan(table, index, snapshot, NULL, nkeys, 0, 0);
#elif PG_VERSION_NUM >= 180000
	return index_beginscan(table, index, snapshot, NULL, nkeys, 0);
#else
	return index_beginscan(table, index, snapshot, nkeys, 0);
#endif
}

/*
 * Up to 16, old_snapshot_threshold allows the removal of chunks that a
 * snapshot can see.
 */
static inline bool
snapshots_expire(void)
{
#if PG_VERSION_NUM < 170000
	return OldSnapshotThresholdActive();
#else
	return false;
#endif
}

#endif							/* GPUCOMPACT_ARRAY_VERSIONS_H */
