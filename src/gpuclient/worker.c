/*
 * worker.c
 *	  The background worker that looks after the GPU process of one GPU.
 *
 * It never calls CUDA.  It executes the program, and holds the end of a pipe,
 * whose closing ends the program.  It logs what the program says, and starts it
 * again when it has failed, with a growing delay.  It ends when the program was
 * idle for long.  It writes its state to a file, for sessions that find no
 * process to connect to.
 */
#include "compat.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "gpuclient/gpu_process.h"
#include "settings.h"

/* How long the program may take to end when it is told to. */
#define END_MS				5000

/*
 * The program is started again at once; if it keeps failing, after one second,
 * two, four, and so on.  After STEADY_SECONDS without a failure, it counts as
 * steady again.
 */
#define LONGEST_DELAY		60
#define STEADY_SECONDS		10

/* How often the program is looked at, before it serves and when it does. */
#define OPENING_LOOK_MS		50
#define LOOK_MS				500

/* Descriptors that the program may have inherited: none is above. */
#define MAX_DESCRIPTORS		65536

typedef struct Program
{
	pid_t		pid;
	int			lifeline;		/* its standard input; -1 once closed */
	int			log;			/* its standard error */
	char		line[512];		/* what it has said so far */
	int			length;
	bool		spoke;			/* it has said something */
	bool		hung;			/* it made no progress, and was killed */
	LanesSettings told;			/* the settings that it was told */
} Program;

PGDLLEXPORT void gpucompact_gpu_worker(Datum argument);

static int	status_file;
static WorkerStatus status;
static GpuConnection connection = {.socket = -1};
static uint32 beats;			/* of the program, as last seen, */
static int64 beat_ns;			/* and when; 0: not seen yet */

static void
put_status(WorkerState state)
{
	status.state = state;
	status.since = time(NULL);
	(void) !pwrite(status_file, &status, sizeof(status), 0);
}

/* Returns true if a process is the program, and not dead. */
static bool
is_program(int pid)
{
	char		path[40];
	char		said[64];
	const char *name;
	ssize_t		length;
	int			file;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	file = open(path, O_RDONLY | O_CLOEXEC);
	if (file < 0)
		return false;
	length = read(file, said, sizeof(said) - 1);
	close(file);
	said[Max(length, 0)] = '\0';
	name = strstr(said, "(gpucompact_gpu) ");
	return name != NULL && strncmp(name, "(gpucompact_gpu) Z", 18) != 0;
}

/*
 * Waits until the program of a killed worker has ended, too.  Until then it
 * holds GPU memory, which the next program would count as used by others.
 */
static void
wait_for_other(int pid)
{
	TimestampTz start = GetCurrentTimestamp();

	while (is_program(pid) && !ShutdownRequestPending &&
		   !TimestampDifferenceExceeds(start, GetCurrentTimestamp(), END_MS))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
						 WL_TIMEOUT, OPENING_LOOK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
}

/* Sessions may ask for a worker, as none is about to start. */
static void
forget_asked(int device)
{
	char		path[sizeof(GPU_ASKED_FILE) + 10];

	snprintf(path, sizeof(path), GPU_ASKED_FILE, device);
	(void) unlink(path);
}

/*
 * Makes this process the worker of a GPU; false if there is another one.  That
 * one may be about to end, so sessions may request another worker at once.
 */
static bool
take_charge(int device)
{
	char		path[sizeof(GPU_STATUS_FILE) + 10];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
	WorkerStatus before;

	snprintf(path, sizeof(path), GPU_STATUS_FILE, device);
	status_file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (status_file < 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not open file \"%s\": %m", path)));
	if (fcntl(status_file, F_OFD_SETLK, &lock) != 0)
	{
		forget_asked(device);
		return false;
	}
	if (pread(status_file, &before, sizeof(before), 0) != sizeof(before))
		before.process_pid = 0;
	status.worker_pid = MyProcPid;
	status.run = server_run();
	/* Sessions look for the file first, and then at the status. */
	put_status(WORKER_STARTING);
	forget_asked(device);
	if (before.process_pid > 0)
		wait_for_other(before.process_pid);
	return true;
}

/*
 * Releases the GPU before this process ends, so that the next worker need not
 * wait.
 */
static void
leave_charge(WorkerState state)
{
	put_status(state);
	close(status_file);
	proc_exit(0);
}

/*
 * Executes the program in the child process, without any code of PostgreSQL.
 */
static void
become_program(int device, const int lifeline[2], const int log[2],
			   const char *path)
{
	char		name[40];
	char		index[12];
	char		lanes[12];
	char		slot[24];
	char		socket[sizeof(GPU_SOCKET) + 10];
	char	   *const arguments[] = {name, index, lanes, slot, socket, NULL};
	sigset_t	none;
	int			null = open("/dev/null", O_RDWR);

	snprintf(name, sizeof(name), "gpucompact_gpu: GPU %d", device);
	snprintf(index, sizeof(index), "%d", device);
	snprintf(lanes, sizeof(lanes), "%d", setting_gpu_lanes);
	snprintf(slot, sizeof(slot), "%lld",
			 (long long) setting_gpu_slot_size << 10);
	snprintf(socket, sizeof(socket), GPU_SOCKET, device);
	(void) setsid();
	(void) prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void) dup2(lifeline[0], STDIN_FILENO);
	(void) dup2(null, STDOUT_FILENO);
	(void) dup2(log[1], STDERR_FILENO);
	for (int i = 3; i < sysconf(_SC_OPEN_MAX) && i < MAX_DESCRIPTORS;
		 i++)
		(void) close(i);
	sigemptyset(&none);
	(void) sigprocmask(SIG_SETMASK, &none, NULL);
	(void) execv(path, arguments);
	(void) dprintf(STDERR_FILENO, "could not execute \"%s\": %s\n", path,
				   strerror(errno));
	_exit(GPU_EXIT_FAILED);
}

static void
start_program(Program *program, int device)
{
	char		path[MAXPGPATH];
	int			lifeline[2];
	int			log[2];

	gpu_program_path(path);
	if (pipe2(lifeline, O_CLOEXEC) != 0 || pipe2(log, O_CLOEXEC) != 0)
		ereport(ERROR,
				(errcode_for_file_access(),
				 errmsg("could not create pipe: %m")));
	put_status(WORKER_STARTING);
	fflush(NULL);
	program->pid = fork();
	if (program->pid < 0)
		ereport(ERROR,
				(errcode(ERRCODE_SYSTEM_ERROR),
				 errmsg("could not fork process: %m")));
	if (program->pid == 0)
		become_program(device, lifeline, log, path);
	close(lifeline[0]);
	close(log[1]);
	program->lifeline = lifeline[1];
	program->log = log[0];
	program->length = 0;
	program->spoke = false;
	program->hung = false;
	memset(&program->told, -1, sizeof(program->told));
	status.process_pid = program->pid;
	put_status(WORKER_STARTING);
}

/* Sends the settings to the program, if they have changed. */
static void
send_settings(Program *program)
{
	LanesSettings settings;

	memset(&settings, 0, sizeof(settings));
	settings.idle_timeout = setting_gpu_idle_timeout;
	settings.cache_size = setting_gpu_cache_size < 0 ? -1 :
		(int64) setting_gpu_cache_size << 20;
	if (program->lifeline < 0 ||
		memcmp(&settings, &program->told, sizeof(settings)) == 0)
		return;
	program->told = settings;
	(void) !write(program->lifeline, &settings, sizeof(settings));
}

/* Logs a line, and keeps it: the last line is the reason of a failure. */
static void
log_line(Program *program, int device)
{
	program->line[program->length] = '\0';
	program->length = 0;
	if (program->line[0] == '\0')
		return;
	program->spoke = true;
	strlcpy(status.last_failure, program->line, sizeof(status.last_failure));
	ereport(LOG, (errmsg("gpucompact GPU %d: %s", device, program->line)));
}

/* Takes what the program has said; false if that was the last. */
static bool
hear(Program *program, int device)
{
	char		said[256];
	ssize_t		count = read(program->log, said, sizeof(said));

	if (count <= 0)
		return count < 0 && errno == EINTR;
	for (ssize_t i = 0; i < count; i++)
	{
		if (said[i] == '\n' || program->length == sizeof(program->line) - 1)
			log_line(program, device);
		else
			program->line[program->length++] = said[i];
	}
	return true;
}

static void
close_lifeline(Program *program)
{
	if (program->lifeline >= 0)
		close(program->lifeline);
	program->lifeline = -1;
}

/* Returns true if the program has listened to nobody for HANG_NS. */
static bool
is_deaf(void)
{
	uint32		now = word_read(&connection.shared->beats);

	if (now != beats || beat_ns == 0)
	{
		beats = now;
		beat_ns = lanes_now_ns();
	}
	return lanes_now_ns() - beat_ns > HANG_NS;
}

/* Connects to the program, as a session does, to see how it is doing. */
static void
look_at(Program *program, int device)
{
	char		path[sizeof(GPU_SOCKET) + 10];
	char		why[200];

	if (connection.shared != NULL)
	{
		if (word_read(&connection.shared->hangs) || is_deaf())
		{
			program->hung = true;
			(void) kill(program->pid, SIGKILL);
		}

		/* Often enough that the counter cannot go round unseen. */
		(void) oids_note(&connection.shared->oids, next_oid());
		return;
	}
	snprintf(path, sizeof(path), GPU_SOCKET, device);
	if (gpu_connect(&connection, path, why, sizeof(why)) == GPU_CONNECTED)
		put_status(WORKER_SERVING);
}

/*
 * Gives back the memory of the slots.  Sessions that have not noticed the
 * program's end may still map it, and read the program's last words.
 */
static void
forget_program(Program *program)
{
	const LanesLayout *layout = &connection.layout;

	if (connection.shared != NULL)
		(void) madvise((char *) connection.shared + layout->slots_offset,
					   layout->bytes - layout->slots_offset, MADV_REMOVE);
	gpu_disconnect(&connection);
	beat_ns = 0;
	close_lifeline(program);
	close(program->log);
}

/* Waits until the program has ended; returns how, as waitpid does. */
static int
wait_for_end(Program *program, int device)
{
	TimestampTz told = 0;
	int			how = 0;
	bool		open = true;

	while (open)
	{
		int			events = WaitLatchOrSocket(MyLatch, WL_LATCH_SET |
											   WL_EXIT_ON_PM_DEATH |
											   WL_SOCKET_READABLE |
											   WL_TIMEOUT, program->log,
											   connection.shared == NULL ?
											   OPENING_LOOK_MS : LOOK_MS,
											   PG_WAIT_EXTENSION);

		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		send_settings(program);
		if (events & WL_SOCKET_READABLE)
			open = hear(program, device);
		look_at(program, device);
		if (ShutdownRequestPending && told == 0)
		{
			close_lifeline(program);
			told = GetCurrentTimestamp();
		}
		if (told != 0 && TimestampDifferenceExceeds(told,
													GetCurrentTimestamp(),
													END_MS))
			(void) kill(program->pid, SIGKILL);
	}
	(void) kill(program->pid, told != 0 ? SIGKILL : 0);
	while (waitpid(program->pid, &how, 0) < 0 && errno == EINTR)
		;
	forget_program(program);
	status.process_pid = 0;
	return how;
}

/*
 * Waits before the program is started again; false if the worker should end.
 */
static bool
wait_to_retry(int seconds)
{
	TimestampTz start = GetCurrentTimestamp();

	if (seconds == 0)
		return !ShutdownRequestPending;
	status.retry = time(NULL) + seconds;
	put_status(WORKER_WAITING);
	while (!ShutdownRequestPending &&
		   !TimestampDifferenceExceeds(start, GetCurrentTimestamp(),
									   seconds * 1000))
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH |
						 WL_TIMEOUT, LOOK_MS, PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return !ShutdownRequestPending;
}

/*
 * A message about the end of the program, unless the program has written one
 * itself.
 */
static void
note_end(const Program *program, int how, int device)
{
	if (program->hung)
		strlcpy(status.last_failure, "The GPU process made no progress.",
				sizeof(status.last_failure));
	else if (WIFSIGNALED(how))
		snprintf(status.last_failure, sizeof(status.last_failure),
				 "The GPU process was terminated by signal %d.",
				 WTERMSIG(how));
	else if (!program->spoke)
		snprintf(status.last_failure, sizeof(status.last_failure),
				 "The GPU process exited with status %d.", WEXITSTATUS(how));
	ereport(LOG,
			(errmsg("gpucompact GPU %d: the process has ended: %s", device,
					status.last_failure)));
}

void
gpucompact_gpu_worker(Datum argument)
{
	int			device = DatumGetInt32(argument);
	Program		program;
	bool		again = true;

	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	pqsignal(SIGTERM, SignalHandlerForShutdownRequest);
	BackgroundWorkerUnblockSignals();

	/* To no database, but so that pg_stat_activity shows the worker. */
	BackgroundWorkerInitializeConnection(NULL, NULL, 0);
	if (!take_charge(device))
		proc_exit(0);
	while (again)
	{
		TimestampTz start = GetCurrentTimestamp();
		int			how;

		start_program(&program, device);
		how = wait_for_end(&program, device);
		if (ShutdownRequestPending ||
			(WIFEXITED(how) && WEXITSTATUS(how) == GPU_EXIT_DONE))
			break;
		if (WIFEXITED(how) && WEXITSTATUS(how) == GPU_EXIT_NO_DEVICE)
			leave_charge(WORKER_NO_DEVICE);
		note_end(&program, how, device);
		if (TimestampDifferenceExceeds(start, GetCurrentTimestamp(),
									   STEADY_SECONDS * 1000))
			status.failures = 0;
		status.failures++;
		again = wait_to_retry(status.failures == 1 ? 0 :
							  Min(LONGEST_DELAY,
								  1 << Min(status.failures - 2, 6)));
	}
	leave_charge(WORKER_DONE);
}
