/*
 * compact.cu
 *	  Compaction by a predicate or a mask: the survivors or their positions.
 */
#include "compact.h"
#include "device.h"

/* An array on the device, or a piece of one, and what becomes of it. */
typedef struct Compaction
{
	const void *in;
	const unsigned char *mask;
	EnginePredicate predicate;
	void	   *out;
	int64_t		offset;			/* elements before this piece */
	int64_t		count;
	long long  *survivors;
} Compaction;

typedef EngineStatus (*Compact) (cudaStream_t stream, LookAhead *ahead,
								 const Compaction *compaction);

/*
 * The choice of an EnginePredicate.  What is outside of a range is in one, too;
 * but none is empty, so that it is said apart if nothing survives.
 */
template <typename T>
struct InRange
{
	typedef decltype(order_of(T())) Order;

	Order		low;
	Order		span;
	bool		none;

	__device__ bool survives(T item) const
	{
		return (Order) (order_of(item) - low) <= span;
	}

	__device__ int counted(int found, int past_end) const
	{
		return none ? 0 : survives(0) ? found - past_end : found;
	}

	__device__ void choose(const RowItems<T> &own, const T *items, int at,
						   long long first, int count, bool *chosen) const
	{
		for (int i = 0; i < ROW_ITEMS; i++)
			chosen[i] = survives(own.items[i]);
	}
};

template <typename T>
static InRange<T>
in_range(const EnginePredicate *predicate)
{
	typedef typename InRange<T>::Order Order;

	Order		low = (Order) predicate->low;
	Order		span = (Order) predicate->span;

	if (predicate->outside)
		return {(Order) (low + span + 1), (Order) (~span - 1),
			span == (Order) ~0ull};
	return {low, span, false};
}

/* The choice of a mask, of which nothing is read past the end. */
template <typename T>
struct Masked
{
	const unsigned char *mask;

	__device__ int counted(int found, int past_end) const
	{
		return found;
	}

	__device__ void choose(const RowItems<T> &own, const T *items, int at,
						   long long first, int count, bool *chosen) const
	{
		const unsigned char *flags = mask + first + at;

		if (at + ROW_ITEMS <= count)
		{
			RowItems<unsigned char> row = load_row(flags, 0);

			for (int i = 0; i < ROW_ITEMS; i++)
				chosen[i] = row.items[i];
		}
		else
		{
			for (int i = 0; i < ROW_ITEMS; i++)
				chosen[i] = at + i < count && flags[i];
		}
	}
};

/* Moves the survivors to the front of their tile, and from there. */
template <typename T, typename Choice, int ROWS>
struct CompactWork
{
	typedef T	Item;
	static const int tile = Tile<T, ROWS>::size;

	Choice		choice;
	T		   *out;
	long long  *survivors;

	__device__ void sum(const T *items, long long first, int count,
						long long *warps) const
	{
		count_survivors<ROWS>(choice, items, first, count, warps);
	}

	__device__ void arrange(T *items, long long first, int count,
							const long long *warps) const;
	__device__ void write(const T *items, long long first, int count,
						  long long before, const long long *warps,
						  bool last) const;
};

template <typename T, typename Choice, int ROWS>
__device__ void
CompactWork<T, Choice, ROWS>::arrange(T *items, long long first, int count,
									  const long long *warps) const
{
	const int	rows = Tile<T, ROWS>::rows;
	int			before = (int) warps[threadIdx.x / WARP];
	RowItems<T> own[rows];

	for (int row = 0; row < rows; row++)
		own[row] = load_row(items, row_start<T, ROWS>(row));
	sync_tile();
	for (int row = 0; row < rows; row++)
	{
		bool		survives[ROW_ITEMS];
		int			rank;

		choice.choose(own[row], items, row_start<T, ROWS>(row), first, count,
					  survives);
		rank = rank_row(survives, &before);
		for (int i = 0; i < ROW_ITEMS; i++)
		{
			if (survives[i])
				items[rank++] = own[row].items[i];
		}
	}
}

template <typename T, typename Choice, int ROWS>
__device__ void
CompactWork<T, Choice, ROWS>::write(const T *items, long long first,
									int count, long long before,
									const long long *warps, bool last) const
{
	int			found = (int) warps[TILE_WARPS];

	for (int i = threadIdx.x; i < found; i += TILE_THREADS)
		out[before + i] = items[i];
	if (last && threadIdx.x == 0)
		*survivors = before + found;
}

template <int ROWS, typename T, typename Choice>
static EngineStatus
launch_compact(cudaStream_t stream, LookAhead *ahead, Choice choice,
			   const T *in, T *out, int64_t count, long long *survivors)
{
	CompactWork<T, Choice, ROWS> work = {choice, out, survivors};

	return launch_tiles(stream, ahead, work, in, count,
						(const long long *) NULL);
}

template <typename T, typename Choice>
static EngineStatus
compact_survivors(cudaStream_t stream, LookAhead *ahead, Choice choice,
				  const Compaction *compaction)
{
	const T    *in = (const T *) compaction->in;
	T		   *out = (T *) compaction->out;
	int64_t		count = compaction->count;

	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_compact<SMALL_ROWS>(stream, ahead, choice, in, out,
										  count, compaction->survivors);
	return launch_compact<LARGE_ROWS>(stream, ahead, choice, in, out, count,
									  compaction->survivors);
}

template <typename T>
static EngineStatus
compact_in_range(cudaStream_t stream, LookAhead *ahead,
				 const Compaction *compaction)
{
	return compact_survivors<T>(stream, ahead,
								in_range<T>(&compaction->predicate),
								compaction);
}

template <typename T>
static EngineStatus
compact_masked(cudaStream_t stream, LookAhead *ahead,
			   const Compaction *compaction)
{
	Masked<T>	choice = {compaction->mask};

	return compact_survivors<T>(stream, ahead, choice, compaction);
}

template <typename T>
static EngineStatus
find_in_range(cudaStream_t stream, LookAhead *ahead,
			  const Compaction *compaction)
{
	return scatter_survivors(stream, ahead,
							 in_range<T>(&compaction->predicate),
							 (const T *) compaction->in, (T *) NULL,
							 (int *) compaction->out, compaction->offset,
							 compaction->count, compaction->survivors);
}

/* By ElementKind. */
static const Compact compacts_in_range[] = BY_KIND(compact_in_range);
static const Compact compacts_masked[] = BY_SIZE(compact_masked);
static const Compact finds_in_range[] = BY_KIND(find_in_range);

/*
 * The elements that survive a predicate, side by side; how many goes to
 * *survivors, in memory of the device, or mapped.
 */
EngineStatus
compact_array(cudaStream_t stream, LookAhead *ahead, ElementKind kind,
			  const EnginePredicate *predicate, const void *in, void *out,
			  int64_t count, long long *survivors)
{
	Compaction	compaction = {in, NULL, *predicate, out, 0, count, survivors};

	return compacts_in_range[kind] (stream, ahead, &compaction);
}

/* Queues the compaction of a piece. */
static EngineStatus
compact_piece(EngineJob *job, Slot *slot, int64_t count)
{
	Session    *session = job->session;
	const EngineRequest *request = &job->request;
	const Compact *compacts = request->masked ? compacts_masked :
		request->positions ? finds_in_range : compacts_in_range;
	Compaction	compaction = {
		slot->device_in,
		(const unsigned char *) staging_input(job, slot->device_in, 1),
		request->predicate, slot->device_out, job->pushed, count, slot->count
	};

	slot->counted = true;
	return compacts[request->kind] (session->compute, &session->ahead,
									&compaction);
}

const DeviceOperation device_compact = {
	false, NULL, NULL, compact_piece, NULL, NULL
};
