/*
 * cpu_map.c
 *	  Operators and functions of each element, piece by piece.
 */
#include <string.h>
#include <tgmath.h>

#include "contract/operations/map.h"
#include "contract/order.h"
#include "cpu/cpu_engine.h"

#define MAP(name)			TYPE_NAME(name)

/* Copies of a value that are combined with elements at once. */
#define VALUE_BLOCK			512

/* Integers wrap.  The sign of a sum is wrong then. */
#define MAP_BITS			TYPE_ELEMENT
#define MAP_ADD(result, x, y, error) \
	((result) = (uint64_t) (x) + (uint64_t) (y), \
	 (error) |= ((x) ^ (result)) & ((y) ^ (result)))
#define MAP_SUBTRACT(result, x, y, error) \
	((result) = (uint64_t) (x) - (uint64_t) (y), \
	 (error) |= ((x) ^ (y)) & ((x) ^ (result)))
#define MAP_MULTIPLY(result, x, y, error) \
	((error) |= sizeof(x) == sizeof(int64_t) ? \
	 -(int64_t) __builtin_mul_overflow(x, y, &(result)) : \
	 ((result) = MAP_PRODUCT(x, y), -(MAP_PRODUCT(x, y) != (result))))
#define MAP_ABS(result, x, error) \
	((result) = (x) < 0 ? -(uint64_t) (x) : (uint64_t) (x), \
	 (error) |= (result))
#define MAP_NEGATE(result, x, error) \
	((result) = -(uint64_t) (x), (error) |= (x) & (result))
#define MAP_CLEAN(x)		(x)
#define MAP_LESS(x, y)		((x) < (y))

/* The product of integers of 16 or 32 bits. */
#define MAP_PRODUCT(x, y) \
	(sizeof(x) == sizeof(int16_t) ? (int32_t) (x) * (y) : (int64_t) (x) * (y))

/* The least integer, which divided by -1 is out of range. */
#define MAP_LEAST(type)		((type) ((uint64_t) 1 << (8 * sizeof(type) - 1)))

/* Whether the quotient is no integer of the type; and a divisor if it is. */
#define MAP_INDIVISIBLE(type, x, y) \
	(((y) == 0) | (((x) == MAP_LEAST(type)) & ((y) == -1)))
#define MAP_DIVISOR(type, x, y)	(MAP_INDIVISIBLE(type, x, y) ? 1 : (y))

/*
 * Quotients of integers.  A float of more bits has them right up to the
 * fraction, which is cut off, and processors divide several floats at once.
 */
#define MAP_QUOTIENT(type, x, y) \
	(sizeof(type) == sizeof(int16_t) ? \
	 (type) ((float) (x) / (float) MAP_DIVISOR(type, x, y)) : \
	 sizeof(type) == sizeof(int32_t) ? \
	 (type) ((double) (x) / (double) MAP_DIVISOR(type, x, y)) : \
	 (x) / MAP_DIVISOR(type, x, y))
#define MAP_DIVIDE(result, x, y, error) \
	((result) = MAP_QUOTIENT(__typeof__(x), x, y), \
	 (error) |= -MAP_INDIVISIBLE(__typeof__(x), x, y))
#define MAP_MODULO(result, x, y, error) \
	((result) = (uint64_t) (x) - (uint64_t) MAP_DIVISOR(__typeof__(x), x, y) * \
	 (uint64_t) MAP_QUOTIENT(__typeof__(x), x, y), \
	 (error) |= -((y) == 0))

#define TYPES				TYPES_SIGNED
#define TYPE_TEMPLATE		"cpu/cpu_map_template.h"
#include "cpu/cpu_types.h"

#undef MAP_ADD
#undef MAP_SUBTRACT
#undef MAP_MULTIPLY
#undef MAP_DIVIDE
#undef MAP_MODULO
#undef MAP_ABS
#undef MAP_NEGATE

/* Bytes of 0 and 1: AND and OR. */
#define TYPES				TYPES_UNSIGNED
#define TYPE_TEMPLATE		"cpu/cpu_map_template.h"
#include "cpu/cpu_types.h"

/* Floats, with core's rules for what is an overflow and an underflow. */
#undef MAP_BITS
#undef MAP_CLEAN
#undef MAP_LESS

#define MAP_BITS			TYPE_BITS
#define MAP_INFINITE(x)		(fabs(x) == (TYPE_ELEMENT) INFINITY)
#define MAP_CLEAN(x)		((x) != (x) ? (TYPE_ELEMENT) NAN : (x))
#define MAP_LESS(x, y)		FLOAT_LESS(x, y)
#define MAP_FINISH(result, error, is_error) \
	((error) |= -(TYPE_BITS) ((is_error) != 0), (result) = MAP_CLEAN(result))

#define MAP_ADD(result, x, y, error) \
	((result) = (x) + (y), \
	 MAP_FINISH(result, error, MAP_INFINITE(result) & !MAP_INFINITE(x) & \
				!MAP_INFINITE(y)))
#define MAP_SUBTRACT(result, x, y, error) \
	((result) = (x) - (y), \
	 MAP_FINISH(result, error, MAP_INFINITE(result) & !MAP_INFINITE(x) & \
				!MAP_INFINITE(y)))
#define MAP_MULTIPLY(result, x, y, error) \
	((result) = (x) * (y), \
	 MAP_FINISH(result, error, (MAP_INFINITE(result) & !MAP_INFINITE(x) & \
								!MAP_INFINITE(y)) | \
				(((result) == 0) & ((x) != 0) & ((y) != 0))))
#define MAP_DIVIDE(result, x, y, error) \
	((result) = (x) / (y), \
	 MAP_FINISH(result, error, (((y) == 0) & ((x) == (x))) | \
				(MAP_INFINITE(result) & !MAP_INFINITE(x)) | \
				(((result) == 0) & ((x) != 0) & !MAP_INFINITE(y))))
#define MAP_ABS(result, x, error)	((result) = MAP_CLEAN(fabs(x)))
#define MAP_NEGATE(result, x, error)	((result) = MAP_CLEAN(-(x)))
#define MAP_SQRT(result, x, error) \
	((result) = sqrt(x), MAP_FINISH(result, error, (x) < 0))

#define TYPES				TYPES_FLOATS
#define TYPE_TEMPLATE		"cpu/cpu_map_template.h"
#include "cpu/cpu_types.h"

/*
 * A loop that divides by one value, which is neither 0 nor -1.  A reciprocal
 * that is not too small makes no quotient too small, and one that is too great
 * by two units in its last place makes none so great that it reaches the next
 * integer: a float of more bits than elements have is exact enough for that.
 */
#define MAP_BY_VALUE(name, type, real, step) \
	CPU_CLONES static bool \
	name(const void *first, const void *second, void *results, int64_t count) \
	{ \
		const type *a = first; \
		type		y = *(const type *) second; \
		real		inverse = 1 / (real) y; \
		real		reciprocal = nextafter(inverse, (real) (y < 0 ? -2 : 2)); \
		type	   *restrict out = results; \
\
		for (int64_t i = 0; i < count; i++) \
		{ \
			type		x = a[i]; \
			type		quotient = (type) (x * reciprocal); \
\
			out[i] = step; \
		} \
		return false; \
	}

MAP_BY_VALUE(int2_divide_by, int16_t, float, quotient)
MAP_BY_VALUE(int2_modulo_by, int16_t, float, x - y * quotient)
MAP_BY_VALUE(int4_divide_by, int32_t, double, quotient)
MAP_BY_VALUE(int4_modulo_by, int32_t, double, x - y * quotient)

typedef bool (*MapLoop) (const void *first, const void *second, void *results,
						 int64_t count);

static const MapLoop loops[ELEMENT_OPERATORS][ELEMENT_KINDS] = {
	[ELEMENT_ADD] = {TYPE_ROWS_NUMBERS(add)},
	[ELEMENT_SUBTRACT] = {TYPE_ROWS_NUMBERS(subtract)},
	[ELEMENT_MULTIPLY] = {TYPE_ROWS_NUMBERS(multiply)},
	[ELEMENT_DIVIDE] = {TYPE_ROWS_NUMBERS(divide)},
	[ELEMENT_MODULO] = {TYPE_ROWS_SIGNED(modulo)},
	[ELEMENT_LEAST] = {TYPE_ROWS(least)},
	[ELEMENT_GREATEST] = {TYPE_ROWS(greatest)},
	[ELEMENT_ABS] = {TYPE_ROWS_NUMBERS(abs)},
	[ELEMENT_NEGATE] = {TYPE_ROWS_NUMBERS(negate)},
	[ELEMENT_SIGN] = {TYPE_ROWS_NUMBERS(sign)},
	[ELEMENT_FLOOR] = {TYPE_ROWS_FLOATS(floor)},
	[ELEMENT_CEIL] = {TYPE_ROWS_FLOATS(ceil)},
	[ELEMENT_ROUND] = {TYPE_ROWS_FLOATS(round)},
	[ELEMENT_TRUNC] = {TYPE_ROWS_FLOATS(trunc)},
	[ELEMENT_SQRT] = {TYPE_ROWS_FLOATS(sqrt)}
};

/* Loops for the second operand "value", which is neither 0 nor -1. */
static const MapLoop divisions[ELEMENT_OPERATORS][ELEMENT_KINDS] = {
	[ELEMENT_DIVIDE] = {
		[KIND_INT2] = int2_divide_by,
		[KIND_INT4] = int4_divide_by
	},
	[ELEMENT_MODULO] = {
		[KIND_INT2] = int2_modulo_by,
		[KIND_INT4] = int4_modulo_by
	}
};

/* The loop that divides elements by a value without a division, or NULL. */
static MapLoop
division(const MapParameters *parameters, ElementKind kind)
{
	int16_t		narrow;
	int32_t		wide;
	int			value;

	memcpy(&narrow, parameters->value, sizeof(narrow));
	memcpy(&wide, parameters->value, sizeof(wide));
	value = kind == KIND_INT2 ? narrow : wide;
	return parameters->value_first || value == 0 || value == -1 ?
		NULL : divisions[parameters->op][kind];
}

/* Combines elements with a value, which stays in the cache. */
static bool
combine_with_value(const MapParameters *parameters, ElementKind kind,
				   const char *elements, char *results, int64_t count)
{
	MapLoop		loop = loops[parameters->op][kind];
	int			size = kind_size(kind);
	int64_t		block = count < VALUE_BLOCK ? count : VALUE_BLOCK;
	char		values[VALUE_BLOCK * sizeof(int64_t)]
		__attribute__((aligned(64)));
	MapLoop		divide = division(parameters, kind);
	bool		error = false;

	if (divide != NULL)
		return divide(elements, parameters->value, results, count);
	memcpy(values, parameters->value, size);
	for (int64_t bytes = size; bytes < block * size; bytes *= 2)
		memcpy(values + bytes, values, bytes);
	for (; count > 0; count -= block)
	{
		if (block > count)
			block = count;
		error |= parameters->value_first ?
			loop(values, elements, results, block) :
			loop(elements, values, results, block);
		elements += block * size;
		results += block * size;
	}
	return error;
}

/*
 * The beginning of each element's bin.  Times often are in the bin of the one
 * before, which takes no division.
 */
#define BINS(type) \
	do { \
		const type *elements = data; \
		int64_t		begin = 0; \
		uint64_t	width = 0; \
\
		for (int64_t i = 0; i < count; i++) \
		{ \
			if ((uint64_t) elements[i] - (uint64_t) begin >= width) \
			{ \
				bool		out_of_range = false; \
\
				begin = bin_begin(&bins, elements[i], &out_of_range); \
				width = out_of_range ? 0 : bin_width(&bins, begin); \
				error |= out_of_range; \
			} \
			((type *) results)[i] = (type) begin; \
		} \
	} while (0)

static bool
find_bins(const MapParameters *parameters, ElementKind kind,
		  const void *data, void *results, int64_t count)
{
	BinParameters bins = map_bins(parameters);
	bool		error = false;

	if (kind == KIND_INT8)
		BINS(int64_t);
	else
		BINS(int32_t);
	return error;
}

/* The results for a piece's elements.  Returns whether there is an error. */
static bool
map_elements(const MapParameters *parameters, ElementKind kind,
			 const CpuPiece *piece, char *results)
{
	if (parameters->op < ELEMENT_BINARY)
		return combine_with_value(parameters, kind, piece->data[0], results,
								  piece->count);
	if (parameters->op == ELEMENT_BIN)
		return find_bins(parameters, kind, piece->data[0], results,
						 piece->count);
	return loops[parameters->op][kind] (piece->data[0], piece->data[0],
										results, piece->count);
}

static void
map_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;

	if (map_elements(PARAMETERS(request, MapParameters), request->kinds[0],
					 piece, cpu_piece_results(job, piece)))
		cpu_note_overflow(job, OVERFLOW_UP);
}

static int64_t
map_stage(CpuJob *job, CpuPiece *piece, const EngineStage *stage,
		  CpuStageChain *chain, void *out)
{
	if (map_elements(PARAMETERS(stage, MapParameters), stage->from, piece, out))
		cpu_stage_failed(job);
	return piece->count;
}

static PieceWork
map_work(const EngineRequest *request)
{
	return has_element_operator(request->kinds[0],
								PARAMETERS(request, MapParameters)->op) ?
		map_piece : NULL;
}

const CpuOperation cpu_map = {
	CPU_BY_PIECES, .piece_work = map_work, .stage = map_stage
};

static MapLoop
zip_loop(const EngineRequest *request)
{
	ElementOperator op = PARAMETERS(request, ZipParameters)->op;

	return op < ELEMENT_BINARY ? loops[op][request->kinds[0]] : NULL;
}

static void
zip_piece(CpuJob *job, CpuPiece *piece)
{
	if (zip_loop(job->request) (piece->data[0], piece->data[1],
								cpu_piece_results(job, piece), piece->count))
		cpu_note_overflow(job, OVERFLOW_UP);
}

static PieceWork
zip_work(const EngineRequest *request)
{
	return zip_loop(request) != NULL ? zip_piece : NULL;
}

const CpuOperation cpu_zip = {CPU_BY_PIECES, .piece_work = zip_work};
