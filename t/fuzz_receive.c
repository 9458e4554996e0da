/*
 * fuzz_receive.c
 *	  Has libFuzzer make up what gpu_packed and gpu_state receive, in a session.
 *
 * The library has the extension in it; the files that read what is received are
 * compiled so that libFuzzer sees what an input reaches.
 */
#include "compat.h"

#include "access/xact.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "port/pg_crc32c.h"
#include "storage/ipc.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/resowner.h"

#include "t/engine/packed_damage.h"

PG_FUNCTION_INFO_V1(fuzz_receive);

extern Datum gpucompact_packed_recv(PG_FUNCTION_ARGS);
extern Datum gpucompact_state_recv(PG_FUNCTION_ARGS);
extern int	LLVMFuzzerRunDriver(int *argc, char ***argv,
								int (*callback) (const uint8_t *data,
												 size_t size));

/* The header of a state: its parts' bytes, and its checksum. */
#define STATE_BYTES		20
#define STATE_CHECKSUM	28
#define STATE_HEADER	32

static int64 runs;
static int64 received;

/* Makes right what is right in any packed array. */
static void
mend_packed(uint8_t *array, int64 size)
{
	if (size < PACKED_HEADER_BYTES || size % 8 != 0)
		return;
	store_32(array + HEADER_MAGIC, PACKED_MAGIC);
	store_32(array + HEADER_LENGTH, (uint32_t) (size / 8));
	mend(array, size);
}

/* The same of a state, whose parts end with it. */
static void
mend_state(uint8_t *state, int64 size)
{
	int64		first;
	pg_crc32c	checksum;

	if (size < STATE_HEADER)
		return;
	size -= STATE_HEADER;
	first = Min(load_32(state + STATE_BYTES), size);
	memcpy(state, "GPS\1", 4);
	store_32(state + STATE_BYTES, (uint32_t) first);
	store_32(state + STATE_BYTES + 4, (uint32_t) (size - first));
	mend_packed(state + STATE_HEADER, first);
	mend_packed(state + STATE_HEADER + first, size - first);
	INIT_CRC32C(checksum);
	COMP_CRC32C(checksum, state, STATE_CHECKSUM);
	FIN_CRC32C(checksum);
	store_32(state + STATE_CHECKSUM, checksum);
}

/* What is received is sent as it was; or the error says that it is damaged. */
static void
receive(PGFunction recv, const char *bytes, int size)
{
	StringInfoData message;

	initStringInfo(&message);
	appendBinaryStringInfo(&message, bytes, size);
	PG_TRY();
	{
		Datum		value = DirectFunctionCall3(recv, PointerGetDatum(&message),
												ObjectIdGetDatum(InvalidOid),
												Int32GetDatum(-1));
		bytea	   *sent =
			DatumGetByteaP(DirectFunctionCall1(byteasend, value));

		if (VARSIZE(sent) - VARHDRSZ != size ||
			memcmp(VARDATA(sent), bytes, size) != 0)
			elog(PANIC, "what was received is not what is sent");
		received++;
	}
	PG_CATCH();
	{
		int			code = geterrcode();

		if (code == ERRCODE_QUERY_CANCELED || code == ERRCODE_ADMIN_SHUTDOWN)
			PG_RE_THROW();
		if (code != ERRCODE_DATA_CORRUPTED &&
			code != ERRCODE_INVALID_BINARY_REPRESENTATION)
			elog(PANIC, "SQLSTATE %s", unpack_sql_state(code));
		FlushErrorState();
	}
	PG_END_TRY();
}

/* The first byte says which type it is, and whether checksums are put right. */
static int
receive_input(const uint8_t *data, size_t size)
{
	MemoryContext context = CurrentMemoryContext;
	ResourceOwner owner = CurrentResourceOwner;
	int			bytes = (int) size - 1;
	uint8_t    *copy;

	if (bytes < 0)
		return 0;
	runs++;
	BeginInternalSubTransaction(NULL);
	copy = memcpy(palloc(bytes + 1), data + 1, bytes);
	if (data[0] & 1)
	{
		if (data[0] & 2)
			mend_state(copy, bytes);
		receive(gpucompact_state_recv, (char *) copy, bytes);
	}
	else
	{
		if (data[0] & 2)
			mend_packed(copy, bytes);
		receive(gpucompact_packed_recv, (char *) copy, bytes);
	}
	RollbackAndReleaseCurrentSubTransaction();
	MemoryContextSwitchTo(context);
	CurrentResourceOwner = owner;
	return 0;
}

/* Said when libFuzzer has ended the session. */
static void
report(int status, Datum unused)
{
	elog(LOG, "fuzz_receive: " INT64_FORMAT " inputs, " INT64_FORMAT
		 " received", runs, received);
}

/*
 * fuzz_receive(seconds integer, seeds text)
 *
 * Does not return: libFuzzer ends the process.
 */
Datum
fuzz_receive(PG_FUNCTION_ARGS)
{
	char	   *arguments[] = {
		"fuzz_receive", psprintf("-max_total_time=%d", PG_GETARG_INT32(0)),
		"-max_len=2048", "-rss_limit_mb=0", "-timeout=0",
		"-handle_segv=0", "-handle_bus=0", "-handle_abrt=0", "-handle_ill=0",
		"-handle_fpe=0", "-handle_int=0", "-handle_term=0", "-handle_xfsz=0",
		"-handle_usr1=0", "-handle_usr2=0", "-verbosity=0",
		text_to_cstring(PG_GETARG_TEXT_PP(1)), NULL
	};
	char	  **argv = arguments;
	int			argc = lengthof(arguments) - 1;

	on_proc_exit(report, 0);
	(void) LLVMFuzzerRunDriver(&argc, &argv, receive_input);
	pg_unreachable();
}
