/*
 * gpu_engine.c
 *	  The engine whose jobs are done by a GPU process: a session's side.
 *
 * A job leases a lane (gpu_lease.c), and goes through its slots in turn
 * (gpu_slots.c).  A job whose process has gone has failed, whatever the process
 * said before.
 */
#include <stdlib.h>
#include <string.h>

#include "gpuclient/gpu_job.h"

static EngineContext *
gpu_open(void)
{
	GpuJob	   *job = calloc(1, sizeof(GpuJob));

	if (job == NULL)
		return NULL;
	job->base.engine = &gpu_engine;
	for (int i = 0; i < MAX_GPUS; i++)
		job->connections[i].socket = -1;
	return &job->base;
}

static bool
gpu_has_cached(EngineContext *context, const EngineRequest *request,
			   int source)
{
	const GpuConnection *process =
		job_find_process((GpuJob *) context, request);
	uint64_t	number;
	CacheMiss	miss;

	if (request->residents[source] != 0)
		return true;
	return process != NULL &&
		gpu_cache_find(process, request, source, &number, &miss) >= 0;
}

static void
gpu_close(EngineContext *context)
{
	GpuJob	   *job = (GpuJob *) context;

	for (int i = 0; i < MAX_GPUS; i++)
		gpu_disconnect(&job->connections[i]);
	free(job);
}

/* Returns the microseconds for which a request waits for a lane. */
static double
wait_us(GpuJob *job, const EngineRequest *request)
{
	const GpuConnection *process = job_find_process(job, request);
	double		ahead;

	if (process == NULL)
		return 0;
	ahead = process_queue_length(process) - 1;
	return ahead < 0 ? 0 : (ahead + 1.0 / process->layout.nlanes) *
		__atomic_load_n(&process->shared->lease_us, __ATOMIC_RELAXED);
}

/* Nanoseconds to write a byte of a result, as READ_NS. */
#define WRITE_NS		0.16

/*
 * Returns the cost of a request in microseconds, less than zero if it is not
 * supported.  Reading costs nothing for inputs that the device has, and
 * writing nothing for results that may stay there.  But a call costs at least
 * as much as one without elements; and also as much as the writing of as many
 * results as elements or, if the results stay, the reading of its other
 * inputs.  Unlike an input, a table is not copied by a team.
 */
static double
gpu_cost_us(EngineContext *context, const EngineRequest *request, bool waits)
{
	const OperationFacts *facts = &operation_facts[request->operation];
	double		cost = request_cost_us(request, ENGINE_CUDA);
	double		write_us = WRITE_NS / 1000 * request->count *
		output_size(request, 0);
	double		least = facts->costs[ENGINE_CUDA].call_us;

	if (cost < 0)
		return cost;
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		double		read_us = READ_NS / 1000 * source_read_bytes(request, i);
		bool		has;

		if (i == ENGINE_TABLE && !request_table_is_array(request))
			continue;

		has = gpu_has_cached(context, request, i);
		if (has)
			cost -= read_us;
		else if (i == ENGINE_TABLE)
			cost += read_us;
		if (request->stays && !has)
			least += read_us;
	}
	if (request->stays)
		cost -= write_us;
	else if (facts->shape == RESULT_EACH)
		least += write_us /
			(request->count < COPY_TEAM_COUNT ? 1 : request->threads);
	return (cost > least ? cost : least) +
		(waits ? wait_us((GpuJob *) context, request) : 0);
}

/* Gives the lane's process the request. */
static void
send_request(GpuJob *job, const EngineRequest *request)
{
	SharedLane *lane = job->lane;

	job->request = *request;
	job->request.packed = request->packed && request->inputs == 1 &&
		source_bytes(request, 0) > DIRECT_BYTES;
	job->capacity = lane_slot_capacity(&job->at->layout, request);
	job->resident = request->stays ? gpu_resident_take(job->at) : 0;
	lane->request = job->request;
	lane->request.table = lane->request.summary = NULL;
	memset(lane->request.identities, 0, sizeof(lane->request.identities));
	lane->request.stays = job->resident != 0;
	lane->resident = job->resident;
	lane->stays = 0;
	lane->result = (EngineResult) {0};
	lane->answered = 0;
	for (int i = 0; i < LANE_SLOTS; i++)
		lane->slots[i].state = LANE_SLOT_FREE;
	gpu_cache_ask(job->at, lane, request);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		/* The process probably still has what is in its directory. */
		job->base.has[i] = lane->inputs[i].entry >= 0 ||
			lane->inputs[i].resident != 0;
		job->asked = job->asked || job->base.has[i];
	}
	word_write(&lane->state, LANE_BEGUN);
	doorbell_ring(&lane->to_process);
}

/*
 * Waits until the process has said which inputs it has cached, and whether it
 * has the table.
 */
static EngineStatus
hear_answer(GpuJob *job)
{
	SharedLane *lane = job->lane;
	uint32_t	seen = doorbell_read(&lane->to_session);

	TRY_STATUS(job_status(job));
	if (!word_read(&lane->answered))
		return job_wait(job, &lane->to_session, seen);
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		job->base.has[i] = lane->inputs[i].has != 0;
		if (lane->inputs[i].resident != 0 && !job->base.has[i])
			return job_failed(job, ENGINE_NO_DEVICE,
							  "The GPU process has ended.");
	}
	if (job->base.has[ENGINE_TABLE])
		job->table_pushed = job->request.table_bytes;
	return ENGINE_OK;
}

static EngineStatus
gpu_begin(EngineContext *context, const EngineRequest *request)
{
	GpuJob	   *job = (GpuJob *) context;

	if (!job->waiting && job->lane == NULL)
	{
		memset(&job->at, 0, sizeof(*job) - offsetof(GpuJob, at));
		memset(job->base.has, 0, sizeof(job->base.has));
		job->at = job_find_process(job, request);
		if (job->at == NULL)
			return job_failed(job, ENGINE_NO_DEVICE,
							  "There is no GPU process.");
		job->progress_ns = lanes_now_ns();
		job->progress = word_read(&job->at->shared->progress);
	}
	if (job->lane == NULL)
	{
		TRY_STATUS(job_lease(job));
		send_request(job, request);
		job_start_team(job);
	}
	if (!job->asked)
		return ENGINE_OK;
	TRY_STATUS(hear_answer(job));
	job_start_team(job);
	return ENGINE_OK;
}

static void
gpu_wait(EngineContext *context, const int *pending)
{
	team_wait(&((GpuJob *) context)->team, pending);
}

static EngineStatus
gpu_buffer(EngineContext *context, void *buffers[ENGINE_INPUTS],
		   int64_t *capacity)
{
	GpuJob	   *job = (GpuJob *) context;
	char	   *memory;

	TRY_STATUS(slots_push_table(job));
	TRY_STATUS(slots_next(job));
	memory = slot_memory(job, job->pieces % LANE_SLOTS);
	buffers[0] = memory;
	buffers[1] = memory + job->capacity * input_size(&job->request, 0);
	buffers[2] = (char *) buffers[1] +
		job->capacity * input_size(&job->request, 1);
	*capacity = job->capacity;
	return ENGINE_OK;
}

static EngineStatus
gpu_push(EngineContext *context, const void *const data[ENGINE_INPUTS],
		 int64_t count)
{
	GpuJob	   *job = (GpuJob *) context;
	int			number = job->pieces % LANE_SLOTS;
	char	   *to = slot_memory(job, number);
	int			size = 0;

	for (int i = 0; i < job->request.inputs; i++)
	{
		to += job->capacity * size;
		size = input_size(&job->request, i);
		if (data[i] == to || data[i] == NULL)
			continue;
		slot_start_copy(job, number, to, data[i], count * size, false);
		while (slot_is_copying(job, number))
			team_wait(&job->team, &job->copies[number].pending);
	}
	job->pushed += count;
	slots_push(job, count);
	return ENGINE_OK;
}

static EngineStatus
gpu_finish(EngineContext *context, EngineResult *result)
{
	GpuJob	   *job = (GpuJob *) context;
	uint32_t	seen;

	TRY_STATUS(slots_push_table(job));	/* if there was nothing else to push */
	TRY_STATUS(job_status(job));
	seen = doorbell_read(&job->lane->to_session);
	TRY_STATUS(slots_take_results(job));
	if (word_read(&job->lane->state) != LANE_FINISHED)
		return job_help_or_wait(job, seen);
	TRY_STATUS(job_status(job));
	TRY_STATUS(slots_take_results(job));
	if (!slots_all_copied(job))
		return ENGINE_MORE;
	*result = job->lane->result;
	for (int i = 0; i < ENGINE_SOURCES; i++)
		job->base.refused[i] = job->lane->inputs[i].refused;
	if (operation_facts[job->request.operation].shape == RESULT_ONE)
		memcpy(job->request.outputs[0].memory, &job->lane->value,
			   output_size(&job->request, 0));
	result->result_ms = job->copy_ns / 1e6;

	/* Bytes that were copied after the process ended may be wrong. */
	if (gpu_connection_lost(job->at))
		return job_process_lost(job);
	job_note_lease(job);
	if (job->lane->stays)
	{
		result->resident = job->resident;
		result->device = (int) (job->at - job->connections);
		job->resident = 0;
	}
	return ENGINE_OK;
}

/* The lane is free if its job is over; else the process frees it. */
static void
gpu_end(EngineContext *context)
{
	GpuJob	   *job = (GpuJob *) context;
	SharedLane *lane = job->lane;

	__atomic_store_n(&job->stop_prefaulting, true, __ATOMIC_RELAXED);
	team_stop(&job->team);
	if (job->resident != 0)
		gpu_resident_give_back(job->at, job->resident);
	job->resident = 0;
	job->lane = NULL;
	if (job->lost)
	{
		job->waiting = false;	/* the next process has its own queue */
		gpu_disconnect(job->at);
	}
	else if (job->waiting)
		job_leave_queue(job);
	else if (lane == NULL)
		return;
	else if (word_change(&lane->state, LANE_BEGUN, LANE_ABANDONED))
		doorbell_ring(&lane->to_process);
	else
		lane_give_back(job->at->shared, job->lane_number);
}

static const char *
gpu_message(EngineContext *context)
{
	return ((GpuJob *) context)->message;
}

const Engine gpu_engine = {
	.name = "cuda",
	.open = gpu_open,
	.close = gpu_close,
	.cost_us = gpu_cost_us,
	.has_cached = gpu_has_cached,
	.begin = gpu_begin,
	.buffer = gpu_buffer,
	.fill = slots_fill,
	.wait = gpu_wait,
	.push = gpu_push,
	.finish = gpu_finish,
	.end = gpu_end,
	.message = gpu_message,
};
