/*
 * operator.c
 *	  An operator, a method or a function that is an argument, as text.
 */
#include "sql/function.h"

#include "lib/stringinfo.h"

/* The names that an operator, method or value of ours has elsewhere. */
typedef struct OtherNames
{
	const char *what;
	const char *ours;
	const char *names[7];
	bool		accepted;		/* else an error says what to write */
} OtherNames;

static const OtherNames other_names[] = {
	{"operator", "+", {"sum"}, true},
	{"operator", "<>", {"!="}, true},
	{"operator", "+", {"cumsum", "plus", "add"}},
	{"operator", "*", {"product", "prod", "multiply", "times"}},
	{"operator", "min", {"minimum", "least", "bool_and", "every"}},
	{"operator", "max", {"maximum", "greatest", "bool_or"}},
	{"operator", "&", {"bit_and"}},
	{"operator", "|", {"bit_or"}},
	{"operator", "#", {"bit_xor", "xor"}},
	{"operator", "=", {"==", "eq", "equal"}},
	{"operator", "<>", {"ne", "not_equal"}},
	{"operator", "<", {"lt", "less"}},
	{"operator", "<=", {"le", "less_equal"}},
	{"operator", ">", {"gt", "greater"}},
	{"operator", ">=", {"ge", "greater_equal"}},
	{"operator", "is null", {"is", "isnull"}},
	{"operator", "is not null", {"is not", "notnull"}},
	{"operator", "-", {"minus", "subtract"}},
	{"operator", "/", {"divide"}},
	{"operator", "%", {"mod", "modulo"}},
	{"operator", "least", {"min"}},
	{"operator", "greatest", {"max"}},
	{"operator", "and", {"&&"}},
	{"operator", "or", {"||"}},
	{"function", "abs", {"@"}},
	{"function", "-", {"neg", "negate", "negative"}},
	{"function", "sign", {"sgn"}},
	{"function", "ceil", {"ceiling"}},
	{"function", "round", {"rint"}},
	{"function", "trunc", {"truncate", "fix"}},
	{"function", "sqrt", {"|/"}},
	{"method", "dense", {"dense_rank"}},
	{"method", "min", {"rank"}},
	{"method", "first", {"row_number", "ordinal"}},
	{"method", "minmax", {"min_max"}},
	{"method", "lttb", {"largest_triangle_three_buckets"}},
	{"value", "error", {"strict", "raise"}},
	{"value", "skip", {"ignore"}}
};

/* Operators that a function does not have, but another function replaces. */
typedef struct OtherFunction
{
	const char *function;
	const char *names[10];
	const char *hint;
} OtherFunction;

static const OtherFunction other_functions[] = {
	{"gpu_scan", {"avg", "mean", "average"},
	"gpu_window_avg(a, 2147483647) returns running averages."},
	{"gpu_reduce", {"avg", "mean", "average"}, "gpu_avg(a) is the average."},
	{"gpu_reduce", {"count"}, "gpu_count(a) is the count."},
	{"gpu_reduce", {"stddev", "stddev_samp", "std", "variance", "var_samp",
	"var"},
	"gpu_stats(a) has the variance and the standard deviation."},
	{"gpu_reduce", {"median"}, "gpu_median(a) is the median."},
	{"gpu_reduce", {"mode"}, "gpu_mode(a) is the mode."},
	{"gpu_rank", {"average", "avg", "mean", "midrank"},
	"gpu_rank_avg(a) returns average ranks."},
	{"gpu_window", {"avg", "mean", "average"},
	"gpu_window_avg(a, preceding, following) returns averages."},
	{"gpu_window", {"median"},
	"gpu_window_percentile_cont(a, 0.5, preceding, following) returns medians."},
	{"gpu_window", {"count"},
	"gpu_window(gpu_compare(a, 'is not null')::integer[], '+', preceding, "
	"following) returns counts."},
	{"gpu_window", {"stddev", "stddev_samp", "std", "variance", "var_samp",
	"var"},
	"ARRAY(SELECT stddev(x) OVER (ORDER BY i ROWS 5 PRECEDING) FROM unnest(a) "
	"WITH ORDINALITY AS u (x, i) ORDER BY i) returns standard deviations."},
	{"gpu_range_window", {"avg", "mean", "average"},
	"gpu_range_window_avg(x, a, preceding, following) returns averages."},
	{"gpu_range_window", {"median"},
	"gpu_window_percentile_cont(gpu_interpolate(x, a, at), 0.5, preceding, "
	"following) returns medians on an even grid \"at\"."},
	{"gpu_downsample", {"avg", "mean", "average"},
	"gpu_resample(at, a, stride) returns averages."},
	{"gpu_group", {"avg", "mean", "average"},
	"gpu_group_avg(keys, a) returns averages."},
	{"gpu_group", {"median"},
	"SELECT k, gpu_median_agg(x) FROM unnest(keys, a) AS u (k, x) GROUP BY k "
	"returns medians."},
	{"gpu_group", {"stddev", "stddev_samp", "std", "variance", "var_samp",
	"var"},
	"SELECT k, stddev(x) FROM unnest(keys, a) AS u (k, x) GROUP BY k returns "
	"standard deviations."},
	{"gpu_compact", {"in", "any", "= any"},
	"gpu_compact_in(a, b) returns the elements that \"b\" contains."},
	{"gpu_compact", {"not in", "all", "<> all"},
	"gpu_compact_in(a, b, true) returns the elements that \"b\" does not "
	"contain."},
	{"gpu_positions", {"in", "any", "= any"},
	"ARRAY(SELECT i::integer FROM unnest(a) WITH ORDINALITY AS u (x, i) "
	"WHERE x = ANY (b)) returns the positions of elements that \"b\" contains."},
	{"gpu_compare", {"in", "any", "= any"},
	"ARRAY(SELECT x = ANY (b) FROM unnest(a) AS x) returns a mask of the elements "
	"that \"b\" contains."},
	{"gpu_zip", {"=", "<>", "!=", "<", "<=", ">", ">="},
	"gpu_compare(a, op, b) compares the elements of two arrays."},
	{"gpu_zip", {"xor", "#"},
	"gpu_compare(a, '<>', b) is true where one of two masks is true."},
	{"gpu_map", {"=", "<>", "<", "<=", ">", ">=", "between"},
	"gpu_compare(a, op, value) compares the elements with a value."},
	{"gpu_map", {"^", "pow", "power", "exp", "ln", "log", "sin", "cos"},
	"ARRAY(SELECT ln(x) FROM unnest(a) WITH ORDINALITY AS u (x, i) ORDER BY i) "
	"calls a function of PostgreSQL."},
	{"gpu_map", {"not", "!"},
	"gpu_compare(a, '=', false) negates a mask."},
	{"gpu_map", {"round", "trunc"},
	"a::numeric(30, 2)[]::double precision[] rounds to two decimal places."}
};

/* An argument of that name; raises an error if it is less than 0 or 1. */
int64
at_least(int least, const char *name, int64 value, int sqlstate)
{
	if (value < least)
		ereport(ERROR,
				(errcode(sqlstate),
				 errmsg(least > 0 ? "%s must be greater than zero" :
						"%s must not be negative", name)));
	return value;
}

/* Raises 42804, with a message that names two types, and a hint or NULL. */
void
raise_mismatch(const char *message, Oid first, Oid second, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg(message, format_type_be(first), format_type_be(second)),
			 hint != NULL ? errhint("%s", hint) : 0));
	pg_unreachable();
}

/* Returns whether a name is in a list that NULL ends. */
static bool
is_listed(const char *name, const char *const *list)
{
	while (*list != NULL && pg_strcasecmp(*list, name) != 0)
		list++;
	return *list != NULL;
}

/* The index of a name of that length among the names, or -1. */
static int
find_name(const char *name, Size length, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
			return i;
	}
	return -1;
}

/*
 * The index of the name to write instead of a name that is not among the names,
 * or, if "accepted", for which that stands as well; or -1.
 */
static int
find_other(const char *what, const char *name, const char *const *names,
		   int count, bool accepted)
{
	for (int i = 0; i < count && !accepted; i++)
	{
		if (pg_strcasecmp(names[i], name) == 0)
			return i;
	}
	for (int i = 0; i < lengthof(other_names); i++)
	{
		const OtherNames *other = &other_names[i];
		int			found;

		if (strcmp(other->what, what) != 0 || !is_listed(name, other->names) ||
			(accepted && (!other->accepted || strcmp(other->names[0], name))))
			continue;
		found = find_name(other->ours, strlen(other->ours), names, count);
		if (found >= 0)
			return found;
	}
	return -1;
}

/* A hint that lists the valid names, and says what to write instead. */
static char *
names_hint(const char *what, const char *name, const char *const *names,
		   int count)
{
	const char *instead = NULL;
	int			ours = find_other(what, name, names, count, false);
	StringInfoData hint;

	for (int i = 0; i < lengthof(other_functions) && instead == NULL; i++)
	{
		if (strcmp(other_functions[i].function, this_call.function) == 0 &&
			is_listed(name, other_functions[i].names))
			instead = other_functions[i].hint;
	}
	initStringInfo(&hint);
	appendStringInfo(&hint, "Valid %ss are: ", what);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
	appendStringInfoChar(&hint, '.');
	if (instead != NULL)
		appendStringInfo(&hint, "  %s", instead);
	else if (ours >= 0)
		appendStringInfo(&hint, "  Write \"%s\".", names[ours]);
	return hint.data;
}

static pg_noinline int
find_argument(const char *what, Datum argument, const char *const *names,
			  int count)
{
	text	   *given = DatumGetTextPP(argument);
	int			found = find_name(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given),
								  names, count);
	char	   *name;

	if (found >= 0)
		return found;
	name = text_to_cstring(given);
	found = find_other(what, name, names, count, true);
	if (found < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s \"%s\" not recognized", what, name),
				 errhint("%s", names_hint(what, name, names, count))));
	return found;
}

/*
 * Returns the index of the argument among the names, which are of operators,
 * methods or functions, as "what" says.  It is found once in a query if the
 * arguments are constants.  No function has two such arguments.
 *
 * Raises 22023, with a hint that lists the names, if it is not among the names.
 * The hint may name another function than the one that raises the error.
 */
int
name_argument(FunctionCallInfo fcinfo, const char *what, Datum argument,
			  const char *const *names, int count)
{
	CallSite   *site = call_site(fcinfo);

	if (site->option < 0 || !site->constant)
		site->option = find_argument(what, argument, names, count);
	return site->option;
}
