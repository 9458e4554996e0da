/*
 * select_rounds.cu
 *	  The selection of several ranks, in rounds.
 *
 * A sample of the elements divides the keys into ranges of about as many
 * elements, and each range is divided into bins of the same width.  A round
 * counts the elements of each bin, and so finds the bin of each rank.  If only
 * one key can be in that bin, this key is the answer.  Otherwise the round
 * keeps the elements of the bin, at a place for each bin.  (Alabi et al.,
 * "Fast k-selection algorithms for graphics processing units", 2012, compare
 * selection by buckets with others.) At last a block for each rank searches
 * the elements of the rank's bin.
 *
 * Another round divides the bins if one of them has many elements: where the
 * sample was not representative, or many elements are equal.  Only the device
 * knows whether the round is needed.  The host queues it in any case; if it is
 * not needed, its kernels return at once.
 */
#include "kernels/select/rounds_finish.h"
#include "kernels/select/rounds_keep.h"

/*
 * Bytes of the state, before the second buffer.  The state for the longest keys
 * is the greatest.
 */
#define STATE_BYTES		sizeof(SelectState<uint64_t>)

size_t
select_rounds_scratch_bytes(const EngineRequest *request)
{
	return STATE_BYTES + request->count * input_size(request, 0);
}

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = {.kind = request->kinds[0]};
	Selection<Key> selection = {
		(unsigned) request->count, (const long long *) work->table,
		(SelectState<Key> *) scratch,
		{(Key *) work->in[0], (Key *) (scratch + STATE_BYTES)},
		(Key *) work->out[0], (int) most_results(request), sort_order(&keys)
	};
	unsigned	blocks = count_vector_blocks<Key>
		(request->count, SELECT_THREADS, device_blocks(SELECT_BLOCKS_PER_SM));
	cudaStream_t stream = work->stream;

	for (int round = 0; round < SELECT_ROUNDS; round++)
	{
		TRY(launch_dependent(stream, make_ranges<Key>, 1, SELECT_THREADS, 0,
							 selection, round));
		TRY(launch_dependent(stream, count_bins<Key>, blocks, SELECT_THREADS,
							 0, selection));
		TRY(launch_dependent(stream, keep_elements<Key>, blocks,
							 SELECT_THREADS, 0, selection));
	}
	return launch_dependent(stream, finish_selection<Key>, selection.ranks,
							SEARCH_THREADS, 0, selection, work->results);
}

/* Queues the rounds. */
cudaError_t
select_by_rounds(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}
