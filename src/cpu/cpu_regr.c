/*
 * cpu_regr.c
 *	  Moments of pairs, piece by piece: the moments of each piece are merged
 *	  with the moments of the pieces before it, as regr.h says.
 */
#include <string.h>

#include "contract/float_order.h"
#include "contract/operations/regr.h"
#include "cpu/cpu_engine.h"
#include "loops/numbers.h"

/* Tiles in a piece. */
#define REGR_TILES			(CPU_PIECE / FLOAT_TILE)

/*
 * Segments that are summed side by side: a vector of AVX2.  A compiler makes
 * slow code of wider vectors where the processor has none.
 */
#define REGR_ABREAST		4
#define REGR_BLOCK			(REGR_ABREAST * FLOAT_SEGMENT)

/* A number of each segment. */
typedef double Lanes
			__attribute__((vector_size(REGR_ABREAST * sizeof(double))));
typedef uint64_t LaneBits
			__attribute__((vector_size(REGR_ABREAST * sizeof(uint64_t))));

/* An input of a piece. */
typedef struct RegrInput
{
	const char *numbers;
	ElementKind kind;
	double		converted[REGR_BLOCK];
} RegrInput;

/* What a piece adds to the summary. */
typedef struct RegrPart
{
	uint64_t	first_y;
	uint64_t	first_x;
	LaneBits	y_differs;		/* bits that differ from those of the first */
	LaneBits	x_differs;
	PairMoments r[REGR_TILES];
	PairMoments s[REGR_TILES];
	int			tiles;
	bool		overflow;
} RegrPart;

/* Numbers from "first" on, at most REGR_BLOCK, in double precision. */
static const double *
take_numbers(RegrInput *input, int64_t first, int count)
{
	const char *numbers = input->numbers + first * kind_size(input->kind);

	if (input->kind == KIND_FLOAT8)
		return (const double *) numbers;
	convert_numbers(input->kind, numbers, count, input->converted);
	return input->converted;
}

static inline uint64_t
bits_of(double number)
{
	uint64_t	bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static inline bool
is_finite(double number)
{
	return number - number == 0;
}

/*
 * Returns whether a segment overflows, one of whose moments is not finite:
 * either an addition of numbers overflows, or all numbers are finite that the
 * moment is of.
 */
static bool
segment_overflows(const double *y, const double *x, int count,
				  const PairMoments *moments)
{
	double		y_sum = -0.0;
	double		x_sum = -0.0;
	bool		y_finite = true;
	bool		x_finite = true;

	for (int i = 0; i < count; i++)
	{
		if (stats_overflow(y_sum + y[i], y_sum, y[i]) ||
			stats_overflow(x_sum + x[i], x_sum, x[i]))
			return true;
		y_sum += y[i];
		x_sum += x[i];
		y_finite &= is_finite(y[i]);
		x_finite &= is_finite(x[i]);
	}
	return (y_finite && !is_finite(moments->y.squares)) ||
		(x_finite && !is_finite(moments->x.squares)) ||
		(y_finite && x_finite && !is_finite(moments->products));
}

/* A number of each of REGR_ABREAST segments, which are "apart". */
static inline __attribute__((always_inline)) void
take_lanes(const double *numbers, int apart, Lanes *lanes)
{
	for (int lane = 0; lane < REGR_ABREAST; lane++)
		(*lanes)[lane] = numbers[lane * apart];
}

/*
 * Sums the pairs of REGR_ABREAST segments of the same length, which may all be
 * the same one.
 */
static inline __attribute__((always_inline)) void
sum_abreast(const double *y, const double *x, int apart, int length,
			RegrPart *part, PairMoments moments[REGR_ABREAST])
{
	const LaneBits first_y = part->first_y - (LaneBits) {0};
	const LaneBits first_x = part->first_x - (LaneBits) {0};
	Lanes		ys[FLOAT_SEGMENT];
	Lanes		xs[FLOAT_SEGMENT];
	Lanes		y_sum = -(Lanes) {0};
	Lanes		x_sum = -(Lanes) {0};
	Lanes		y_squares = {0};
	Lanes		x_squares = {0};
	Lanes		products = {0};
	LaneBits	y_differs = part->y_differs;
	LaneBits	x_differs = part->x_differs;

	for (int i = 0; i < length; i++)
	{
		take_lanes(y + i, apart, &ys[i]);
		take_lanes(x + i, apart, &xs[i]);
		y_sum += ys[i];
		x_sum += xs[i];
		y_differs |= (LaneBits) ys[i] ^ first_y;
		x_differs |= (LaneBits) xs[i] ^ first_x;
	}
	for (int i = 0; i < length; i++)
	{
		Lanes		y_apart = ys[i] - y_sum / length;
		Lanes		x_apart = xs[i] - x_sum / length;

		y_squares += y_apart * y_apart;
		x_squares += x_apart * x_apart;
		products += y_apart * x_apart;
	}
	part->y_differs = y_differs;
	part->x_differs = x_differs;
	for (int lane = 0; lane < REGR_ABREAST; lane++)
		moments[lane] = (PairMoments)
		{
			{length, y_sum[lane], y_squares[lane]},
			{length, x_sum[lane], x_squares[lane]},
			products[lane]
		};
}

/* Sums the segments of up to REGR_BLOCK pairs. */
static inline __attribute__((always_inline)) void
sum_block(const double *y, const double *x, int count, RegrPart *part,
		  PairMoments *moments)
{
	if (count == REGR_BLOCK)
		sum_abreast(y, x, FLOAT_SEGMENT, FLOAT_SEGMENT, part, moments);
	for (int first = 0; first < count; first += FLOAT_SEGMENT, moments++)
	{
		int			length = cpu_min(count - first, FLOAT_SEGMENT);

		if (count < REGR_BLOCK)
		{
			PairMoments same[REGR_ABREAST];

			sum_abreast(y + first, x + first, 0, length, part, same);
			*moments = same[0];
		}
		if (!is_finite(moments->y.squares) || !is_finite(moments->x.squares) ||
			!is_finite(moments->products))
			part->overflow |= segment_overflows(y + first, x + first, length,
												moments);
	}
}

/* Sums a tile: r merges all segments but the last one, which is s. */
static inline __attribute__((always_inline)) void
sum_tile(RegrInput *y, RegrInput *x, int64_t first, int count, RegrPart *part)
{
	PairMoments moments[FLOAT_SEGMENTS];
	PairMoments r = {.products = 0};
	int			segments = (count + FLOAT_SEGMENT - 1) / FLOAT_SEGMENT;

	for (int done = 0; done < count; done += REGR_BLOCK)
	{
		int			block = cpu_min(count - done, REGR_BLOCK);

		sum_block(take_numbers(y, first + done, block),
				  take_numbers(x, first + done, block), block, part,
				  moments + done / FLOAT_SEGMENT);
	}
	for (int i = 0; i < segments - 1; i++)
		r = pair_moments_merge(r, moments[i], &part->overflow);
	part->r[part->tiles] = r;
	part->s[part->tiles++] = moments[segments - 1];
}

CPU_CLONES static void
sum_piece(const CpuJob *job, const CpuPiece *piece, RegrPart *part)
{
	RegrInput	y;
	RegrInput	x;

	y.numbers = piece->data[0];
	y.kind = job->request->kinds[0];
	x.numbers = piece->data[1];
	x.kind = job->request->kinds[1];
	part->first_y = bits_of(*take_numbers(&y, 0, 1));
	part->first_x = bits_of(*take_numbers(&x, 0, 1));
	part->y_differs = part->x_differs = (LaneBits) {0};
	part->tiles = 0;
	part->overflow = false;
	for (int64_t first = 0; first < piece->count; first += FLOAT_TILE)
		sum_tile(&y, &x, first, cpu_min(piece->count - first, FLOAT_TILE),
				 part);
}

static bool
has_bits(const LaneBits *bits)
{
	uint64_t	any = 0;

	for (int lane = 0; lane < REGR_ABREAST; lane++)
		any |= (*bits)[lane];
	return any != 0;
}

/* Merges a piece with all before it, in the job's summary. */
static void
merge_piece(EngineRegr *regr, RegrPart *part)
{
	PairMoments all = regr->moments;

	for (int tile = 0; tile < part->tiles; tile++)
	{
		all = pair_moments_merge(all, part->r[tile], &part->overflow);
		all = pair_moments_merge(all, part->s[tile], &part->overflow);
	}
	regr->moments = all;
	regr->y_differs |= has_bits(&part->y_differs) ||
		part->first_y != regr->first_y;
	regr->x_differs |= has_bits(&part->x_differs) ||
		part->first_x != regr->first_x;
}

static void
regr_piece(CpuJob *job, CpuPiece *piece)
{
	EngineRegr *regr = job->request->summary;
	RegrPart	part;

	sum_piece(job, piece, &part);
	cpu_chain_wait(job, piece);
	if (piece->turn == 0)
		*regr = (EngineRegr) {
			.first_y = part.first_y, .first_x = part.first_x
		};
	merge_piece(regr, &part);
	cpu_chain_pass(job);
	if (part.overflow)
		cpu_note_overflow(job, OVERFLOW_UP);
}

const CpuOperation cpu_regr = {CPU_BY_PIECES, .piece = regr_piece};
