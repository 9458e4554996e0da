/*
 * cpu_faults.h
 *	  Faults of the device on demand, step by step.
 *
 * The environment variable GPUCOMPACT_FAULT names a file with "STEP FAULT
 * [NUMBER]", where NUMBER counts the calls of the step in a job, from 1, the
 * default.  The file is read whenever a job begins, and when the device is
 * opened.  A step that is "held" also reads it, until the file no longer
 * says so or the session abandons the job.  "begin tight" evicts cached
 * values, as a job does that finds no memory.  "begin lab" loads the library
 * of the laboratory's algorithms, as a job does that names one of them, and
 * fails as the job does if there is none.  "open crowded 100" leaves 100 MB
 * of the memory free, as if other programs had the rest.  "exit slow" has
 * the process take its time to end, when the slots' memory has gone.
 * "chain" is the beginning of a job that reads what has stayed from a job
 * before, and "unpack" the unpacking of a piece that comes in packed blocks.
 */
#ifndef GPUCOMPACT_CPU_FAULTS_H
#define GPUCOMPACT_CPU_FAULTS_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "contract/engine.h"

typedef enum Step
{
	STEP_OPEN,
	STEP_BEGIN,
	STEP_CHAIN,
	STEP_PUSH,
	STEP_UNPACK,
	STEP_FINISH,
	STEP_EXIT,
	STEPS
} Step;

static const char *const step_names[STEPS] = {
	"open", "begin", "chain", "push", "unpack", "finish", "exit"
};

/* Faults by which a step says something else than it should. */
static const struct
{
	const char *fault;
	EngineStatus status;
}			lies[] = {
	{"not_supported", ENGINE_NOT_SUPPORTED},
	{"no_device", ENGINE_NO_DEVICE},
	{"out_of_memory", ENGINE_OUT_OF_MEMORY},
	{"device_failed", ENGINE_DEVICE_FAILED},
	{"not_unpacked", ENGINE_NOT_UNPACKED},
	{"unknown", (EngineStatus) 99},
	{"hang", ENGINE_MORE}		/* from the call with the number on */
};

/* The fault "slow", and how often a step that is "held" looks for its end. */
#define SLOW_MS		100L
#define HELD_MS		5L

typedef struct Fault
{
	char		step[20];
	char		name[20];
	int			number;
} Fault;

static Fault
read_fault(void)
{
	const char *name = getenv("GPUCOMPACT_FAULT");
	FILE	   *file = name ? fopen(name, "r") : NULL;
	Fault		fault = {.number = 1};

	if (file != NULL)
	{
		(void) !fscanf(file, "%19s %19s %d", fault.step, fault.name,
					   &fault.number);
		(void) fclose(file);
	}
	return fault;
}

static bool
is_fault(const Fault *fault, Step step, const char *name)
{
	return strcmp(step_names[step], fault->step) == 0 &&
		strcmp(fault->name, name) == 0;
}

static void
sleep_ms(long ms)
{
	struct timespec time = {0, ms * 1000000};

	(void) nanosleep(&time, NULL);
}

/*
 * Returns the status that a step returns because of a fault, or ENGINE_OK.
 * The faults "crash" and "slow" happen here.
 */
static EngineStatus
fault_status(const Fault *fault, Step step, int number)
{
	if (is_fault(fault, step, "crash") && number == fault->number)
		abort();
	if (is_fault(fault, step, "slow") && number == fault->number)
		sleep_ms(SLOW_MS);
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++)
	{
		if (is_fault(fault, step, lies[i].fault) &&
			(number == fault->number ||
			 (number > fault->number && lies[i].status == ENGINE_MORE)))
			return lies[i].status;
	}
	return ENGINE_OK;
}

/* Replaces the C library's function, for the fault "slow" of the exit. */
int
fallocate(int file, int mode, off_t offset, off_t length)
{
	int			result = (int) syscall(SYS_fallocate, file, mode, offset,
									   length);
	Fault		fault = read_fault();

	if ((mode & FALLOC_FL_PUNCH_HOLE) && is_fault(&fault, STEP_EXIT, "slow"))
		sleep_ms(SLOW_MS);
	return result;
}

#endif							/* GPUCOMPACT_CPU_FAULTS_H */
