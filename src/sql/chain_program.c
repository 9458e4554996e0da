/*
 * chain_program.c
 *	  Reads the program of a chain.
 */
#include "compat.h"

#include <ctype.h>

#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "utils/acl.h"

#include "sql/chain.h"

/* The types that a result in a chain may be cast to. */
static const struct
{
	Oid			oid;
	const char *name;
}			casts[] =
{
	{INT2ARRAYOID, "smallint[]"},
	{INT4ARRAYOID, "integer[]"},
	{INT8ARRAYOID, "bigint[]"},
	{FLOAT4ARRAYOID, "real[]"},
	{FLOAT8ARRAYOID, "double precision[]"},
};

/* Returns whether the current user may execute a function. */
bool
function_is_executable(Oid function)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, GetUserId(),
						   ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, GetUserId(), ACL_EXECUTE) ==
		ACLCHECK_OK;
#endif
}

/* The name of a type that a result may be cast to; NULL of other types. */
const char *
chain_type_name(Oid type)
{
	for (int i = 0; i < lengthof(casts); i++)
		if (casts[i].oid == type)
			return casts[i].name;
	return NULL;
}

/* A program while it is read. */
typedef struct ProgramReader
{
	const char *program;
	const char *at;
	int			nleaves;
} ProgramReader;

pg_noreturn static void
raise_syntax_error(const ProgramReader *reader)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid program of a chain: \"%s\"", reader->program),
			 errdetail("The program is wrong from character %d on.",
					   (int) (reader->at - reader->program) + 1)));
}

/* Goes on behind a text, if that comes next. */
static bool
skip(ProgramReader *reader, const char *text)
{
	size_t		length = strlen(text);

	if (strncmp(reader->at, text, length) != 0)
		return false;
	reader->at += length;
	return true;
}

static void
expect(ProgramReader *reader, const char *text)
{
	if (!skip(reader, text))
		raise_syntax_error(reader);
}

/* The name of a function.  All functions here have names without quotes. */
static char *
read_name(ProgramReader *reader)
{
	const char *from = reader->at;
	size_t		length = strspn(from, "abcdefghijklmnopqrstuvwxyz_0123456789");

	if (length == 0 || length >= NAMEDATALEN || isdigit((unsigned char) *from))
		raise_syntax_error(reader);
	reader->at += length;
	return pnstrdup(from, length);
}

/* The number of a leaf, behind its dollar. */
static int
read_leaf(ProgramReader *reader)
{
	int			leaf = 0;

	while (isdigit((unsigned char) *reader->at) && leaf <= reader->nleaves)
		leaf = 10 * leaf + *reader->at++ - '0';
	if (leaf < 1 || leaf > reader->nleaves)
		raise_syntax_error(reader);
	return leaf;
}

static Oid
read_type(ProgramReader *reader)
{
	for (int i = 0; i < lengthof(casts); i++)
		if (skip(reader, casts[i].name))
			return casts[i].oid;
	raise_syntax_error(reader);
}

static ChainNode *
read_call(ProgramReader *reader)
{
	ChainNode  *call = palloc0(sizeof(ChainNode));

	check_stack_depth();
	call->function = read_name(reader);
	expect(reader, "(");
	while (!skip(reader, ")"))
	{
		ChainNode  *arg;

		if (call->args != NIL)
			expect(reader, ", ");
		if (skip(reader, "$"))
		{
			arg = palloc0(sizeof(ChainNode));
			arg->leaf = read_leaf(reader);
		}
		else
		{
			arg = read_call(reader);
			if (skip(reader, "::"))
				arg->cast = read_type(reader);
		}
		call->args = lappend(call->args, arg);
		if (list_length(call->args) > FUNC_MAX_ARGS)
			raise_syntax_error(reader);
	}
	return call;
}

/*
 * Reads a program over "nleaves" leaves.
 *
 * Raises 22023 if it is none.
 */
ChainNode *
chain_parse(const char *program, int nleaves)
{
	ProgramReader reader = {program, program, nleaves};
	ChainNode  *call = read_call(&reader);

	if (*reader.at != '\0')
		raise_syntax_error(&reader);
	return call;
}
