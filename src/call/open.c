/*
 * open.c
 *	  The array arguments of a call.
 */
#include "compat.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_type.h"
#include "funcapi.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "call/call.h"
#include "settings.h"

/*
 * Calls on arrays of fewer bytes are not timed, because reading the clock
 * takes as long as some 40 elements; unless slow calls are logged.
 */
#define MIN_TIMED		4096

/*
 * The first bytes of a value, which are prefetched.  The processor itself
 * prefetches the bytes that follow.
 */
#define PREFETCHED		1024
#define CACHE_LINE		64

/*
 * Prefetches the beginning of the value that the call after the next one will
 * probably open, in a row that is not in the processor's cache yet.  Rows of
 * one length are adjacent in a page, so the distance to the next value is the
 * distance from the previous one.  If that leaves the page, prefetches this
 * value.  "*last" is NULL at first.
 */
void
call_prefetch(const char **last, Datum datum)
{
	const char *value = DatumGetPointer(datum);
	intptr_t	step = (uintptr_t) value - (uintptr_t) *last;
	Size		bytes = VARATT_IS_EXTERNAL(value) ? CACHE_LINE :
		Min(VARSIZE_ANY(value), PREFETCHED);

	*last = value;
	if (step == 0)
		return;
	if (step > -BLCKSZ && step < BLCKSZ)
		value += 2 * step;
	for (Size i = 0; i < bytes; i += CACHE_LINE)
		__builtin_prefetch(value + i);
}

/* The size of a value, when it is detoasted. */
static inline Size
raw_size(Datum datum)
{
	const DeferredValue *deferred;

	if (VARATT_IS_4B_U(DatumGetPointer(datum)))
		return VARSIZE(DatumGetPointer(datum));
	deferred = deferred_find(datum);
	return deferred != NULL ? VARSIZE(deferred->header) :
		toast_raw_datum_size(datum);
}

/* To be called before a reader of the datum is opened. */
static inline void
begin_opening(Datum datum)
{
	if (!this_call.timed && (setting_log_min_duration >= 0 ||
							 raw_size(datum) >= MIN_TIMED))
		record_begin_times();
}

/* To be called after the reader is opened. */
static inline void
end_opening(const ArrayReader *reader)
{
	if (reader->copy != NULL)
		record_lap(&this_call.detoast_ms);
	if (this_call.source == NULL)
	{
		this_call.source = reader->origin;
		this_call.elements = reader->nitems;
	}
	this_call.bytes_in += reader->size;
}

/*
 * Opens an array.  gpu_last_call() shows the first one opened.
 */
void
call_open_datum(ArrayReader *reader, Datum datum, NullHandling null_handling,
				const ElementValue *fill)
{
	begin_opening(datum);
	array_reader_open(reader, datum, null_handling, fill);
	end_opening(reader);
}

/* The name of an argument, or NULL. */
static const char *
argument_name(Oid function, int argument)
{
	HeapTuple	tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	Oid		   *types;
	char	  **names;
	char	   *modes;

	if (!HeapTupleIsValid(tuple))
		return NULL;
	(void) get_func_arg_info(tuple, &types, &names, &modes);
	ReleaseSysCache(tuple);
	return names != NULL ? names[argument] : NULL;
}

static bool
has_other_array(FunctionCallInfo fcinfo, int argument)
{
	for (int i = 0; i < PG_NARGS(); i++)
	{
		Oid			type = get_fn_expr_argtype(fcinfo->flinfo, i);

		if (i != argument && OidIsValid(type) &&
			OidIsValid(get_element_type(getBaseType(type))))
			return true;
	}
	return false;
}

/*
 * The type of the elements of an array argument, which may be NULL.
 *
 * Raises 42804 if it is not known: a column of pg_stats is of type anyarray,
 * and a function that is called by its OID has no types.
 */
Oid
element_of_argument(FunctionCallInfo fcinfo, int argument)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);
	Oid			element = OidIsValid(declared) ?
		get_base_element_type(declared) : InvalidOid;

	if (!OidIsValid(element))
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("could not determine the type of the result")));
	return element;
}

/*
 * Raises 0A000 for an array argument whose elements are of a type.  If others
 * are arrays, too, the error says which argument it is.
 */
pg_noreturn static void
raise_unsupported(FunctionCallInfo fcinfo, int argument, Oid element,
				  const char *hint)
{
	const char *name = argument_name(fcinfo->flinfo->fn_oid, argument);

	ereport(ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("arrays of type %s are not supported",
					format_type_be(element)),
			 name != NULL && has_other_array(fcinfo, argument) ?
			 errdetail("The argument \"%s\" of %s is an array of that type.",
					   name, this_call.function) : 0,
			 name != NULL && getBaseType(element) == NUMERICOID ?
			 errhint("Cast to double precision[], which has 15 digits: "
					 "%s::double precision[].", name) :
			 errhint("%s", hint)));
}

/* Returns whether a function is declared to take a packed array there. */
static bool
takes_packed(const FmgrInfo *flinfo, int argument)
{
	Oid		   *types;
	int			n;

	if (!OidIsValid(flinfo->fn_oid))
		return false;
	(void) get_func_signature(flinfo->fn_oid, &types, &n);
	return get_typtype(types[argument]) == TYPTYPE_BASE &&
		!OidIsValid(get_element_type(types[argument]));
}

/*
 * Notes the type of an array argument in the query; InvalidOid if it is not
 * known.
 */
static void
check_type(FunctionCallInfo fcinfo, int argument, SiteArgument *known)
{
	Oid			declared = get_fn_expr_argtype(fcinfo->flinfo, argument);

	if (!is_supported_array(declared))
	{
		Oid			element = OidIsValid(declared) ?
			get_element_type(getBaseType(declared)) : InvalidOid;

		if (OidIsValid(element) && !is_supported_type(element))
			raise_unsupported(fcinfo, argument, element,
							  unsupported_type_hint(element));
		known->is_packed = takes_packed(fcinfo->flinfo, argument);
	}
	known->declared = declared;
	known->is_checked = true;
}

/*
 * The known facts about an array argument.
 *
 * Raises 0A000 if arrays of its type in the query are not supported.
 */
static inline SiteArgument *
site_argument(FunctionCallInfo fcinfo, int argument)
{
	SiteArgument *known;

	Assert(argument < SITE_ARGUMENTS);
	this_call.step = call_step(fcinfo);
	this_call.site = call_site(fcinfo);
	known = &this_call.site->arguments[argument];
	if (!known->is_checked)
		check_type(fcinfo, argument, known);
	return known;
}

/* Opens an argument. */
static inline void
open_argument(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
			  NullHandling null_handling, const ElementValue *fill,
			  bool filtered)
{
	SiteArgument *known = site_argument(fcinfo, argument);
	Datum		datum = PG_GETARG_DATUM(argument);

	call_prefetch(&known->last, datum);
	begin_opening(datum);
	if (known->is_packed)
	{
		Assert(null_handling == NULLS_DROPPED ||
			   null_handling == NULLS_COUNTED);
		array_reader_open_packed(reader, datum, 1, PG_INT32_MAX);
	}
	else
		array_reader_open_filtered(reader, datum, null_handling, fill,
								   filtered);
	end_opening(reader);
	if (known->declared != reader->type.array && !known->is_packed)
		check_declared(&reader->type, known->declared);
}

/* Opens an argument, as call_open_datum opens a datum. */
void
call_open_array(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				NullHandling null_handling, const ElementValue *fill)
{
	open_argument(reader, fcinfo, argument, null_handling, fill, false);
}

/*
 * Like call_open_array, for a request that need not know the number of
 * elements before it runs.  EngineResult.elements then has the number.
 */
void
call_open_filtered(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				   NullHandling null_handling)
{
	open_argument(reader, fcinfo, argument, null_handling, NULL, true);
}

/*
 * Opens the array of call_open_filtered again, with the elements that it has,
 * if it may have fewer than the reader says.
 */
void
call_open_counted(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				  NullHandling null_handling)
{
	if (!array_reader_is_filtered(reader))
		return;
	array_reader_close(reader);
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
}

/* Opens a bytea or a text, as call_open_datum opens an array. */
void
call_open_bytes(ArrayReader *reader, Datum datum)
{
	begin_opening(datum);
	array_reader_open_bytes(reader, datum);
	end_opening(reader);
}

/* Opens elements of a packed array, as call_open_datum opens an array. */
void
call_open_packed(ArrayReader *reader, Datum packed, int64 first, int64 last)
{
	begin_opening(packed);
	array_reader_open_packed(reader, packed, first, last);
	end_opening(reader);
}

/* Raises 0A000 if an array has more than one dimension. */
void
call_check_list(const ArrayReader *reader)
{
	if (reader->ndim > 1)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("%s does not support multidimensional arrays",
						this_call.function)));
}

/* Raises 0A000 if an argument is no array of numbers. */
void
call_check_number(const ArrayReader *reader, FunctionCallInfo fcinfo,
				  int argument)
{
	if (!reader->type.is_number)
		raise_unsupported(fcinfo, argument, reader->type.oid,
						  _(NUMBER_TYPES_HINT));
}

/* Like call_open_array, for an array that must have at most one dimension. */
void
call_open_list(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
			   NullHandling null_handling)
{
	call_open_array(reader, fcinfo, argument, null_handling, NULL);
	call_check_list(reader);
}

/* Raises 2202E if two arrays whose elements are paired differ in length. */
void
call_check_pair(const ArrayReader *first, const char *first_name,
				const ArrayReader *second, const char *second_name)
{
	if (first->nitems != second->nitems)
		ereport(ERROR,
				(errcode(ERRCODE_ARRAY_SUBSCRIPT_ERROR),
				 errmsg("arrays \"%s\" and \"%s\" differ in length",
						first_name, second_name),
				 errdetail("They have lengths " INT64_FORMAT " and " INT64_FORMAT
						   ".", first->nitems, second->nitems)));
}

/*
 * Opens the elements of a list from the position "first" to "last", as
 * array_reader_open_slice does.
 */
void
call_open_slice(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				int64 first, int64 last)
{
	SiteArgument *known = site_argument(fcinfo, argument);
	Datum		datum = PG_GETARG_DATUM(argument);

	begin_opening(datum);
	array_reader_open_slice(reader, datum, first, last);
	end_opening(reader);
	check_declared(&reader->type, known->declared);
	call_check_list(reader);
}

/* Opens an array that is paired with another one, as call_open_list does. */
void
call_open_paired(ArrayReader *reader, FunctionCallInfo fcinfo, int argument,
				 NullHandling null_handling, const ArrayReader *array,
				 const char *name)
{
	call_open_list(reader, fcinfo, argument, null_handling);
	call_check_pair(array, "a", reader, name);
}
