/*
 * utf8.cu
 *	  Decodes, repairs and validates UTF-8, and encodes code points.
 *
 * An agent of tiles_kernel.  reduce() finds the ends of units, keeps a bit for
 * each byte before which a unit ends, and counts the results of these units.
 * write() writes the results by these bits.  A warp has a row of a tile, in
 * which each thread has 28 bytes, and reads the four before them too.  A zero
 * after the last byte ends the last unit.
 *
 * The bytes are divided into units.  A unit is a well-formed code point or an
 * error, which is a maximal subpart or a single byte (Unicode 15, table 3-7
 * and section 3.9).  A continuation byte continues a unit if the nearest lead
 * byte before it needs it, and the second byte is in the range of the lead
 * byte.  Every other byte starts a unit, and ends the preceding unit,
 * which is complete or an error.  So a byte and the four before it determine
 * whether a unit ends there, and which one.
 *
 * The bits of a window of 32 bytes are transposed into bit planes: a word has
 * the same bit of all bytes, and logical operations on a few words classify
 * all bytes at once (Cameron, "A case study in SIMD text processing with
 * parallel bit streams", 2008).
 */
#include "contract/operations/utf8.h"
#include "kernels/common/kernels.h"
#include "kernels/common/tiles_kernel.h"

/* U+FFFD replaces an error. */
#define REPLACEMENT			0xFFFD
#define REPLACEMENT_LENGTH	3	/* bytes */
#define REPLACEMENT_BYTES	0xBDBFEFu	/* the first one lowest */

#define MAX_UNIT_BYTES		4

/*
 * The errors in a warp's part of a tile: their number, and the index in the
 * tile of the first one.
 */
typedef struct WarpErrors
{
	int			count;
	int			first;
} WarpErrors;

/* The errors of all warps, by stage. */
typedef WarpErrors TileErrors[TILE_STAGES][CONSUMER_WARPS];

/*
 * Adds the errors of a row to a warp's errors.  Each lane has a number of
 * errors and the index of its first one; lower lanes come first.
 */
__device__ static inline void
add_errors(WarpErrors *errors, int count, int first)
{
	unsigned	lanes = __ballot_sync(ALL_LANES, count > 0);

	if (lanes == 0)
		return;
	first = __shfl_sync(ALL_LANES, first, __ffs((int) lanes) - 1);
	if (errors->count == 0)
		errors->first = first;
	errors->count += warp_sum(count);
}

__device__ static inline void
keep_errors(TileErrors *kept, int stage, const WarpErrors *errors)
{
	if (threadIdx.x % WARP == 0)
		(*kept)[stage][threadIdx.x / WARP] = *errors;
}

/*
 * Adds the errors of a tile to all.  One thread does so for its thread
 * block, because atomic operations on the same word are serialized.
 */
__device__ static inline void
note_errors(DeviceErrors *all, const TileErrors *kept, int stage,
			long long tile_start)
{
	WarpErrors	errors = {0, 0};
	WarpErrors	tile_errors = {0, 0};

	if (threadIdx.x >= WARP)
		return;
	if (threadIdx.x < CONSUMER_WARPS)
		errors = (*kept)[stage][threadIdx.x];
	add_errors(&tile_errors, errors.count, errors.first);
	if (tile_errors.count > 0 && threadIdx.x == 0)
	{
		atomicAdd(&all->count, (unsigned long long) tile_errors.count);
		atomicMax(&all->first,
				  ~(unsigned long long) (tile_start + tile_errors.first));
	}
}

/* Writes up to four bytes; the lowest bits come first. */
__device__ static inline void
put_bytes(unsigned char *to, unsigned bytes, int count)
{
	for (int i = 0; i < 4; i++)
	{
		if (i < count)
			to[i] = (unsigned char) (bytes >> 8 * i);
	}
}

/* Copies items that a warp has compacted to their places. */
template <typename T>
__device__ static inline void
copy_row(T *to, const T *from, int count)
{
	__syncwarp();
	for (int i = threadIdx.x % WARP; i < count; i += WARP)
		to[i] = from[i];
	__syncwarp();
}

/* The words of a thread's window: four preceding bytes, then its own bytes. */
#define WINDOW			8
#define OWN_BYTES		28
#define OWN_BITS		0x0FFFFFFFu

/*
 * A bit for each byte of a thread: whether a unit ends before the byte, whether
 * this unit is an error, and whether it has a second, a third, a fourth byte.
 */
typedef struct UnitEnds
{
	unsigned	all;
	unsigned	errors;
	unsigned	seconds;
	unsigned	thirds;
	unsigned	fourths;
} UnitEnds;

/* Selects bits of "ones" where the mask is one, and of "zeros" elsewhere. */
__device__ static inline unsigned
select_bits(unsigned mask, unsigned ones, unsigned zeros)
{
	unsigned	selected;

	/* The compiler would use two instructions. */
	asm("lop3.b32 %0, %1, %2, %3, 0xE2;" : "=r" (selected)
		: "r" (ones), "r" (mask), "r" (zeros));
	return selected;
}

__device__ static inline void
transpose_bytes(unsigned a, unsigned b, unsigned c, unsigned d, unsigned *rows)
{
	unsigned	ab_low = __byte_perm(a, b, 0x5140);
	unsigned	ab_high = __byte_perm(a, b, 0x7362);
	unsigned	cd_low = __byte_perm(c, d, 0x5140);
	unsigned	cd_high = __byte_perm(c, d, 0x7362);

	rows[0] = __byte_perm(ab_low, cd_low, 0x5410);
	rows[1] = __byte_perm(ab_low, cd_low, 0x7632);
	rows[2] = __byte_perm(ab_high, cd_high, 0x5410);
	rows[3] = __byte_perm(ab_high, cd_high, 0x7632);
}

/*
 * Transposes a window: bit i of plane k is bit k of byte i.  First each word
 * gets every eighth byte.  Then three steps exchange an index bit of the words
 * with an index bit of the bits in a byte.
 */
__device__ static inline void
transpose_bits(const unsigned words[WINDOW], unsigned planes[8])
{
	transpose_bytes(words[0], words[2], words[4], words[6], planes);
	transpose_bytes(words[1], words[3], words[5], words[7], planes + 4);
#pragma unroll
	for (int step = 4; step > 0; step /= 2)
	{
		unsigned	low = step == 4 ? 0x0F0F0F0Fu : step == 2 ? 0x33333333u :
			0x55555555u;

#pragma unroll
		for (int i = 0; i < 8; i++)
		{
			unsigned	x = planes[i];
			unsigned	y = planes[i | step];

			if (i & step)
				continue;
			planes[i] = select_bits(low, x, y << step);
			planes[i | step] = select_bits(low, x >> step, y);
		}
	}
}

/* Finds the unit ends before each byte of a thread. */
__device__ static inline UnitEnds
find_ends(const unsigned words[WINDOW], bool zero_is_error)
{
	unsigned	bit[8];

	transpose_bits(words, bit);

	/* Continuation bytes 80..BF; lead bytes C0..FF, E0..FF and F0..FF. */
	unsigned	continuation = bit[7] & ~bit[6];
	unsigned	lead = bit[7] & bit[6];
	unsigned	lead_of_3 = lead & bit[5];
	unsigned	lead_of_4 = lead_of_3 & bit[4];

	/* After C0, C1 and F5..FF, no second byte is in range. */
	unsigned	never =
		(lead & ~bit[5] & ~(bit[4] | bit[3] | bit[2] | bit[1])) |
		(lead_of_4 & (bit[3] | (bit[2] & (bit[1] | bit[0]))));

	/* Low bytes are out of range after E0, F0; high ones after ED, F4. */
	unsigned	digit_0 = ~(bit[3] | bit[2] | bit[1] | bit[0]);
	unsigned	digit_4 = bit[2] & ~(bit[3] | bit[1] | bit[0]);
	unsigned	digit_d = bit[3] & bit[2] & ~bit[1] & bit[0];
	unsigned	three = lead_of_3 & ~bit[4];
	unsigned	from_a0 = bit[5];
	unsigned	from_90 = bit[5] | bit[4];
	unsigned	wrong = never << 1 |
		((three & digit_0) << 1 & ~from_a0) |
		((three & digit_d) << 1 & from_a0) |
		((lead_of_4 & digit_0) << 1 & ~from_90) |
		((lead_of_4 & digit_4) << 1 & from_90);

	unsigned	second = continuation & lead << 1 & ~wrong;
	unsigned	third = continuation & second << 1 & lead_of_3 << 2;
	unsigned	fourth = continuation & third << 1 & lead_of_4 << 3;
	unsigned	zero = zero_is_error ? digit_0 & ~(bit[7] | bit[6] | bit[5] |
												   bit[4]) : 0;
	unsigned	complete = ~(bit[7] | zero) | (second & ~(lead_of_3 << 1)) |
		(third & ~(lead_of_4 << 2)) | fourth;
	unsigned	all = ~(second | third | fourth) >> 4;
	UnitEnds	ends = {
		.all = all,
		.errors = all & ~(complete >> 3),
		.seconds = (second | third | fourth) >> 3,
		.thirds = (third | fourth) >> 3,
		.fourths = fourth >> 3
	};

	return ends;
}

/*
 * Returns whether a continuation byte is out of the range of the preceding lead
 * byte.
 */
__device__ static inline bool
out_of_range(unsigned lead, unsigned byte)
{
	return lead < 0xC2 || lead > 0xF4 || (lead == 0xE0 && byte < 0xA0) ||
		(lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
		(lead == 0xF4 && byte > 0x8F);
}

/* The four bytes before an index in the tile. */
__device__ static inline unsigned
bytes_before(const unsigned char *items, int index)
{
	const unsigned *word = (const unsigned *) (items + (index & ~3));

	/* The shift is modulo 32. */
	return __funnelshift_r(word[-1], word[0], index * 8);
}

/* The length of the code point that ends with these bytes. */
__device__ static inline int
unit_length(unsigned bytes)
{
	return (int) bytes >= 0 ? 1 : bytes & 0x00400000u ? 2 :
		bytes & 0x00004000u ? 3 : 4;
}

/*
 * The code point that ends with these bytes: the weighted sum of six bits of
 * each byte, and a seventh bit of ASCII.  The last byte that is not a
 * continuation byte starts the unit.  The highest bit in which it differs from
 * one, which is bit 31, 22, 14 or 6, determines the number of bits of the sum
 * that belong to the code point: 6, 11, 16 or 21.
 */
__device__ static inline int
code_point(unsigned bytes)
{
	int			start = 31 -
		__clz((int) ((bytes ^ 0x80808080u) & 0xC0C0C0C0u));
	unsigned	weights = 1u << 16 | 1u << 6;
	unsigned	bits = bytes & 0x3F3F3F07u;
	unsigned	high = __dp2a_lo(weights, bits, 0u);

	bits = __dp2a_hi(weights, bits, high << 12);

	/* This linear function maps each start to its number of bits. */
	bits &= (1u << ((410 - 10 * start) >> 4)) - 1;
	return (int) (bits | (bytes >> 24 & 0x40));
}

/* The length of the error that ends with these bytes. */
__device__ static inline int
error_length(unsigned bytes)
{
	/* A single byte, or a maximal subpart of two bytes, or of three. */
	if ((bytes & 0xC0000000u) != 0x80000000u)
		return 1;
	if ((bytes & 0x00C00000u) == 0x00C00000u)
		return out_of_range(bytes >> 16 & 0xFF, bytes >> 24) ? 1 : 2;
	return (bytes & 0x00C0F000u) == 0x0080F000u &&
		!out_of_range(bytes >> 8 & 0xFF, bytes >> 16 & 0xFF) ? 3 : 1;
}

#define ROW				(WARP * OWN_BYTES)

/*
 * The room before a tile's halo has the bytes of U+FFFD.  The ends of units in
 * Utf8Memory.rows are offsets from there; REPLACEMENT_END is the offset of the
 * end of U+FFFD.
 */
#define BEFORE_TILE		32
#define REPLACEMENT_END	4

/* The work on a text, or on a part of it. */
typedef struct Utf8Text
{
	unsigned char *in;
	int64_t		before;			/* bytes of the text, which precede "in" */
	int64_t		count;
	bool		ends;			/* the text ends with them */
	bool		skip_errors;
	bool		zero_is_error;
	void	   *out;
	DeviceErrors *errors;
	long long  *results;		/* their number */
} Utf8Text;

/* The memory of a thread block: of each stage, and a row of each warp. */
struct Utf8Memory
{
	unsigned	ends[TILE_STAGES][CONSUMER_THREADS];
	unsigned	errors[TILE_STAGES][CONSUMER_THREADS];
	TileErrors	noted;
	__align__(16) unsigned short rows[CONSUMER_WARPS][ROW]; /* compacted */
};

template <EngineOperation OPERATION>
struct Utf8Agent : TileAgent<unsigned char>
{
	typedef TileView<unsigned char> View;
	static const int row = ROW;
	static const int tile = CONSUMER_WARPS * ROW;
	static const bool has_results = OPERATION != ENGINE_UTF8_VALIDATE;

	Utf8Text	text;

	__device__ static Utf8Memory *memory()
	{
		__shared__ Utf8Memory memory;

		return &memory;
	}

	/* The index in the tile of this thread's first byte. */
	__device__ static int own_start()
	{
		return (int) threadIdx.x * OWN_BYTES;
	}

	/*
	 * The ends before this thread's bytes, without those past the array's end.
	 */
	__device__ UnitEnds own_ends(const View &view, int at) const
	{
		const unsigned *window = (const unsigned *) (view.items + at) - 1;
		unsigned	words[WINDOW];
		UnitEnds	ends;

#pragma unroll
		for (int i = 0; i < WINDOW; i++)
			words[i] = window[i];
		ends = find_ends(words, text.zero_is_error);
		if (view.count < tile || text.before + view.first == 0)
		{
			int			left = view.count - at;
			unsigned	there = left >= OWN_BYTES ? OWN_BITS :
				left > 0 ? (1u << left) - 1 : 0;

			if (text.before + view.first + at == 0)
				there &= ~1u;		/* no unit ends before the first byte */
			ends.all &= there;
			ends.errors &= there;
		}
		return ends;
	}

	__device__ int results_of(const UnitEnds &ends) const
	{
		unsigned	valid = ends.all & ~ends.errors;
		int			replaced = text.skip_errors ? 0 : __popc(ends.errors);

		switch (OPERATION)
		{
			case ENGINE_UTF8_DECODE:
				return __popc(valid) + replaced;
			case ENGINE_UTF8_REPAIR:
				return __popc(valid) + __popc(valid & ends.seconds) +
					__popc(valid & ends.thirds) + __popc(valid & ends.fourths) +
					REPLACEMENT_LENGTH * replaced;
			case ENGINE_UTF8_ERRORS:
				return __popc(ends.errors);
			default:
				return 0;
		}
	}

	__device__ void reduce(const View &view, long long *warps) const
	{
		Utf8Memory *kept = memory();
		WarpErrors	errors = {0, 0};
		int			at = own_start();
		int			results;
		UnitEnds	ends;

		if (threadIdx.x == 0)
		{
			unsigned   *words = (unsigned *) view.items;

			if (view.first == 0)
				words[-1] = text.before > 0 ?
					((const unsigned *) text.in)[-1] : 0;
			words[-BEFORE_TILE / 4] = REPLACEMENT_BYTES << 8;
		}
		ends = own_ends(view, at);
		if (__any_sync(ALL_LANES, ends.errors != 0))
		{
			int			i = max(__ffs((int) ends.errors) - 1, 0);

			add_errors(&errors, __popc(ends.errors), at + i - 1 -
					   (int) (ends.seconds >> i & 1) -
					   (int) (ends.thirds >> i & 1));
		}
		kept->ends[view.stage][threadIdx.x] = ends.all;
		kept->errors[view.stage][threadIdx.x] = ends.errors;
		keep_errors(&kept->noted, view.stage, &errors);
		results = warp_sum(results_of(ends));
		if (threadIdx.x % WARP == 0)
			warps[threadIdx.x / WARP] = results;
	}

	/*
	 * Writes the code points of a row.  The ends of units are first compacted
	 * in shared memory, so that all lanes have the same work, whatever the
	 * number of units of each, and writes are coalesced.
	 */
	__device__ void write_code_points(const unsigned char *items, int at,
									  const UnitEnds &ends, int rank,
									  int found, int *to) const
	{
		unsigned short *row = memory()->rows[threadIdx.x / WARP];
		unsigned	left = ends.all & ~(text.skip_errors ? ends.errors : 0);
		unsigned short *next = row + rank + __popc(left);
		const unsigned char *before = items - BEFORE_TILE;
		int			lane = threadIdx.x % WARP;

		/* From the last end on, which takes fewer instructions to find. */
		while (left != 0)
		{
			int			i = 31 - __clz((int) left);

			*--next = (unsigned short) (BEFORE_TILE + at + i);
			left ^= 1u << i;
		}
		if (!text.skip_errors)
		{
			for (left = ends.errors; left != 0; left &= left - 1)
				row[rank + __popc(ends.all & ((left & -left) - 1))] =
					REPLACEMENT_END;
		}
		__syncwarp();
		to += lane;
		for (int i = lane; i < found; i += WARP, to += WARP)
			*to = code_point(bytes_before(before, row[i]));
		__syncwarp();
	}

	/*
	 * Writes the bytes of a row's units.  The bytes are first compacted in
	 * shared memory, in portions for which it has room.
	 */
	__device__ void write_bytes(const unsigned char *items, int at,
								const UnitEnds &ends, int rank, int found,
								unsigned char *to) const
	{
		unsigned char *row = (unsigned char *)
			memory()->rows[threadIdx.x / WARP];
		const int	room = ROW * (int) sizeof(unsigned short) -
			(MAX_UNIT_BYTES - 1);
		unsigned	left = ends.all & ~(text.skip_errors ? ends.errors : 0);

		for (int base = 0; base < found;)
		{
			int			next;

			for (; left != 0 && rank - base < room; left &= left - 1)
			{
				int			i = __ffs((int) left) - 1;
				unsigned	bytes = bytes_before(items, at + i);
				bool		error = ends.errors >> i & 1;
				int			length = error ?
					REPLACEMENT_LENGTH : unit_length(bytes);

				put_bytes(row + rank - base, error ? REPLACEMENT_BYTES :
						  bytes >> 8 * (4 - length), length);
				rank += length;
			}
			next = warp_min(left != 0 ? rank : found);
			copy_row(to + base, row, next - base);
			base = next;
		}
	}

	/*
	 * Writes the offset and length of each error that ends at a thread's
	 * bytes.
	 */
	__device__ void write_errors(const unsigned char *items, int at,
								 unsigned errors, long long first,
								 EngineUtf8Error *to) const
	{
		for (; errors != 0; errors &= errors - 1, to++)
		{
			int			end = at + __ffs((int) errors) - 1;

			to->length = error_length(bytes_before(items, end));
			to->byte_offset = (int) (text.before + first + end - to->length);
		}
	}

	/*
	 * Writes the results of a row.  "before" is the number of results before
	 * it.
	 */
	__device__ void write_row(const unsigned char *items, int at,
							  const UnitEnds &ends, long long first,
							  long long before) const
	{
		int			own = results_of(ends);
		int			rank = warp_inclusive_scan(own);
		int			found = __shfl_sync(ALL_LANES, rank, WARP - 1);

		rank -= own;
		switch (OPERATION)
		{
			case ENGINE_UTF8_DECODE:
				write_code_points(items, at, ends, rank, found,
								  (int *) text.out + before);
				break;
			case ENGINE_UTF8_REPAIR:
				write_bytes(items, at, ends, rank, found,
							(unsigned char *) text.out + before);
				break;
			case ENGINE_UTF8_ERRORS:
				write_errors(items, at, ends.errors, first,
							 (EngineUtf8Error *) text.out + before + rank);
				break;
			default:
				break;
		}
	}

	__device__ void write(const View &view, long long before,
						  const long long *warps) const
	{
		const Utf8Memory *kept = memory();
		long long	before_row = before + warps[threadIdx.x / WARP];
		int			at = own_start();
		UnitEnds	ends = {
			.all = kept->ends[view.stage][threadIdx.x],
			.errors = kept->errors[view.stage][threadIdx.x]
		};

		note_errors(text.errors, &kept->noted, view.stage,
					text.before + view.first);
		if (OPERATION == ENGINE_UTF8_REPAIR)
			ends = own_ends(view, at);
		if (has_results)
			write_row(view.items, at, ends, view.first, before_row);
		if (view.last && threadIdx.x == 0)
			*text.results = before + warps[CONSUMER_WARPS];
	}
};

/* There must be room for the zero that ends the last unit. */
template <EngineOperation OPERATION>
static cudaError_t
utf8_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	Utf8Text	text = {
		.in = (unsigned char *) work->in[0],
		.before = work->first,
		.count = work->count,
		.ends = work->first + work->count == request->count,
		.skip_errors = PARAMETERS(request, Utf8Parameters)->skip_errors,
		.zero_is_error = PARAMETERS(request, Utf8Parameters)->zero_is_error,
		.out = work->out[0],
		.errors = (DeviceErrors *) work->scratch,
		.results = work->results
	};

	TRY(errors_begin(work));
	if (text.ends)
		TRY(cudaMemsetAsync(text.in + text.count, 0, 1, work->stream));
	TRY(launch_tiles(work, Utf8Agent<OPERATION> {{}, text}, text.in,
					 text.count + text.ends, 1));
	return errors_report(work);
}

#define UTF8_OPERATION(OPERATION) \
	{ \
		.sizes = errors_sizes, \
		.traits = TRAIT_DIRECT | TRAIT_PARTS, \
		.run = utf8_run<OPERATION> \
	}

const DeviceOperation cuda_utf8_decode = UTF8_OPERATION(ENGINE_UTF8_DECODE);
const DeviceOperation cuda_utf8_repair = UTF8_OPERATION(ENGINE_UTF8_REPAIR);
const DeviceOperation cuda_utf8_errors = UTF8_OPERATION(ENGINE_UTF8_ERRORS);
const DeviceOperation cuda_utf8_validate =
	UTF8_OPERATION(ENGINE_UTF8_VALIDATE);

/*
 * Encoding: an agent of tiles_kernel, whose aggregates are numbers of bytes.  A
 * warp goes through its part of a tile row by row.  In a row, each thread has
 * four adjacent integers.
 */
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
