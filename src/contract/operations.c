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

typedef EngineCost SampledCosts[INPUT_SAMPLES][ENGINES];

/*
 * The costs of inputs of which a sample was taken, where they are far from
 * those of operations.h, which lie between; none where these hold.  They were
 * fitted to the same calls on ASCII, on Cyrillic letters, and on integers from
 * 0 to 1023, with one thread and with four, from 2^14 to 2^22 elements, less
 * 17 us for the query (2026-11-23-h200-crossover-fitted.csv in bench/results).
 */
static const SampledCosts sampled_costs[ENGINE_OPERATIONS] = {
	[ENGINE_UTF8_DECODE] = {
		[INPUT_EASY] = {
			COST(4, 0.43, 0.1, 1024 * 1024), COST(50, 0.18, 0.47, 1536 * 1024)
		},
		[INPUT_HARD] = {
			COST(4, 0.86, 1.16, 1024 * 1024), COST(50, 0.22, 0.28, 1536 * 1024)
		}
	},
	[ENGINE_UTF8_VALIDATE] = {
		[INPUT_EASY] = {
			COST(7, 0.21, 0.02, 1024 * 1024), COST(50, 0.2, 0, 0)
		},
		[INPUT_HARD] = {
			COST(7, 0.3, 0.3, 1024 * 1024), COST(50, 0.2, 0, 0)
		}
	},
	[ENGINE_SORT] = {
		[INPUT_EASY] = {
			COST(1, 1.5, 0.9, 256 * 1024), COST(42, 1.2, 0, 0)
		}
	},
	[ENGINE_DISTINCT] = {
		[INPUT_EASY] = {
			COST(13, 1.7, 0.3, 256 * 1024), COST(68, 0.9, 0, 0)
		}
	}
};

/*
 * Returns true if the operation has costs by sample.  Those of SORT and
 * DISTINCT are for keys that are counted: integers without a payload, and not
 * for a mode.
 */
bool
request_cost_varies(const EngineRequest *request)
{
	const EngineCost *costs =
		sampled_costs[request->operation][INPUT_EASY];

	if (costs[ENGINE_CPU].call_us == 0)
		return false;
	if (request->operation != ENGINE_SORT &&
		request->operation != ENGINE_DISTINCT)
		return true;
	return payload_size(request) == 0 && !kind_is_float(request->kinds[0]) &&
		!request->parameters.sort.longest_run;
}

double
request_cost_us(const EngineRequest *request, int engine)
{
	const EngineCost *cost = &operation_facts[request->operation].costs[engine];
	const EngineCost *sampled =
		&sampled_costs[request->operation][request->sample][engine];
	int			threads;

	if (sampled->call_us > 0)
		cost = sampled;
	threads = request->count < cost->team_count ? 1 : request->threads;
	if (cost->call_us < 0)
		return -1;
	return cost->call_us + request->count / 1000.0 *
		(cost->own_ns + cost->shared_ns / threads);
}
