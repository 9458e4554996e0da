/*
 * main.c
 *	  The GPU process: a program that serves all sessions of a server.
 *
 *		gpucompact_gpu --list
 *			prints a line for each GPU
 *		gpucompact_gpu INDEX LANES SLOT_BYTES SOCKET
 *			opens a GPU and serves whoever connects
 *
 * It ends when its standard input is closed, so that it never outlives the
 * worker that started it; and when it has been idle for the time that it was
 * told there.  It reports errors on its standard error.
 */
#include <assert.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "gpuprocess/program.h"

/* Connections that wait to be accepted. */
#define BACKLOG			1024

/* How often the process checks whether it is idle. */
#define IDLE_CHECK_MS	200

/* How long no session is accepted after the system had no more files. */
#define CLOSED_NS		((int64_t) IDLE_CHECK_MS * 1000000)

/* How long there is no job before the pool's reserve is given back. */
#define REST_NS			1000000000

static int	clients[MAX_SESSIONS];	/* sockets by entry; 0: the entry is free */
static int	by_socket[4 * MAX_SESSIONS];	/* and entries by socket */
static int	spare;				/* a descriptor, to turn sessions away */
static int64_t closed_ns = 0;	/* since when none is accepted; 0: all are */
static bool leaving = false;	/* ends as soon as no lane is in use */
static int64_t idle_timeout_ns = 0;

static void
die(int status, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	lanes_exit(status);
}

static void
change_watch(int epoll, int how, int descriptor, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.fd = descriptor};

	if (epoll_ctl(epoll, how, descriptor, &event) != 0)
		die(GPU_EXIT_FAILED, "could not watch a descriptor");
}

static void
watch(int epoll, int descriptor)
{
	change_watch(epoll, EPOLL_CTL_ADD, descriptor, EPOLLIN);
}

/* Raises the limit of files, as each session takes a descriptor. */
static void
raise_limit_of_files(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void) setrlimit(RLIMIT_NOFILE, &limit);
}

/* Returns a socket.  It replaces the socket of an earlier process. */
static int
listen_at(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int			listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC |
								  SOCK_NONBLOCK, 0);

	errno = ENAMETOOLONG;
	if (strlen(path) >= sizeof(address.sun_path))
		die(GPU_EXIT_FAILED, "could not listen at the socket");
	strcpy(address.sun_path, path);
	(void) unlink(path);
	(void) umask(077);
	if (listener < 0 ||
		bind(listener, (struct sockaddr *) &address, sizeof(address)) != 0 ||
		listen(listener, BACKLOG) != 0)
		die(GPU_EXIT_FAILED, "could not listen at the socket");
	return listener;
}

/* Opens the spare descriptor, which serves only to turn sessions away. */
static void
open_spare(void)
{
	spare = open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/*
 * Sends the hello, with the descriptor of the shared memory if the session has
 * an entry.
 */
static bool
say_hello(int client, int entry)
{
	LanesHello	hello = {
		.version = LANES_VERSION, .size = sizeof(SharedLanes),
		.session = entry, .layout = lanes_layout
	};
	struct iovec data = {&hello, sizeof(hello)};
	HelloDescriptor control;
	struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};

	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &lanes_memory, sizeof(int));
	if (entry >= 0)
	{
		message.msg_control = &control;
		message.msg_controllen = sizeof(control);
	}
	return sendmsg(client, &message, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		sizeof(hello);
}

static int
free_entry(void)
{
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (clients[i] == 0)
			return i;
	}
	return -1;
}

static int
accept_one(int listener)
{
	return accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/*
 * Turns the next session away when no more files may be opened.  The spare
 * descriptor is closed, so that the session can be accepted and told.  If even
 * that fails, epoll would report the sessions that wait again and again, so the
 * listener is not watched for CLOSED_NS.
 */
static void
turn_away(int epoll, int listener)
{
	int			client;

	if (spare >= 0)
		(void) close(spare);
	client = accept_one(listener);
	if (client >= 0)
	{
		if (is_own_user(client))
			(void) say_hello(client, HELLO_NO_FILE);
		(void) close(client);
	}
	else if (errno != EAGAIN)
	{
		closed_ns = lanes_now_ns();
		change_watch(epoll, EPOLL_CTL_MOD, listener, 0);
	}
	open_spare();
}

static void
open_again(int epoll, int listener)
{
	if (closed_ns == 0 || lanes_now_ns() - closed_ns < CLOSED_NS)
		return;
	closed_ns = 0;
	change_watch(epoll, EPOLL_CTL_MOD, listener, EPOLLIN);
}

/* Lets in only the user that the server runs as. */
static void
accept_client(int epoll, int listener)
{
	int			client = accept_one(listener);
	int			entry;

	if (client < 0)
	{
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			turn_away(epoll, listener);
		return;
	}
	if (client >= (int) (sizeof(by_socket) / sizeof(by_socket[0])) ||
		!is_own_user(client))
	{
		(void) close(client);
		return;
	}
	entry = free_entry();
	if (entry >= 0)
		lanes_session_came(entry);
	if (!say_hello(client, entry >= 0 ? entry : HELLO_NO_ENTRY) || entry < 0)
	{
		(void) close(client);
		return;
	}
	assert(clients[entry] == 0 && client > 0);
	clients[entry] = client;
	by_socket[client] = entry;
	watch(epoll, client);
}

/* A client has said something, or gone. */
static void
hear_client(int client)
{
	char		said;

	if (recv(client, &said, 1, MSG_DONTWAIT) > 0)
	{
		leaving = leaving || said == LANES_LEAVE;
		if (said == LANES_CLEAR)
			cache_clear();
		return;
	}
	assert(clients[by_socket[client]] == client);
	lanes_session_gone(by_socket[client]);
	clients[by_socket[client]] = 0;
	(void) close(client);
}

/* Reads new settings; exits at the end of the input. */
static void
hear_settings(void)
{
	LanesSettings settings;

	if (read(STDIN_FILENO, &settings, sizeof(settings)) != sizeof(settings))
		lanes_exit(GPU_EXIT_DONE);
	idle_timeout_ns = (int64_t) settings.idle_timeout * 1000000000;
	cache_set_size(settings.cache_size);
}

/*
 * Gives back the pool's reserve when no job has used it for REST_NS.  Cached
 * values stay.
 */
static void
rest_if_idle(void)
{
	static int64_t rested = 0;
	int64_t		last_use = lanes_last_use();

	if (rested == last_use || lanes_now_ns() - last_use < REST_NS ||
		lanes_leased(lanes_shared, &lanes_layout) > 0)
		return;
	rested = last_use;
	device_trim_pool();
}

static void
leave_if_idle(void)
{
	if (leaving ? lanes_close_if_idle(0) :
		idle_timeout_ns > 0 && lanes_close_if_idle(idle_timeout_ns))
		lanes_exit(GPU_EXIT_DONE);
}

static void
serve(const char *path)
{
	int			epoll = epoll_create1(EPOLL_CLOEXEC);
	int			listener = listen_at(path);
	struct epoll_event events[64];

	watch(epoll, STDIN_FILENO);
	watch(epoll, listener);
	open_spare();
	for (;;)
	{
		int			count = epoll_wait(epoll, events, 64, IDLE_CHECK_MS);

		word_write(&lanes_shared->beats, lanes_shared->beats + 1);
		for (int i = 0; i < count; i++)
		{
			int			descriptor = events[i].data.fd;

			if (descriptor == STDIN_FILENO)
				hear_settings();
			else if (descriptor == listener)
				accept_client(epoll, listener);
			else
				hear_client(descriptor);
		}
		open_again(epoll, listener);
		rest_if_idle();
		lanes_note_memory();
		leave_if_idle();
	}
}

/* A line for each GPU, as gpu_process.c reads it. */
static int
list_devices(void)
{
	EngineDevice devices[MAX_GPUS];
	Failure		failure = {""};
	int			count;

	if (device_list(devices, MAX_GPUS, &count, &failure) != ENGINE_OK)
	{
		printf("%s\n", failure.message);
		return GPU_EXIT_NO_DEVICE;
	}
	for (int i = 0; i < count && i < MAX_GPUS; i++)
		printf("%d\t%s\t%d\t%d\t%lld\t%lld\t%d\t%d\n", i, devices[i].name,
			   devices[i].major, devices[i].minor,
			   (long long) devices[i].memory_total,
			   (long long) devices[i].memory_free,
			   devices[i].driver_version, devices[i].runtime_version);
	return 0;
}

int
main(int argc, char **argv)
{
	Failure		failure = {""};
	EngineStatus status;

	if (argc == 2 && strcmp(argv[1], "--list") == 0)
		return list_devices();
	if (argc != 5)
	{
		fprintf(stderr, "gpucompact_gpu is started by the server\n");
		return 2;
	}

	/* Signals that a terminal sends are for the server. */
	(void) signal(SIGINT, SIG_IGN);
	(void) signal(SIGPIPE, SIG_IGN);
	(void) prctl(PR_SET_NAME, "gpucompact_gpu");
	raise_limit_of_files();
	status = lanes_start(atoi(argv[1]), atoi(argv[2]), atoll(argv[3]),
						 &failure);
	if (status != ENGINE_OK)
	{
		fprintf(stderr, "%s\n", failure.message);
		lanes_exit(status == ENGINE_NO_DEVICE ? GPU_EXIT_NO_DEVICE :
				   GPU_EXIT_FAILED);
	}
	serve(argv[4]);
}
