/*
 * cpu_resample.c
 *	  Numbers that are summarized in bins, piece by piece.
 *
 * A piece finds its bins, and summarizes its last one, before it is its turn.
 * Then it knows the number of bins before it, and whether its first bin has
 * begun before.  All but the last bin are put into the columns after its turn;
 * the last one may go on in the next piece.
 */
#include <math.h>
#include <string.h>

#include "contract/float_order.h"
#include "contract/operations/resample.h"
#include "contract/operations/stats.h"
#include "contract/order.h"
#include "contract/wide_sum.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_search.h"
#include "loops/numbers.h"

#define RESAMPLE_INLINE	static inline __attribute__((always_inline))

/* Numbers that stay in the nearest cache. */
#define RESAMPLE_BLOCK		2048

/* The numbers of a bin so far. */
typedef struct BinSummary
{
	union
	{
		int64_t		halves[3];	/* of integers, the lower and the upper half */
		double		floats[3];	/* c, r and s of float_order.h */
	}			sums;
	uint64_t	least;			/* in their order, as unsigned integers */
	uint64_t	greatest;
} BinSummary;

_Static_assert(sizeof(BinSummary) <= sizeof(((CpuChain *) 0)->group),
			   "a bin that goes on is passed on");

/* The bins of a piece. */
typedef struct PieceBins
{
	int64_t		count;
	int32_t    *heads;			/* the first element of each, and the end */
	int64_t    *begins;
	uint64_t	first_width;
	int64_t		first_at;
	int64_t		last_at;
	bool		out_of_range;
} PieceBins;

/* The heads are behind the begins. */
_Static_assert((CPU_PIECE + 1) * (sizeof(int64_t) + sizeof(int32_t)) <=
			   2 * CPU_PIECE_BYTES, "the bins of a piece have room");

/* Loops over numbers of a kind: see the template. */
typedef struct BinLoops
{
	void		(*add) (const void *numbers, int64_t count, int64_t offset,
						BinSummary *bin, bool *overflow);
	void		(*put) (const ResampleColumns *columns, int64_t number,
						const BinSummary *bin, int64_t count,
						const void *numbers, int64_t added);
} BinLoops;

#define INTEGER_SIGN	((uint64_t) 1 << 63)

static inline uint64_t
order_of_integer(int64_t integer)
{
	return (uint64_t) integer ^ INTEGER_SIGN;
}

static inline double
add_floats(double a, double b, bool checked, bool *overflow)
{
	double		sum = a + b;

	if (checked)
		*overflow |= stats_overflow(sum, a, b);
	return sum;
}

/* All bits of the sums of integers are zero, and those of floats are -0. */
static inline BinSummary
empty_bin(ElementKind kind)
{
	BinSummary	bin = {.least = UINT64_MAX};

	for (int i = 0; kind_is_float(kind) && i < 3; i++)
		bin.sums.floats[i] = -0.0;
	return bin;
}

#define TYPES			TYPES_SIGNED
#define TYPE_TEMPLATE	"cpu/cpu_resample_bins_template.h"
#include "cpu/cpu_types.h"

#define TYPES			(TYPES_SIGNED | TYPES_FLOATS)
#define TYPE_TEMPLATE	"cpu/cpu_resample_template.h"
#include "cpu/cpu_types.h"

static const BinLoops *const loops[ELEMENT_KINDS] = {
	TYPE_ROWS_NUMBERS(loops)
};

typedef void (*FindBins) (const BinParameters *parameters,
						  const void *elements, int64_t count,
						  PieceBins *bins);

static const FindBins finds[ELEMENT_KINDS] = {TYPE_ROWS_SIGNED(find_bins)};

/* Finds the bins of a piece that is in order, in the buffer for stages. */
static void
find_bins(const EngineRequest *request, const CpuPiece *piece, PieceBins *bins)
{
	const BinParameters *parameters = PARAMETERS(request, BinParameters);

	bins->count = 0;
	bins->out_of_range = false;
	bins->begins = piece->stage_buffer;
	bins->heads = (int32_t *) (bins->begins + piece->count + 1);
	finds[request->kinds[0]] (parameters, piece->data[0], piece->count, bins);
}

/* Where the numbers of a bin of the piece are. */
static const char *
bin_numbers(const EngineRequest *request, const CpuPiece *piece,
			const PieceBins *bins, int64_t number)
{
	return (const char *) piece->data[1] +
		bins->heads[number] * (int64_t) input_size(request, 1);
}

/* The elements of the piece in a bin. */
static int64_t
bin_count(const PieceBins *bins, int64_t number)
{
	return bins->heads[number + 1] - bins->heads[number];
}

/* Adds the piece's elements in a bin to the "before" ones of other pieces. */
static void
add_to_bin(const EngineRequest *request, const CpuPiece *piece,
		   const PieceBins *bins, int64_t number, int64_t before,
		   BinSummary *bin, bool *overflow)
{
	loops[request->kinds[1]]->add(bin_numbers(request, piece, bins, number),
								  bin_count(bins, number), before, bin,
								  overflow);
}

/* Puts a bin, which has the number "to" among all, if there is room. */
static void
put_bin(const EngineRequest *request, const CpuPiece *piece,
		const PieceBins *bins, int64_t number, int64_t to, int64_t before,
		const BinSummary *bin)
{
	ResampleColumns columns = resample_columns(request);
	int64_t		added = bin_count(bins, number);

	if (to >= columns.room)
		return;
	if (request->kinds[0] == KIND_INT8)
		((int64_t *) request->outputs[0].memory)[to] = bins->begins[number];
	else
		((int32_t *) request->outputs[0].memory)[to] =
			(int32_t) bins->begins[number];
	loops[request->kinds[1]]->put(&columns, to, bin, before + added,
								  bin_numbers(request, piece, bins, number),
								  added);
}

/* Adds the piece's part of its first bin to "bin", and puts that bin. */
static void
finish_first(const EngineRequest *request, const CpuPiece *piece,
			 const PieceBins *bins, int64_t to, bool joins, BinSummary *bin,
			 bool *overflow)
{
	ResampleColumns columns = resample_columns(request);
	int64_t		before = joins && to < columns.room ? columns.counts[to] : 0;

	add_to_bin(request, piece, bins, 0, before, bin, overflow);
	put_bin(request, piece, bins, 0, to, before, bin);
}

/* Returns whether the pieces up to this one are in order. */
static bool
is_in_order(const CpuChain *chain, const CpuPiece *piece,
			const PieceBins *bins, bool ascending)
{
	return chain->errors == 0 && ascending &&
		(piece->first == 0 || chain->value.int8 <= bins->first_at);
}

static void
resample_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	bool		ascending = are_ascending(request->kinds[0], piece->data[0],
										  (int) piece->count);
	bool		overflow = false;
	BinSummary	empty = empty_bin(request->kinds[1]);
	BinSummary	first = empty;
	BinSummary	last = empty;
	PieceBins	bins = {0};
	CpuChain   *chain;
	int64_t		to;
	bool		joins;

	if (ascending)
	{
		find_bins(request, piece, &bins);
		if (bins.count > 1)
			add_to_bin(request, piece, &bins, bins.count - 1, 0, &last,
					   &overflow);
	}
	chain = cpu_chain_wait(job, piece);
	if (!is_in_order(chain, piece, &bins, ascending))
	{
		chain->errors = 1;
		chain->count = 0;
		cpu_chain_pass(job);
		return;
	}
	joins = piece->first > 0 && (uint64_t) chain->value.int8 -
		(uint64_t) bins.begins[0] < bins.first_width;
	to = chain->count - joins;
	if (joins)
		memcpy(&first, chain->group, sizeof(first));
	if (bins.count == 1)
	{
		finish_first(request, piece, &bins, to, joins, &first, &overflow);
		memcpy(chain->group, &first, sizeof(first));
	}
	else
	{
		put_bin(request, piece, &bins, bins.count - 1, to + bins.count - 1, 0,
				&last);
		memcpy(chain->group, &last, sizeof(last));
	}
	chain->count = to + bins.count;
	chain->value.int8 = bins.last_at;
	cpu_chain_pass(job);

	if (bins.count > 1)
	{
		finish_first(request, piece, &bins, to, joins, &first, &overflow);
		for (int64_t i = 1; i < bins.count - 1; i++)
		{
			BinSummary	whole = empty;

			add_to_bin(request, piece, &bins, i, 0, &whole, &overflow);
			put_bin(request, piece, &bins, i, to + i, 0, &whole);
		}
	}
	if (overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
	if (bins.out_of_range)
		cpu_note_overflow(job, OVERFLOW_DOWN);
}

const CpuOperation cpu_resample = {
	CPU_BY_PIECES, .piece = resample_piece, .stage_buffer = true
};
