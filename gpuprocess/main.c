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

/* How long it waits when the system has no more files. */
#define NO_FILES_US		10000

/* How long there is no job before the pool's reserve is given back. */
#define REST_NS			1000000000

/* What it hears: the session of an entry, or one of these. */
#define HEARS_LISTENER	MAX_SESSIONS
#define HEARS_WORKER	(MAX_SESSIONS + 1)

static int	clients[MAX_SESSIONS];	/* sockets by entry; 0: the entry is free */
static bool leaving = false;	/* ends as soon as no lane is in use */
static int64_t idle_timeout_ns = 0;

static void
die(int status, const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	lanes_exit(status);
}

static void
watch(int epoll, int descriptor, uint32_t number)
{
	struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};

	if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
		die(GPU_EXIT_FAILED, "could not watch a descriptor");
}

static struct rlimit
limit_of_files(void)
{
	struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};

	(void) getrlimit(RLIMIT_NOFILE, &limit);
	return limit;
}

/* Raises the limit of files, as each session takes a descriptor. */
static void
raise_limit_of_files(void)
{
	struct rlimit limit = limit_of_files();

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

/*
 * Returns an entry for a client, or why there is none.  The last file that the
 * process may open serves only to tell sessions so.
 */
static int
free_entry(int client)
{
	if ((rlim_t) client + 1 == limit_of_files().rlim_cur)
		return HELLO_NO_FILE;
	for (int i = 0; i < MAX_SESSIONS; i++)
	{
		if (clients[i] == 0)
			return i;
	}
	return HELLO_NO_ENTRY;
}

/*
 * Lets in only the user that the server runs as.  If the system has no more
 * files, epoll reports the sessions that wait again and again.
 */
static void
accept_client(int epoll, int listener)
{
	int			client = accept4(listener, NULL, NULL,
								 SOCK_CLOEXEC | SOCK_NONBLOCK);
	int			entry;

	if (client < 0)
	{
		if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED)
			(void) usleep(NO_FILES_US);
		return;
	}
	if (!is_own_user(client))
	{
		(void) close(client);
		return;
	}
	entry = free_entry(client);
	if (entry >= 0)
		lanes_session_came(entry);
	if (!say_hello(client, entry) || entry < 0)
	{
		(void) close(client);
		return;
	}
	assert(clients[entry] == 0 && client > 0);
	clients[entry] = client;
	watch(epoll, client, entry);
}

/* A client has said something, or gone. */
static void
hear_client(int entry)
{
	char		said;

	assert(clients[entry] != 0);
	if (recv(clients[entry], &said, 1, MSG_DONTWAIT) > 0)
	{
		leaving = leaving || said == LANES_LEAVE;
		if (said == LANES_CLEAR)
			cache_clear();
		return;
	}
	lanes_session_gone(entry);
	(void) close(clients[entry]);
	clients[entry] = 0;
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

	watch(epoll, STDIN_FILENO, HEARS_WORKER);
	watch(epoll, listener, HEARS_LISTENER);
	for (;;)
	{
		int			count = epoll_wait(epoll, events, 64, IDLE_CHECK_MS);

		word_write(&lanes_shared->beats, lanes_shared->beats + 1);
		for (int i = 0; i < count; i++)
		{
			uint32_t	number = events[i].data.u32;

			if (number == HEARS_WORKER)
				hear_settings();
			else if (number == HEARS_LISTENER)
				accept_client(epoll, listener);
			else
				hear_client(number);
		}
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
