/*
 * operator.c
 *	  An operator, a method or a function that is an argument, as text.
 */
#include "compat.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "sql/operator.h"

/* A name that operators, methods or values have elsewhere. */
typedef struct OtherName
{
	const char *what;
	const char *name;
	const char *ours;
	bool		accepted;		/* else an error says what to write */
} OtherName;

static const OtherName other_names[] = {
	{"operator", "sum", "+", true},
	{"operator", "!=", "<>", true},
	{"operator", "cumsum", "+"},
	{"operator", "product", "*"},
	{"operator", "prod", "*"},
	{"operator", "minimum", "min"},
	{"operator", "least", "min"},
	{"operator", "maximum", "max"},
	{"operator", "greatest", "max"},
	{"operator", "bit_and", "&"},
	{"operator", "bit_or", "|"},
	{"operator", "bit_xor", "#"},
	{"operator", "xor", "#"},
	{"operator", "==", "="},
	{"operator", "is", "is null"},
	{"operator", "isnull", "is null"},
	{"operator", "is not", "is not null"},
	{"operator", "notnull", "is not null"},
	{"operator", "plus", "+"},
	{"operator", "add", "+"},
	{"operator", "minus", "-"},
	{"operator", "subtract", "-"},
	{"operator", "multiply", "*"},
	{"operator", "times", "*"},
	{"operator", "divide", "/"},
	{"operator", "mod", "%"},
	{"operator", "modulo", "%"},
	{"operator", "min", "least"},
	{"operator", "max", "greatest"},
	{"operator", "&&", "and"},
	{"operator", "||", "or"},
	{"function", "@", "abs"},
	{"function", "neg", "-"},
	{"function", "negate", "-"},
	{"function", "negative", "-"},
	{"function", "sgn", "sign"},
	{"function", "ceiling", "ceil"},
	{"function", "rint", "round"},
	{"function", "truncate", "trunc"},
	{"function", "fix", "trunc"},
	{"function", "|/", "sqrt"},
	{"method", "dense_rank", "dense"},
	{"method", "rank", "min"},
	{"method", "row_number", "first"},
	{"method", "ordinal", "first"},
	{"method", "min_max", "minmax"},
	{"method", "largest_triangle_three_buckets", "lttb"},
	{"value", "strict", "error"},
	{"value", "raise", "error"},
	{"value", "ignore", "skip"}
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
	{"gpu_group", {"avg", "mean", "average"},
	"gpu_group_avg(keys, a) returns averages."},
	{"gpu_group", {"median"},
	"SELECT k, gpu_median_agg(x) FROM unnest(keys, a) AS u (k, x) GROUP BY k "
	"returns medians."},
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
	{"gpu_map", {"=", "<>", "<", "<=", ">", ">=", "between"},
	"gpu_compare(a, op, value) compares the elements with a value."}
};

/* The hint for an operator that another function has, or NULL. */
static const char *
other_function_hint(const char *function, const char *name)
{
	for (int i = 0; i < lengthof(other_functions); i++)
	{
		const OtherFunction *other = &other_functions[i];

		if (strcmp(other->function, function) != 0)
			continue;
		for (int j = 0; other->names[j] != NULL; j++)
		{
			if (pg_strcasecmp(other->names[j], name) == 0)
				return other->hint;
		}
	}
	return NULL;
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

/* The name to write instead of a name that is not among the names, or NULL. */
static const char *
name_to_write(const char *what, const char *name, const char *const *names,
			  int count)
{
	for (int i = 0; i < count; i++)
	{
		if (pg_strcasecmp(names[i], name) == 0)
			return names[i];
	}
	for (int i = 0; i < lengthof(other_names); i++)
	{
		const OtherName *other = &other_names[i];

		if (strcmp(other->what, what) == 0 &&
			pg_strcasecmp(other->name, name) == 0 &&
			find_name(other->ours, strlen(other->ours), names, count) >= 0)
			return other->ours;
	}
	return NULL;
}

/* The index of the name for which "name" is accepted, or -1. */
static int
find_accepted(const char *what, const char *name, const char *const *names,
			  int count)
{
	for (int i = 0; i < lengthof(other_names); i++)
	{
		const OtherName *other = &other_names[i];

		if (other->accepted && strcmp(other->what, what) == 0 &&
			strcmp(other->name, name) == 0)
			return find_name(other->ours, strlen(other->ours), names, count);
	}
	return -1;
}

/* A hint that lists the valid names, and says what to write instead. */
static char *
names_hint(const char *what, const char *function, const char *name,
		   const char *const *names, int count)
{
	const char *instead = other_function_hint(function, name);
	const char *ours = name_to_write(what, name, names, count);
	StringInfoData hint;

	initStringInfo(&hint);
	appendStringInfo(&hint, "Valid %ss are: ", what);
	for (int i = 0; i < count; i++)
		appendStringInfo(&hint, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
	appendStringInfoChar(&hint, '.');
	if (instead != NULL)
		appendStringInfo(&hint, " %s", instead);
	else if (ours != NULL)
		appendStringInfo(&hint, " Write \"%s\".", ours);
	return hint.data;
}

/*
 * Returns the index of the argument among the names, which are of operators,
 * methods or functions, as "what" says.
 *
 * Raises 22023, with a hint that lists the names, if it is not among the names.
 * The hint may name another function than the one that raises the error.
 */
int
name_argument(const char *what, const char *function, Datum argument,
			  const char *const *names, int count)
{
	text	   *given = DatumGetTextPP(argument);
	int			found = find_name(VARDATA_ANY(given), VARSIZE_ANY_EXHDR(given),
								  names, count);
	char	   *name;

	if (found >= 0)
		return found;
	name = text_to_cstring(given);
	found = find_accepted(what, name, names, count);
	if (found < 0)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("%s \"%s\" not recognized", what, name),
				 errhint("%s", names_hint(what, function, name,
										  names, count))));
	return found;
}
