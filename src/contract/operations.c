/*
 * operations.c
 *	  Facts about each operation, for all layers.
 */
#include "contract/engine.h"

#define COST(call_us, own_ns, shared_ns, team_count) \
	{call_us, own_ns, shared_ns, team_count}
#define NO_COST					{-1, 0, 0, 0}

const OperationFacts operation_facts[ENGINE_OPERATIONS] = {
#define OPERATION(NAME, name, engines, shape, most, blocking, cpu, gpu) \
	[ENGINE_##NAME] = {#name, shape, most, blocking, {cpu, gpu}},
#include "contract/operations.h"
};

double
request_cost_us(const EngineRequest *request, int engine)
{
	const EngineCost *cost = &operation_facts[request->operation].costs[engine];
	int			threads = request->count < cost->team_count ?
		1 : request->threads;

	if (cost->call_us < 0)
		return -1;
	return cost->call_us + request->count / 1000.0 *
		(cost->own_ns + cost->shared_ns / threads);
}
