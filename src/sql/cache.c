/*
 * cache.c
 *	  SQL functions to see and to steer which stored values the GPU processes
 *	  have cached.
 */
#include "sql/function.h"

#include <sys/socket.h>

#include "access/detoast.h"
#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "parser/parse_coerce.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#include "gpuclient/gpu_connection.h"

/* How often to look whether a process has cleared its cache. */
#define LOOK_US		1000L

static void
put_value(FunctionCallInfo fcinfo, int device, const CachedValue *kept)
{
	NullableDatum row[] = {
		{Int32GetDatum(device)},
		{ObjectIdGetDatum(kept->identity.key.database)},
		{ObjectIdGetDatum(kept->identity.relation)},
		{Int64GetDatum(kept->identity.key.bytes)},
		{Int64GetDatum(kept->hits)},
		{TimestampTzGetDatum(time_t_to_timestamptz(kept->last_use))}
	};

	put_row(fcinfo, row, lengthof(row));
}

/*
 * gpu_cache() returns setof record
 *
 * A row for each value that a GPU process has cached.
 */
SQL_FUNCTION(gpu_cache)
{
	InitMaterializedSRF(fcinfo, 0);
	for (int device = 0; device < MAX_GPUS; device++)
	{
		const GpuConnection *connection = gpu_serving(device);

		for (int i = 0; connection != NULL && i < CACHE_ENTRIES; i++)
		{
			CachedValue kept;

			CHECK_FOR_INTERRUPTS();
			if (gpu_cache_get(connection, i, &kept))
				put_value(fcinfo, device, &kept);
		}
	}
	return (Datum) 0;
}

/*
 * gpu_cache_clear() returns void
 *
 * Has all GPU processes evict what they have cached, and waits until they have.
 * A value that a call uses is evicted when the call ends.
 */
SQL_FUNCTION(gpu_cache_clear)
{
	for (int device = 0; device < MAX_GPUS; device++)
	{
		const GpuConnection *connection = gpu_serving(device);
		const char	clear = LANES_CLEAR;
		uint32		clears;

		if (connection == NULL)
			continue;
		clears = word_read(&connection->shared->cache_clears);
		if (send(connection->socket, &clear, 1,
				 MSG_DONTWAIT | MSG_NOSIGNAL) != 1)
			continue;			/* the process has ended */
		while (word_read(&connection->shared->cache_clears) == clears &&
			   !gpu_connection_lost(connection))
		{
			CHECK_FOR_INTERRUPTS();
			pg_usleep(LOOK_US);
		}
	}
	PG_RETURN_VOID();
}

/*
 * Runs a job on a GPU that reads all of the reader's elements and returns
 * none: a compaction whose predicate selects nothing.
 */
static void
read_on_gpu(ArrayReader *reader)
{
	int			settings = NewGUCNestLevel();
	char		nothing[sizeof(ElementValue)];
	EngineRequest request = {
		.operation = ENGINE_COMPACT,
		.count = reader->count,
		.outputs[0] = {nothing, reader->type.kind},
		.room = 1,
		.parameters = PARAMETERS_OF(CompactParameters, .predicate = {
			.span = kind_mask(reader->type.kind), .outside = true
		})
	};

	(void) set_config_option("gpucompact.engine", "cuda", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) set_config_option("gpucompact.algorithm", "auto", PGC_USERSET,
							 PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
	(void) call_engine(&request, reader);
	AtEOXact_GUC(true, settings);
}

/* The most bytes that any GPU process may cache. */
static int64
cache_limit(void)
{
	int64		limit = 0;

	for (int device = 0; device < MAX_GPUS; device++)
	{
		const GpuConnection *connection =
			gpu_engine_connection(session_contexts[ENGINE_CUDA], device);

		if (connection != NULL)
			limit = Max(limit, connection->shared->cache_limit);
	}
	return limit;
}

/* Returns whether a GPU process has cached the value. */
static bool
is_cached(const ValueIdentity *identity)
{
	for (int device = 0; device < MAX_GPUS; device++)
	{
		const GpuConnection *connection =
			gpu_engine_connection(session_contexts[ENGINE_CUDA], device);
		EngineRequest request = {.next_oid = next_oid()};
		uint64		number;
		CacheMiss	miss;

		if (connection == NULL)
			continue;
		request.identities[0] = identity;
		if (gpu_cache_find(connection, &request, 0, &number, &miss) >= 0)
			return true;
	}
	return false;
}

/* Has a GPU cache the reader's value.  Returns why it has not, or NULL. */
static const char *
load(ArrayReader *reader, const struct varlena *value)
{
	const char *why_not = NULL;
	struct varatt_external pointer;

	if (!gpu_program_installed())
		return "no GPU program is installed";
	if (session_gpu_state(true, &why_not) != GPU_READY)
		return why_not;
	if (cache_limit() <= 0)
		return "\"gpucompact.gpu_cache_size\" is zero";
	if (reader->identity == NULL)
	{
		if (!VARATT_IS_EXTERNAL_ONDISK(value))
			return "it is not stored out of line";
		if (reader->nvalues * reader->type.size < MIN_KEPT)
			return psprintf("it is smaller than %d kB, not counting NULLs",
							MIN_KEPT / 1024);
		VARATT_EXTERNAL_GET_POINTER(pointer, value);
		return get_rel_persistence(pointer.va_toastrelid) ==
			RELPERSISTENCE_TEMP ? "it is in a temporary table" :
			"PostgreSQL itself has to read it";
	}
	read_on_gpu(reader);
	if (is_cached(reader->identity))
		return NULL;
	switch (session_contexts[ENGINE_CUDA]->refused[0])
	{
		case REFUSED_SIZE:
			return psprintf("it is larger than the cache, which has "
							INT64_FORMAT " bytes", cache_limit());
		case REFUSED_IN_USE:
			return "calls use what it would replace";
		case REFUSED_MEMORY:
			return "the GPU has no memory for it";
		default:
			return "it has been evicted again";
	}
}

/*
 * gpu_cache_load(value "any") returns bigint
 *
 * Has a GPU cache a stored array, bytea or text.  Returns the bytes that it
 * caches, or NULL, with a notice that says why the value is not cached.
 *
 * Raises 42804 for a value of another type.
 */
SQL_CALL_FUNCTION(gpu_cache_load, "gpu_cache_load", 0)
{
	Oid			type = get_fn_expr_argtype(fcinfo->flinfo, 0);
	Oid			base = getBaseType(type);
	ArrayReader reader;
	const char *why_not;
	int64		bytes;

	if (OidIsValid(get_element_type(base)))
		call_open_array(&reader, fcinfo, 0, NULLS_DROPPED, NULL);
	else if (base == BYTEAOID || IsBinaryCoercible(base, TEXTOID))
		call_open_bytes(&reader, PG_GETARG_DATUM(0));
	else
		ereport(ERROR,
				(errcode(ERRCODE_DATATYPE_MISMATCH),
				 errmsg("values of type %s cannot be cached",
						format_type_be(type)),
				 errhint("Arrays, bytea and text can be cached.")));
	bytes = reader.identity != NULL ? reader.identity->key.bytes : 0;
	why_not = load(&reader, (const struct varlena *)
				   DatumGetPointer(PG_GETARG_DATUM(0)));
	if (why_not != NULL)
		ereport(NOTICE,
				(errmsg("the value is not cached by a GPU: %s", why_not)));
	call_end_bytes(&reader, 0);
	fcinfo->isnull = why_not != NULL;
	return Int64GetDatum(bytes);
}
