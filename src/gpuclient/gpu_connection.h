/*
 * gpu_connection.h
 *	  A connection to a GPU process, and the memory that it shares.
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

#endif							/* GPUCOMPACT_GPU_CONNECTION_H */
