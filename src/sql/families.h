/*
 * families.h
 *	  What families of SQL functions share, by the file that has it.
 */
#ifndef GPUCOMPACT_FAMILIES_H
#define GPUCOMPACT_FAMILIES_H

#include "compat.h"

#include "datatype/timestamp.h"
#include "fmgr.h"
#include "funcapi.h"
#include "utils/numeric.h"

#include "array/packed_reader.h"
#include "array/run_writer.h"
#include "call/temporary.h"
#include "contract/bin.h"
#include "contract/operations/compact.h"
#include "contract/operations/map.h"
#include "contract/operations/scan.h"
#include "contract/operations/sort.h"
#include "contract/operations/stats.h"
#include "contract/wide_sum.h"

/* operator.c: an operator that is an argument, as text. */
extern int64 at_least(int least, const char *name, int64 value, int sqlstate);
pg_noreturn extern void raise_mismatch(const char *message, Oid first,
									   Oid second, const char *hint);
extern int	name_argument(FunctionCallInfo fcinfo, const char *what,
						  Datum argument, const char *const *names,
						  int count);

/* scan.c */
extern const ElementValue scan_neutral[SCAN_OPERATORS][ELEMENT_KINDS];
extern void scan_check_count(const ElementType *type, const char *hint);
extern void scan_check_operator(ScanOperator op, const ElementType *type);

/* An array, or a value that is the same for all elements of the other array. */
typedef struct Operand
{
	Datum		array;
	const char *value;			/* NULL: the array's elements, */
	int64		skipped;		/* but for so many, which come first */
} Operand;

/* map.c */
extern void check_element_operator(const ElementType *type,
								   ElementOperator op);
extern void raise_element_error(PGFunction function, bool binary, Operand x,
								Operand y);
extern void raise_core_error(ElementOperator op, ElementKind kind, Operand x,
							 Operand y);

typedef enum PredicateOperator
{
	PREDICATE_EQUAL,
	PREDICATE_NOT_EQUAL,
	PREDICATE_LESS,
	PREDICATE_LESS_OR_EQUAL,
	PREDICATE_GREATER,
	PREDICATE_GREATER_OR_EQUAL,
	PREDICATE_BETWEEN,			/* with two values */
	PREDICATE_IS_NULL,			/* with none, as the next one */
	PREDICATE_IS_NOT_NULL
} PredicateOperator;

#define PREDICATE_OPERATORS	9

/* predicate.c: which elements are selected, for an engine. */
extern WideSum interval_value(const Interval *interval);
extern bool get_integer(Oid type, Datum value, int64 *integer);
extern bool has_element(ElementKind kind, int64 integer);
extern bool is_cast_implicit(Oid from, Oid to);
extern bool cast_value(const ElementType *type, Oid value_type, Datum *value);
extern PredicateOperator argument_operator(FunctionCallInfo fcinfo,
										   int values);
extern EnginePredicate compare_with(const ElementType *type,
									PredicateOperator operator,
									Oid value_type, Datum value);
extern EnginePredicate argument_predicate(FunctionCallInfo fcinfo,
										  const ElementType *type,
										  PredicateOperator operator);

/* info.c: rows, by their columns. */
extern HeapTuple form_row(TupleDesc type, const NullableDatum *columns, int n);
extern void put_row(FunctionCallInfo fcinfo, const NullableDatum *columns,
					int n);
extern const GpuConnection *gpu_serving(int device);

/* runs.c */
extern int64 distinct_values(ArrayReader *reader, ArrayReader *second,
							 void *values, bool stays);
extern int64 count_distinct_values(ArrayReader *reader, void *room);
extern TemporaryArray *temporary_distinct(ArrayReader *reader);
extern void open_again(ArrayReader *again, ArrayReader *reader, int64 count);

/* sets.c */
extern int64 merge_values(ArrayReader *first, ArrayReader *second,
						  void *values);

typedef struct SortOrder
{
	bool		descending;
	bool		nulls_first;
} SortOrder;

/* sort.c */
extern void sort_positions(ArrayReader *reader, SortOrder order, bool stays,
						   int32 *positions);

/* take.c */
extern Datum take_elements(ArrayReader *reader, ArrayReader *positions);

/* top_k.c */
extern char *values_at(ArrayReader *reader, const int32 *places, int64 count);

/* percentile.c */
extern void check_fraction(double fraction);

/*
 * series_x.c: the x of a series, elements of an array between which there are
 * distances; and the arguments that define the bins of an array's elements.
 */
extern void series_open_x(ArrayReader *x, FunctionCallInfo fcinfo);
extern void series_open_list(ArrayReader *x, FunctionCallInfo fcinfo);
extern bool series_is_time(const ElementType *type);
extern Interval *series_read_interval(const char *literal);
pg_noreturn extern void raise_descending(const char *name, const char *hint);
pg_noreturn extern void series_raise_descending(void);
extern Datum series_distances(ArrayReader *x, const uint8 *values,
							  int64 nvalues);
extern BinParameters stride_arguments(FunctionCallInfo fcinfo, int argument,
									  const ElementType *type);
extern void check_bins(const ElementType *type, bool out_of_range);

static inline Datum
numeric_datum(int64 integer)
{
	return NumericGetDatum(int64_to_numeric(integer));
}

/*
 * stats.c: core's moments of integers, and integers of more than 64 bits as
 * numerics.
 */
extern Datum wide_numeric(WideInteger wide);
extern Datum sum_datum(ElementKind kind, double floats, WideInteger integers,
					   bool wide);
extern double integer_stddev(WideInteger sum, WideInteger squares,
							 int64 count);

/* pack.c */
extern void check_packable(const ElementType *type);
extern Datum pack_elements(ArrayReader *reader);
extern Datum pack_array(Datum array);
extern Datum unpack_elements(ArrayReader *reader);

extern bool packed_extreme(ArrayReader *reader, bool greatest,
						   ElementValue *value);
extern bool packed_skip_blocks(ArrayReader *reader,
							   const EnginePredicate *predicate);
extern void packed_renumber(const ArrayReader *reader, int32 *positions,
							int64 count);

/* packed_type.c */
extern void packed_check_all(PackedReader *reader);

#endif							/* GPUCOMPACT_FAMILIES_H */
