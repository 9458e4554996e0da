/*
 * operations.c
 *	  Facts about each operation, for all layers.
 */
#include "contract/engine.h"
#include "contract/operations/lttb.h"
#include "contract/operations/sort.h"

#define COST(call_us, own_ns, shared_ns, team_count) \
	{call_us, own_ns, shared_ns, team_count}
#define NO_COST					{-1, 0, 0, 0}

#define NOT_SAMPLED				SAMPLE_NOTHING
#define SAMPLED(sampling, ...)	sampling, {__VA_ARGS__}
#define EASY(cpu, gpu)			[INPUT_EASY] = {cpu, gpu}
#define HARD(cpu, gpu)			[INPUT_HARD] = {cpu, gpu}

const OperationFacts operation_facts[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, engines, shape, most, blocking, cpu, gpu, ...) \
	[ENGINE_##NAME] = {#name, shape, most, blocking, {cpu, gpu}, __VA_ARGS__},
#include "contract/operations.h"
};

bool
request_cost_varies(const EngineRequest *request)
{
	InputSampling sampling = operation_facts[request->operation].sampling;

	/* A sort without a payload may count keys. */
	return sampling == SAMPLE_BYTES ||
		(sampling == SAMPLE_KEYS && sort_payload_size(request) == 0);
}

/*
 * Nanoseconds on the CPU of a payload in a sort, and of a float in a scan:
 * bench/crossover.
 */
#define PAYLOAD_NS		3.2
#define FLOAT_SCAN_NS	0.5

/* Nanoseconds by which an element takes longer on the CPU. */
static double
cpu_ns(const EngineRequest *request)
{
	if (request->operation == ENGINE_SORT)
		return sort_payload_size(request) > 0 ? PAYLOAD_NS : 0;
	return request->operation == ENGINE_SCAN &&
		kind_is_float(request->kinds[0]) ? FLOAT_SCAN_NS : 0;
}

/* The bytes of the elements with which the costs were measured. */
#define MEASURED_SIZE	((int) sizeof(int32_t))

/* Nanoseconds by which a wide element takes longer, on any engine. */
static double
wide_ns(const EngineRequest *request)
{
	int			more = input_size(request, 0) - MEASURED_SIZE;

	return more > 0 ? READ_NS * more : 0;
}

/*
 * The time that a packed element takes: on the CPU, to unpack it; for a GPU,
 * in one of the threads that copy blocks.  And the time that the CPU saves for
 * a byte that it need not read.  Fitted to calls on packed integers, with one
 * thread and with four, on hosts of an H100 and of an H200 (bench/crossover).
 */
#define UNPACK_NS		0.28
#define UNREAD_NS		0.09
#define BLOCKS_NS		0.13

/*
 * Nanoseconds by which an element takes longer if it is packed: only a part of
 * its bytes is read.
 */
static double
packed_ns(const EngineRequest *request, int engine, int threads)
{
	double		unread;

	if (request->packed_bytes == 0)
		return 0;
	unread = 1 - (double) request->packed_bytes / source_bytes(request, 0);
	return engine == ENGINE_CPU ?
		UNPACK_NS - unread * UNREAD_NS * input_size(request, 0) :
		BLOCKS_NS / threads - BLOCKS_NS -
		unread * (READ_NS * MEASURED_SIZE + wide_ns(request));
}

/*
 * Microseconds on a GPU of the kernel that unpacks blocks (bench/crossover),
 * and of a choice by lttb in a short bucket, which waits for the one before.
 */
#define UNPACK_US		20
#define LTTB_CHOICE_US	1.0

/* Microseconds by which a call takes longer on a GPU. */
static double
gpu_us(const EngineRequest *request)
{
	return (request->packed_bytes > 0 ? UNPACK_US : 0) +
		(request->operation == ENGINE_LTTB ?
		 LTTB_CHOICE_US * lttb_buckets(request) : 0);
}

/* Returns whether an engine can do a request without stages. */
static bool
can_run(const EngineRequest *request, int engine)
{
	if (request->operation == ENGINE_LTTB && engine == ENGINE_CUDA)
		return lttb_is_for_gpu(request);
	return operation_facts[request->operation].costs[engine].call_us >= 0;
}

double
request_cost_us(const EngineRequest *request, int engine)
{
	const OperationFacts *facts = &operation_facts[request->operation];
	const EngineCost *cost = &facts->costs[engine];
	const EngineCost *sampled =
		&facts->sampled_costs[request->sample][engine];
	double		table_us = request_table_is_array(request) ?
		READ_NS / 1000 * request->table_bytes : 0;
	double		shared_ns;
	int			threads;
	double		cost_us;

	if (sampled->call_us > 0)
		cost = sampled;
	threads = request->count < cost->team_count ? 1 : request->threads;
	if (!can_run(request, engine) ||
		(request->nstages > 0 && engine != ENGINE_CPU))
		return -1;
	shared_ns = cost->shared_ns + (engine == ENGINE_CPU ? cpu_ns(request) : 0);
	cost_us = cost->call_us + table_us +
		(engine == ENGINE_CUDA ? gpu_us(request) : 0) +
		request->count / 1000.0 *
		(cost->own_ns + shared_ns / threads + wide_ns(request) +
		 packed_ns(request, engine, threads));
	return cost_us > cost->call_us ? cost_us : cost->call_us;
}
