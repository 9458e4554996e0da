/*
 * test_unpack.c
 *	  Packed blocks that a GPU unpacks: whole arrays and parts of arrays, mixed
 *	  with elements that are not packed; and forged blocks, which it unpacks to
 *	  the same elements as the CPU, or not at all.
 */
#include "contract/operations/scan.h"
#include "packed/packed_format.h"
#include "packed_series.h"
#include "protocol/lanes.h"

/* One page of the directory has the blocks of an array. */
#define MOST_PACKED		(PACKED_PAGE * PACKED_BLOCK)

/* Batches of a job, and of a piece, after which elements come as they are. */
#define MOST_BATCHES	1000
#define SOME_BATCHES	90

/* An array of the test, and its parts. */
typedef struct Source
{
	PackedArray packed;
	Series		series;
	int			data;
	uint8_t    *elements;
	uint8_t    *array;
	PackedBlock blocks[PACKED_PAGE];
	bool		whole;			/* parts are all of it */
} Source;

/* A part of the array on its way. */
typedef struct Part
{
	SpanBatch	batch;
	ByteSpan	span;			/* a copy of the blocks' bytes */
	const Source *source;
	PackedBlock *blocks;		/* a copy, too */
	int			skipped;
	int			pending;
} Part;

typedef struct Run
{
	const Source *source;
	EngineRequest request;
	uint8_t    *expected;		/* the input's elements */
	uint8_t    *out;
	Part		parts[MOST_BATCHES];
	int			nparts;
	int			forged;			/* number of the part to be forged, or -1 */
	bool		bad;			/* the CPU cannot unpack what is forged */
} Run;

static int	unpacked_here;

/* Does what a reader does, but does not notice damage. */
static void
put_blocks(SpanBatch *batch, char *dest, BlockPlace *places)
{
	const Part *part = (const Part *) batch;
	int64_t		put = 0;
	int64_t		taken = 0;
	int			from = part->skipped;

	memcpy(dest, part->span.bytes, part->span.length);
	for (int i = 0; i < batch->nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int64_t		wanted = block->count - from;

		if (wanted > batch->elements - taken)
			wanted = batch->elements - taken;
		places[i] = (BlockPlace) {
			.before = (uint32_t) (put / 8), .first = (uint32_t) taken,
			.length = (uint16_t) (block->length / 8),
			.count = (uint16_t) block->count,
			.skipped = (uint16_t) from, .wanted = (uint16_t) wanted,
			.scheme = (uint8_t) block->scheme,
			.mapping = (uint8_t) block->mapping,
			.bits = (uint8_t) block->bits
		};
		put += block->length;
		taken += wanted;
	}
}

/* Unpacks the blocks of a part.  Returns false if one is damaged. */
static bool
unpack_blocks(const Part *part, uint8_t *dest)
{
	int			size = kind_size(part->source->packed.kind);
	int64_t		left = part->batch.elements;
	int			from = part->skipped;
	const uint8_t *bytes = part->span.bytes;

	for (int i = 0; i < part->batch.nblocks; i++, from = 0)
	{
		const PackedBlock *block = &part->blocks[i];
		int64_t		wanted = block->count - from < left ?
			block->count - from : left;
		uint64_t	all[PACKED_BLOCK];

		if (packed_unpack_block(&part->source->packed, block, bytes,
								all) != PACKED_OK)
			return false;
		memcpy(dest, (uint8_t *) all + from * size, wanted * size);
		dest += wanted * size;
		bytes += block->length;
		left -= wanted;
	}
	return true;
}

static bool
unpack(SpanBatch *batch, char *dest)
{
	__atomic_add_fetch(&unpacked_here, 1, __ATOMIC_RELAXED);
	(void) unpack_blocks((const Part *) batch, (uint8_t *) dest);
	return true;
}

/* Forges bytes of a block, and what its directory says, with its checksum. */
static void
forge(Part *part)
{
	PackedBlock *block = &part->blocks[random_bits() % part->batch.nblocks];
	uint8_t    *forged = (uint8_t *) part->span.bytes +
		(block->offset - part->blocks[0].offset);

	forge_bytes(forged, block->length, 1 + (int) (random_bits() % 3));
	if (random_bits() % 8 == 0)
		block->scheme = (PackedScheme) (random_bits() % PACKED_SCHEMES);
	if (random_bits() % 8 == 0 && kind_is_float(part->source->packed.kind))
		block->mapping = (PackedMapping) (random_bits() % PACKED_MAPPINGS);
	if (random_bits() % 3 == 0)
		block->bits = forged[4];
	block->checksum = packed_checksum(0, forged, block->length);
}

/*
 * Makes the engine write a part of the array, at most "most" elements, to
 * "dest".  Returns its elements.
 */
static int64_t
send_part(Run *run, EngineContext *context, char *dest, uint8_t *expected,
		  int64_t most)
{
	const Source *source = run->source;
	int			size = kind_size(source->packed.kind);
	Part	   *part = &run->parts[run->nparts];
	int64_t		first = source->whole ? 0 :
		(int64_t) (random_bits() % source->packed.count);
	int64_t		left = source->packed.count - first;
	int64_t		count = source->whole ? left :
		1 + (int64_t) (random_bits() % left);
	int64_t		from = first / PACKED_BLOCK;
	const PackedBlock *last;

	count = count < most ? count : most;
	part->source = source;
	part->skipped = (int) (first % PACKED_BLOCK);
	part->batch.nblocks = (int)
		((first + count - 1) / PACKED_BLOCK - from + 1);
	last = &source->blocks[from + part->batch.nblocks - 1];
	part->span.length = (int)
		(last->offset + last->length - source->blocks[from].offset);
	part->span.bytes = memcpy(malloc(part->span.length), source->array +
							  source->blocks[from].offset, part->span.length);
	part->blocks = malloc(part->batch.nblocks * sizeof(PackedBlock));
	memcpy(part->blocks, source->blocks + from,
		   part->batch.nblocks * sizeof(PackedBlock));
	part->batch.spans = &part->span;
	part->batch.nspans = 1;
	part->batch.unpack = unpack;
	part->batch.put_blocks = put_blocks;
	part->batch.block_bytes = part->span.length;
	part->batch.elements = count;
	memcpy(expected, source->elements + first * size, count * size);
	if (run->nparts++ == run->forged)
	{
		forge(part);
		run->bad = !unpack_blocks(part, expected);
	}
	part->pending = 1;
	context->engine->fill(context, 0, dest, &part->batch, &part->pending);
	return count;
}

/* Fills a piece with parts, and from some place on with elements. */
static void
fill_piece(Run *run, EngineContext *context, char *dest, uint8_t *expected,
		   int64_t count)
{
	const Source *source = run->source;
	int			size = kind_size(source->packed.kind);
	int			parts = run->nparts + 1 +
		(source->whole ? MOST_BATCHES : (int) (random_bits() % SOME_BATCHES));
	int64_t		done = 0;

	while (done < count && run->nparts < parts && run->nparts < MOST_BATCHES)
		done += send_part(run, context, dest + done * size,
						  expected + done * size, count - done);
	make_data(source->packed.kind, source->data, expected + done * size,
			  count - done);
	memcpy(dest + done * size, expected + done * size, (count - done) * size);
}

static void
free_parts(Run *run, EngineContext *context)
{
	for (int i = 0; i < run->nparts; i++)
	{
		Part	   *part = &run->parts[i];

		while (__atomic_load_n(&part->pending, __ATOMIC_ACQUIRE) != 0)
			context->engine->wait(context, &part->pending);
		free((void *) part->span.bytes);
		free(part->blocks);
	}
}

/* Runs the request on pieces that are all made up. */
static EngineStatus
run_pieces(Run *run, EngineContext *context)
{
	const Engine *engine = context->engine;
	int			size = kind_size(run->source->packed.kind);
	EngineResult result;
	EngineStatus status;

	while ((status = engine->begin(context, &run->request)) == ENGINE_MORE)
		;
	for (int64_t done = 0; status == ENGINE_OK && done < run->request.count;)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS];
		int64_t		count;

		while ((status = engine->buffer(context, buffers,
										&count)) == ENGINE_MORE)
			;
		if (status != ENGINE_OK)
			break;
		if (count > run->request.count - done)
			count = run->request.count - done;
		fill_piece(run, context, buffers[0], run->expected + done * size,
				   count);
		data[0] = buffers[0];
		status = engine->push(context, data, count);
		done += count;
	}
	free_parts(run, context);
	if (status == ENGINE_OK)
	{
		while ((status = engine->finish(context, &result)) == ENGINE_MORE)
			;
	}
	engine->end(context);
	return status;
}

/* Makes of the input what a scan by XOR does. */
static void
scan_expected(const Run *run)
{
	int			size = kind_size(run->source->packed.kind);

	for (int64_t i = size; i < run->request.count * size; i++)
		run->expected[i] ^= run->expected[i - size];
}

/* A job on more elements than kernels read where they are. */
static void
test_job(const Source *source, bool forged)
{
	int			size = kind_size(source->packed.kind);
	bool		scans = !kind_is_float(source->packed.kind) &&
		source->packed.kind != KIND_UINT1 &&
		source->packed.kind != KIND_UINT4 && random_bits() % 2 == 0;
	int64_t		count = DIRECT_BYTES / size + 1 +
		(int64_t) (random_bits() % (random_bits() % 16 == 0 ? 1500000 : 70000));
	OWNED Run *run = calloc(1, sizeof(Run));
	EngineStatus status;

	run->source = source;
	run->forged = forged ? (int) (random_bits() % 3) : -1;
	run->expected = malloc(count * size);
	run->out = malloc(count * size);
	run->request = (EngineRequest) {
		.operation = scans ? ENGINE_SCAN : ENGINE_COPY,
		.count = count,
		.inputs = 1,
		.kinds[0] = source->packed.kind,
		.outputs[0] = {run->out, source->packed.kind},
		.room = count,
		.threads = 3,
		.device = -1,
		.paged = true,
		.packed = true
	};
	if (scans)
		PARAMETERS(&run->request, ScanParameters)->op = SCAN_XOR;
	unpacked_here = 0;
	status = run_pieces(run, options.context);
	if (scans)
		scan_expected(run);
	expect_packed(status == ENGINE_OK || (forged && run->nparts > run->forged &&
										  status == ENGINE_NOT_UNPACKED),
				  &source->packed, source->series, "status", source->data);
	expect_packed(status != ENGINE_OK ||
				  (!run->bad && memcmp(run->out, run->expected,
									   count * size) == 0),
				  &source->packed, source->series, "unpacked on the device",
				  source->data);
	expect_packed(unpacked_here < run->nparts, &source->packed, source->series,
				  "no blocks on the device", source->data);
	free(run->expected);
	free(run->out);
}

static void
test_unpack(int64_t count, int data)
{
	OWNED uint8_t *elements = malloc(count * sizeof(int64_t));
	Source		source = {.data = data, .elements = elements};
	PackedSpan	page;

	if (options.engine == &cpu_engine || count > MOST_PACKED)
		return;
	for (int i = 0; i < ELEMENT_KINDS * SERIES; i++)
	{
		source.packed = (PackedArray) {
			.kind = (ElementKind) (i / SERIES), .count = count
		};
		source.series = (Series) (i % SERIES);
		if (random_bits() % 8 > 0)
			continue;
		make_series(source.packed.kind, source.series, data, source.elements,
					count);
		source.array = pack_all(&source.packed, source.elements, NULL);
		page = packed_page_span(&source.packed, 0);
		(void) packed_read_page(&source.packed, 0, source.array + page.offset,
								source.blocks);
		source.whole = random_bits() % 2 == 0;
		test_job(&source, false);
		test_job(&source, true);
		free(source.array);
	}
}

TEST_FAMILY(unpack)
