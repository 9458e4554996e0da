/*
 * crafted.c
 *	  SQL functions that damage values, to see what the extension makes of them,
 *	  and that have the server issue object identifiers again.
 *
 * A damaged value ends, up to alignment, where memory ends: to read past it is
 * to crash.
 *
 *		make t/crafted.so
 */
#include "compat.h"

#include <sys/mman.h>
#include <unistd.h>

#include "access/transam.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "storage/lwlock.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

PG_MODULE_MAGIC;

PG_FUNCTION_INFO_V1(overwritten);
PG_FUNCTION_INFO_V1(changed);
PG_FUNCTION_INFO_V1(received);
PG_FUNCTION_INFO_V1(cut);
PG_FUNCTION_INFO_V1(passed_off);
PG_FUNCTION_INFO_V1(set_next_oid);

/*
 * The pages that are mapped for a value; they are unmapped with its memory
 * context.
 */
typedef struct Mapping
{
	MemoryContextCallback callback;
	char	   *start;
	Size		size;
} Mapping;

static void
unmap(void *arg)
{
	Mapping    *mapping = arg;

	munmap(mapping->start, mapping->size);
}

/* Returns a copy of "size" bytes, before a page that cannot be read. */
static char *
copy_before_end(const void *bytes, Size size)
{
	Size		page = sysconf(_SC_PAGESIZE);
	Mapping    *mapping = palloc(sizeof(Mapping));
	char	   *end;
	char	   *copy;

	mapping->size = TYPEALIGN(page, size) + page;
	mapping->start = mmap(NULL, mapping->size, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mapping->start == MAP_FAILED)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY),
				 errmsg("could not map memory: %m")));
	mapping->callback.func = unmap;
	mapping->callback.arg = mapping;
	MemoryContextRegisterResetCallback(CurrentMemoryContext,
									   &mapping->callback);

	end = mapping->start + mapping->size - page;
	if (mprotect(end, page, PROT_NONE) != 0)
		elog(ERROR, "could not protect memory: %m");
	copy = (char *) TYPEALIGN_DOWN(MAXIMUM_ALIGNOF, (uintptr_t) end - size);
	return memcpy(copy, bytes, size);
}

/*
 * overwritten(value anyelement, at integer, word integer) returns anyelement
 *
 * The value, as it is stored (it may be a TOAST pointer, or compressed), with
 * four other bytes from offset "at" on.
 */
Datum
overwritten(PG_FUNCTION_ARGS)
{
	struct varlena *value = (struct varlena *) PG_GETARG_POINTER(0);
	int32		at = PG_GETARG_INT32(1);
	int32		word = PG_GETARG_INT32(2);
	Size		size = VARSIZE_ANY(value);
	char	   *copy;

	if (at < 0 || at + sizeof(word) > size)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no four bytes at %d in a value of %zu", at, size)));
	copy = copy_before_end(value, size);
	memcpy(copy + at, &word, sizeof(word));
	PG_RETURN_POINTER(copy);
}

/*
 * changed(value anyelement, at integer, bits integer) returns anyelement
 *
 * The value, as it is in memory, with other bits in the byte at "at".
 */
Datum
changed(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	int32		at = PG_GETARG_INT32(1);
	char	   *copy;

	if (at < 0 || at >= VARSIZE(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("no byte at %d in a value of %zu", at,
						(Size) VARSIZE(value))));
	copy = copy_before_end(value, VARSIZE(value));
	copy[at] ^= PG_GETARG_INT32(2);
	PG_RETURN_POINTER(copy);
}

/*
 * received(bytes bytea, "like" anyelement) returns anyelement
 *
 * The value that the binary input of the type of "like" makes of bytes.
 */
Datum
received(PG_FUNCTION_ARGS)
{
	bytea	   *bytes = PG_GETARG_BYTEA_PP(0);
	Oid			receive;
	Oid			element;
	StringInfoData message;

	getTypeBinaryInputInfo(get_fn_expr_argtype(fcinfo->flinfo, 1), &receive,
						   &element);
	initStringInfo(&message);
	appendBinaryStringInfo(&message, VARDATA_ANY(bytes),
						   VARSIZE_ANY_EXHDR(bytes));
	PG_RETURN_DATUM(OidReceiveFunctionCall(receive, &message, element, -1));
}

/*
 * cut(value anyelement, size integer) returns anyelement
 *
 * The first "size" bytes of the value, header included; the header says that
 * size.
 */
Datum
cut(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));
	int32		size = PG_GETARG_INT32(1);
	char	   *copy;

	if (size < VARHDRSZ || size > VARSIZE(value))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("cannot cut a value of %zu bytes to %d",
						(Size) VARSIZE(value), size)));
	copy = copy_before_end(value, size);
	SET_VARSIZE(copy, size);
	PG_RETURN_POINTER(copy);
}

/*
 * passed_off(value anyarray) returns another type
 *
 * The unchanged value, passed off as the type that the function returns.
 */
Datum
passed_off(PG_FUNCTION_ARGS)
{
	struct varlena *value = PG_DETOAST_DATUM(PG_GETARG_DATUM(0));

	PG_RETURN_POINTER(copy_before_end(value, VARSIZE(value)));
}

/*
 * set_next_oid(next oid) returns void
 *
 * Makes the server issue this object identifier next, as after a wraparound of
 * the counter, or after a crash has set it back.
 */
Datum
set_next_oid(PG_FUNCTION_ARGS)
{
#if PG_VERSION_NUM >= 170000
	TransamVariablesData *variables = TransamVariables;
#else
	VariableCache variables = ShmemVariableCache;
#endif

	LWLockAcquire(OidGenLock, LW_EXCLUSIVE);
	variables->nextOid = PG_GETARG_OID(0);
	variables->oidCount = 0;
	LWLockRelease(OidGenLock);
	PG_RETURN_VOID();
}
