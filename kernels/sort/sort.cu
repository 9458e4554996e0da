/*
 * sort.cu
 *	  The ways to sort, which README.md has, and the operation.
 *
 * Onesweep (Adinets and Merrill, "Onesweep: a faster least significant digit
 * radix sort for GPUs", 2022): after a look at a sample, one read of the keys
 * makes the histograms of all digits, and each digit takes a pass.
 */
#include "contract/operations/sort.h"
#include "kernels/sort/sort.h"

/* Returns how to turn the keys into unsigned integers of the same order. */
KeyOrder
sort_order(const Sort *sort)
{
	bool		is_signed = sort->kind == KIND_INT2 ||
		sort->kind == KIND_INT4 || sort->kind == KIND_INT8;
	KeyOrder	order = {
		.is_float = kind_is_float(sort->kind),
		.canonicalize = sort->payload_size > 0,
		.flip = is_signed ? 1ull << (kind_size(sort->kind) * 8 - 1) : 0
	};

	if (sort->descending)
		order.flip = ~order.flip;
	return order;
}

/*
 * Scratch memory: the plan, the histograms, and the tile descriptors; in one
 * launch, the plan, and what the blocks of a grid share.
 */
size_t
sort_scratch_bytes(const Sort *sort)
{
	if (sort_fits_block(sort))
		return sizeof(SortPlan);
	if (sort_fits_grid(sort))
		return sort_grid_scratch_bytes(sort);
	return sizeof(SortPlan) +
		kind_size(sort->kind) * SORT_BINS * sizeof(unsigned) +
		sort_descriptors_bytes(sort);
}

bool
sort_takes_one_launch(const Sort *sort)
{
	return sort_fits_block(sort) || sort_fits_grid(sort);
}

const int *
sort_selector(const Sort *sort)
{
	return &((const SortPlan *) sort->scratch)->selector;
}

/* With a payload, the sorted keys themselves are not written. */
cudaError_t
sort_array(cudaStream_t stream, const Sort *sort)
{
	if (sort_fits_block(sort))
		return sort_in_block(stream, sort);
	if (sort_fits_grid(sort))
		return sort_in_grid(stream, sort);
	TRY(sort_plan(stream, sort));
	for (int digit = 0; digit < kind_size(sort->kind); digit++)
		TRY(sort_move(stream, sort, digit));
	return sort_local(stream, sort);
}

/* The sort of a request; "in" and "out" are double buffers. */
Sort
sort_of(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		sort = {
		.kind = request->kinds[0],
		.descending = PARAMETERS(request, SortParameters)->descending,
		.payload_size = sort_payload_size(request),
		.positions = request->inputs == 1 && sort_payload_size(request) > 0,
		.count = request->count,
		.keys = {work->in[0], work->out[0]},
		.payloads = {work->in[1], work->out[1]},
		.scratch = work->scratch,
		.end = work->end,
		.timer_number = work->timer_number
	};

	if (sort.payload_size == 0)
		sort.payloads[0] = sort.payloads[1] = NULL;
	return sort;
}

/* The sort of a request, without its memory. */
static Sort
sort_of_request(const EngineRequest *request)
{
	DeviceWork	work = {.request = request};

	return sort_of(&work);
}

static cudaError_t
sort_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	Sort		sort = sort_of_request(request);

	sizes->in[0] = sizes->out[0] = request->count * input_size(request, 0);
	sizes->in[1] = sizes->out[1] = request->count * sort.payload_size;
	sizes->scratch = sort_scratch_bytes(&sort);
	return cudaSuccess;
}

static cudaError_t
sort_whole(const DeviceWork *work)
{
	Sort		sort = sort_of(work);
	const SortPlan *plan = (const SortPlan *) sort.scratch;

	TRY(sort_array(work->stream, &sort));
	if (sort_takes_one_launch(&sort))
		return cudaSuccess;
	return cudaMemcpyAsync(&work->report->in_place, &plan->in_first,
						   sizeof(int), cudaMemcpyDeviceToHost, work->stream);
}

/* Only a sort in one launch reports its end, and reads the keys once. */
static unsigned
sort_traits(const EngineRequest *request)
{
	Sort		sort = sort_of_request(request);

	return sort_takes_one_launch(&sort) ?
		TRAIT_DIRECT | TRAIT_ALONE | TRAIT_TELLS : 0;
}

const DeviceOperation cuda_sort = {
	.sizes = sort_sizes,
	.traits = TRAIT_CHANGES,
	.traits_of = sort_traits,
	.run = sort_whole
};
