/*
 * lane_request.h
 *	  What a GPU process is told of a request.
 *
 * It has no addresses, which mean nothing in another process.
 */
#ifndef GPUCOMPACT_LANE_REQUEST_H
#define GPUCOMPACT_LANE_REQUEST_H

#include "contract/engine.h"

typedef struct LaneRequest
{
	EngineOperation operation;
	EngineAlgorithm algorithm;
	int64_t		count;
	int32_t		inputs;
	ElementKind kinds[ENGINE_INPUTS];
	int64_t		joined;
	int64_t		absent;
	ElementKind results[ENGINE_RESULTS];
	bool		wanted[ENGINE_RESULTS]; /* these results are needed */
	uint64_t	resident;		/* number of the first output, if it may stay */
	int64_t		table_bytes;
	int64_t		summary_bytes;
	int64_t		room;
	int64_t		memory_limit;
	bool		packed;			/* pieces may come in blocks */
	EngineParameters parameters;
} LaneRequest;

static inline LaneRequest
lane_request_from(const EngineRequest *request)
{
	LaneRequest lane = {
		.operation = request->operation,
		.algorithm = request->algorithm,
		.count = request->count,
		.inputs = request->inputs,
		.joined = request->joined,
		.absent = request->absent,
		.table_bytes = request->table_bytes,
		.summary_bytes = request->summary_bytes,
		.room = request->room,
		.memory_limit = request->memory_limit,
		.packed = request->packed,
		.parameters = request->parameters
	};

	for (int i = 0; i < ENGINE_INPUTS; i++)
		lane.kinds[i] = request->kinds[i];
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		lane.results[i] = request->outputs[i].kind;
		lane.wanted[i] = request->outputs[i].memory != NULL;
	}
	return lane;
}

/*
 * The request in the process.  The memory of its outputs only says which are
 * wanted.
 */
static inline EngineRequest
lane_request_to(const LaneRequest *lane)
{
	EngineRequest request = {};

	request.operation = lane->operation;
	request.algorithm = lane->algorithm;
	request.count = lane->count;
	request.inputs = lane->inputs;
	request.joined = lane->joined;
	request.absent = lane->absent;
	request.table_bytes = lane->table_bytes;
	request.summary_bytes = lane->summary_bytes;
	request.room = lane->room;
	request.memory_limit = lane->memory_limit;
	request.packed = lane->packed;
	request.parameters = lane->parameters;
	request.stays = lane->resident != 0;
	for (int i = 0; i < ENGINE_INPUTS; i++)
		request.kinds[i] = lane->kinds[i];
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		request.outputs[i].kind = lane->results[i];
		request.outputs[i].memory = lane->wanted[i] ? (void *) lane : NULL;
	}
	return request;
}

/* Like source_bytes, for a request in a lane. */
static inline int64_t
lane_request_bytes(const LaneRequest *lane, int source)
{
	EngineRequest request = lane_request_to(lane);

	return source_bytes(&request, source);
}

#endif							/* GPUCOMPACT_LANE_REQUEST_H */
