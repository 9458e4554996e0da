/*
 * download.cu
 *	  How a job's results get to the session, or to where they stay on the
 *	  device.
 *
 * They go through the lane's slots, a slot's bytes at a time: while the session
 * copies one, the next one is downloaded.  The results of a direct job are in
 * a slot already.
 */
#include "gpuprocess/job.h"

/* The number of results.  A single one is in the report. */
static int64_t
count_results(const DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;

	switch (operation_facts[request->operation].shape)
	{
		case RESULT_ONE:
			return 1;
		case RESULT_EACH:
			return request->count - request->absent;
		case RESULT_NONE:
			return 0;
		default:
			return lane->report->results;
	}
}

/*
 * Finds the results, when the work is done.  Results for which there is no
 * room are counted, too.
 */
void
download_begin(DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	const DeviceReport *report = lane->report;
	int64_t		has_room;

	lane->count = count_results(lane);
	has_room = lane->count < request->room ? lane->count : request->room;
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		if (!request->outputs[i].memory ||
			operation_facts[request->operation].shape == RESULT_ONE)
			continue;
		lane->results[i].from = lane->buffers[BUFFER_OUT + i] +
			request->absent * output_size(request, i);
		lane->results[i].bytes = has_room * output_size(request, i);
	}
	if (lane->first_out > 0)
		lane->results[0].from = lane->buffers[BUFFER_SECOND_OUT];
	if (report->in_place)
		lane->results[0].from = lane->sources[lane->first_out];
	if ((lane->traits & TRAIT_ERRORS) && report->errors.count == 0)
		return;
	lane->results[LANE_SUMMARY].from = lane->buffers[BUFFER_SUMMARY];
	lane->results[LANE_SUMMARY].bytes = request->summary_bytes;
}

void
download_end(DeviceLane *lane, DeviceSlot *slot)
{
	if (slot->stays)
	{
		slot_free(lane, slot);
		return;
	}
	slot->state = DEVICE_SLOT_HANDED_OVER;
	word_write(&slot->shared->state, LANE_SLOT_READY);
	doorbell_ring(&lane->shared->to_session);
}

/*
 * Queues the download of some results by way of a slot, or their copying to
 * where they stay, unless they are there already.
 */
static EngineStatus
download(DeviceLane *lane, DeviceSlot *slot, const char *from, int64_t bytes)
{
	cudaStream_t stream = lane->download;
	char	   *to = slot->stays ? lane->stays + lane->downloaded :
		slot->host_out;

	slot->shared->output = lane->downloading;
	slot->shared->offset = lane->downloaded;
	slot->shared->bytes = bytes;
	if (from == to)
	{
		download_end(lane, slot);
		return ENGINE_OK;
	}
	TRY_CUDA(&lane->failure, cudaEventRecord(slot->copy.begin, stream));
	TRY_CUDA(&lane->failure, cudaMemcpyAsync(to, from, bytes, slot->stays ?
											 cudaMemcpyDeviceToDevice :
											 cudaMemcpyDeviceToHost, stream));
	TRY_CUDA(&lane->failure, cudaEventRecord(slot->copy.end, stream));
	slot->state = DEVICE_SLOT_DOWNLOADING;
	return ENGINE_OK;
}

/* The elements of a piece that have no result. */
static int64_t
count_absent(const DeviceLane *lane, const DeviceSlot *slot)
{
	int64_t		absent = lane->request.absent - slot->first;

	return absent < 0 ? 0 : absent < slot->count ? absent : slot->count;
}

/*
 * Queues the download of a piece's results by way of its slot.  They are behind
 * the results of the piece before, if there is room for them.
 */
EngineStatus
download_part(DeviceLane *lane, DeviceSlot *slot)
{
	const EngineRequest *request = &lane->request;
	int			size = output_size(request, 0);
	bool		each = operation_facts[request->operation].shape == RESULT_EACH;
	int64_t		absent = each ? count_absent(lane, slot) : 0;
	int64_t		count = each ? slot->count - absent : *slot->results;
	int64_t		room = request->room - lane->downloaded / size;

	lane->report->results += count;
	if (count > room)
		count = room;
	if (count == 0)
	{
		slot_free(lane, slot);
		return ENGINE_OK;
	}
	slot->stays = false;
	TRY_STATUS(download(lane, slot, part_results(lane, slot) + absent * size,
						count * size));
	lane->downloaded += count * size;
	return ENGINE_OK;
}

/* Goes on with the download, if the next slot is free. */
EngineStatus
download_next(DeviceLane *lane, bool *moved)
{
	const DeviceResult *result = &lane->results[lane->downloading];
	int64_t		left = result->bytes - lane->downloaded;
	DeviceSlot *slot = slot_of(lane, lane->pieces);

	if (left > 0 && slot->state != DEVICE_SLOT_FREE)
		return ENGINE_OK;
	*moved = true;
	if (left == 0)
	{
		lane->downloading++;
		lane->downloaded = 0;
		return ENGINE_OK;
	}
	slot->stays = lane->stays != NULL && lane->downloading == 0;
	if (left > lanes_layout.slot_bytes && !slot->stays)
		left = lanes_layout.slot_bytes;
	lane->pieces++;
	TRY_STATUS(download(lane, slot, result->from + lane->downloaded, left));
	lane->downloaded += left;
	return ENGINE_OK;
}
