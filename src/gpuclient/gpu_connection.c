/*
 * gpu_connection.c
 *	  A connection to a GPU process, the memory that it shares, and the values
 *	  that the process has cached, as a session sees them.
 *
 * The process greets each session that connects, and sends the descriptor of
 * its memory along.  The connection stays open, so each side notices when the
 * other ends.
 *
 * The directory of cached values is read without a lock.  A value counts as
 * cached only if three things hold: no object identifier was issued since that
 * could be the value's; the first chunk, which was just read, is where it was,
 * of the same transaction; and its bytes are the same.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "gpuclient/gpu_connection.h"

/*
 * Longest wait for the hello.  The process has a thread that does nothing
 * else.
 */
#define HELLO_MS		200

static GpuConnectStatus
refuse(char *why, size_t size, const char *reason)
{
	snprintf(why, size, "%s", reason);
	return GPU_REFUSED;
}

/*
 * Receives the hello, and the descriptor of the memory or -1.  Returns false if
 * the process has gone, or does not answer in time.
 */
static bool
receive_hello(int socket, LanesHello *hello, int *memory)
{
	struct iovec data = {hello, sizeof(*hello)};
	HelloDescriptor control;
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control)
	};
	struct pollfd readable = {.fd = socket, .events = POLLIN};
	struct cmsghdr *header;

	memset(hello, 0, sizeof(*hello));
	*memory = -1;
	if (poll(&readable, 1, HELLO_MS) <= 0 ||
		recvmsg(socket, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT) <= 0)
		return false;
	header = CMSG_FIRSTHDR(&message);
	if (header != NULL && header->cmsg_type == SCM_RIGHTS &&
		header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(memory, CMSG_DATA(header), sizeof(int));
	return true;
}

/* Joins a process that has been reached, or says why not. */
static GpuConnectStatus
join(GpuConnection *connection, char *why, size_t size)
{
	LanesHello	hello;
	int			memory;
	void	   *shared = NULL;
	const char *reason = NULL;

	if (!is_own_user(connection->socket))
		return refuse(why, size,
					  "the GPU process belongs to another user");
	if (!receive_hello(connection->socket, &hello, &memory))
		return GPU_NOT_THERE;
	if (hello.version != LANES_VERSION || hello.size != sizeof(SharedLanes))
	{
		const char	leave = LANES_LEAVE;

		(void) send(connection->socket, &leave, 1,
					MSG_DONTWAIT | MSG_NOSIGNAL);
		reason = "the GPU process is of another version; it leaves as soon as "
			"it is idle";
	}
	else if (hello.session == HELLO_NO_FILE)
		reason = "the GPU process may open no more files for sessions";
	else if (hello.session < 0)
		reason = "the GPU process has no room for another session";
	else if (memory < 0)
		reason = "the descriptor of its memory could not be received from the "
			"GPU process";
	else
		shared = mmap(NULL, hello.layout.bytes, PROT_READ | PROT_WRITE,
					  MAP_SHARED, memory, 0);
	if (memory >= 0)
		(void) close(memory);
	if (shared == MAP_FAILED)
		reason = "the memory of the GPU process could not be mapped";
	if (reason != NULL)
		return refuse(why, size, reason);
	connection->shared = shared;
	connection->layout = hello.layout;
	connection->number = hello.session;
	connection->session = &connection->shared->sessions[hello.session];
	return word_read(&connection->shared->ending) ? GPU_NOT_THERE :
		GPU_CONNECTED;
}

/*
 * Connects to the process that listens at "path".  Waits only for its hello; if
 * it refuses, the reason is put into "why".
 */
GpuConnectStatus
gpu_connect(GpuConnection *connection, const char *path, char *why,
			size_t size)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	GpuConnectStatus status;

	connection->shared = NULL;
	connection->socket = -1;
	if (strlen(path) >= sizeof(address.sun_path))
		return refuse(why, size, "the path of the GPU process's socket is "
					  "too long");
	strcpy(address.sun_path, path);
	connection->socket = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
								SOCK_NONBLOCK, 0);
	if (connection->socket < 0)
		return refuse(why, size, "no socket could be made");
	if (connect(connection->socket, (struct sockaddr *) &address,
				sizeof(address)) == 0)
		status = join(connection, why, size);
	else
		status = GPU_NOT_THERE;
	if (status != GPU_CONNECTED)
		gpu_disconnect(connection);
	return status;
}

/*
 * Returns true if the process has ended.  If not, earlier reads of the slots
 * are valid: the process sets "gone" before it frees their memory.
 */
bool
gpu_connection_lost(const GpuConnection *connection)
{
	char		unused;
	ssize_t		said;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	if (word_read(&connection->shared->gone))
		return true;
	said = recv(connection->socket, &unused, 1, MSG_PEEK | MSG_DONTWAIT);
	return said == 0 || (said < 0 && errno != EAGAIN && errno != EINTR);
}

void
gpu_disconnect(GpuConnection *connection)
{
	if (connection->shared != NULL)
		(void) munmap(connection->shared, connection->layout.bytes);
	if (connection->socket >= 0)
		(void) close(connection->socket);
	connection->shared = NULL;
	connection->socket = -1;
}

/* Returns CACHE_MISSES if the entry has the value, else why not. */
static CacheMiss
look_at(const CacheEntry *entry, const ValueIdentity *identity,
		uint64_t oids, uint64_t *number)
{
	uint32_t	sequence = word_read(&entry->sequence);
	CacheMiss	miss = CACHE_MISSES;

	if (sequence % 2 != 0 || !entry->cached ||
		memcmp(&entry->identity.key, &identity->key,
			   sizeof(IdentityKey)) != 0)
		return MISS_NEW;
	*number = entry->number;
	if (oids > entry->valid_until)
		miss = MISS_EXPIRED;
	else if (!identity_is_proved(&entry->identity, identity))
		miss = MISS_CHANGED;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return word_read(&entry->sequence) == sequence ? miss : MISS_NEW;
}

/*
 * Returns the entry that has a source of a request, and its number; or -1, and
 * why there is none.
 */
int
gpu_cache_find(const GpuConnection *connection, const EngineRequest *request,
			   int source, uint64_t *number, CacheMiss *miss)
{
	SharedLanes *shared = connection->shared;
	const ValueIdentity *identity = request->identities[source];
	const CacheEntry *set;
	uint64_t	oids;

	*miss = MISS_NEW;
	if (identity == NULL ||
		__atomic_load_n(&shared->cache_limit, __ATOMIC_RELAXED) <= 0)
		return -1;
	set = cache_set(shared, &identity->key);
	oids = oids_note(&shared->oids, request->next_oid);
	for (int i = 0; i < CACHE_WAYS; i++)
	{
		CacheMiss	found = look_at(&set[i], identity, oids, number);

		if (found == CACHE_MISSES)
			return (int) (&set[i] - shared->cache);
		if (found != MISS_NEW)
			*miss = found;
	}
	return -1;
}

/*
 * Writes to a lane which sources of the request the session has found in the
 * cache, and which the process should cache.
 */
void
gpu_cache_ask(const GpuConnection *connection, SharedLane *lane,
			  const EngineRequest *request)
{
	SharedLanes *shared = connection->shared;

	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		LaneInput  *input = &lane->inputs[i];
		bool		used = source_bytes(request, i) > 0;
		const ValueIdentity *identity = used ? request->identities[i] : NULL;
		CacheMiss	miss;

		input->entry = -1;
		input->resident = used ? request->residents[i] : 0;
		input->wanted = input->has = 0;
		input->refused = REFUSED_NOT;
		if (identity == NULL ||
			__atomic_load_n(&shared->cache_limit, __ATOMIC_RELAXED) <= 0)
			continue;
		input->entry = gpu_cache_find(connection, request, i, &input->number,
									  &miss);
		if (input->entry < 0)
			__atomic_add_fetch(&shared->cache_misses[miss], 1,
							   __ATOMIC_RELAXED);
		input->wanted = 1;
		input->valid_until = oids_until(oids_note(&shared->oids,
												  request->next_oid),
										identity->value);
		input->identity = *identity;
	}
}

/*
 * Copies an entry of the directory; false if it has no value.
 */
bool
gpu_cache_get(const GpuConnection *connection, int entry, CachedValue *value)
{
	const CacheEntry *from = &connection->shared->cache[entry];
	uint32_t	sequence = word_read(&from->sequence);
	bool		cached = from->cached;

	value->identity = from->identity;
	value->hits = from->hits;
	value->last_use = from->last_use;
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return cached && sequence % 2 == 0 &&
		word_read(&from->sequence) == sequence;
}
