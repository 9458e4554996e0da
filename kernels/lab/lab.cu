/*
 * lab.cu
 *	  The table of the laboratory's algorithms.
 */
#include <cstring>

#include "contract/operations/compact.h"
#include "contract/operations/scan.h"
#include "contract/operations/sort.h"
#include "kernels/lab/lab.h"
#include "kernels/lab/lab_library.h"

/* To add a scan, add a row: compaction and split sort use the row's scan. */
const LabAlgorithm lab_algorithms[] = {
	{
		.name = "naive",
		.scan_scratch = naive_scan_scratch,
		.scan = naive_scan<int, long long>,
		.scan_flags = naive_scan<unsigned, unsigned>,
		.compact_scratch = flag_scratch,
		.compact = flag_compact,
		.sort_scratch = split_sort_scratch,
		.sort = split_sort
	},
	{
		.name = "work_efficient",
		.scan_scratch = work_efficient_scan_scratch,
		.scan = work_efficient_scan<int, long long>,
		.scan_flags = work_efficient_scan<unsigned, unsigned>,
		.compact_scratch = flag_scratch,
		.compact = flag_compact,
		.sort_scratch = split_sort_scratch,
		.sort = split_sort
	},
	{
		.name = "cub",
		.scan_scratch = cub_scan_scratch,
		.scan = cub_scan,
		.compact_scratch = cub_compact_scratch,
		.compact = cub_compact,
		.sort_scratch = cub_sort_scratch,
		.sort = cub_sort
	},
	{.name = NULL}
};

/* Returns the algorithm of a name, or NULL. */
const LabAlgorithm *
lab_find(const char *name)
{
	for (const LabAlgorithm *row = lab_algorithms; row->name != NULL; row++)
	{
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

/* Returns the algorithm that a request asks for. */
static const LabAlgorithm *
lab_requested(const EngineRequest *request)
{
	switch (request->algorithm)
	{
		case ALGORITHM_NAIVE:
			return lab_find("naive");
		case ALGORITHM_WORK_EFFICIENT:
			return lab_find("work_efficient");
		default:
			return lab_find("cub");
	}
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
	const LabAlgorithm *lab = lab_requested(request);
	int64_t		count = request->count;

	switch (request->operation)
	{
		case ENGINE_SCAN:
			return lab->scan_scratch(count, sizeof(long long),
									 &sizes->scratch);
		case ENGINE_COMPACT:
			return lab->compact_scratch(lab, count, &sizes->scratch);
		default:
			return lab->sort_scratch(lab, count, &sizes->scratch);
	}
}

/* Queues the work. */
static cudaError_t
lab_run(const DeviceWork *work)
{
	const EngineRequest *request = work->request;
	const LabAlgorithm *lab = lab_requested(request);
	int		   *in = (int *) work->in[0];
	int		   *sorted;

	switch (request->operation)
	{
		case ENGINE_SCAN:
			return lab->scan(work->stream, in, (long long *) work->out[0],
							 work->count, false, work->scratch);
		case ENGINE_COMPACT:
			return lab->compact(lab, work->stream, in, (int *) work->out[0],
								work->count, work->results, work->scratch);
		default:
			TRY(lab->sort(lab, work->stream, in, (int *) work->out[0],
						  work->count,
						  PARAMETERS(request, SortParameters)->descending ?
						  LAB_DESCENDING : LAB_ASCENDING, work->scratch,
						  &sorted));
			work->report->in_place = sorted == in;
			return cudaSuccess;
	}
}

/* Any operation, by the requested algorithm. */
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
