/*
 * simulated_system.h
 *	  The operating system of the simulated processes: clocks, locks, sockets
 *	  and files.  The linker has the program call these.
 *
 * A part of simulate.c, whose state it uses.
 */
#ifndef GPUCOMPACT_SIMULATED_SYSTEM_H
#define GPUCOMPACT_SIMULATED_SYSTEM_H

#define SUCCEEDS(name)	int __wrap_##name(void) { return 0; }
SUCCEEDS(bind)
SUCCEEDS(ftruncate)
SUCCEEDS(listen)
SUCCEEDS(munmap)
SUCCEEDS(umask)
SUCCEEDS(unlink)
SUCCEEDS(usleep)

int
__wrap_clock_gettime(clockid_t clock, struct timespec *time)
{
	others();
	now_ns += 20000;
	time->tv_sec = now_ns / 1000000000;
	time->tv_nsec = now_ns % 1000000000;
	return 0;
}

long
__wrap_syscall(long call, ...)
{
	must(call == SYS_futex);
	others();
	now_ns += fault(5000) ? HANG_NS / 2 : 1000;
	return 0;
}

/*
 * A whole job of another lane, which caches an array just before this lane
 * looks for its own.  So the entry that this lane's session has found may have
 * another array of that length.
 */
static void
another_job(void)
{
	Actor	   *self = current;
	const Value *value = &values[number(VALUES)];
	int64_t		size = value->identity.key.bytes;
	LaneInput	input = {.entry = -1, .wanted = 1,.identity = value->identity};
	CacheUse	use = {.entry = -1};

	if (locks > 0)
		return;
	current = NULL;
	if (chance(2))
		cache_clear();
	input.valid_until = oids_until(oids_note(&lanes_shared->oids, next_oid),
								   value->identity.value);
	begin_use(-1, &input, size, NULL, &use);
	if (use.entry >= 0)
	{
		memcpy(use.memory, value->elements, size);
		end_use(&input, &use, true);
	}
	current = self;
}

int
__wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
	others();
	if (mutex == &cache_lock && current != NULL && fault(8))
		another_job();
	must(locked != mutex || locks == 0);
	locked = mutex;
	locks++;
	return 0;
}

int
__wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	must(locks > 0);
	locks--;
	locked = &dispatch_lock;	/* if one is still held */
	others();
	return 0;
}

int
__wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
					  void *(*main) (void *), void *argument)
{
	return fault(100) ? EAGAIN : 0;
}

long
__wrap_sysconf(int name)
{
	return 4;
}

void
__wrap__exit(int status)
{
	bool		idle = lanes_shared->ending == ENDING_IDLE;
	bool		closed = lanes_shared->free == 0;

	for (int i = 0; i < LANES; i++)
	{
		closed = closed && lanes_shared->lanes[i].state == LANE_IDLE &&
			lanes_shared->lanes[i].session < 0;
		must(!idle || lanes[i].phase == PHASE_REST);
	}
	must(idle == closed && (!idle || lanes_shared->waiting == 0));
	end_process();
	if (current != NULL)
		longjmp(current->frame, 1);
}

int
__wrap_memfd_create(const char *name, unsigned flags)
{
	return fault(200) ? -1 : MEMORY + life;
}

int
__wrap_fallocate(int file, int mode, off_t offset, off_t length)
{
	if (mode & FALLOC_FL_PUNCH_HOLE)
		memset((char *) memories[file - MEMORY] + offset, 0, length);
	return fault(200) ? -1 : 0;
}

void *
__wrap_mmap(void *at, size_t length, int protection, int flags, int file,
			off_t offset)
{
	return fault(200) ? MAP_FAILED : memories[file - MEMORY];
}

static Socket *
socket_of(int descriptor)
{
	must(descriptor >= FIRST_SOCKET &&
		 descriptor < FIRST_SOCKET + 2 * nsockets);
	return &sockets[(descriptor - FIRST_SOCKET) / 2];
}

int
__wrap_socket(int domain, int type, int protocol)
{
	if (!is_session(current))
		return LISTENER;
	must(nsockets < SOCKETS);
	sockets[nsockets] = (Socket) {.open = {true, false}, .life = -1};
	return FIRST_SOCKET + 2 * nsockets++;
}

int
__wrap_epoll_create1(int flags)
{
	return LISTENER + 2;
}

int
__wrap_epoll_ctl(int epoll, int how, int descriptor, struct epoll_event *event)
{
	watched[descriptor] = event->data;
	return 0;
}

/* One event for each step of main(). */
int
__wrap_epoll_wait(int epoll, struct epoll_event *events, int most, int ms)
{
	int			descriptors[SOCKETS + 2];
	int			count = 0;

	if (main_events++ > 0)
		longjmp(current->frame, 1);
	if (settings_changed)
		descriptors[count++] = STDIN_FILENO;
	for (int i = 0; i < nsockets; i++)
	{
		Socket	   *socket = &sockets[i];

		if (socket->queued)
			descriptors[count++] = LISTENER;
		else if (socket->open[1] && (socket->said || !socket->open[0]))
			descriptors[count++] = FIRST_SOCKET + 2 * i + 1;
	}
	if (count == 0)
	{
		now_ns += 1000000;
		return 0;
	}
	events[0].data = watched[descriptors[number(count)]];
	return 1;
}

int
__wrap_accept4(int listener, struct sockaddr *address, socklen_t *size,
			   int flags)
{
	static const int errors[] = {EAGAIN, EMFILE, ECONNABORTED, EINTR};

	if (fault(20))
	{
		errno = errors[number(4)];
		return -1;
	}
	for (int i = 0; i < nsockets; i++)
	{
		if (!sockets[i].queued)
			continue;
		sockets[i].queued = false;
		sockets[i].open[1] = true;
		return FIRST_SOCKET + 2 * i + 1;
	}
	errno = EAGAIN;
	return -1;
}

int
__wrap_getsockopt(int socket, int level, int name, void *value, socklen_t *size)
{
	((struct ucred *) value)->uid = geteuid() + fault(200);
	return 0;
}

ssize_t
__wrap_sendmsg(int descriptor, const struct msghdr *message, int flags)
{
	Socket	   *socket = socket_of(descriptor);

	if (!socket->open[0] || fault(50))
		return -1;
	memcpy(&socket->hello, message->msg_iov[0].iov_base, sizeof(LanesHello));
	socket->greeted = true;
	return sizeof(LanesHello);
}

int
__wrap_connect(int descriptor, const struct sockaddr *address, socklen_t size)
{
	Socket	   *socket = socket_of(descriptor);

	if (!started)
		return -1;
	socket->life = life;
	socket->queued = true;
	return 0;
}

/* Waits for the hello. */
int
__wrap_poll(struct pollfd *wanted, nfds_t count, int ms)
{
	Socket	   *socket = socket_of(wanted->fd);

	for (int i = 0; i < 100 && !socket->greeted; i++)
	{
		if (!socket->queued && !socket->open[1])
			break;
		if (fault(100) || depth > 3)
			return 0;
		(void) run_one();
		others();
	}
	return socket->greeted || !socket->open[1];
}

ssize_t
__wrap_recvmsg(int descriptor, struct msghdr *message, int flags)
{
	Socket	   *socket = socket_of(descriptor);
	HelloDescriptor *control = message->msg_control;
	int			memory = MEMORY + socket->life;

	if (!socket->greeted)
		return 0;
	memcpy(message->msg_iov[0].iov_base, &socket->hello, sizeof(LanesHello));
	control->header.cmsg_level = SOL_SOCKET;
	control->header.cmsg_type = SCM_RIGHTS;
	control->header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control->header), &memory, sizeof(int));
	return sizeof(LanesHello);
}

ssize_t
__wrap_recv(int descriptor, void *data, size_t size, int flags)
{
	bool		of_process = (descriptor - FIRST_SOCKET) % 2;
	Socket	   *socket;

	others();
	socket = socket_of(descriptor);
	if (of_process && socket->said)
	{
		*(char *) data = socket->said;
		socket->said = 0;
		return 1;
	}
	if (!socket->open[!of_process] && !socket->queued)
		return 0;
	errno = EAGAIN;
	return -1;
}

ssize_t
__wrap_send(int descriptor, const void *data, size_t size, int flags)
{
	socket_of(descriptor)->said = *(const char *) data;
	return size;
}

int
__wrap_close(int descriptor)
{
	if (descriptor >= FIRST_SOCKET)
		socket_of(descriptor)->open[(descriptor - FIRST_SOCKET) % 2] = false;
	return 0;
}

ssize_t
__wrap_read(int descriptor, void *data, size_t size)
{
	LanesSettings *settings = data;

	settings_changed = false;
	if (fault(40))
		return 0;
	settings->idle_timeout = chance(4) ? 1 : 0;
	settings->cache_size = (int64_t) number(8) * 40000;
	return sizeof(*settings);
}

#endif							/* GPUCOMPACT_SIMULATED_SYSTEM_H */
