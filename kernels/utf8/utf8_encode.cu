/*
 * utf8_encode.cu
 *	  Encodes code points as UTF-8.
 *
 * An agent of tiles_kernel, whose aggregates are numbers of bytes.  A warp
 * goes through its part of a tile row by row.  In a row, each thread has four
 * adjacent integers.
 */
#include "contract/operations/utf8.h"
#include "kernels/utf8/utf8.h"

#define OWN_VALUES		4
#define ROW_VALUES		(WARP * OWN_VALUES)

/* Returns true for a Unicode scalar value: in range, and no surrogate. */
__device__ static inline bool
is_code_point(unsigned value)
{
	return value < 0xD800 || value - 0xE000 < 0x110000 - 0xE000;
}

__device__ static inline int
encoded_length(unsigned value)
{
	return 1 + (value >= 0x80) + (value >= 0x800) + (value >= 0x10000);
}

/* The bytes of a code point, the first one lowest. */
__device__ static inline unsigned
encode(unsigned value, int length)
{
	unsigned	last = 0x80 | (value & 0x3F);
	unsigned	third = 0x80 | (value >> 6 & 0x3F);
	unsigned	second = 0x80 | (value >> 12 & 0x3F);

	switch (length)
	{
		case 1:
			return value;
		case 2:
			return 0xC0 | value >> 6 | last << 8;
		case 3:
			return 0xE0 | value >> 12 | third << 8 | last << 16;
		default:
			return 0xF0 | value >> 18 | second << 8 | third << 16 | last << 24;
	}
}

struct EncodeAgent : TileAgent<unsigned>
{
	typedef TileView<unsigned> View;
	static const int row = ROW_VALUES;

	long long	first;			/* values before the array's */
	bool		skip_errors;
	unsigned char *out;
	DeviceErrors *errors;
	long long  *results;

	__device__ static TileErrors *kept_errors()
	{
		__shared__ TileErrors errors;

		return &errors;
	}

	/* The index in the tile of this thread's first integer of a row. */
	__device__ static int row_start(int row)
	{
		return (((int) threadIdx.x / WARP * ENCODE_ROWS + row) * WARP +
				(int) threadIdx.x % WARP) * OWN_VALUES;
	}

	__device__ int length(unsigned value) const
	{
		return is_code_point(value) ? encoded_length(value) :
			skip_errors ? 0 : encoded_length(REPLACEMENT);
	}

	__device__ void reduce(const View &view, long long *warps) const
	{
		WarpErrors	errors = {0, 0};
		int			results = 0;

		for (int row = 0; row < ENCODE_ROWS; row++)
		{
			int			at = row_start(row);
			int			row_errors = 0;
			int			first_error = 0;

			for (int i = min(OWN_VALUES, view.count - at) - 1; i >= 0; i--)
			{
				unsigned	value = view.items[at + i];

				results += length(value);
				if (!is_code_point(value))
				{
					row_errors++;
					first_error = at + i;
				}
			}
			add_errors(&errors, row_errors, first_error);
		}
		keep_errors(kept_errors(), view.stage, &errors);
		results = warp_sum(results);
		if (threadIdx.x % WARP == 0)
			warps[threadIdx.x / WARP] = results;
	}

	__device__ void write(const View &view, long long before,
						  const long long *warps) const
	{
		__shared__ unsigned char
					rows[CONSUMER_WARPS][ROW_VALUES * MAX_UNIT_BYTES];
		unsigned char *bytes = rows[threadIdx.x / WARP];

		note_errors(errors, kept_errors(), view.stage, first + view.first);
		before += warps[threadIdx.x / WARP];
		for (int row = 0; row < ENCODE_ROWS; row++)
		{
			int			at = row_start(row);
			int			values = min(OWN_VALUES, view.count - at);
			int			own = 0;
			int			rank;
			int			found;

			for (int i = 0; i < values; i++)
				own += length(view.items[at + i]);
			rank = warp_inclusive_scan(own);
			found = __shfl_sync(ALL_LANES, rank, WARP - 1);
			rank -= own;
			for (int i = 0; i < values; i++)
			{
				unsigned	value = view.items[at + i];
				int			size = length(value);

				if (!is_code_point(value))
					value = REPLACEMENT;
				put_bytes(bytes + rank, encode(value, encoded_length(value)),
						  size);
				rank += size;
			}
			copy_row(out + before, bytes, found);
			before += found;
		}
		if (view.last && threadIdx.x == CONSUMER_THREADS - 1)
			*results = before;
	}
};

static cudaError_t
encode_run(const DeviceWork *work)
{
	EncodeAgent agent = {
		{}, work->first,
		PARAMETERS(work->request, Utf8Parameters)->skip_errors,
		(unsigned char *) work->out[0], (DeviceErrors *) work->scratch,
		work->results
	};

	TRY(errors_begin(work));
	TRY(launch_tiles(work, agent, (const unsigned *) work->in[0], work->count,
					 ENCODE_ROWS));
	return errors_report(work);
}

const DeviceOperation cuda_utf8_encode = {
	.sizes = errors_sizes,
	.traits = TRAIT_DIRECT | TRAIT_PARTS,
	.run = encode_run
};
