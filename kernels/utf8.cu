/*
 * utf8.cu
 *	  What the bytes of UTF-8 mean: code points, and errors.
 *
 * The bytes fall into units: a unit is a code point or else a maximal subpart
 * of one, which is an error (Unicode 15, table 3-7 and section 3.9).  A byte
 * goes on with a unit if it is 80..BF, the nearest byte before it that is not
 * has enough bytes to come, and what follows that one is in its range; else it
 * starts a unit.  Where one starts, another ends, and is complete or an error:
 * so that from a byte and the four before it, it is known which unit ends
 * there, if one does.  A zero behind the last byte ends the last unit.
 *
 * As work for tiles_kernel: sum() finds the ends, and keeps a bit for each byte
 * before which a unit ends; what it adds up is what these units make.  write()
 * goes along those bits.  A warp goes through its part of a tile row by row; in
 * a row, each thread has 28 bytes, and looks at the four before them, too.  The
 * bits of such a window are transposed, so that a word has one bit of each of
 * its 32 bytes, and logic on a few words answers for all of them (Cameron, "A
 * case study in SIMD text processing with parallel bit streams", 2008).
 *
 * An array may come in pieces: the last four bytes of each are carried over.
 */
#include "device.h"
#include "utf8.h"

/* A thread's window, in words of memory; in which what it has comes last. */
#define WINDOW			8
#define OWN_BYTES		28
#define OWN_BITS		0x0FFFFFFFu
#define ROW				(WARP * OWN_BYTES)

/* Rows of a warp in a tile. */
#define SMALL_UTF8_ROWS	1
#define LARGE_UTF8_ROWS	2

/*
 * Before what precedes a tile there is room for what stands for an error.  Where
 * ends are put side by side, they are counted from there, and this one is an
 * error's.
 */
#define BEFORE_TILE		32
#define REPLACEMENT_END	4

/*
 * Of each of a thread's bytes: does a unit end before it, and is that an
 * error, and does it have a second, a third, a fourth byte?
 */
typedef struct UnitEnds
{
	unsigned	all;
	unsigned	errors;
	unsigned	seconds;
	unsigned	thirds;
	unsigned	fourths;
} UnitEnds;

/* Bits of one word where the mask has ones, and else of another. */
__device__ static inline unsigned
select_bits(unsigned mask, unsigned ones, unsigned zeros)
{
	unsigned	selected;

	/* one instruction, which the compiler makes two of */
	asm("lop3.b32 %0, %1, %2, %3, 0xE2;" : "=r" (selected)
		: "r" (ones), "r" (mask), "r" (zeros));
	return selected;
}

/* The bytes with the same index in four words, side by side. */
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
 * gets every eighth byte; then, in three steps, what tells words apart changes
 * places with what tells the bits of a byte apart.
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

/* Finds the ends before a thread's bytes, which are all but the first four. */
__device__ static inline UnitEnds
find_ends(const unsigned words[WINDOW], bool zero_is_error)
{
	unsigned	bit[8];

	transpose_bits(words, bit);

	/* 80..BF; and C0..FF, of which E0..FF and F0..FF */
	unsigned	goes_on = bit[7] & ~bit[6];
	unsigned	lead = bit[7] & bit[6];
	unsigned	lead_of_3 = lead & bit[5];
	unsigned	lead_of_4 = lead_of_3 & bit[4];

	/* After C0, C1, and F5..FF, no byte is in range. */
	unsigned	never =
		(lead & ~bit[5] & ~(bit[4] | bit[3] | bit[2] | bit[1])) |
		(lead_of_4 & (bit[3] | (bit[2] & (bit[1] | bit[0]))));

	/* After E0 and F0 low ones are not, and after ED and F4 high ones. */
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

	unsigned	second = goes_on & lead << 1 & ~wrong;
	unsigned	third = goes_on & second << 1 & lead_of_3 << 2;
	unsigned	fourth = goes_on & third << 1 & lead_of_4 << 3;
	unsigned	zero = zero_is_error ? digit_0 & ~(bit[7] | bit[6] | bit[5] |
												   bit[4]) : 0;
	unsigned	complete = ~(bit[7] | zero) | (second & ~(lead_of_3 << 1)) |
		(third & ~(lead_of_4 << 2)) | fourth;
	unsigned	all = ~(second | third | fourth) >> 4;
	UnitEnds	ends = {
		all,
		all & ~(complete >> 3),
		(second | third | fourth) >> 3,
		(third | fourth) >> 3,
		fourth >> 3
	};

	return ends;
}

/* Is a byte, of 80..BF, not in the range of the lead before it? */
__device__ static inline bool
out_of_range(unsigned lead, unsigned byte)
{
	return lead < 0xC2 || lead > 0xF4 || (lead == 0xE0 && byte < 0xA0) ||
		(lead == 0xED && byte > 0x9F) || (lead == 0xF0 && byte < 0x90) ||
		(lead == 0xF4 && byte > 0x8F);
}

/* The four bytes before the one with that index in the tile. */
__device__ static inline unsigned
bytes_before(const unsigned char *items, int index)
{
	const unsigned *word = (const unsigned *) (items + (index & ~3));

	/* what is shifted by is taken modulo 32 */
	return __funnelshift_r(word[-1], word[0], index * 8);
}

/* How many bytes has the code point that ends with these? */
__device__ static inline int
unit_length(unsigned bytes)
{
	return (int) bytes >= 0 ? 1 : bytes & 0x00400000u ? 2 :
		bytes & 0x00004000u ? 3 : 4;
}

/*
 * The code point that ends with these: six bits of each byte, summed up by
 * their weights, and of ASCII a seventh.  The last byte that does not go on
 * with a unit starts this one; from where its highest bit is that tells it from
 * one that does, 31, 22, 14 or 6, it is known how many bits of the sum are the
 * code point's: 6, 11, 16 or 21.
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
	bits &= (1u << ((410 - 10 * start) >> 4)) - 1;
	return (int) (bits | (bytes >> 24 & 0x40));
}

/* How many bytes has the error that ends with these? */
__device__ static inline int
error_length(unsigned bytes)
{
	/* No more than its first, or the second, or the third of four. */
	if ((bytes & 0xC0000000u) != 0x80000000u)
		return 1;
	if ((bytes & 0x00C00000u) == 0x00C00000u)
		return out_of_range(bytes >> 16 & 0xFF, bytes >> 24) ? 1 : 2;
	return (bytes & 0x00C0F000u) == 0x0080F000u &&
		!out_of_range(bytes >> 8 & 0xFF, bytes >> 16 & 0xFF) ? 3 : 1;
}

/* A piece of an array, and what becomes of it. */
typedef struct Utf8Piece
{
	unsigned char *in;
	int64_t		count;
	long long	offset;			/* bytes before it */
	bool		last;
	int			turn;			/* whose carry comes from the piece before */
	bool		skip_errors;
	bool		zero_is_error;
	void	   *out;
	Utf8State  *state;
	long long  *results;		/* how many there are, in the end */
} Utf8Piece;

/* What a block keeps beside its tiles, by stage; and a row for each warp. */
template <int ROWS>
struct Utf8Memory
{
	unsigned	ends[STAGES][ROWS * TILE_THREADS];
	unsigned	errors[STAGES][ROWS * TILE_THREADS];
	TileErrors	noted;
	__align__(16) unsigned short rows[TILE_WARPS][ROW]; /* side by side */
};

template <EngineOperation OPERATION, int ROWS>
struct Utf8Work
{
	typedef unsigned char Item;
	static const int tile = TILE_WARPS * ROWS * ROW;

	Utf8Piece	piece;

	__device__ void sum(unsigned char *items, long long first, int count,
						long long *warps) const;
	__device__ void arrange(unsigned char *items, long long first, int count,
							const long long *warps) const {}
	__device__ void write(const unsigned char *items, long long first,
						  int count, long long before, const long long *warps,
						  bool last) const;

	__device__ static Utf8Memory<ROWS> *memory()
	{
		__shared__ Utf8Memory<ROWS> memory;

		return &memory;
	}

	/* Where in the tile this thread's bytes of a row are. */
	__device__ static int row_start(int row)
	{
		return (((int) threadIdx.x / WARP * ROWS + row) * WARP +
				(int) threadIdx.x % WARP) * OWN_BYTES;
	}

	__device__ UnitEnds own_ends(const unsigned char *items, long long first,
								 int count, int at) const;
	__device__ int results_of(const UnitEnds &ends) const;
	__device__ void write_code_points(const unsigned char *items, int at,
									  const UnitEnds &ends, int rank,
									  int found, int *to) const;
	__device__ void write_bytes(const unsigned char *items, int at,
								const UnitEnds &ends, int rank, int found,
								unsigned char *to) const;
	__device__ void write_errors(const unsigned char *items, int at,
								 unsigned errors, long long first,
								 EngineUtf8Error *to) const;
	__device__ void write_row(const unsigned char *items, int at,
							  const UnitEnds &ends, long long first,
							  long long *before) const;
	__device__ void carry_over(long long end) const;
};

/* The ends before this thread's bytes, less those that there are not. */
template <EngineOperation OPERATION, int ROWS>
__device__ UnitEnds
Utf8Work<OPERATION, ROWS>::own_ends(const unsigned char *items,
									long long first, int count, int at) const
{
	const unsigned *window = (const unsigned *) (items + at) - 1;
	unsigned	words[WINDOW];
	UnitEnds	ends;

#pragma unroll
	for (int i = 0; i < WINDOW; i++)
		words[i] = window[i];
	ends = find_ends(words, piece.zero_is_error);
	if (count < tile || piece.offset + first == 0)
	{
		unsigned	there = count - at >= OWN_BYTES ? OWN_BITS :
			count > at ? (1u << (count - at)) - 1 : 0;

		if (piece.offset + first + at == 0)
			there &= ~1u;		/* nothing is before the first byte */
		ends.all &= there;
		ends.errors &= there;
	}
	return ends;
}

template <EngineOperation OPERATION, int ROWS>
__device__ int
Utf8Work<OPERATION, ROWS>::results_of(const UnitEnds &ends) const
{
	unsigned	valid = ends.all & ~ends.errors;
	int			replaced = piece.skip_errors ? 0 : __popc(ends.errors);

	switch (OPERATION)
	{
		case ENGINE_UTF8_DECODE:
			return __popc(valid) + replaced;
		case ENGINE_UTF8_REPAIR:
			return __popc(valid) + __popc(valid & ends.seconds) +
				__popc(valid & ends.thirds) + __popc(valid & ends.fourths) +
				3 * replaced;
		case ENGINE_UTF8_ERRORS:
			return __popc(ends.errors);
		default:
			return 0;
	}
}

template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::sum(unsigned char *items, long long first,
							   int count, long long *warps) const
{
	Utf8Memory<ROWS> *kept = memory();
	int			stage = stage_of<Utf8Work>(warps);
	WarpErrors	errors = {0, 0};
	int			results = 0;

	if (threadIdx.x == 0)
	{
		unsigned   *tile = (unsigned *) items;

		if (first == 0)
			tile[-1] = piece.state->carry[piece.turn];
		tile[-BEFORE_TILE / 4] = REPLACEMENT_BYTES << 8;
	}
	for (int row = 0; row < ROWS; row++)
	{
		int			at = row_start(row);
		UnitEnds	ends = own_ends(items, first, count, at);

		if (__any_sync(ALL_LANES, ends.errors != 0))
		{
			int			i = max(__ffs((int) ends.errors) - 1, 0);

			add_errors(&errors, __popc(ends.errors), at + i - 1 -
					   (int) (ends.seconds >> i & 1) -
					   (int) (ends.thirds >> i & 1));
		}
		kept->ends[stage][row * TILE_THREADS + threadIdx.x] = ends.all;
		kept->errors[stage][row * TILE_THREADS + threadIdx.x] = ends.errors;
		results += results_of(ends);
	}
	keep_errors(&kept->noted, stage, &errors);
	results = warp_sum(results);
	if (threadIdx.x % WARP == 0)
		warps[threadIdx.x / WARP] = results;
}

/*
 * Writes the code points of a row.  First the positions of the units' ends are
 * put side by side: so that all lanes have as much to do, however many units
 * each has, and write side by side.
 */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write_code_points(const unsigned char *items,
											 int at, const UnitEnds &ends,
											 int rank, int found,
											 int *to) const
{
	unsigned short *row = memory()->rows[threadIdx.x / WARP];
	unsigned	left = piece.skip_errors ? ends.all & ~ends.errors : ends.all;
	unsigned short *next = row + rank + __popc(left);
	const unsigned char *before = items - BEFORE_TILE;
	int			lane = threadIdx.x % WARP;

	/* from the last one on, which is found sooner than the first */
	while (left != 0)
	{
		int			i = 31 - __clz((int) left);

		*--next = (unsigned short) (BEFORE_TILE + at + i);
		left ^= 1u << i;
	}
	if (!piece.skip_errors)
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
 * Writes the bytes of a row's units, where there is no error: so that they are
 * side by side already.
 */
__device__ static inline void
write_valid_bytes(const unsigned char *items, int at, unsigned ends, int found,
				  unsigned char *to)
{
	unsigned	lanes = __ballot_sync(ALL_LANES, ends != 0);
	int			first = at + max(__ffs((int) ends) - 1, 0);
	int			start = first - unit_length(bytes_before(items, first));

	start = __shfl_sync(ALL_LANES, start, max(__ffs((int) lanes) - 1, 0));
	for (int i = threadIdx.x % WARP; i < found; i += WARP)
		to[i] = items[start + i];
}

/*
 * Writes the bytes of a row's units: puts them side by side first, as many as
 * there is room for at a time.
 */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write_bytes(const unsigned char *items, int at,
									   const UnitEnds &ends, int rank,
									   int found, unsigned char *to) const
{
	unsigned char *row = (unsigned char *) memory()->rows[threadIdx.x / WARP];
	const int	room = ROW * (int) sizeof(unsigned short) - 3;
	unsigned	left = piece.skip_errors ? ends.all & ~ends.errors : ends.all;

	for (int base = 0; base < found;)
	{
		int			next;

		for (; left != 0 && rank - base < room; left &= left - 1)
		{
			int			i = __ffs((int) left) - 1;
			unsigned	bytes = bytes_before(items, at + i);
			bool		error = ends.errors >> i & 1;
			int			length = error ? 3 : unit_length(bytes);

			put_bytes(row + rank - base, error ? REPLACEMENT_BYTES :
					  bytes >> 8 * (4 - length), length);
			rank += length;
		}
		next = warp_min(left != 0 ? rank : found);
		copy_row(to + base, row, next - base);
		base = next;
	}
}

/* Writes where the errors are that end before a thread's bytes. */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write_errors(const unsigned char *items, int at,
										unsigned errors, long long first,
										EngineUtf8Error *to) const
{
	for (; errors != 0; errors &= errors - 1, to++)
	{
		int			end = at + __ffs((int) errors) - 1;

		to->length = error_length(bytes_before(items, end));
		to->byte_offset = (int) (piece.offset + first + end - to->length);
	}
}

/* Writes what a row makes, where *before says, which moves on to the next. */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write_row(const unsigned char *items, int at,
									 const UnitEnds &ends, long long first,
									 long long *before) const
{
	int			own = results_of(ends);
	int			rank = warp_inclusive_scan(own);
	int			found = __shfl_sync(ALL_LANES, rank, WARP - 1);

	rank -= own;
	switch (OPERATION)
	{
		case ENGINE_UTF8_DECODE:
			write_code_points(items, at, ends, rank, found,
							  (int *) piece.out + *before);
			break;
		case ENGINE_UTF8_REPAIR:
			if (__any_sync(ALL_LANES, ends.errors != 0))
				write_bytes(items, at, ends, rank, found,
							(unsigned char *) piece.out + *before);
			else
				write_valid_bytes(items, at, ends.all, found,
								  (unsigned char *) piece.out + *before);
			break;
		default:
			write_errors(items, at, ends.errors, first,
						 (EngineUtf8Error *) piece.out + *before + rank);
			break;
	}
	*before += found;
}

/*
 * Where units end before all bytes of a row, and there is no error, they are
 * of one byte each, but the first may have more.  All lanes write side by side.
 */
__device__ static inline bool
is_ascii_row(const unsigned char *items, int at, const UnitEnds &ends)
{
	return __all_sync(ALL_LANES, ends.all == OWN_BITS && ends.errors == 0 &&
					  (threadIdx.x % WARP > 0 || items[at - 1] < 0x80));
}

__device__ static inline void
write_ascii_row(const unsigned char *items, int at, int *to)
{
	int			lane = threadIdx.x % WARP;
	const unsigned char *from = items + at - lane * OWN_BYTES - 1;

	for (int i = lane; i < ROW; i += WARP)
		to[i] = from[i];
}

template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write(const unsigned char *items, long long first,
								 int count, long long before,
								 const long long *warps, bool last) const
{
	const Utf8Memory<ROWS> *kept = memory();
	int			stage = stage_of<Utf8Work>(warps);

	note_errors(piece.state, &kept->noted, stage, piece.offset + first);
	before += warps[threadIdx.x / WARP];
	for (int row = 0; row < ROWS && OPERATION != ENGINE_UTF8_VALIDATE; row++)
	{
		int			at = row_start(row);
		int			mine = row * TILE_THREADS + threadIdx.x;
		UnitEnds	ends = {kept->ends[stage][mine], kept->errors[stage][mine]};

		if (OPERATION == ENGINE_UTF8_REPAIR)
			ends = own_ends(items, first, count, at);
		if (OPERATION == ENGINE_UTF8_DECODE &&
			is_ascii_row(items, at, ends))
		{
			write_ascii_row(items, at, (int *) piece.out + before);
			before += ROW;
		}
		else
			write_row(items, at, ends, first, &before);
	}

	if (last && threadIdx.x == TILE_THREADS - 1)
		*piece.results = before;
	if (last)
		carry_over(first + count);
}

/* Keeps the last four bytes for the next piece. */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::carry_over(long long end) const
{
	const unsigned char *carry =
		(const unsigned char *) &piece.state->carry[piece.turn];
	unsigned char *next =
		(unsigned char *) &piece.state->carry[1 - piece.turn];
	long long	at = end - 4 + threadIdx.x;

	if (threadIdx.x < 4)
		next[threadIdx.x] = at < 0 ? carry[4 + at] : piece.in[at];
}

template <int ROWS, EngineOperation OPERATION>
static EngineStatus
launch_utf8(cudaStream_t stream, LookAhead *ahead, const Utf8Piece *piece,
			int64_t count)
{
	Utf8Work<OPERATION, ROWS> work = {*piece};

	return launch_tiles(stream, ahead, work, piece->in, count,
						(const long long *) NULL);
}

/*
 * Queues the work on a piece.  Behind the last one there is to be room for the
 * zero that ends its last unit.
 */
template <EngineOperation OPERATION>
static EngineStatus
run_utf8(cudaStream_t stream, LookAhead *ahead, const Utf8Piece *piece)
{
	int64_t		count = piece->count;

	if (piece->last)
		TRY_CUDA(cudaMemsetAsync(piece->in + count++, 0, 1, stream));
	if (count <= SMALL_COUNT || ahead->small_only)
		return launch_utf8<SMALL_UTF8_ROWS, OPERATION>(stream, ahead, piece,
													   count);
	return launch_utf8<LARGE_UTF8_ROWS, OPERATION>(stream, ahead, piece,
												   count);
}

/* Makes the state that of a new array. */
EngineStatus
utf8_clear(cudaStream_t stream, Utf8State *state)
{
	TRY_CUDA(cudaMemsetAsync(state, 0, sizeof(*state), stream));
	TRY_CUDA(cudaMemsetAsync(&state->first_error, 0xFF,
							 sizeof(state->first_error), stream));
	return ENGINE_OK;
}

/* The code points of a whole array, with U+FFFD for what is invalid. */
EngineStatus
utf8_decode(cudaStream_t stream, LookAhead *ahead, unsigned char *in,
			int *out, int64_t count, Utf8State *state, long long *results)
{
	Utf8Piece	piece = {
		in, count, 0, true, 0, false, false, out, state, results
	};

	TRY(utf8_clear(stream, state));
	return run_utf8<ENGINE_UTF8_DECODE>(stream, ahead, &piece);
}

static Utf8State *
job_state(const EngineJob *job)
{
	return (Utf8State *) job->session->buffers[BUFFER_SCRATCH].memory;
}

static EngineStatus
utf8_sizes(const EngineJob *job, size_t *sizes)
{
	sizes[BUFFER_SCRATCH] = sizeof(Utf8State);
	return ENGINE_OK;
}

static EngineStatus
utf8_begin(EngineJob *job)
{
	return utf8_clear(job->session->compute, job_state(job));
}

static EngineStatus
utf8_piece(EngineJob *job, Slot *slot, int64_t count)
{
	typedef EngineStatus (*Run) (cudaStream_t stream, LookAhead *ahead,
								 const Utf8Piece *piece);
	static const Run runs[] = {
		run_utf8<ENGINE_UTF8_DECODE>, run_utf8<ENGINE_UTF8_REPAIR>,
		run_utf8<ENGINE_UTF8_ERRORS>, run_utf8<ENGINE_UTF8_VALIDATE>
	};
	Session    *session = job->session;
	const EngineRequest *request = &job->request;
	Utf8Piece	piece = {
		(unsigned char *) slot->device_in, count, job->pushed,
		job->pushed + count == request->count, (int) (job->pieces % 2),
		request->skip_errors, request->zero_is_error, slot->device_out,
		job_state(job), slot->count
	};

	slot->counted = true;
	return runs[request->operation - ENGINE_UTF8_DECODE] (session->compute,
														  &session->ahead,
														  &piece);
}

static EngineStatus
utf8_finish(EngineJob *job)
{
	Utf8State	state;

	TRY_CUDA(cudaMemcpy(&state, job_state(job), sizeof(state),
						cudaMemcpyDeviceToHost));
	job->errors = (int64_t) state.errors;
	job->first_error = (int64_t) state.first_error;
	return ENGINE_OK;
}

const DeviceOperation device_utf8 = {
	false, utf8_sizes, utf8_begin, utf8_piece, NULL, utf8_finish
};

const DeviceOperation device_utf8_encode = {
	false, utf8_sizes, utf8_begin, utf8_encode_piece, NULL, utf8_finish
};
