/*
 * engine.cu
 *	  The CUDA engine: how a job goes through it.
 *
 * A scan or a compaction is done piece by piece, as the pieces arrive: what a
 * piece needs of those before it stays on the device.  A sort gathers its keys
 * on the device, and goes on from there when they are complete.
 */
#include <cstring>

#include "device.h"

static EngineJob the_job;

/* Makes the device ready for the job. */
static EngineStatus
prepare(EngineJob *job)
{
	size_t		sizes[SESSION_BUFFERS] = {0};

	if (job->request.operation == ENGINE_SORT)
		sort_sizes(job, sizes);
	TRY(device_reserve(job, sizes));
	if (job->request.operation == ENGINE_SCAN)
		TRY(scan_begin(job));
	if (job->request.operation == ENGINE_SORT)
		TRY(sort_begin(job));
	return ENGINE_OK;
}

static EngineStatus
cuda_begin(const EngineRequest *request, EngineJob **job)
{
	EngineJob  *self = &the_job;
	Session    *session;
	EngineStatus status;

	TRY(device_open(request->device, &session));
	memset(self, 0, sizeof(*self));
	self->request = *request;
	self->session = session;
	status = prepare(self);
	if (status == ENGINE_OK)
		staging_start_team(self);
	else
		device_shrink(session);
	*job = self;
	return status;
}

static EngineStatus
cuda_buffer(EngineJob *job, void **buffer, int64_t *capacity)
{
	TRY(staging_make_room(job));
	*buffer = staging_next(job)->host_in;

	/* The results of a piece must fit into its slot, too. */
	*capacity = SLOT_BYTES / (job->request.operation == ENGINE_SCAN ?
							  sizeof(int64_t) : sizeof(int32_t));
	return ENGINE_OK;
}

static EngineStatus
cuda_push(EngineJob *job, const void *data, int64_t count)
{
	Slot	   *slot = staging_next(job);
	size_t		bytes = count * sizeof(int32_t);
	int64_t		first = job->pushed;

	job->pieces++;
	job->pushed += count;
	if (job->request.operation == ENGINE_SORT)
	{
		int		   *keys = (int *) job->session->buffers[BUFFER_KEYS].memory;

		TRY(staging_upload(job, slot, data, keys + first, bytes));
		TRY(sort_piece(job, slot, first, count));
	}
	else
	{
		TRY(staging_upload(job, slot, data, slot->device_in, bytes));
		if (job->request.operation == ENGINE_SCAN)
			TRY(scan_piece(job, slot, count));
		else
			TRY(compact_piece(job, slot, count));
	}
	return staging_advance(job);
}

/* Downloads the sorted keys, a slot at a time. */
static EngineStatus
download_keys(EngineJob *job)
{
	int64_t		left = job->request.count * (int64_t) sizeof(int32_t) -
		job->written;
	Slot	   *slot;

	if (left == 0)
		return staging_drain(job);
	TRY(staging_make_room(job));
	slot = staging_next(job);
	job->pieces++;
	TRY(staging_download(job, slot, (char *) job->keys + job->written,
						 left < (int64_t) SLOT_BYTES ? left : SLOT_BYTES));
	TRY(staging_advance(job));
	return ENGINE_MORE;
}

static EngineStatus
cuda_finish(EngineJob *job, EngineResult *result)
{
	if (job->request.operation != ENGINE_SORT)
		TRY(staging_drain(job));
	else if (job->sorted)
		TRY(download_keys(job));
	else
	{
		TRY(staging_drain(job));
		staging_stop_prefaulting(job);
		TRY(sort_keys(job));
		job->sorted = true;
		return ENGINE_MORE;
	}

	result->count = job->written / (job->request.operation == ENGINE_SCAN ?
									sizeof(int64_t) : sizeof(int32_t));
	result->upload_ms = job->upload_ms;
	result->kernel_ms = job->kernel_ms;
	result->download_ms = job->download_ms;
	result->result_ms = job->copy_ns / 1e6;
	return ENGINE_OK;
}

static void
cuda_end(EngineJob *job)
{
	staging_abandon(job);
	device_shrink(job->session);
}

extern "C" __attribute__((visibility("default")))
const Engine gpucompact_engine = {
	ENGINE_API_VERSION,
	"cuda",
	cuda_begin,
	cuda_buffer,
	cuda_push,
	cuda_finish,
	cuda_end,
	device_list,
	device_message,
};
