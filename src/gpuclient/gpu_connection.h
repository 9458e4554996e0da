/*
 * gpu_connection.h
 *	  A connection to a GPU process, the memory that it shares, and the values
 *	  that the process has cached.
 */
#ifndef GPUCOMPACT_GPU_CONNECTION_H
#define GPUCOMPACT_GPU_CONNECTION_H

#include "protocol/hello.h"

typedef struct GpuConnection
{
	int			socket;			/* -1 if not connected */
	int			number;			/* this session's entry */
	LanesLayout layout;
	SharedLanes *shared;
	SharedSession *session;
} GpuConnection;

typedef enum GpuConnectStatus
{
	GPU_CONNECTED,
	GPU_NOT_THERE,				/* no process listens, or has time to */
	GPU_REFUSED					/* for a reason in words */
} GpuConnectStatus;

extern GpuConnectStatus gpu_connect(GpuConnection *connection,
									const char *path, char *why, size_t size);
extern bool gpu_connection_lost(const GpuConnection *connection);
extern void gpu_disconnect(GpuConnection *connection);

/* A cached value. */
typedef struct CachedValue
{
	ValueIdentity identity;
	uint64_t	hits;
	int64_t		last_use;		/* seconds since 1970 */
} CachedValue;

extern int	gpu_cache_find(const GpuConnection *connection,
						   const EngineRequest *request, int source,
						   uint64_t *number, CacheMiss *miss);
extern void gpu_cache_ask(const GpuConnection *connection, SharedLane *lane,
						  const EngineRequest *request);
extern bool gpu_cache_get(const GpuConnection *connection, int entry,
						  CachedValue *value);

#endif							/* GPUCOMPACT_GPU_CONNECTION_H */
