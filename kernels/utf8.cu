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
 * a row, each thread has 16 bytes.
 *
 * An array may come in pieces: the last four bytes of each are carried over.
 */
#include "device.h"
#include "utf8.h"

#define OWN_BYTES		16
#define OWN_WORDS		(OWN_BYTES / 4)
#define OWN_BITS		0xFFFFu
#define ROW				(WARP * OWN_BYTES)

/* Rows of a warp in a tile. */
#define SMALL_UTF8_ROWS	1
#define LARGE_UTF8_ROWS	2

/* The highest bit of each byte in a word. */
#define TOP_BITS		0x80808080u

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

/* The top bits of a word's bytes, put in front of those of the words after. */
__device__ static inline unsigned
pack_bits(unsigned after, unsigned mask)
{
	return __funnelshift_l((mask & TOP_BITS) * 0x00204081u, after, 4);
}

/*
 * Is a byte, of 80..BF, not in the range of what is before it?  The answers
 * are in the top bits of bytes; so bit n is asked for by a shift by 7 - n.
 */
__device__ static inline unsigned
out_of_range(unsigned leads, unsigned bytes)
{
	unsigned	bit5 = bytes << 2;
	unsigned	bit4 = bytes << 3;
	unsigned	lead5 = leads << 2;
	unsigned	lead4 = leads << 3;
	unsigned	lead3 = leads << 4;
	unsigned	lead2 = leads << 5;
	unsigned	lead1 = leads << 6;
	unsigned	lead0 = leads << 7;
	unsigned	low = lead1 | lead0 | bit5 | bit4;

	/* C0 and C1; E0 80..9F, ED A0..BF; F5..FF, F4 90..BF, F0 80..8F */
	unsigned	two = ~(lead4 | lead3 | lead2 | lead1);
	unsigned	three = (~(lead3 | lead2 | lead1 | lead0) & ~bit5) |
		(lead3 & lead2 & ~lead1 & lead0 & bit5);
	unsigned	four = lead3 | (lead2 & low) | ~(lead2 | low);

	return (~lead5 & two) | (lead5 & ~lead4 & three) | (lead5 & lead4 & four);
}

/*
 * Finds the ends before a thread's bytes, which come after those of the first
 * word.  Bits 0..3 are first the first word's.  To be called by whole warps.
 */
__device__ static inline UnitEnds
find_ends(const unsigned words[1 + OWN_WORDS], bool zero_is_error)
{
	unsigned	goes_on = 0;	/* 80..BF */
	unsigned	lead = 0;		/* C0..FF */
	unsigned	lead_of_3 = 0;	/* E0..FF */
	unsigned	lead_of_4 = 0;	/* F0..FF */
	unsigned	special = 0;	/* may what follows be out of range? */
	unsigned	wrong = 0;
	unsigned	zero = 0;

	for (int i = OWN_WORDS; i >= 0; i--)
	{
		unsigned	word = words[i];
		unsigned	leads = word & word << 1;
		unsigned	leads_of_3 = leads & word << 2;
		unsigned	leads_of_4 = leads_of_3 & word << 3;
		unsigned	not_01 = (word & 0x1E1E1E1Eu) + 0x7F7F7F7Fu;
		unsigned	not_d = ((word & 0x0F0F0F0Fu) ^ 0x0D0D0D0Du) + 0x7F7F7F7Fu;

		/* C0, C1, E0, E1, ED, FD, and all that lead four */
		special |= (leads & ~(not_01 & (not_d | ~leads_of_3))) | leads_of_4;
		goes_on = pack_bits(goes_on, word & ~(word << 1));
		lead = pack_bits(lead, leads);
		lead_of_3 = pack_bits(lead_of_3, leads_of_3);
		lead_of_4 = pack_bits(lead_of_4, leads_of_4);
	}
	if (__any_sync(ALL_LANES, special & TOP_BITS))
	{
		for (int i = OWN_WORDS; i >= 0; i--)
			wrong = pack_bits(wrong,
							  out_of_range(words[i] << 8 |
										   (i > 0 ? words[i - 1] >> 24 : 0),
										   words[i]));
	}
	if (zero_is_error)
	{
		for (int i = OWN_WORDS; i >= 0; i--)
			zero = pack_bits(zero, ~((words[i] & ~TOP_BITS) + ~TOP_BITS |
									 words[i]));
	}

	unsigned	second = goes_on & lead << 1 & ~wrong;
	unsigned	third = goes_on & second << 1 & lead_of_3 << 2;
	unsigned	fourth = goes_on & third << 1 & lead_of_4 << 3;
	unsigned	complete = ~(goes_on | lead | zero) |
		(second & ~(lead_of_3 << 1)) | (third & ~(lead_of_4 << 2)) | fourth;
	unsigned	all = ~(second | third | fourth) >> 4 & OWN_BITS;
	UnitEnds	ends = {
		all,
		all & ~(complete >> 3),
		(second | third | fourth) >> 3,
		(third | fourth) >> 3,
		fourth >> 3
	};

	return ends;
}

/* The four bytes before the one with that index in the tile. */
__device__ static inline unsigned
bytes_before(const unsigned char *items, unsigned before_tile, unsigned index)
{
	const unsigned *word = (const unsigned *) items + index / 4;

	/* what is shifted by is taken modulo 32 */
	return __funnelshift_r(index < 4 ? before_tile : word[-1], *word,
						   index * 8);
}

/* How many bytes has the code point that ends with these? */
__device__ static inline int
unit_length(unsigned bytes)
{
	return (int) bytes >= 0 ? 1 : bytes & 0x00400000u ? 2 :
		bytes & 0x00004000u ? 3 : 4;
}

/* The code point: of the bits in its bytes, the sum by their weights. */
__device__ static inline int
code_point(unsigned bytes)
{
	unsigned	bits = bytes & ((int) bytes >= 0 ? 0x7F000000u :
								bytes & 0x00400000u ? 0x3F1F0000u :
								bytes & 0x00004000u ? 0x3F3F0F00u :
								0x3F3F3F07u);

	return (int) __dp2a_hi(1u << 16 | 1u << 6, bits,
						   __dp2a_lo(1u << 12 << 16, bits,
									 (bits & 0x07) << 18));
}

/* How many bytes has the error that ends with these? */
__device__ static inline int
error_length(unsigned bytes)
{
	/* No more than its first, or the second, or the third of four. */
	if ((bytes & 0xC0000000u) != 0x80000000u)
		return 1;
	if ((bytes & 0x00C00000u) == 0x00C00000u)
		return out_of_range(bytes >> 16 & 0xFF, bytes >> 24) & 0x80 ? 1 : 2;
	return (bytes & 0x00C0F000u) == 0x0080F000u &&
		!(out_of_range(bytes >> 8 & 0xFF, bytes >> 16 & 0xFF) & 0x80) ? 3 : 1;
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

/* What a block keeps beside its tiles, of a round and of the next. */
template <int ROWS>
struct Utf8Memory
{
	unsigned	ends[2][ROWS * TILE_THREADS];	/* all, and errors above */
	unsigned	before_tile[2];
	__align__(16) unsigned char results[TILE_WARPS][ROW * sizeof(int)];
};

template <EngineOperation OPERATION, int ROWS>
struct Utf8Work
{
	typedef unsigned char Item;
	static const int tile = TILE_WARPS * ROWS * ROW;

	Utf8Piece	piece;

	__device__ void sum(const unsigned char *items, long long first,
						int count, long long *warps) const;
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

	/* Which half of what is kept goes with these sums of the warps? */
	__device__ static int half(const long long *warps)
	{
		extern __shared__ __align__(128) char shared[];

		return warps != ((TileMemory<Utf8Work> *) shared)->warps[0];
	}

	/* Where in the tile this thread's bytes of a row are. */
	__device__ static int row_start(int row)
	{
		return (((int) threadIdx.x / WARP * ROWS + row) * WARP +
				(int) threadIdx.x % WARP) * OWN_BYTES;
	}

	__device__ UnitEnds own_ends(const unsigned char *items, long long first,
								 int count, int at,
								 unsigned before_tile) const;
	__device__ int results_of(const UnitEnds &ends) const;
	__device__ void make_results(const unsigned char *items, long long first,
								 int at, unsigned before_tile,
								 const UnitEnds &ends, void *to) const;
	__device__ void write_row(const unsigned char *items, int at,
							  unsigned before_tile, const UnitEnds &ends,
							  long long first, long long *before) const;
	__device__ void carry_over(long long end) const;
};

/* The ends before this thread's bytes, less those that there are not. */
template <EngineOperation OPERATION, int ROWS>
__device__ UnitEnds
Utf8Work<OPERATION, ROWS>::own_ends(const unsigned char *items,
									long long first, int count, int at,
									unsigned before_tile) const
{
	const uint4 own = *(const uint4 *) (items + at);
	const unsigned words[1 + OWN_WORDS] = {
		at > 0 ? *(const unsigned *) (items + at - 4) : before_tile,
		own.x, own.y, own.z, own.w
	};
	UnitEnds	ends = find_ends(words, piece.zero_is_error);

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
Utf8Work<OPERATION, ROWS>::sum(const unsigned char *items, long long first,
							   int count, long long *warps) const
{
	Utf8Memory<ROWS> *kept = memory();
	int			results = 0;
	unsigned	before_tile = 0;

	if (threadIdx.x == 0)
	{
		before_tile = first > 0 ? *(const unsigned *) (piece.in + first - 4) :
			piece.state->carry[piece.turn];
		kept->before_tile[half(warps)] = before_tile;
	}
	for (int row = 0; row < ROWS; row++)
	{
		int			at = row_start(row);
		UnitEnds	ends = own_ends(items, first, count, at, before_tile);

		if (__any_sync(ALL_LANES, ends.errors != 0))
		{
			int			i = max(__ffs((int) ends.errors) - 1, 0);

			note_errors(piece.state, __popc(ends.errors),
						piece.offset + first + at + i - 1 -
						(ends.seconds >> i & 1) - (ends.thirds >> i & 1));
		}
		kept->ends[half(warps)][row * TILE_THREADS + threadIdx.x] =
			ends.all | ends.errors << OWN_BYTES;
		results += results_of(ends);
	}
	results = warp_sum(results);
	if (threadIdx.x % WARP == 0)
		warps[threadIdx.x / WARP] = results;
}

/* Makes what the units that end before this thread's bytes come to. */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::make_results(const unsigned char *items,
										long long first, int at,
										unsigned before_tile,
										const UnitEnds &ends, void *to) const
{
	unsigned	chosen = OPERATION == ENGINE_UTF8_ERRORS ? ends.errors :
		piece.skip_errors ? ends.all & ~ends.errors : ends.all;
	int		   *code_points = (int *) to;

	for (unsigned left = chosen; left != 0; left &= left - 1)
	{
		int			i = __ffs((int) left) - 1;
		unsigned	bytes = bytes_before(items, before_tile, at + i);

		if (OPERATION == ENGINE_UTF8_DECODE)
			*code_points++ = code_point(bytes);
		else if (OPERATION == ENGINE_UTF8_REPAIR)
		{
			bool		error = ends.errors >> i & 1;
			int			length = error ? 3 : unit_length(bytes);

			put_bytes((unsigned char *) to, error ? REPLACEMENT_BYTES :
					  bytes >> 8 * (4 - length), length);
			to = (unsigned char *) to + length;
		}
		else
		{
			EngineUtf8Error *result = (EngineUtf8Error *) to;

			result->length = error_length(bytes);
			result->byte_offset = (int) (piece.offset + first + at + i -
										 result->length);
			to = result + 1;
		}
	}

	/* Errors are few: so they are put over what was made of them. */
	if (OPERATION == ENGINE_UTF8_DECODE)
	{
		for (unsigned left = chosen & ends.errors; left != 0; left &= left - 1)
			((int *) to)[__popc(chosen & ((left & -left) - 1))] = REPLACEMENT;
	}
}

/*
 * Writes what a row makes, where *before says, which moves on to the next one.
 * It is first put side by side in shared memory, and then copied.
 */
template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write_row(const unsigned char *items, int at,
									 unsigned before_tile,
									 const UnitEnds &ends, long long first,
									 long long *before) const
{
	unsigned char *row = memory()->results[threadIdx.x / WARP];
	int			own = results_of(ends);
	int			rank = warp_inclusive_scan(own);
	int			found = __shfl_sync(ALL_LANES, rank, WARP - 1);
	int		   *code_points = (int *) piece.out + *before;
	unsigned char *bytes = (unsigned char *) piece.out + *before;
	EngineUtf8Error *errors = (EngineUtf8Error *) piece.out + *before;

	rank -= own;
	*before += found;
	switch (OPERATION)
	{
		case ENGINE_UTF8_DECODE:
			make_results(items, first, at, before_tile, ends,
						 (int *) row + rank);
			copy_row(code_points, (const int *) row, found);
			break;
		case ENGINE_UTF8_REPAIR:
			make_results(items, first, at, before_tile, ends, row + rank);
			copy_row(bytes, row, found);
			break;
		default:
			make_results(items, first, at, before_tile, ends, errors + rank);
			break;
	}
}

/*
 * Where units end before all bytes of a row, and there is no error, they are
 * of one byte each, but the first may have more.  All lanes write side by side.
 */
__device__ static inline bool
is_ascii_row(const UnitEnds &ends, unsigned before)
{
	return __all_sync(ALL_LANES, ends.all == OWN_BITS && ends.errors == 0 &&
					  (threadIdx.x % WARP > 0 || (int) before >= 0));
}

__device__ static inline void
write_ascii_row(const unsigned char *items, int at, unsigned before_tile,
				int *to)
{
	int			lane = threadIdx.x % WARP;
	int			from = at - lane * OWN_BYTES - 1;

	for (int i = lane; i < ROW; i += WARP)
		to[i] = from + i < 0 ? before_tile >> 24 : items[from + i];
}

template <EngineOperation OPERATION, int ROWS>
__device__ void
Utf8Work<OPERATION, ROWS>::write(const unsigned char *items, long long first,
								 int count, long long before,
								 const long long *warps, bool last) const
{
	const Utf8Memory<ROWS> *kept = memory();
	unsigned	before_tile = kept->before_tile[half(warps)];

	before += results_before(warps);
	for (int row = 0; row < ROWS && OPERATION != ENGINE_UTF8_VALIDATE; row++)
	{
		int			at = row_start(row);
		unsigned	bits =
			kept->ends[half(warps)][row * TILE_THREADS + threadIdx.x];
		UnitEnds	ends = {bits & OWN_BITS, bits >> OWN_BYTES};

		if (OPERATION == ENGINE_UTF8_REPAIR)
			ends = own_ends(items, first, count, at, before_tile);
		if (OPERATION == ENGINE_UTF8_DECODE &&
			is_ascii_row(ends, bytes_before(items, before_tile, at)))
		{
			write_ascii_row(items, at, before_tile,
							(int *) piece.out + before);
			before += ROW;
		}
		else
			write_row(items, at, before_tile, ends, first, &before);
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
