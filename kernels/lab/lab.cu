/*
 * lab.cu
 *	  The algorithms of the laboratory, a row each.
 */
#include <cstring>

#include "kernels.h"
#include "lab.h"

/*
 * To add a scan is to add a row: compaction and split sort are made of
 * whatever scan the row has.
 */
const LabAlgorithm lab_algorithms[] = {
	{
		"naive",
		naive_scan_scratch, naive_scan<int, long long>,
		naive_scan<unsigned, unsigned>,
		flag_scratch, flag_compact,
		split_sort_scratch, split_sort
	},
	{
		"work_efficient",
		work_efficient_scan_scratch, work_efficient_scan<int, long long>,
		work_efficient_scan<unsigned, unsigned>,
		flag_scratch, flag_compact,
		split_sort_scratch, split_sort
	},
	{
		"cub",
		cub_scan_scratch, cub_scan,
		NULL,
		cub_compact_scratch, cub_compact,
		cub_sort_scratch, cub_sort
	},
	{NULL}
};

/* The algorithm of that name, or NULL. */
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

/* The algorithm that a request asks for, or NULL. */
const LabAlgorithm *
lab_requested(const EngineRequest *request)
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

/* The textbooks' elements are integers. */
static bool
lab_supports(const EngineRequest *request)
{
	const EnginePredicate *predicate = &request->parameters.compact.predicate;

	if (request->kinds[0] != KIND_INT4)
		return false;
	switch (request->operation)
	{
		case ENGINE_SCAN:
			return request->parameters.scan.op == SCAN_ADD &&
				request->outputs[0].kind == KIND_INT8;
		case ENGINE_COMPACT:
			return !request->parameters.compact.masked &&
				!request->parameters.compact.positions &&
				predicate->outside && predicate->low == 0 &&
				predicate->span == 0;
		case ENGINE_SORT:
			return payload_size(request) == 0;
		default:
			return false;
	}
}

static cudaError_t
lab_sizes(const EngineRequest *request, DeviceSizes *sizes)
{
	const LabAlgorithm *lab = lab_requested(request);
	int64_t		count = request->count;

	TRY(whole_array_sizes(request, sizes));
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
lab_whole(const DeviceWork *work)
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
						  work->count, request->parameters.sort.descending ?
						  LAB_DESCENDING : LAB_ASCENDING, work->scratch,
						  &sorted));
			work->report->in_place = sorted == in;
			return cudaSuccess;
	}
}

/* Any operation, by the algorithm that is requested. */
const DeviceOperation gpu_lab = {
	true, false, lab_supports, 0, NULL, lab_sizes, NULL, NULL, lab_whole
};

const DeviceOperation gpu_lab_compact = {
	true, true, lab_supports, 0, NULL, lab_sizes, NULL, NULL, lab_whole
};
