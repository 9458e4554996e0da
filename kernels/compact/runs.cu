/*
 * runs.cu
 *	  The head of each run of equal elements: a compaction that selects the
 *	  elements that differ from the one before them.
 */
#include "kernels/compact/compact.h"
#include "kernels/common/kernels.h"

/* The select op.  The array may be in either half of a double buffer. */
template <typename T>
struct Heads : SelectInPlace<T>
{
	T		   *buffers[2];
	const int  *selector;

	__device__ const T *source(const T *in, T **values) const
	{
		int			other = selector && *selector;

		*values = buffers[1 - other];
		return buffers[other];
	}

	__device__ void select(const RowItems<T> &own, const TileView<T> &tile,
						   int at, bool *selected) const
	{
		bool		starts = tile.first + at == 0;
		T			before = starts ? 0 : tile.items[at - 1];

		for (int i = 0; i < ROW_ITEMS; i++)
		{
			selected[i] = starts ||
				order_of(own.items[i]) != order_of(before);
			before = own.items[i];
			starts = false;
		}
	}
};

template <typename T>
static cudaError_t
find_heads(const DeviceWork *work, const int *selector)
{
	T		   *out = (T *) work->out[0];
	Heads<T>	op = {{}, {(T *) work->in[0], out}, selector};

	return scatter_selected(work, op, out, work->out[1]);
}

cudaError_t
find_runs(const DeviceWork *work, const int *selector)
{
	RETURN_BY_KIND(work->request->kinds[0], find_heads, work, selector);
}

static cudaError_t
runs_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	if (request->outputs[1].memory)
		sizes->out[1] = request->count * sizeof(int);
	return cudaSuccess;
}

static cudaError_t
runs_run(const DeviceWork *work)
{
	return find_runs(work, NULL);
}

const DeviceOperation cuda_runs = {
	.sizes = runs_sizes,
	.run = runs_run
};
