/*
 * lab.cu
 *	  The choice of one of the laboratory's algorithms.
 */
#include "contract/operations/compact.h"
#include "contract/operations/scan.h"
#include "contract/operations/sort.h"
#include "kernels/lab/lab.h"
#include "kernels/lab/lab_library.h"

static const LabScan naive = {
	naive_scan_scratch, naive_scan<int, long long>,
	naive_scan<unsigned, unsigned>
};

static const LabScan work_efficient = {
	work_efficient_scan_scratch, work_efficient_scan<int, long long>,
	work_efficient_scan<unsigned, unsigned>
};

/* Returns the scan that a request asks for; NULL if that is CUB's. */
static const LabScan *
requested_scan(const EngineRequest *request)
{
	return request->algorithm == ALGORITHM_NAIVE ? &naive :
		request->algorithm == ALGORITHM_WORK_EFFICIENT ? &work_efficient :
		NULL;
}

/* The laboratory has only the integers of the textbooks. */
static bool
lab_supports(const EngineRequest *request)
{
	const EnginePredicate *predicate =
		&PARAMETERS(request, CompactParameters)->predicate;

	if (request->kinds[0] != KIND_INT4)
		return false;
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return PARAMETERS(request, ScanParameters)->op == SCAN_ADD &&
				request->outputs[0].kind == KIND_INT8;
		case ENGINE_COMPACT:
			return !PARAMETERS(request, CompactParameters)->masked &&
				!PARAMETERS(request, CompactParameters)->positions &&
				predicate->outside && (uint32_t) predicate->low == 0 &&
				predicate->span == 0;
		case ENGINE_SORT:
			return sort_payload_size(request) == 0;
		default:
			return false;
	}
}

static cudaError_t
lab_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	const LabScan *scan = requested_scan(request);
	int64_t		count = request->count;
	DeviceWork	work = {.request = request, .count = count};

	if (scan == NULL)
		return cub_run(&work, NULL, &sizes->scratch);
	sizes->scratch = request->operation == ENGINE_SCAN ?
		scan->scratch(count, sizeof(long long)) : flag_scratch(scan, count);
	return cudaSuccess;
}

static cudaError_t
lab_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	const LabScan *scan = requested_scan(request);
	int		   *in = (int *) work->in[0];
	int		   *out = (int *) work->out[0];
	size_t		bytes;

	if (scan == NULL)
	{
		TRY(cub_run(work, NULL, &bytes));
		return cub_run(work, work->scratch, &bytes);
	}
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return scan->sums(work->stream, in, (long long *) out, work->count,
							  false, work->scratch);
		case ENGINE_COMPACT:
			return flag_compact(scan, work->stream, in, out, work->count,
								work->results, work->scratch);
		default:
			work->report->in_place = true;
			return split_sort(scan, work->stream, in, out, work->count,
							  PARAMETERS(request, SortParameters)->descending ?
							  LAB_DESCENDING : LAB_ASCENDING, work->scratch);
	}
}

static const DeviceOperation lab_any = {
	.sizes = lab_sizes,
	.traits = TRAIT_CHANGES,
	.run = lab_run
};

static const DeviceOperation *
lab_operation(const EngineRequest *request)
{
	return lab_supports(request) ? &lab_any : NULL;
}

const LabLibrary gpucompact_lab = {
	.version = LANES_VERSION,
	.operation = lab_operation
};
