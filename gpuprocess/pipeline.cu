/*
 * pipeline.cu
 *	  The way of the data through the slots of a lane.
 *
 * A job goes through the slots in turn.  While the session fills one with what
 * it reads, one is uploaded, one is computed on, one is downloaded, and one is
 * copied to the result by the session.
 *
 * Kernels of all lanes share a stream.  A kernel that waited there for its
 * piece would stop them all, so it is launched when the piece has arrived.  If
 * no other lane is in use, the stream waits instead, which takes less time than
 * looking whether the piece has arrived.
 *
 * A piece may come in packed blocks, which a kernel unpacks in front of the
 * piece's own: the blocks are uploaded to the slot's memory for results, and
 * their elements go to where the piece's would have been uploaded.
 *
 * A small job is direct: its kernels read the session's piece in host memory,
 * and write the results to a slot there.  Direct kernels on a whole array need
 * nothing that lanes share, and run in the lane's own stream.
 */
#include <cstring>

#include "gpuprocess/job.h"
#include "gpuprocess/piece.h"
#include "kernels/packed/unpack.h"

/* Returns the work on "count" elements behind the first "first" ones. */
DeviceWork
make_work(DeviceLane *lane, int64_t first, int64_t count)
{
	char *const *buffers = lane->buffers;
	DeviceWork	work = {
		.stream = kernel_stream(lane),
		.ahead = &lane->device->ahead,
		.grid = lane->grid,
		.request = &lane->request,
		.in = {buffers[BUFFER_IN], buffers[BUFFER_SECOND_IN],
			buffers[BUFFER_THIRD_IN]},
		.out = {buffers[BUFFER_OUT], buffers[BUFFER_SECOND_OUT]},
		.count = count,
		.offset = first,
		.turn = lane->turn,
		.state = lane->state,
		.table = buffers[BUFFER_TABLE],
		.summary = buffers[BUFFER_SUMMARY],
		.scratch = buffers[BUFFER_SCRATCH],
		.results = &lane->report->results,
		.report = lane->report
	};

	if (!lane->request.outputs[1].memory && !lane->has_payload)
		work.out[1] = NULL;
	return work;
}

/*
 * Has kernels use the whole array directly.  An input is cached, or in the slot
 * after that of the table.  The results go to the next slot, from which the
 * session takes them.
 */
void
pipeline_use_host(DeviceLane *lane)
{
	const DeviceSlot *slot = &lane->slots[lane->request.table_bytes > 0];
	int			out = lane->has_payload ? BUFFER_SECOND_OUT : BUFFER_OUT;

	for (int i = 0; i < ENGINE_INPUTS; i++)
		lane->buffers[BUFFER_IN + i] = lane->uses[i].has ?
			lane->uses[i].memory : slot_input(lane, slot->host_in, i);
	lane->buffers[BUFFER_TABLE] = lane->slots[0].host_in;
	lane->buffers[out] = slot[1].host_out;
}

/* The slot's results are the session's to copy. */
static void
hand_results_over(DeviceLane *lane, DeviceSlot *slot)
{
	slot->state = DEVICE_SLOT_HANDED_OVER;
	word_write(&slot->shared->state, LANE_SLOT_READY);
	doorbell_ring(&lane->shared->to_session);
}

/* Frees a slot that has no results. */
static void
free_slot(DeviceLane *lane, DeviceSlot *slot)
{
	slot->state = DEVICE_SLOT_FREE;
	word_write(&slot->shared->state, LANE_SLOT_FREE);

	/* A session that has nothing to push does not wait for it. */
	if (slot->turn < 0 ||
		(!lane->has_all && lane->pushed < lane->request.count))
		doorbell_ring(&lane->shared->to_session);
}

/* Returns true if the slot's kernel reports its own end. */
static bool
times_itself(const DeviceLane *lane, const DeviceSlot *slot)
{
	const DeviceOperation *operation = lane->operation;

	return slot->turn >= 0 && slot->nblocks == 0 && !operation->gathers &&
		operation->times_itself &&
		operation->times_itself(&lane->request);
}

/* Tells in *yes whether the slot's input has arrived. */
static EngineStatus
has_arrived(DeviceLane *lane, const DeviceSlot *slot, bool *yes)
{
	cudaError_t error = slot->uploaded ? cudaEventQuery(slot->upload.end) :
		cudaSuccess;

	*yes = error == cudaSuccess;
	if (error != cudaErrorNotReady)
		TRY_CUDA(&lane->failure, error);
	return ENGINE_OK;
}

/*
 * Queues the copying of a piece to the cache.  An operation may change the
 * array that it gathers, so that the cached value is a copy.
 */
static EngineStatus
fill_cache(DeviceLane *lane, const DeviceSlot *slot, cudaStream_t stream)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		const CacheUse *use = &lane->uses[i];
		PiecePart	part = part_of_piece(lane, slot, i);

		if (lane->operation->gathers && !lane->direct && part.bytes > 0 &&
			!use->has && use->memory != NULL)
			TRY_CUDA(&lane->failure,
					 cudaMemcpyAsync(use->memory + part.offset, part.to,
									 part.bytes, cudaMemcpyDeviceToDevice,
									 stream));
	}
	return ENGINE_OK;
}

/* Queues the unpacking of a piece whose blocks have arrived. */
static EngineStatus
unpack_piece(DeviceLane *lane, const DeviceSlot *slot, cudaStream_t stream)
{
	Unpacking	unpacking = {
		.places = (const BlockPlace *) slot->device_out,
		.nblocks = slot->nblocks,
		.bytes = slot->device_out +
			lane_places_bytes(&lanes_layout, &lane->request),
		.length = slot->block_bytes,
		.out = uploaded_input(lane, slot, 0),
		.kind = lane->request.kinds[0],
		.count = slot->count,
		.failed = &lane->report->not_unpacked
	};

	TRY_CUDA(&lane->failure, unpack_blocks(stream, &unpacking));
	return fill_cache(lane, slot, stream);
}

/* Queues the work on a piece that has arrived. */
static EngineStatus
compute_piece(DeviceLane *lane, DeviceSlot *slot)
{
	const DeviceOperation *operation = lane->operation;
	DeviceWork	work = make_work(lane, slot->first, slot->count);

	work.turn = slot->turn;
	if (!operation->gathers)
	{
		for (int i = 0; i < ENGINE_INPUTS; i++)
			work.in[i] = streamed_input(lane, slot, i);
		work.out[0] = streamed_output(lane, slot);
		work.results = slot->results;
	}
	TRY_STATUS(watch_begin(lane, &slot->kernel, &work,
						   times_itself(lane, slot)));
	if (slot->nblocks > 0)
		TRY_STATUS(unpack_piece(lane, slot, work.stream));
	if (operation->piece && slot->turn >= 0)
		TRY_CUDA(&lane->failure, operation->piece(&work));
	TRY_STATUS(watch_queued(lane, &slot->kernel));
	slot->state = DEVICE_SLOT_COMPUTING;
	return ENGINE_OK;
}

/* The slot's results have arrived. */
static void
end_download(DeviceLane *lane, DeviceSlot *slot)
{
	if (slot->stays)
		free_slot(lane, slot);
	else
		hand_results_over(lane, slot);
}

/*
 * Queues the download of some results by way of a slot, or their copying to
 * where they stay, unless they are there already.
 */
static EngineStatus
download(DeviceLane *lane, DeviceSlot *slot, const void *from, int output,
		 int64_t offset, int64_t bytes)
{
	cudaStream_t stream = lane->download;
	char	   *to;

	slot->stays = lane->stays != NULL && output == 0;
	to = slot->stays ? lane->stays + offset : slot->host_out;
	slot->shared->output = output;
	slot->shared->offset = offset;
	slot->shared->bytes = bytes;
	if (from == to)
	{
		end_download(lane, slot);
		return ENGINE_OK;
	}
	TRY_CUDA(&lane->failure, cudaEventRecord(slot->download.begin, stream));
	TRY_CUDA(&lane->failure, cudaMemcpyAsync(to, from, bytes, slot->stays ?
											 cudaMemcpyDeviceToDevice :
											 cudaMemcpyDeviceToHost, stream));
	TRY_CUDA(&lane->failure, cudaEventRecord(slot->download.end, stream));
	slot->state = DEVICE_SLOT_DOWNLOADING;
	return ENGINE_OK;
}

/*
 * Puts a piece's results behind those before.  If there are none, or they are
 * downloaded when all input is pushed, frees the slot.
 */
static EngineStatus
take_results(DeviceLane *lane, DeviceSlot *slot)
{
	const EngineRequest *request = &lane->request;
	int			size = output_size(request, 0);
	bool		each = operation_facts[request->operation].shape == RESULT_EACH;
	int64_t		absent = count_absent(lane, slot);
	int64_t		offset = lane->written;
	int64_t		bytes = lane->operation->gathers || slot->turn < 0 ? 0 :
		lane->operation->counts ? *slot->results * size :
		each ? (slot->count - absent) * size : 0;

	lane->written += bytes;
	if (lane->written > request->room * size || !request->outputs[0].memory)
		bytes = 0;				/* counted, but there is no room */
	if (lane->undivided)
	{
		lane->results[0] = {streamed_output(lane, slot), bytes};
		bytes = 0;
	}
	if (bytes > 0)
		return download(lane, slot,
						streamed_output(lane, slot) + absent * size, 0, offset,
						bytes);
	free_slot(lane, slot);
	return ENGINE_OK;
}

/* Moves a slot on by a step, if what it waits for is done. */
static EngineStatus
step(DeviceLane *lane, DeviceSlot *slot, bool *moved)
{
	*moved = false;
	switch (slot->state)
	{
		case DEVICE_SLOT_FREE:
			break;
		case DEVICE_SLOT_UPLOADING:
			TRY_STATUS(has_arrived(lane, slot, moved));
			if (*moved)
				TRY_STATUS(compute_piece(lane, slot));
			break;
		case DEVICE_SLOT_COMPUTING:
			TRY_STATUS(watch_look(lane, &slot->kernel, moved,
								  &lane->kernel_ms));
			if (*moved && slot->uploaded)
				TRY_STATUS(event_pair_add(lane, &slot->upload,
										  &lane->upload_ms));
			if (*moved)
				TRY_STATUS(take_results(lane, slot));
			break;
		case DEVICE_SLOT_DOWNLOADING:
			TRY_STATUS(event_pair_look(lane, &slot->download, moved,
								 &lane->download_ms));
			if (*moved)
				end_download(lane, slot);
			break;
		case DEVICE_SLOT_HANDED_OVER:
			/* The session may have filled it again already. */
			*moved = word_read(&slot->shared->state) != LANE_SLOT_READY;
			if (*moved)
				slot->state = DEVICE_SLOT_FREE;
			break;
	}
	return ENGINE_OK;
}

/*
 * Returns true if a slot has to wait for the one before it.  A piece is
 * computed on after the pieces before it, and its results take their place
 * behind theirs.
 */
static bool
is_behind(const DeviceSlot *slot, DeviceSlotState before)
{
	return before == slot->state ? slot->state == DEVICE_SLOT_UPLOADING ||
		slot->state == DEVICE_SLOT_COMPUTING :
		before == DEVICE_SLOT_UPLOADING && slot->state == DEVICE_SLOT_COMPUTING;
}

/*
 * Moves all slots on as far as they can without waiting, the oldest first.
 */
EngineStatus
pipeline_advance(DeviceLane *lane, bool *moved)
{
	DeviceSlotState before = DEVICE_SLOT_HANDED_OVER;

	for (int64_t piece = lane->retired; piece < lane->pieces; piece++)
	{
		DeviceSlot *slot = slot_of(lane, piece);
		bool		again = true;

		while (again && !is_behind(slot, before))
		{
			TRY_STATUS(step(lane, slot, &again));
			*moved = *moved || again;
		}
		before = slot->state;
	}
	while (lane->retired < lane->pieces &&
		   slot_of(lane, lane->retired)->state == DEVICE_SLOT_FREE)
		lane->retired++;
	return ENGINE_OK;
}

/* Returns true if the work on the pieces before this one is queued, or done. */
bool
pipeline_is_queued(DeviceLane *lane, int64_t piece)
{
	return piece == 0 ||
		slot_of(lane, piece - 1)->state != DEVICE_SLOT_UPLOADING;
}

/* Returns true if any slot waits for the device. */
bool
pipeline_waits_for_device(const DeviceLane *lane)
{
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		DeviceSlotState state = lane->slots[i].state;

		if (state != DEVICE_SLOT_FREE && state != DEVICE_SLOT_HANDED_OVER)
			return true;
	}
	return false;
}

/* The most elements of the next piece: one of two arrays may be cached. */
static int64_t
most_of_next(const DeviceLane *lane)
{
	int64_t		first = source_count(&lane->request, 0);
	int64_t		left = lane->request.count - lane->pushed;

	if (lane->request.joined > 0 && lane->pushed < first &&
		lane->uses[0].has)
		return first - lane->pushed;
	if (lane->request.joined > 0 && lane->pushed >= first &&
		lane->uses[1].has)
		return left;
	return left < lane->capacity ? left : lane->capacity;
}

/*
 * Returns true if a piece of "count" elements, or bytes of the table, is
 * expected.
 */
static bool
is_expected(const DeviceLane *lane, int64_t count, bool of_table)
{
	return count > 0 && (of_table ?
						 count <= lanes_layout.slot_bytes &&
						 count <= lane->request.table_bytes -
						 lane->table_pushed :
						 count <= most_of_next(lane));
}

/* Returns true if the slot has as many blocks as it may have. */
static bool
are_blocks_expected(const DeviceLane *lane, const DeviceSlot *slot,
					bool of_table)
{
	const EngineRequest *request = &lane->request;
	int64_t		room = lanes_layout.slot_bytes -
		lane_places_bytes(&lanes_layout, request);

	return slot->nblocks == 0 ||
		(lane->unpacks && !of_table && slot->nblocks > 0 &&
		 slot->nblocks <= lane_slot_blocks(&lanes_layout, request) &&
		 slot->block_bytes >= 0 && slot->block_bytes <= room);
}

/*
 * Returns true if a piece of the inputs, or of the table, has to be uploaded.
 */
static bool
needs_upload(const DeviceLane *lane, bool of_table)
{
	bool		gathers = lane->operation->gathers;

	if (lane->direct)
		return of_table && !gathers;
	return of_table || !lane->has_all || (gathers && !lane->reads_cached);
}

/* Queues the upload of a piece of the table. */
static EngineStatus
upload_table(DeviceLane *lane, DeviceSlot *slot)
{
	if (slot->uploaded)
		TRY_CUDA(&lane->failure,
				 cudaMemcpyAsync(lane->buffers[BUFFER_TABLE] +
								 lane->table_pushed, slot->host_in,
								 slot->count, cudaMemcpyHostToDevice,
								 lane->upload));
	slot->turn = -1;
	lane->table_pushed += slot->count;
	return ENGINE_OK;
}

/*
 * Queues the upload of a piece's blocks.  If they have but a part of its
 * elements, these have been uploaded, and the blocks' elements overwrite what
 * was uploaded in their place.
 */
static EngineStatus
upload_blocks(DeviceLane *lane, DeviceSlot *slot)
{
	TRY_CUDA(&lane->failure,
			 cudaMemcpyAsync(slot->device_out, slot->host_out,
							 lane_places_bytes(&lanes_layout, &lane->request) +
							 slot->block_bytes, cudaMemcpyHostToDevice,
							 lane->upload));
	return ENGINE_OK;
}

/* Queues the upload of a piece of each source that is not cached. */
static EngineStatus
upload_inputs(DeviceLane *lane, DeviceSlot *slot)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		const CacheUse *use = &lane->uses[i];
		PiecePart	part = part_of_piece(lane, slot, i);

		if (part.bytes == 0 || lane->direct || lane->reads_cached)
			continue;
		if (!use->has && !slot->in_blocks)
			TRY_CUDA(&lane->failure,
					 cudaMemcpyAsync(part.to, part.from, part.bytes,
									 cudaMemcpyHostToDevice, lane->upload));
		if (use->has && lane->operation->gathers)
			TRY_CUDA(&lane->failure,
					 cudaMemcpyAsync(part.to, use->memory + part.offset,
									 part.bytes, cudaMemcpyDeviceToDevice,
									 lane->upload));
	}
	if (slot->nblocks > 0)
		TRY_STATUS(upload_blocks(lane, slot));
	else
		TRY_STATUS(fill_cache(lane, slot, lane->upload));
	slot->turn = lane->turn++;
	lane->pushed += slot->count;
	return ENGINE_OK;
}

/*
 * Returns true if there is a next piece.  The session has filled its slot; if
 * all inputs are cached, it has copied the results that were in the slot.
 */
static bool
find_piece(DeviceLane *lane, DeviceSlot *slot, bool of_table)
{
	bool		filled = of_table || !lane->has_all;

	if (slot->state != DEVICE_SLOT_FREE || word_read(&slot->shared->state) !=
		(uint32_t) (filled ? LANE_SLOT_FILLED : LANE_SLOT_FREE))
		return false;
	slot->first = lane->pushed;
	slot->count = slot->shared->count;
	slot->nblocks = filled ? slot->shared->nblocks : 0;
	slot->block_bytes = slot->shared->block_bytes;
	slot->in_blocks = slot->nblocks > 0 && slot->shared->in_blocks;
	if (!filled)
		slot->count = most_of_next(lane);
	return true;
}

/* Queues the upload of the next piece, if there is one. */
EngineStatus
pipeline_take_piece(DeviceLane *lane, bool *moved)
{
	DeviceSlot *slot = slot_of(lane, lane->pieces);
	bool		of_table = lane->table_pushed < lane->request.table_bytes;

	if (!find_piece(lane, slot, of_table))
		return ENGINE_OK;
	if (!is_expected(lane, slot->count, of_table) ||
		!are_blocks_expected(lane, slot, of_table))
		return device_refused(&lane->failure, ENGINE_NOT_SUPPORTED,
							  "A piece of this length is not expected.");
	slot->uploaded = needs_upload(lane, of_table);
	if (slot->uploaded)
		TRY_CUDA(&lane->failure, cudaEventRecord(slot->upload.begin,
												 lane->upload));
	TRY_STATUS(of_table ? upload_table(lane, slot) : upload_inputs(lane, slot));
	if (slot->uploaded)
		TRY_CUDA(&lane->failure, cudaEventRecord(slot->upload.end,
												 lane->upload));
	slot->state = DEVICE_SLOT_UPLOADING;
	lane->pieces++;
	*moved = true;
	if (is_direct_whole(lane))
	{
		free_slot(lane, slot);	/* its input stays there */
		return ENGINE_OK;
	}
	if (!slot->uploaded && pipeline_is_queued(lane, lane->pieces - 1))
		return compute_piece(lane, slot);
	if (lanes_leased(lanes_shared, &lanes_layout) > 1 ||
		!pipeline_is_queued(lane, lane->pieces - 1))
		return ENGINE_OK;
	TRY_CUDA(&lane->failure, cudaStreamWaitEvent(kernel_stream(lane),
												 slot->upload.end, 0));
	return compute_piece(lane, slot);
}

/* Queues the download of results that are complete, a slot at a time. */
EngineStatus
pipeline_download(DeviceLane *lane, bool *moved)
{
	const DeviceResult *result = &lane->results[lane->downloading];
	int64_t		left = result->bytes - lane->downloaded;
	DeviceSlot *slot = slot_of(lane, lane->pieces);

	if (left == 0)
	{
		lane->downloading++;
		lane->downloaded = 0;
		*moved = true;
		return ENGINE_OK;
	}
	if (slot->state != DEVICE_SLOT_FREE)
		return ENGINE_OK;
	if (left > lanes_layout.slot_bytes &&
		(lane->stays == NULL || lane->downloading != 0))
		left = lanes_layout.slot_bytes;
	lane->pieces++;
	TRY_STATUS(download(lane, slot, result->from + lane->downloaded,
						lane->downloading, lane->downloaded, left));
	lane->downloaded += left;
	*moved = true;
	return ENGINE_OK;
}
