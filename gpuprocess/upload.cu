/*
 * upload.cu
 *	  How a job's inputs and its table get to where its kernels read them.
 *
 * An array that is cached, or has stayed from an earlier job, is read in
 * place.  An array that will be cached is uploaded to the cache.  Any other
 * array is uploaded to a buffer of the job.  So is an array that the operation
 * changes: before the kernels begin, it is copied from the cache, or to it.
 * The arrays of a direct job are read in the slots.
 *
 * A piece may come in packed blocks.  They are uploaded to a buffer, and a
 * kernel in the same stream unpacks them to where the piece's elements would
 * have been uploaded.
 */
#include "gpuprocess/job.h"
#include "kernels/packed/unpack.h"

/* The most bytes of a table that the kernels of a direct job read in a slot. */
#define DIRECT_TABLE_BYTES	2048

/*
 * Returns true if an input has memory in the cache, and kernels read it there.
 * Two joined arrays are side by side, unless both are cached.
 */
bool
upload_in_place(const DeviceLane *lane, int source)
{
	return lane->uses[source].memory != NULL &&
		!(lane->traits & TRAIT_CHANGES) &&
		(lane->request.joined == 0 || lane->has_all);
}

static char *
slot_input(const DeviceLane *lane, const DeviceSlot *slot, int input)
{
	const EngineRequest *request = &lane->request;
	char	   *memory = slot->host_in;

	for (int i = 0; i < input; i++)
		memory += lane_slot_capacity(&lanes_layout, request) *
			input_size(request, i);
	return memory;
}

/*
 * Finds where kernels read the sources.  A direct job reads them in the cache,
 * or the table in the first slot and the inputs in the next one.
 */
void
upload_place(DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	const CacheUse *uses = lane->uses;
	bool		pushes_table = lane->table_pushed < request->table_bytes;

	for (int i = 0; i < ENGINE_INPUTS; i++)
		lane->sources[i] = upload_in_place(lane, i) ||
			(lane->direct && uses[i].has) ? uses[i].memory :
			lane->direct ? slot_input(lane, &lane->slots[pushes_table], i) :
			lane->buffers[BUFFER_IN + i];
	if (request->joined > 0 && !upload_in_place(lane, 1))
		lane->sources[1] = lane->sources[0] + source_bytes(request, 0);
	lane->sources[ENGINE_TABLE] = uses[ENGINE_TABLE].memory != NULL ?
		uses[ENGINE_TABLE].memory :
		lane->direct && request->table_bytes <= DIRECT_TABLE_BYTES ?
		lane->slots[0].host_in : lane->buffers[BUFFER_TABLE];
}

/* The most elements of the next piece: one of two arrays may be cached. */
static int64_t
most_of_next(const DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	int64_t		capacity = lane_slot_capacity(&lanes_layout, request);
	int64_t		first = source_count(request, 0);
	int			array = request->joined > 0 && lane->pushed >= first;
	int64_t		left = (array == 0 ? first : request->count) - lane->pushed;

	if (request->joined > 0 && lane->uses[array].has)
		return left;
	left = request->count - lane->pushed;
	return left < capacity ? left : capacity;
}

/*
 * Returns true if a piece of so many elements, or bytes of the table, and its
 * blocks are expected.  The inputs of a direct job are one piece; and a part
 * begins where kernels can read vectors.
 */
static bool
is_expected(const DeviceLane *lane, const LaneSlot *piece, bool of_table)
{
	const EngineRequest *request = &lane->request;
	int64_t		left = request->table_bytes - lane->table_pushed;
	int64_t		most = of_table ? left < lanes_layout.slot_bytes ?
		left : lanes_layout.slot_bytes : most_of_next(lane);
	int64_t		room = lanes_layout.slot_bytes -
		lane_places_bytes(&lanes_layout, request);

	if (piece->count <= 0 || piece->count > most ||
		(lane->direct && piece->count < most) ||
		(lane->in_parts && piece->count % PIECE_MULTIPLE != 0 &&
		 piece->count < most))
		return false;
	return piece->nblocks == 0 ||
		(request->packed && request->inputs == 1 && !of_table &&
		 !lane->direct && piece->nblocks > 0 &&
		 piece->nblocks <= lane_slot_blocks(&lanes_layout, request) &&
		 piece->block_bytes >= 0 && piece->block_bytes <= room);
}

/* Queues an upload, unless kernels read the slot itself. */
static EngineStatus
upload(DeviceLane *lane, char *to, const char *from, int64_t bytes)
{
	if (to != from)
		TRY_CUDA(&lane->failure, cudaMemcpyAsync(to, from, bytes,
												 cudaMemcpyHostToDevice,
												 lane->upload));
	return ENGINE_OK;
}

/* Queues the upload of what a piece has of a source. */
static EngineStatus
upload_source(DeviceLane *lane, const DeviceSlot *slot, int64_t count,
			  int source)
{
	const EngineRequest *request = &lane->request;
	bool		joined = request->joined > 0;
	int			size = input_size(request, joined ? 0 : source);
	int64_t		begin = joined && source == 1 ? source_count(request, 0) : 0;
	int64_t		end = begin + source_count(request, source);
	int64_t		from = begin > lane->pushed ? begin : lane->pushed;
	int64_t		to = end < lane->pushed + count ? end : lane->pushed + count;

	if (from >= to || lane->uses[source].has)
		return ENGINE_OK;
	return upload(lane, lane->sources[source] + (from - begin) * size,
				  slot_input(lane, slot, joined ? 0 : source) +
				  (from - lane->pushed) * size, (to - from) * size);
}

/*
 * Queues the upload of a piece's blocks, and their unpacking.  If the blocks
 * have only a part of the piece's elements, the others have been uploaded.
 */
static EngineStatus
upload_blocks(DeviceLane *lane, const DeviceSlot *slot, const LaneSlot *piece)
{
	const EngineRequest *request = &lane->request;
	char	   *blocks = lane->buffers[BUFFER_BLOCKS];
	int64_t		places = lane_places_bytes(&lanes_layout, request);
	Unpacking	unpacking = {
		.places = (const BlockPlace *) blocks,
		.nblocks = piece->nblocks,
		.bytes = blocks + places,
		.length = piece->block_bytes,
		.out = lane->sources[0] + lane->pushed * input_size(request, 0),
		.kind = request->kinds[0],
		.count = piece->count,
		.failed = &lane->report->not_unpacked
	};

	TRY_STATUS(upload(lane, blocks, slot->host_out,
					  places + piece->block_bytes));
	TRY_CUDA(&lane->failure, unpack_blocks(lane->upload, &unpacking));
	return ENGINE_OK;
}

static EngineStatus
upload_piece(DeviceLane *lane, const DeviceSlot *slot, const LaneSlot *piece,
			 bool of_table)
{
	if (of_table)
		return upload(lane, lane->sources[ENGINE_TABLE] + lane->table_pushed,
					  slot->host_in, piece->count);
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (piece->nblocks == 0 || !piece->in_blocks)
			TRY_STATUS(upload_source(lane, slot, piece->count, i));
	}
	return piece->nblocks == 0 ? ENGINE_OK : upload_blocks(lane, slot, piece);
}

/*
 * Takes the next piece, if the session has filled its slot, and queues its
 * upload.  If kernels read the slot itself, the piece stays there: the session
 * has nothing else for that slot.
 */
EngineStatus
upload_take_piece(DeviceLane *lane, bool *moved)
{
	DeviceSlot *slot = slot_of(lane, lane->pieces);
	bool		of_table = lane->table_pushed < lane->request.table_bytes;
	bool		stays = lane->direct && (!of_table ||
		lane->sources[ENGINE_TABLE] == slot->host_in);
	LaneSlot	piece;

	if (slot->state != DEVICE_SLOT_FREE ||
		word_read(&slot->shared->state) != LANE_SLOT_FILLED)
		return ENGINE_OK;
	piece = *slot->shared;
	if (!is_expected(lane, &piece, of_table))
		return device_refused(&lane->failure, ENGINE_NOT_SUPPORTED,
							  "A piece of this length is not expected.");
	if (!stays)
	{
		TRY_CUDA(&lane->failure, cudaEventRecord(slot->copy.begin,
												 lane->upload));
		TRY_STATUS(upload_piece(lane, slot, &piece, of_table));
		TRY_CUDA(&lane->failure, cudaEventRecord(slot->copy.end,
												 lane->upload));
		slot->state = DEVICE_SLOT_UPLOADING;
		slot->first = lane->pushed;
		slot->count = of_table ? 0 : piece.count;
		lane->uploads = true;
	}
	if (of_table)
		lane->table_pushed += piece.count;
	else
		lane->pushed += piece.count;
	lane->pieces++;
	if (stays)
		slot_free(lane, slot);
	*moved = true;
	return ENGINE_OK;
}

/*
 * Queues the rest when all is pushed: the copying of inputs from the cache, or
 * to it.
 */
EngineStatus
upload_finish(DeviceLane *lane)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		const CacheUse *use = &lane->uses[i];

		if (use->memory == NULL || use->memory == lane->sources[i])
			continue;
		TRY_CUDA(&lane->failure,
				 cudaMemcpyAsync(use->has ? lane->sources[i] : use->memory,
								 use->has ? use->memory : lane->sources[i],
								 source_bytes(&lane->request, i),
								 cudaMemcpyDeviceToDevice, lane->upload));
		lane->uploads = true;
	}
	if (lane->uploads)
		TRY_CUDA(&lane->failure, cudaEventRecord(lane->arrived, lane->upload));
	return ENGINE_OK;
}
