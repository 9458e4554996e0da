/*
 * operator.c
 *	  An operator, or a method, that is an argument, as text.
 */
#include "compat.h"

#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"

#include "sql/operator.h"

static char *
list_names(const char *const *names, int count)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < count; i++)
		appendStringInfo(&list, "%s\"%s\"", i == 0 ? "" : ", ", names[i]);
	return list.data;
}

/*
 * Returns the index of the argument among the names.
 *
 * Raises 22023, with a hint that lists the names, if it is none of them.
 */
int
name_argument(const char *what, Datum argument, const char *const *names,
			  int count)
{
	text	   *name = DatumGetTextPP(argument);
	Size		length = VARSIZE_ANY_EXHDR(name);

	for (int i = 0; i < count; i++)
	{
		if (strlen(names[i]) == length &&
			memcmp(names[i], VARDATA_ANY(name), length) == 0)
			return i;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("%s \"%s\" not recognized", what, text_to_cstring(name)),
			 errhint("Valid %ss are: %s.", what, list_names(names, count))));
}

int
operator_argument(Datum argument, const char *const *names, int count)
{
	return name_argument("operator", argument, names, count);
}
