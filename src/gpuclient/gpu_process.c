/*
 * gpu_process.c
 *	  The GPU processes of this server: whether they are there, and asking for
 *	  them.
 *
 * No session opens a GPU.  The first that wants one registers a background
 * worker (worker.c), which starts the process; it and all others then connect
 * to that.
 */
#include "compat.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/file_perm.h"
#include "miscadmin.h"
#include "storage/fd.h"
#include "storage/pg_shmem.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "gpuclient/gpu_process.h"

/*
 * A worker that was asked for is not asked for again within this time, unless
 * it has started: a busy machine may take seconds to start it.
 */
#define ASK_AGAIN_MS		10000

/* A worker that was asked for so often in vain is not waited for. */
#define ASKED_IN_VAIN		2

/* When sessions have asked for a worker, as GPU_ASKED_FILE has it. */
typedef struct Asked
{
	ServerRun	run;
	TimestampTz when;			/* the last time */
	int32		times;			/* since a worker has started */
} Asked;

/* Seconds for which an answer that there is no such GPU is believed. */
#define NO_DEVICE_SECONDS	60

/* Longest wait for the program to list the GPUs. */
#define LIST_MS				20000

/* More than the program writes about MAX_GPUS. */
#define LIST_BYTES			65536

static bool reserved[MAX_GPUS]; /* a descriptor has been counted */
static char reason[1024];		/* for the GPU that is not there */

/* The file that this code is in. */
static const char *
own_path(void)
{
	Dl_info		info;

	if (dladdr(&cpu_engine, &info) == 0)
		elog(ERROR, "could not find the file of gpucompact");
	return info.dli_fname;
}

/*
 * Returns the path of the program.  It is in the directory of this module's
 * file, so that no user can choose what is executed.
 */
void
gpu_program_path(char *path)
{
	strlcpy(path, own_path(), MAXPGPATH);
	get_parent_directory(path);
	join_path_components(path, path, "gpucompact_gpu");
}

/*
 * The wait event in pg_stat_activity of a session that waits for a GPU
 * process.
 */
uint32
gpu_wait_event(void)
{
#if PG_VERSION_NUM >= 170000
	static uint32 event = 0;

	if (event == 0)
		event = WaitEventExtensionNew("GpucompactGpu");
	return event;
#else
	return PG_WAIT_EXTENSION;
#endif
}

/* Returns true if the program is installed.  Looks once in a session. */
bool
gpu_program_installed(void)
{
	static bool looked = false;
	static bool installed;
	char		path[MAXPGPATH];

	if (!looked)
	{
		gpu_program_path(path);
		installed = access(path, F_OK) == 0;
		looked = true;
	}
	return installed;
}

/*
 * Makes the background worker that looks after a GPU.  One that has failed is
 * started again after "restart_s" seconds, or never; after a crash of the
 * server at once, or never.
 */
void
gpu_worker_fill(BackgroundWorker *worker, int device, int restart_s)
{
	memset(worker, 0, sizeof(*worker));
	worker->bgw_flags = BGWORKER_SHMEM_ACCESS |
		BGWORKER_BACKEND_DATABASE_CONNECTION;
	worker->bgw_start_time = BgWorkerStart_ConsistentState;
	worker->bgw_restart_time = restart_s;
	worker->bgw_main_arg = Int32GetDatum(device);
	snprintf(worker->bgw_name, BGW_MAXLEN, "gpucompact GPU %d", device);
	strlcpy(worker->bgw_type, "gpucompact GPU", BGW_MAXLEN);
	strlcpy(worker->bgw_function_name, "gpucompact_gpu_worker", BGW_MAXLEN);
	strlcpy(worker->bgw_library_name,
			strlen(own_path()) < sizeof(worker->bgw_library_name) ?
			own_path() : "gpucompact", sizeof(worker->bgw_library_name));
}

ServerRun
server_run(void)
{
	const PGShmemHeader *memory = UsedShmemSegAddr;
	ServerRun	run = {PgStartTime, memory->dsm_control};

	return run;
}

static bool
is_of_this_run(const ServerRun *run)
{
	ServerRun	this = server_run();

	return run->started == this.started && run->memory == this.memory;
}

/* Reads what the worker of a GPU wrote last; false if there never was one. */
static bool
read_status(int file, WorkerStatus *status)
{
	return pread(file, status, sizeof(*status), 0) == sizeof(*status);
}

/* Returns true if a worker looks after the GPU of the file. */
static bool
is_locked(int file)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	return fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/*
 * Fills in what the worker of a GPU says.  Returns false if there never was
 * one; one that has gone without a word has the state WORKER_NONE.
 */
bool
gpu_process_status(int device, WorkerStatus *status)
{
	char		path[sizeof(GPU_STATUS_FILE) + 10];
	int			file;
	bool		found;

	snprintf(path, sizeof(path), GPU_STATUS_FILE, device);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	found = read_status(file, status);
	if (found && !is_locked(file) && status->state < WORKER_NO_DEVICE)
		status->state = WORKER_NONE;
	close(file);
	status->last_failure[sizeof(status->last_failure) - 1] = '\0';
	return found;
}

static GpuState absent(const char **why_not, const char *format, ...)
			pg_attribute_printf(2, 3);

static GpuState
absent(const char **why_not, const char *format, ...)
{
	va_list		arguments;

	va_start(arguments, format);
	vsnprintf(reason, sizeof(reason), format, arguments);
	va_end(arguments);
	*why_not = reason;
	return GPU_ABSENT;
}

/*
 * Returns how often sessions have asked in vain for the worker of a GPU.
 * *lately says whether one has asked within ASK_AGAIN_MS, and so may be
 * answered yet.  If not, this session is about to ask, and a file says so to
 * the others: if many sessions asked at once, they would take all background
 * workers.  The worker removes the file.
 */
static int
asked_in_vain(const char *path, bool *lately)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	Asked		asked = {server_run(), 0, 1};
	Asked		before;
	int			times = 0;
	int			file = open(path, O_RDWR | O_CREAT | O_CLOEXEC,
							pg_file_create_mode);

	*lately = false;
	if (file < 0)
		return 0;
	while (fcntl(file, F_OFD_SETLKW, &lock) != 0 && errno == EINTR)
		;
	asked.when = GetCurrentTimestamp();
	if (pread(file, &before, sizeof(before), 0) == sizeof(before) &&
		is_of_this_run(&before.run) && before.when <= asked.when)
	{
		*lately = !TimestampDifferenceExceeds(before.when, asked.when,
											  ASK_AGAIN_MS);
		times = before.times - *lately;
		asked.times = before.times + 1;
	}
	if (!*lately)
		(void) !pwrite(file, &asked, sizeof(asked), 0);
	close(file);
	return times;
}

/* Returns true if the worker of a GPU has started, and not failed. */
static bool
worker_is_up(const WorkerStatus *status)
{
	return status->state == WORKER_STARTING || status->state == WORKER_SERVING;
}

/*
 * Asks the postmaster for the worker of a GPU, unless a session has just done
 * so.
 */
static GpuState
ask_for_worker(int device, const char **why_not)
{
	BackgroundWorker worker;
	WorkerStatus status;
	char		path[sizeof(GPU_ASKED_FILE) + 10];
	bool		lately;
	int			times;

	if (!IsUnderPostmaster)
		return absent(why_not, "a GPU needs a server with a postmaster");
	snprintf(path, sizeof(path), GPU_ASKED_FILE, device);
	times = asked_in_vain(path, &lately);
	/* A worker that another session asked for may have started meanwhile. */
	if (!lately && gpu_process_status(device, &status) &&
		worker_is_up(&status))
	{
		(void) unlink(path);
		return GPU_STARTING;
	}
	gpu_worker_fill(&worker, device, BGW_NEVER_RESTART);
	if (!lately && !RegisterDynamicBackgroundWorker(&worker, NULL))
	{
		(void) unlink(path);
		return absent(why_not, "no background worker is free for GPU %d: "
					  "\"max_worker_processes\" has to be higher", device);
	}
	if (times >= ASKED_IN_VAIN)
		return absent(why_not, "the background worker of GPU %d does not start: "
					  "the server's log says why", device);
	return GPU_STARTING;
}

/*
 * Decides what to do if a GPU's process does not listen.  A process that is
 * busy with other sessions listens soon; the worker ends one that does not.
 */
static GpuState
start_process(int device, const char **why_not)
{
	WorkerStatus status;
	int64		now = time(NULL);

	if (gpu_process_status(device, &status))
	{
		if (worker_is_up(&status))
			return GPU_STARTING;
		/* A worker whose time has come may take a moment to start. */
		if (status.state == WORKER_WAITING)
			return absent(why_not, "the GPU process has failed %d times, and "
						  "is started again in %d s: %s", status.failures,
						  (int) Max(status.retry - now, 1),
						  status.last_failure);
		if (status.state == WORKER_NO_DEVICE && is_of_this_run(&status.run) &&
			now - status.since < NO_DEVICE_SECONDS)
			return absent(why_not, "%s", status.last_failure);
	}
	return ask_for_worker(device, why_not);
}

/* Counts the descriptors of connections as the backend's own. */
static void
count_descriptor(EngineContext *context, int device)
{
	bool		connected = gpu_engine_connection(context, device) != NULL;

	if (connected && !reserved[device])
		ReserveExternalFD();
	else if (!connected && reserved[device])
		ReleaseExternalFD();
	reserved[device] = connected;
}

static GpuState
one_state(EngineContext *context, int device, const char **why_not)
{
	GpuConnectStatus connected = gpu_engine_connect(context, device);

	count_descriptor(context, device);
	switch (connected)
	{
		case GPU_CONNECTED:
			/* The worker ends a process that hangs, and starts another. */
			return word_read(&gpu_engine_connection(context,
													device)->shared->hangs) ?
				GPU_STARTING : GPU_READY;
		case GPU_NOT_THERE:
			return start_process(device, why_not);
		default:
			return absent(why_not, "%s", context->engine->message(context));
	}
}

/* GPUs of this machine, as far as it is known; at least one. */
static int
known_devices(EngineContext *context)
{
	static int	known = 1;

	for (int i = 0; i < MAX_GPUS; i++)
	{
		const GpuConnection *connection = gpu_engine_connection(context, i);

		if (connection != NULL)
			known = Max(known, connection->shared->ndevices);
	}
	return Min(known, MAX_GPUS);
}

/*
 * Returns whether a context's jobs can run on a GPU, or if "device" is -1, on
 * any.  Connects to the process, or requests it; waits only for the hello.
 */
GpuState
gpu_process_state(EngineContext *context, int device, const char **why_not)
{
	char		path[MAXPGPATH];
	GpuState	best = GPU_ABSENT;

	if (!gpu_program_installed())
	{
		gpu_program_path(path);
		return absent(why_not, "no GPU program is installed: there is no file "
					  "\"%s\"", path);
	}
	if (device >= MAX_GPUS)
		return absent(why_not, "there is no GPU %d", device);
	if (device >= 0)
		return one_state(context, device, why_not);
	for (int i = 0; i < known_devices(context); i++)
	{
		GpuState	state = one_state(context, i, why_not);

		best = Min(best, state);
	}
	return best;
}

/*
 * Connects to the running processes of a GPU or, if "device" is -1, of all
 * GPUs; starts none.
 */
void
gpu_process_meet(EngineContext *context, int device)
{
	int			first = Max(device, 0);
	int			last = device >= 0 ? device : known_devices(context) - 1;

	for (int i = first; i <= last && i < MAX_GPUS; i++)
	{
		(void) gpu_engine_connect(context, i);
		count_descriptor(context, i);
	}
}

/*
 * Listing the GPUs.
 */

/* Executes the program; the caller reads its output from *output. */
static pid_t
run_list(int *output)
{
	char		path[MAXPGPATH];
	int			ends[2];
	pid_t		pid;

	gpu_program_path(path);
	if (pipe2(ends, O_CLOEXEC) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create pipe: %m")));
	pid = fork();
	if (pid == 0)
	{
		(void) dup2(ends[1], STDOUT_FILENO);
		(void) execl(path, "gpucompact_gpu", "--list", NULL);
		_exit(1);
	}
	close(ends[1]);
	if (pid < 0)
	{
		close(ends[0]);
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not fork process: %m")));
	}
	*output = ends[0];
	return pid;
}

/* All that the program writes, or as much as there is room for. */
static void
read_all(int output, char *buffer, Size size)
{
	TimestampTz start = GetCurrentTimestamp();
	Size		length = 0;

	for (;;)
	{
		struct pollfd readable = {.fd = output, .events = POLLIN};
		ssize_t		got;

		CHECK_FOR_INTERRUPTS();
		if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(), LIST_MS))
			break;
		if (poll(&readable, 1, 50) <= 0)
			continue;
		got = read(output, buffer + length, size - length - 1);
		if (got <= 0)
			break;
		length += got;
	}
	buffer[length] = '\0';
}

/*
 * A GPU that is there now may be tried at once, whatever its last worker has
 * found.
 */
static void
forget_absence(int device)
{
	char		path[sizeof(GPU_STATUS_FILE) + 10];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	WorkerStatus status;
	int			file;

	snprintf(path, sizeof(path), GPU_STATUS_FILE, device);
	file = open(path, O_RDWR | O_CLOEXEC);
	if (file < 0)
		return;
	if (read_status(file, &status) && status.state == WORKER_NO_DEVICE &&
		fcntl(file, F_OFD_SETLK, &lock) == 0)
	{
		status.state = WORKER_DONE;
		(void) !pwrite(file, &status.state, sizeof(status.state), 0);
	}
	close(file);
}

/* A line of the list. */
static bool
parse_device(const char *line, EngineDevice *device)
{
	long long	total;
	long long	free;

	memset(device, 0, sizeof(*device));
	if (sscanf(line, "%d\t%255[^\t]\t%d\t%d\t%lld\t%lld\t%d\t%d",
			   &device->index, device->name, &device->major, &device->minor,
			   &total, &free, &device->driver_version,
			   &device->runtime_version) != 8)
		return false;
	device->memory_total = total;
	device->memory_free = free;
	return true;
}

/*
 * Runs the program to list the GPUs, without opening any.  Returns how many
 * there are; or zero, and why there is none.
 */
int
gpu_list_devices(EngineDevice *devices, int capacity, const char **why_not)
{
	char	   *text = palloc(LIST_BYTES);
	char	   *next;
	int			count = 0;
	int			output;
	pid_t		pid = run_list(&output);

	PG_TRY();
	{
		read_all(output, text, LIST_BYTES);
	}
	PG_FINALLY();
	{
		close(output);
		(void) kill(pid, SIGKILL);
		(void) waitpid(pid, NULL, 0);
	}
	PG_END_TRY();
	for (char *line = strtok_r(text, "\n", &next); line != NULL;
		 line = strtok_r(NULL, "\n", &next))
	{
		if (count < capacity && parse_device(line, &devices[count]))
			forget_absence(devices[count++].index);
		else
			(void) absent(why_not, "%s", line);
	}
	if (text[0] == '\0')
		(void) absent(why_not, "the GPU program does not tell which GPUs there "
					  "are");
	pfree(text);
	return count;
}
