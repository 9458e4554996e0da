/*
 * hello.h
 *	  What is said at the socket of a GPU process, at its standard input, and
 *	  by its exit status.
 */
#ifndef GPUCOMPACT_HELLO_H
#define GPUCOMPACT_HELLO_H

#include <errno.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

#include "protocol/lanes.h"

/*
 * The process sends this to a session that connects, with the descriptor of
 * the shared memory.
 */
typedef struct LanesHello
{
	uint32_t	version;		/* LANES_VERSION */
	uint32_t	size;			/* of SharedLanes, to be sure */
	int32_t		session;		/* the entry, or why there is none: */
	LanesLayout layout;
} LanesHello;

#define HELLO_NO_ENTRY		(-1)	/* all are in use */
#define HELLO_NO_FILE		(-2)	/* the process may open no more files */

/* Room in a message for a descriptor, which comes with the hello. */
typedef union HelloDescriptor
{
	struct cmsghdr header;
	char		memory[CMSG_SPACE(sizeof(int))];
} HelloDescriptor;

/* The process reads this from its standard input. */
typedef struct LanesSettings
{
	int32_t		idle_timeout;	/* seconds without a job until it ends, or 0 */
	int64_t		cache_size;		/* bytes; -1: half of the memory that is free */
} LanesSettings;

/* With which status the process exits. */
#define GPU_EXIT_DONE		0	/* it was idle, or told to */
#define GPU_EXIT_FAILED		1	/* and may be tried again */
#define GPU_EXIT_NO_DEVICE	3	/* there is no such GPU to run on */

/*
 * A session sends this to a process of another version: end when idle.
 */
#define LANES_LEAVE			'L'

/* A session sends this to its process: evict all values. */
#define LANES_CLEAR			'C'

/*
 * Returns true if the peer at a socket runs as the same user as this process.
 */
static inline bool
is_own_user(int socket)
{
	struct ucred peer;
	socklen_t	size = sizeof(peer);

	return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
		peer.uid == geteuid();
}

#endif							/* GPUCOMPACT_HELLO_H */
