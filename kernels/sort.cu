/*
 * sort.cu
 *	  Radix sort, from the least significant digit.
 *
 * All digits are counted in one read of the keys.  Then each digit in which
 * any two keys differ takes one read and one write: a tile ranks its keys in
 * shared memory, learns from a look-back over the tiles before it how many
 * keys with the same digit those have, and moves its own to their places
 * (Adinets and Merrill, "Onesweep: a faster least significant digit radix
 * sort for GPUs", 2022).
 */
#include "sort.h"

/* What makes unsigned integers in the order wanted of the keys. */
KeyOrder
sort_order(const Sort *sort)
{
	bool		is_signed = sort->kind == KIND_INT2 ||
		sort->kind == KIND_INT4 || sort->kind == KIND_INT8;
	KeyOrder	order = {
		kind_is_float(sort->kind), sort->payload != PAYLOAD_NONE,
		is_signed ? 1ull << (kind_size(sort->kind) * 8 - 1) : 0
	};

	if (sort->descending)
		order.flip = ~order.flip;
	return order;
}

/* Scratch memory: the plan, the counts, and what the tiles publish. */
size_t
sort_scratch_bytes(const Sort *sort)
{
	return sizeof(SortPlan) +
		kind_size(sort->kind) * SORT_BINS * sizeof(unsigned) +
		sort_words_bytes(sort);
}

EngineStatus
sort_clear(cudaStream_t stream, const Sort *sort)
{
	TRY_CUDA(cudaMemsetAsync(sort->scratch, 0, sort_scratch_bytes(sort),
							 stream));
	return ENGINE_OK;
}

/*
 * Moves the keys, whose digits are counted, and their payloads into order.
 * *in_other, in mapped memory, will say whether keys[1] and payloads[1] have
 * them.  With a payload, the keys themselves are not there in the end.
 */
EngineStatus
sort_move_keys(cudaStream_t stream, const Sort *sort, int *in_other)
{
	const SortPlan *plan = (const SortPlan *) sort->scratch;

	TRY(sort_make_plan(stream, sort));
	for (int digit = 0; digit < kind_size(sort->kind); digit++)
		TRY(sort_move(stream, sort, digit));
	TRY_CUDA(cudaMemcpyAsync(in_other, &plan->in_other, sizeof(int),
							 cudaMemcpyDeviceToHost, stream));
	return ENGINE_OK;
}

static Sort
job_sort(const EngineJob *job)
{
	const EngineRequest *request = &job->request;
	const DeviceBuffer *buffers = job->session->buffers;
	Sort		sort = {
		request->kind, request->descending, request->payload, request->count,
		{buffers[BUFFER_GATHERED].memory, buffers[BUFFER_OTHER].memory},
		{buffers[BUFFER_SECOND].memory, buffers[BUFFER_OTHER_SECOND].memory},
		buffers[BUFFER_SCRATCH].memory
	};

	return sort;
}

EngineStatus
sort_sizes(const EngineJob *job, size_t *sizes)
{
	const EngineRequest *request = &job->request;
	Sort		sort = job_sort(job);

	sizes[BUFFER_GATHERED] = request->count * kind_size(request->kind);
	sizes[BUFFER_OTHER] = sizes[BUFFER_GATHERED];
	if (request->payload != PAYLOAD_NONE)
	{
		sizes[BUFFER_SECOND] = request->count *
			payload_size(request->payload);
		sizes[BUFFER_OTHER_SECOND] = sizes[BUFFER_SECOND];
	}
	sizes[BUFFER_SCRATCH] = sort_scratch_bytes(&sort);
	return ENGINE_OK;
}

EngineStatus
sort_begin(EngineJob *job)
{
	Sort		sort = job_sort(job);

	return sort_clear(job->session->compute, &sort);
}

/* Queues the counting of a piece's digits. */
EngineStatus
sort_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Sort		sort = job_sort(job);
	const char *keys = (const char *) sort.keys[0];

	return sort_count_keys(job->session->compute, &sort,
						   keys + job->pushed * job->input_sizes[0], count);
}

/* Queues the sort of the keys, all of which have arrived. */
EngineStatus
sort_start(EngineJob *job)
{
	Sort		sort = job_sort(job);

	return sort_move_keys(job->session->compute, &sort,
						  job->session->in_other);
}

/* Notes where the sorted keys, or the payload, are. */
static EngineStatus
sort_finish(EngineJob *job)
{
	Sort		sort = job_sort(job);
	int			other = *job->session->in_other;

	job->results[0].from = sort.payload == PAYLOAD_NONE ? sort.keys[other] :
		sort.payloads[other];
	job->results[0].to = job->request.result;
	job->results[0].bytes = sort.count * job->result_size;
	return ENGINE_OK;
}

const DeviceOperation device_sort = {
	true, sort_sizes, sort_begin, sort_piece, sort_start, sort_finish
};
