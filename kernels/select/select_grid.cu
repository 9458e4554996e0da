/*
 * select_grid.cu
 *	  The selection of one rank or two in one launch, by thread blocks that run
 *	  at the same time (a cooperative launch), one on each multiprocessor.
 *
 * A sample of the keys brackets the keys of the ranks.  Each block goes through
 * its part of the array once: it counts the keys below the bracket and at its
 * ends, and keeps the keys inside in shared memory.  (Floyd and Rivest,
 * "Expected time bounds for selection", 1975.)  The sample errs very rarely;
 * then the bracket is widened to all keys.  If two ranks of a large array are
 * far from each other, as only the device knows, the launch leaves them to a
 * second launch, which has a bracket for each rank.
 *
 * The blocks search the keys inside together.  As soon as few keys are left,
 * the first block gets them, and searches them alone.  A small array takes the
 * first block only, and no sample.
 */
#include "kernels/select/select.h"
#include "kernels/select/select_search.h"

template <typename Key, int BRACKETS>
__device__ void
SelectAgent<Key, BRACKETS>::run()
{
	memory->search.clear();
	if (gridDim.x == 1)
	{
		search_alone();
		return;
	}
	clear_exchange();
	if (!search_together(grid_arrive()))
		return;
	if (memory->search.keys_left(0) > 0)
		hand_over();
	if (blockIdx.x == 0)
		finish();
}

template <typename Key, int BRACKETS>
__global__ void __launch_bounds__(THREADS)
select_grid(const __grid_constant__ GridSelection<Key> selection)
{
	extern __shared__ __align__(SORT_ALIGNMENT) char shared[];
	SelectAgent<Key, BRACKETS> agent = {
		selection, (SelectMemory<Key> *) shared
	};

	let_next_start();
	wait_for_preceding();
	if (BRACKETS == 1 || selection.exchange->far)
		agent.run();
}

template <typename Key, int BRACKETS>
static int
find_most_blocks()
{
	int			shared = device_shared_bytes();

	return shared <= (int) sizeof(SelectMemory<Key>) ? 0 :
		find_cooperative_blocks((const void *) select_grid<Key, BRACKETS>,
								THREADS, shared);
}

/* Keys of all sizes need the same registers and the same shared memory. */
bool
select_fits_grid(const EngineRequest *request)
{
	return most_results(request) <= SEARCH_RANKS &&
		device_fact<find_most_blocks<uint64_t, 1>>() > 0;
}

bool
select_fits_block(const EngineRequest *request)
{
	return request->count <= SELECT_ALONE_ITEMS;
}

/* Scratch memory: the exchange, and the spilled keys. */
size_t
select_grid_scratch_bytes(const EngineRequest *request)
{
	return sizeof(SelectExchange<uint64_t>) +
		request->count * input_size(request, 0);
}

/* The elements of a block, if there may be "blocks" blocks. */
template <typename Key>
static int64_t
part_of_block(int64_t count, int64_t blocks)
{
	const int64_t row = WARP * Vector<Key>::count;
	int64_t		part = (count + blocks - 1) / blocks;

	if (blocks == 1)
		return count;
	if (part < SELECT_MIN_PART)
		part = SELECT_MIN_PART;
	return (part + row - 1) / row * row;
}

template <typename Key>
static cudaError_t
select_keys(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Sort		keys = {.kind = request->kinds[0]};
	int			most_blocks = device_fact<find_most_blocks<Key, 1>>();
	int64_t		part = part_of_block<Key>(request->count,
										  select_fits_block(request) ? 1 :
										  most_blocks);
	int64_t		blocks = (request->count + part - 1) / part;
	int64_t		room = (device_shared_bytes() -
						sizeof(SelectMemory<Key>)) / sizeof(Key);
	int			sample = request->count < SELECT_LARGE_ITEMS ?
		SELECT_MIN_SAMPLE : SELECT_MAX_SAMPLE;
	bool		far_apart = most_results(request) > 1 &&
		request->count >= SELECT_LARGE_ITEMS &&
		device_fact<find_most_blocks<Key, 2>>() >= most_blocks;
	SelectExchange<Key> *exchange = (SelectExchange<Key> *) work->scratch;
	GridSelection<Key> selection = {
		.in = (const Key *) work->in[0],
		.count = request->count,
		.sample = sample,
		.part = part,
		.room = (int) (room < part ? room : part),
		.ranks = (int) most_results(request),
		.far_apart = far_apart,
		.wanted = (const long long *) work->table,
		.order = sort_order(&keys),
		.exchange = exchange,
		.spilled = (Key *) (exchange + 1),
		.out = (Key *) work->out[0],
		.results = work->results
	};
	size_t		shared = sizeof(SelectMemory<Key>) +
		selection.room * sizeof(Key);

	if (blocks == 1)
		return launch_dependent(work->stream, select_grid<Key, 1>, 1, THREADS,
								shared, selection);
	TRY(launch_cooperative(work->stream, select_grid<Key, 1>,
						   (unsigned) blocks, THREADS, shared, selection));
	if (!far_apart)
		return cudaSuccess;
	return launch_cooperative(work->stream, select_grid<Key, 2>,
							  (unsigned) blocks, THREADS, shared, selection);
}

cudaError_t
select_in_grid(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_keys, work);
}
