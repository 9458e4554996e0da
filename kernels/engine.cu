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

/* By EngineOperation. */
static const DeviceOperation *const operations[ENGINE_OPERATIONS] = {
	&device_scan, &device_reduce, &device_delta, &device_compact,
	&device_sort, &device_distinct, &device_runs, &device_copy,
	&device_utf8, &device_utf8, &device_utf8, &device_utf8,
	&device_utf8_encode
};

/* The same, asked for as ALGORITHM_SINGLE_PASS; NULL where there is none. */
static const DeviceOperation *const single_pass[ENGINE_OPERATIONS] = {
	&device_whole_scan, NULL, &device_delta, &device_whole_compact,
	&device_sort, &device_distinct, &device_runs, &device_copy,
	&device_utf8, &device_utf8, &device_utf8, &device_utf8,
	&device_utf8_encode
};

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

/* How a request is done by the algorithm that it names. */
static EngineStatus
find_operation(EngineJob *job)
{
	const EngineRequest *request = &job->request;

	job->lab = requested_lab(request);
	job->operation = job->lab ? &device_lab :
		request->algorithm == ALGORITHM_SINGLE_PASS ?
		single_pass[request->operation] : operations[request->operation];
	if (job->operation == NULL)
		return not_supported("This algorithm does not know the operation.");
	return ENGINE_OK;
}

/*
 * How many elements a slot has room for, in and out.  Of UTF-8, a piece also
 * makes something of what is left of the one before, and is ended by a zero.
 */
static int64_t
slot_capacity(const EngineJob *job)
{
	const EngineRequest *request = &job->request;
	int			in = job->input_sizes[0] + job->input_sizes[1];
	int			out = job->result_size * most_results(request);
	int			bytes = in > out ? in : out;
	size_t		apart = reads_utf8(request->operation) ? 16 : 0;

	return (SLOT_BYTES - apart) / bytes / PIECE_MULTIPLE * PIECE_MULTIPLE;
}

/* Bytes of room for the result; where that is not said, there is enough. */
static int64_t
result_room(const EngineJob *job)
{
	const EngineRequest *request = &job->request;

	return reads_utf8(request->operation) ||
		request->operation == ENGINE_UTF8_ENCODE ?
		request->room * job->result_size : INT64_MAX;
}

/* Makes the device ready for the job. */
static EngineStatus
prepare(EngineJob *job)
{
	size_t		sizes[SESSION_BUFFERS] = {0};

	TRY(find_operation(job));
	input_sizes(&job->request, job->input_sizes);
	job->result_size = result_size(&job->request);
	job->capacity = slot_capacity(job);
	job->room = result_room(job);
	memset(job->session->overflow, 0, OVERFLOWS * sizeof(int));
	if (job->operation->sizes)
		TRY(job->operation->sizes(job, sizes));
	TRY(device_reserve(job, sizes));
	if (job->operation->begin)
		TRY(job->operation->begin(job));
	return ENGINE_OK;
}

/*
 * Leaves the session as it was before the job, but for what is in flight still
 * after a while.
 */
static void
leave_session(EngineJob *job)
{
	Session    *session = job->session;

	session->busy = !job->finished;
	if (!session->lost)
		(void) device_settle(session, END_NS);
}

static EngineStatus
begin_job(const EngineRequest *request)
{
	EngineJob  *job = &the_job;
	Session    *session;
	EngineStatus status;

	TRY(device_open(request, &session));
	memset(job, 0, sizeof(*job));
	job->request = *request;
	job->session = session;
	status = prepare(job);
	if (status == ENGINE_OK)
		staging_start_team(job);
	else
		leave_session(job);
	return status;
}

/* Says where the next piece goes, once there is room for it. */
static EngineStatus
offer_slot(EngineJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	TRY(staging_make_room(job));
	for (int i = 0; i < ENGINE_INPUTS; i++)
		buffers[i] = staging_input(job, staging_next(job)->host_in, i);
	*capacity = job->capacity;
	return ENGINE_OK;
}

/* Queues the upload of a piece to where the whole array gathers. */
static EngineStatus
gather_piece(EngineJob *job, Slot *slot, const void *const *data,
			 int64_t count)
{
	static const SessionBuffer gathers[] = {BUFFER_GATHERED, BUFFER_SECOND};
	Session    *session = job->session;
	void	   *to[ENGINE_INPUTS];

	for (int i = 0; i < ENGINE_INPUTS; i++)
		to[i] = (char *) session->buffers[gathers[i]].memory +
			job->pushed * job->input_sizes[i];
	TRY(staging_upload(job, slot, data, to, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.begin, session->compute));
	if (job->operation->piece)
		TRY(job->operation->piece(job, slot, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.end, session->compute));
	slot->state = SLOT_UPLOADING;
	return ENGINE_OK;
}

/* Queues the work on a piece whose results go back at once. */
static EngineStatus
stream_piece(EngineJob *job, Slot *slot, const void *const *data,
			 int64_t count)
{
	cudaStream_t stream = job->session->compute;
	void	   *to[ENGINE_INPUTS];

	for (int i = 0; i < ENGINE_INPUTS; i++)
		to[i] = staging_input(job, slot->device_in, i);
	TRY(staging_upload(job, slot, data, to, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.begin, stream));
	slot->counted = false;
	TRY(job->operation->piece(job, slot, count));
	TRY_CUDA(cudaEventRecord(slot->kernel.end, stream));
	slot->state = SLOT_COMPUTING;
	return ENGINE_OK;
}

static EngineStatus
push_piece(EngineJob *job, const void *const data[ENGINE_INPUTS],
		   int64_t count)
{
	Slot	   *slot = staging_next(job);

	job->pieces++;
	if (job->operation->gathers)
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
	TRY(job->operation->start(job));
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
	TRY(job->operation->finish(job));
	job->computed = true;
	return ENGINE_OK;
}

/* Downloads the results of a gathered array, a slot at a time. */
static EngineStatus
download_results(EngineJob *job)
{
	const DeviceResult *result = &job->results[job->downloading];
	int64_t		left = result->bytes - job->downloaded;
	Slot	   *slot;

	if (left == 0 && job->downloading == JOB_RESULTS - 1)
		return staging_drain(job);
	if (left == 0)
	{
		job->downloading++;
		job->downloaded = 0;
		return ENGINE_MORE;
	}
	if (left > (int64_t) SLOT_BYTES)
		left = SLOT_BYTES;
	TRY(staging_make_room(job));
	slot = staging_next(job);
	job->pieces++;
	TRY(staging_download(job, slot, (char *) result->from + job->downloaded,
						 (char *) result->to + job->downloaded, left));
	job->downloaded += left;
	TRY(staging_advance(job));
	return ENGINE_MORE;
}

/* The whole array is there, or is being worked on, or has been. */
static EngineStatus
finish_gathered(EngineJob *job)
{
	if (!job->computing)
	{
		TRY(staging_drain(job));
		TRY(start_computing(job));
	}
	if (!job->computed)
		TRY(finish_computing(job));
	TRY(download_results(job));
	job->written = job->results[0].bytes;
	return ENGINE_OK;
}

static EngineStatus
finish_streamed(EngineJob *job)
{
	TRY(staging_drain(job));
	if (job->operation->finish)
		TRY(job->operation->finish(job));
	return ENGINE_OK;
}

/* If any result overflows upwards, that is what the job says. */
static EngineOverflow
job_overflow(const EngineJob *job)
{
	const int  *overflow = job->session->overflow;

	return overflow[OVERFLOW_UP] ? OVERFLOW_UP :
		overflow[OVERFLOW_DOWN] ? OVERFLOW_DOWN : OVERFLOW_NONE;
}

static EngineStatus
finish_job(EngineJob *job, EngineResult *result)
{
	if (job->operation->gathers)
		TRY(finish_gathered(job));
	else
		TRY(finish_streamed(job));
	job->finished = true;
	result->count = job->written / job->result_size;
	result->overflow = job_overflow(job);
	result->errors = job->errors;
	result->first_error = job->first_error;
	result->upload_ms = job->upload_ms;
	result->kernel_ms = job->kernel_ms;
	result->download_ms = job->download_ms;
	result->result_ms = job->copy_ns / 1e6;
	return ENGINE_OK;
}

/*
 * The engine, as the host sees it: no signal is handled while CUDA is at work,
 * nor by a thread that it starts meanwhile.
 */

static EngineStatus
cuda_begin(const EngineRequest *request, EngineJob **job)
{
	sigset_t	before = block_signals();
	EngineStatus status = begin_job(request);

	restore_signals(before);
	*job = &the_job;
	return status;
}

static EngineStatus
cuda_buffer(EngineJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	sigset_t	before = block_signals();
	EngineStatus status = offer_slot(job, buffers, capacity);

	restore_signals(before);
	return status;
}

static EngineStatus
cuda_push(EngineJob *job, const void *const data[ENGINE_INPUTS],
		  int64_t count)
{
	sigset_t	before = block_signals();
	EngineStatus status = push_piece(job, data, count);

	restore_signals(before);
	return status;
}

static EngineStatus
cuda_finish(EngineJob *job, EngineResult *result)
{
	sigset_t	before = block_signals();
	EngineStatus status = finish_job(job, result);

	restore_signals(before);
	return status;
}

static void
cuda_end(EngineJob *job)
{
	sigset_t	before = block_signals();

	staging_abandon(job);
	leave_session(job);
	restore_signals(before);
}

static EngineStatus
cuda_devices(EngineDevice *devices, int capacity, int *count)
{
	sigset_t	before = block_signals();
	EngineStatus status = device_list(devices, capacity, count);

	restore_signals(before);
	return status;
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
	cuda_devices,
	device_message,
	device_idle,
};
