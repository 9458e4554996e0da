/*
 * faulty_engine.c
 *	  An engine with faults on demand, to test how the host handles them.
 *
 * It replaces the CUDA engine, and runs jobs on the CPU engine except for one
 * fault.  The environment variable GPUCOMPACT_FAULT of the server names a file
 * with "STEP FAULT [NUMBER]", where NUMBER counts the calls of the step in a
 * job, from 1, the default.  The file is read whenever a job begins.  If the
 * host breaks a rule of engine.h, the process aborts.
 *
 *		make t/engine/faulty_engine.so
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/engine.h"

extern const Engine gpucompact_engine;

typedef enum Step
{
	STEP_BEGIN,
	STEP_BUFFER,
	STEP_PUSH,
	STEP_FINISH,
	STEP_END,
	STEP_DEVICES,
	STEPS
} Step;

static const char *const step_names[STEPS] = {
	[STEP_BEGIN] = "begin",
	[STEP_BUFFER] = "buffer",
	[STEP_PUSH] = "push",
	[STEP_FINISH] = "finish",
	[STEP_END] = "end",
	[STEP_DEVICES] = "devices"
};

/* Faults that return a status. */
static const struct
{
	const char *fault;
	EngineStatus status;
}			statuses[] = {
	{"not_supported", ENGINE_NOT_SUPPORTED},
	{"no_device", ENGINE_NO_DEVICE},
	{"out_of_memory", ENGINE_OUT_OF_MEMORY},
	{"device_failed", ENGINE_DEVICE_FAILED},
	{"unknown", (EngineStatus) 99},
	{"more", ENGINE_MORE}		/* from that call on */
};

/* The duration of the fault "slow". */
#define SLOW_MS		100L

/* The current fault. */
static char fault_step[20];
static char fault[20];
static int	fault_number;
static char text[100];			/* its message */

/* The state of the job. */
static int	calls[STEPS];
static bool running = false;
static bool opening = false;	/* has begin returned ENGINE_MORE? */
static bool lost = false;		/* has the device failed? */
static EngineRequest request;
static int64_t offered;			/* elements of the next piece */
static int64_t pushed;
static int *last_fill[ENGINE_INPUTS];	/* "pending" of each input's last */

/* Aborts if the host breaks a rule. */
static void
demand(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "faulty engine: %s\n", what);
	abort();
}

static bool
is_fault(Step step, const char *name)
{
	return strcmp(step_names[step], fault_step) == 0 &&
		strcmp(fault, name) == 0;
}

static void
read_fault(void)
{
	const char *name = getenv("GPUCOMPACT_FAULT");
	FILE	   *file = name ? fopen(name, "r") : NULL;

	memset(calls, 0, sizeof(calls));
	fault_step[0] = fault[0] = '\0';
	fault_number = 1;
	if (file == NULL)
		return;
	(void) !fscanf(file, "%19s %19s %d", fault_step, fault, &fault_number);
	fclose(file);
	snprintf(text, sizeof(text), "The test has it so: %s %s.", fault_step,
			 fault);
}

/* The status that a step returns because of the fault, or ENGINE_OK. */
static EngineStatus
fault_status(Step step)
{
	struct timespec slow = {0, SLOW_MS * 1000000};
	int			number = ++calls[step];

	demand(!lost || step == STEP_END, "called after the device has failed");
	while (is_fault(step, "slow") && number == fault_number &&
		   nanosleep(&slow, &slow) != 0)
		;						/* interrupted by a signal */
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++)
	{
		if (!is_fault(step, statuses[i].fault) || number < fault_number ||
			(number > fault_number && statuses[i].status != ENGINE_MORE))
			continue;
		lost = statuses[i].status == ENGINE_DEVICE_FAILED;
		return statuses[i].status;
	}
	return ENGINE_OK;
}

/* The same within a job; a failure overwrites the result. */
static EngineStatus
job_status(Step step)
{
	EngineStatus status = fault_status(step);

	demand(running, "called without a job");
	if (status != ENGINE_OK && status != ENGINE_MORE &&
		request.outputs[0].memory != NULL)
		memset(request.outputs[0].memory, 0xA5,
			   request.room * output_size(&request, 0));
	return status;
}

/* Returns a context of the CPU engine, with this engine's name. */
static EngineContext *
faulty_open(void)
{
	EngineContext *context = cpu_engine.open();

	if (context != NULL)
		context->engine = &gpucompact_engine;
	return context;
}

static void
faulty_close(EngineContext *context)
{
	cpu_engine.close(context);
}

static double
faulty_cost_us(EngineContext *context, const EngineRequest *new_request)
{
	return request_cost_us(new_request, ENGINE_CUDA);
}

static EngineStatus
faulty_begin(EngineContext *context, const EngineRequest *new_request)
{
	EngineStatus status;

	demand(!running, "begin before the end of a job");
	read_fault();
	status = fault_status(STEP_BEGIN);
	opening = status == ENGINE_MORE;
	if (status != ENGINE_OK)
		return status;
	request = *new_request;
	offered = pushed = 0;
	memset(last_fill, 0, sizeof(last_fill));
	status = cpu_engine.begin(context, new_request);
	running = status == ENGINE_OK;
	return status;
}

static EngineStatus
faulty_buffer(EngineContext *context, void *buffers[ENGINE_INPUTS],
			  int64_t *capacity)
{
	EngineStatus status = job_status(STEP_BUFFER);

	if (status == ENGINE_OK)
		status = cpu_engine.buffer(context, buffers, capacity);
	if (is_fault(STEP_BUFFER, "short"))
		*capacity = 0;
	offered = *capacity;
	return status;
}

static void
faulty_fill(EngineContext *context, int input, void *dest,
			const EngineSpan *spans, int nspans, int *pending)
{
	demand(running && !lost && offered > 0, "a fill without a buffer");
	demand(request.paged, "a fill that was not announced");
	last_fill[input] = pending;
	cpu_engine.fill(context, input, dest, spans, nspans, pending);
}

static void
faulty_wait(EngineContext *context, const int *pending)
{
	demand(running && !lost, "a wait without a job");
	cpu_engine.wait(context, pending);
}

static EngineStatus
faulty_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
			int64_t count)
{
	EngineStatus status = job_status(STEP_PUSH);
	int64_t		left = request.count - pushed;

	demand(count > 0 && count == (offered < left ? offered : left),
		   "a piece of another length");
	offered = 0;
	pushed += count;
	return status == ENGINE_OK ? cpu_engine.push(context, data, count) : status;
}

static EngineStatus
faulty_finish(EngineContext *context, EngineResult *result)
{
	EngineStatus status = job_status(STEP_FINISH);

	demand(pushed == request.count, "finish before all is pushed");
	for (int i = 0; i < ENGINE_INPUTS; i++)
		demand(last_fill[i] == NULL || *last_fill[i] == 0,
			   "finish before all is copied");
	if (status == ENGINE_OK)
		status = cpu_engine.finish(context, result);
	if (is_fault(STEP_FINISH, "short"))
		result->count--;
	if (is_fault(STEP_FINISH, "long"))
		result->count = 4 * request.count + 1;
	return status;
}

static void
faulty_end(EngineContext *context)
{
	demand(running, "an end without a job");
	running = false;
	(void) fault_status(STEP_END);
	cpu_engine.end(context);
}

static EngineStatus
faulty_devices(EngineContext *context, EngineDevice *devices, int capacity,
			   int *count)
{
	EngineStatus status;

	read_fault();
	status = fault_status(STEP_DEVICES);
	*count = 1;
	memset(devices, 0, sizeof(*devices));
	snprintf(devices->name, sizeof(devices->name), "faulty");
	return status;
}

static const char *
faulty_message(EngineContext *context)
{
	return text;
}

static bool
faulty_idle(EngineContext *context)
{
	return !lost && !opening;
}

/* Like the CUDA runtime, it cleans up when the process exits. */
static void
clean_up(void)
{
	demand(!lost && !opening, "cleaned up after the device has failed");
	fprintf(stderr, "faulty engine: cleaned up\n");
}

__attribute__((constructor)) static void
loaded(void)
{
	atexit(clean_up);
}

__attribute__((visibility("default")))
const Engine gpucompact_engine = {
	.api_version = ENGINE_API_VERSION,
	.name = "cuda",
	.open = faulty_open,
	.close = faulty_close,
	.cost_us = faulty_cost_us,
	.begin = faulty_begin,
	.buffer = faulty_buffer,
	.fill = faulty_fill,
	.wait = faulty_wait,
	.push = faulty_push,
	.finish = faulty_finish,
	.end = faulty_end,
	.devices = faulty_devices,
	.message = faulty_message,
	.idle = faulty_idle,
};
