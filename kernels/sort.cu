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
		kind_is_float(sort->kind), sort->payload_size > 0,
		is_signed ? 1ull << (kind_size(sort->kind) * 8 - 1) : 0
	};

	if (sort->descending)
		order.flip = ~order.flip;
	return order;
}

/* Scratch memory: the plan, the counts, and the states of tiles. */
size_t
sort_scratch_bytes(const Sort *sort)
{
	return sizeof(SortPlan) +
		kind_size(sort->kind) * SORT_BINS * sizeof(unsigned) +
		sort_states_bytes(sort);
}

cudaError_t
sort_clear(cudaStream_t stream, const Sort *sort)
{
	return cudaMemsetAsync(sort->scratch, 0, sort_scratch_bytes(sort), stream);
}

const int *
sort_in_other(const Sort *sort)
{
	return &((const SortPlan *) sort->scratch)->in_other;
}

/*
 * Moves the keys, whose digits are counted, and their payloads into order.  With
 * a payload, the keys themselves are not there in the end.
 */
cudaError_t
sort_move_keys(cudaStream_t stream, const Sort *sort)
{
	TRY(sort_make_plan(stream, sort));
	for (int digit = 0; digit < kind_size(sort->kind); digit++)
		TRY(sort_move(stream, sort, digit));
	return cudaSuccess;
}

/* The sort of a request; "in" and "out" are double buffers. */
Sort
sort_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		sort = {
		request->kinds[0], request->parameters.sort.descending,
		payload_size(request), request->inputs == 1 && payload_size(request) > 0,
		request->count, {work->in[0], work->out[0]},
		{work->in[1], work->out[1]}, work->scratch
	};

	if (request->operation != ENGINE_SORT)
		sort.payloads[0] = sort.payloads[1] = NULL;
	return sort;
}

static cudaError_t
sort_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	DeviceWork	work = {};
	Sort		sort;

	work.request = request;
	sort = sort_of(&work);
	sizes->in[0] = sizes->out[0] = request->count * input_size(request, 0);
	sizes->in[1] = sizes->out[1] = request->count * sort.payload_size;
	sizes->scratch = sort_scratch_bytes(&sort);
	return cudaSuccess;
}

cudaError_t
sort_begin(const DeviceWork *work)
{
	Sort		sort = sort_of(work);

	return sort_clear(work->stream, &sort);
}

/* Queues the counting of a piece's digits. */
cudaError_t
sort_piece(const DeviceWork *work)
{
	Sort		sort = sort_of(work);

	return sort_count_keys(work->stream, &sort, work->in[0], work->count);
}

/* Queues the sort of the keys, all of which have arrived. */
static cudaError_t
sort_whole(const DeviceWork *work)
{
	Sort		sort = sort_of(work);
	const SortPlan *plan = (const SortPlan *) sort.scratch;

	TRY(sort_move_keys(work->stream, &sort));
	return cudaMemcpyAsync(&work->report->in_place, &plan->in_first,
						   sizeof(int), cudaMemcpyDeviceToHost, work->stream);
}

const DeviceOperation gpu_sort = {
	true, false, NULL, 0, NULL, sort_sizes, sort_begin, sort_piece, sort_whole
};
