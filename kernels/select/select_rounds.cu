/*
 * select_rounds.cu
 *	  The selection of several ranks, in rounds.
 *
 * A round sorts a sample of the elements, and takes every fourth key of it as
 * a splitter.  It counts the elements of each bin, that is, between two
 * splitters, which tells in which bin the element of a rank is.  If the bin has
 * room for but one key, this key is the answer.  Else the round keeps the
 * elements of the bin, and the rank becomes a rank among the kept elements.  A
 * key that is a splitter twice has a bin of its own: the second splitter
 * becomes the next key.  (Alabi et al., "Fast k-selection algorithms for
 * graphics processing units", 2012, compare selection by buckets with others.)
 *
 * A round of many bins reads the elements twice.  Where there are many
 * elements, and all ranks are near each other, the round has but two splitters,
 * which bracket the ranks, and keeps the elements between the splitters while
 * it counts.  (Floyd and Rivest, "Expected time bounds for selection", 1975.)
 * The sample errs very rarely; then the elements are read again.
 *
 * Only the device knows how many rounds are needed.  The host queues all rounds
 * that may be needed; a round that is not needed returns at once.  One block
 * sorts the elements that are left.
 */
#include "kernels/select/rounds_bins.h"
#include "kernels/select/rounds_finish.h"
#include "kernels/select/rounds_splitters.h"

/*
 * Returns the number of rounds.  The bins are assumed to leave four times the
 * expected elements, for ranks that mostly come in adjacent pairs; and a
 * bracket to leave the most elements that it may.  If the rounds are too few,
 * the elements that are left are searched.
 */
static int
count_rounds(const EngineRequest *request)
{
	int64_t		bins = 4 * ((most_results(request) + 1) / 2);
	int64_t		count = request->count;
	int			rounds = 0;

	if (bins > BINS * 3 / 4)
		bins = BINS * 3 / 4;
	while (count > SORTED_ITEMS)
	{
		int64_t		in_bins = count * bins / BINS;
		int64_t		in_bracket = count * SELECT_BRACKET / SAMPLE;

		count = count >= SELECT_BRACKET_ITEMS && in_bracket > in_bins ?
			in_bracket : in_bins;
		rounds++;
	}
	return rounds;
}

/* Returns whether one kernel reads all elements, once. */
bool
select_takes_no_round(const EngineRequest *request)
{
	return request->count <= SORTED_ITEMS;
}

/* Bytes of the state and the splitters, before the second buffer. */
#define STATE_AND_SPLITTERS \
	(sizeof(SelectState) + BINS * sizeof(uint64_t))

size_t
select_rounds_scratch_bytes(const EngineRequest *request)
{
	return STATE_AND_SPLITTERS + request->count * input_size(request, 0);
}

template <typename Key>
static cudaError_t
select_ranks(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	char	   *scratch = (char *) work->scratch;
	Sort		keys = {.kind = request->kinds[0]};
	Selection<Key> selection = {
		request->count, (const long long *) work->table,
		(SelectState *) scratch, (Key *) (scratch + sizeof(SelectState)),
		{(Key *) work->in[0], (Key *) (scratch + STATE_AND_SPLITTERS)},
		(Key *) work->out[0], (int) most_results(request), sort_order(&keys)
	};
	int			rounds = count_rounds(request);
	unsigned	blocks = count_vector_blocks<Key>
		(request->count, SELECT_THREADS, device_blocks(SELECT_BLOCKS_PER_SM));
	cudaStream_t stream = work->stream;

	for (int round = 0; round < rounds; round++)
	{
		TRY(launch_dependent(stream, make_splitters<Key>, 1, SELECT_THREADS, 0,
							 selection, round));
		TRY(launch_dependent(stream, count_bins<Key>, blocks, SELECT_THREADS,
							 0, selection));
		TRY(launch_dependent(stream, find_ranks<Key>, 1, SELECT_THREADS, 0,
							 selection));
		TRY(launch_dependent(stream, keep_items<Key>, blocks, SELECT_THREADS,
							 0, selection));
	}
	return launch_dependent(stream, finish_selection<Key>, 1, FINISH_THREADS,
							0, selection, rounds, work->results);
}

/* Queues the rounds. */
cudaError_t
select_by_rounds(const DeviceWork *work)
{
	RETURN_BY_SIZE(work->request->kinds[0], select_ranks, work);
}
