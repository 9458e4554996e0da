/*
 * engine.cu
 *	  The CUDA engine: how a job goes through it.
 *
 * A scan or a compaction is done piece by piece, as the pieces arrive: what a
 * piece needs of those before it stays on the device.  A sort gathers its keys
 * on the device, and goes on from there when they are complete; and so do the
 * algorithms of the laboratory, which know of no pieces.
 */
#include <cstring>

#include "device.h"
#include "lab/lab.h"

static EngineJob the_job;

/* The laboratory's algorithm for a request, or NULL. */
static const LabAlgorithm *
requested_lab(const EngineRequest *request)
{
	switch (request->algorithm)
	{
		case ALGORITHM_NAIVE:
			return lab_find("naive");
		case ALGORITHM_WORK_EFFICIENT:
			return lab_find("work_efficient");
		case ALGORITHM_CUB:
			return lab_find("cub");
		default:
			return NULL;
	}
}

/* Makes the device ready for the job. */
static EngineStatus
prepare(EngineJob *job)
{
	size_t		sizes[SESSION_BUFFERS] = {0};

	job->lab = requested_lab(&job->request);
	job->gathers = job->lab || job->request.operation == ENGINE_SORT;
	if (job->lab)
		TRY(lab_sizes(job, sizes));
	else if (job->gathers)
		sort_sizes(job, sizes);
	TRY(device_reserve(job, sizes));
	if (job->gathers && !job->lab)
		TRY(sort_begin(job));
	if (!job->gathers && job->request.operation == ENGINE_SCAN)
		TRY(scan_begin(job));
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

/* Queues the upload of a piece to where the whole array gathers. */
static EngineStatus
gather_piece(EngineJob *job, Slot *slot, const void *data, int64_t count)
{
	Session    *session = job->session;
	int		   *gathered = (int *) session->buffers[BUFFER_GATHERED].memory;
	int64_t		first = job->pushed;

	TRY(staging_upload(job, slot, data, gathered + first,
					   count * sizeof(int32_t)));
	TRY_CUDA(cudaEventRecord(slot->kernel.begin, session->compute));
	if (!job->lab)
		TRY(sort_piece(job, first, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.end, session->compute));
	slot->state = SLOT_UPLOADING;
	return ENGINE_OK;
}

/* Queues the work on a piece whose results go back at once. */
static EngineStatus
stream_piece(EngineJob *job, Slot *slot, const void *data, int64_t count)
{
	cudaStream_t stream = job->session->compute;

	TRY(staging_upload(job, slot, data, slot->device_in,
					   count * sizeof(int32_t)));
	TRY_CUDA(cudaEventRecord(slot->kernel.begin, stream));
	if (job->request.operation == ENGINE_SCAN)
		TRY(scan_piece(job, slot, count));
	else
		TRY(compact_piece(job, slot, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.end, stream));
	slot->state = SLOT_COMPUTING;
	return ENGINE_OK;
}

static EngineStatus
cuda_push(EngineJob *job, const void *data, int64_t count)
{
	Slot	   *slot = staging_next(job);

	job->pieces++;
	if (job->gathers)
		TRY(gather_piece(job, slot, data, count));
	else
		TRY(stream_piece(job, slot, data, count));
	job->pushed += count;
	return staging_advance(job);
}

/* Queues the work on the whole array, which has arrived. */
static EngineStatus
start_computing(EngineJob *job)
{
	Session    *session = job->session;

	staging_stop_prefaulting(job);
	TRY_CUDA(cudaEventRecord(session->compute_span.begin, session->compute));
	if (job->lab)
		TRY(lab_start(job));
	else
		TRY(sort_start(job));
	TRY_CUDA(cudaEventRecord(session->compute_span.end, session->compute));
	job->computing = true;
	return ENGINE_OK;
}

/* Looks whether the work on the whole array is done; ENGINE_MORE if not. */
static EngineStatus
finish_computing(EngineJob *job)
{
	const Span *span = &job->session->compute_span;
	cudaError_t error = cudaEventQuery(span->end);
	float		elapsed;

	if (error == cudaErrorNotReady)
		return ENGINE_MORE;
	TRY_CUDA(error);
	TRY_CUDA(cudaEventElapsedTime(&elapsed, span->begin, span->end));
	job->kernel_ms += elapsed;
	if (job->lab)
		lab_finish(job);
	else
		sort_finish(job);
	job->computed = true;
	return ENGINE_OK;
}

/* Downloads the result, a slot at a time. */
static EngineStatus
download_result(EngineJob *job)
{
	int64_t		left = job->result_bytes - job->written;
	Slot	   *slot;

	if (left == 0)
		return staging_drain(job);
	TRY(staging_make_room(job));
	slot = staging_next(job);
	job->pieces++;
	TRY(staging_download(job, slot, (char *) job->result + job->written,
						 left < (int64_t) SLOT_BYTES ? left : SLOT_BYTES));
	TRY(staging_advance(job));
	return ENGINE_MORE;
}

static EngineStatus
cuda_finish(EngineJob *job, EngineResult *result)
{
	if (!job->computing)
		TRY(staging_drain(job));
	if (job->gathers && !job->computing)
		TRY(start_computing(job));
	if (job->gathers && !job->computed)
		TRY(finish_computing(job));
	if (job->gathers)
		TRY(download_result(job));

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
