/*
 * choice.c
 *	  Which engine runs a call, and why.
 *
 * Under gpucompact.engine = auto each call goes where it is estimated to take
 * less time.  A session that has not used the GPU would first have to open it,
 * which takes longer than most calls.  So it is opened as one buys skis: when
 * renting has cost as much as buying, that is, when the time that the CPU has
 * lost so far in this session would have paid for it; or when one call alone
 * would lose as much.  Whatever the calls to come are, that costs at most
 * twice what it would to know them (Karlin et al., "Competitive snoopy
 * caching", 1988).
 */
#include "compat.h"

#include "access/parallel.h"
#include "utils/guc.h"

#include "engine/choice.h"
#include "engine/cuda_library.h"
#include "engine/status.h"
#include "settings.h"

/*
 * What a call costs: us for the call, ns for an element in the session's own
 * thread, and ns for an element in work that all threads share, if there are
 * enough elements for a team.
 */
typedef struct EngineCost
{
	double		call_us;
	double		own_ns;
	double		shared_ns;
	int64		team_count;
} EngineCost;

typedef struct OperationCost
{
	EngineCost	cpu;
	EngineCost	gpu;			/* once it is open */
} OperationCost;

/*
 * Fitted to calls in warm sessions on arrays of 2^10 to 2^26 elements, and on
 * texts of 61 kB to 100 MB, stored out of line and not compressed, by one and
 * four threads of an H200's host; bench/run measures them, and bench/results
 * has what it found.
 *
 * The fit is to be good where the engines are close.  A scan or a compaction
 * is a matter of memory: with results that fit into memory in use before, both
 * engines take less time than this says, the CPU the least; with large ones
 * they are about as fast.  So the GPU is charged some milliseconds for them.
 */
static const OperationCost operation_costs[ENGINE_OPERATIONS] = {
	[ENGINE_SCAN] = {
		.cpu = {1, 0.9, 3.4, 256 * 1024},
		.gpu = {3000, 1.3, 0, 0}
	},
	[ENGINE_REDUCE] = {
		.cpu = {1, 0.9, 0.6, 256 * 1024},
		.gpu = {150, 1.0, 0, 0}
	},
	[ENGINE_DELTA] = {
		.cpu = {1, 1.0, 1.4, 256 * 1024},
		.gpu = {2000, 1.4, 0, 0}
	},
	[ENGINE_COMPACT] = {
		.cpu = {1, 1.0, 1.4, 256 * 1024},
		.gpu = {2000, 1.4, 0, 0}
	},
	[ENGINE_SORT] = {
		.cpu = {1, 1.5, 17.0, 256 * 1024},
		.gpu = {100, 1.6, 0, 0}
	},
	[ENGINE_DISTINCT] = {
		.cpu = {1, 1.5, 17.0, 256 * 1024},
		.gpu = {100, 1.6, 0, 0}
	},
	[ENGINE_RUNS] = {
		.cpu = {1, 1.0, 1.4, 256 * 1024},
		.gpu = {2000, 1.4, 0, 0}
	},
	[ENGINE_COPY] = {
		.cpu = {1, 1.0, 1.4, 256 * 1024},
		.gpu = {2000, 1.4, 0, 0}
	},
	[ENGINE_UTF8_DECODE] = {
		.cpu = {1, 0.3, 1.0, 1024 * 1024},
		.gpu = {100, 0.45, 0, 0}
	},
	[ENGINE_UTF8_REPAIR] = {
		.cpu = {1, 0.2, 0.4, 1024 * 1024},
		.gpu = {80, 0.3, 0, 0}
	},
	[ENGINE_UTF8_ERRORS] = {
		.cpu = {1, 0.2, 0.3, 1024 * 1024},
		.gpu = {60, 0.3, 0, 0}
	},
	[ENGINE_UTF8_VALIDATE] = {
		.cpu = {1, 0.2, 0.3, 1024 * 1024},
		.gpu = {60, 0.3, 0, 0}
	},
	[ENGINE_UTF8_ENCODE] = {
		.cpu = {1, 0.9, 0.8, 256 * 1024},
		.gpu = {150, 0.95, 0, 0}
	},
};

/* Opening the GPU in a session. */
#define OPENING_US		330000.0

static int	open_gpu = -1;		/* on which a call has run, the last one */
static int	absent_gpu = -1;	/* which there is not, as it turned out */
static char gpu_refusal[512];	/* why the last call there was refused */
static double lost_us = 0;		/* by calls on the CPU since then */

static double
estimate(const EngineCost *cost, const EngineRequest *request)
{
	int			threads = request->count < cost->team_count ?
		1 : request->threads;

	return cost->call_us + request->count / 1000.0 *
		(cost->own_ns + cost->shared_ns / threads);
}

/* The engine as set, or as the algorithm that is set implies. */
static EngineSetting
wanted_engine(void)
{
	EngineSetting implied;

	if (setting_algorithm == ALGORITHM_AUTO)
		return setting_engine;
	implied = setting_algorithm == ALGORITHM_SEQUENTIAL ||
		setting_algorithm == ALGORITHM_PARALLEL ? ENGINE_CPU : ENGINE_CUDA;
	if (setting_engine != implied &&
		(setting_engine == ENGINE_CPU || setting_engine == ENGINE_CUDA))
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("algorithm \"%s\" does not run on engine \"%s\"",
						GetConfigOption("gpucompact.algorithm", false, false),
						GetConfigOption("gpucompact.engine", false, false)),
				 errhint("Set \"gpucompact.engine\" to \"auto\".")));
	return implied;
}

static const Engine *
engine_by_setting(EngineSetting wanted)
{
	const CudaLibrary *library;

	if (wanted == ENGINE_CPU)
		return &cpu_engine;
	library = cuda_library();
	if (library->engine == NULL)
		raise_status(library->status, library->why_not);
	return library->engine;
}

/*
 * The engine for a call, whose count and threads are known, on an array with
 * that many elements.
 *
 * Raises 55000 if it is set to be one that there is not, and 58000 if it is
 * set to be one whose device has failed.
 */
Choice
choose_engine(const EngineRequest *request, int64 elements)
{
	const OperationCost *cost = &operation_costs[request->operation];
	Choice		choice = {&cpu_engine, CHOSEN_BY_SETTING, elements};
	EngineSetting wanted = wanted_engine();
	const CudaLibrary *library;
	double		loss;

	if (setting_algorithm != ALGORITHM_AUTO)
		choice.reason = CHOSEN_BY_ALGORITHM;
	if (wanted == ENGINE_CPU || wanted == ENGINE_CUDA)
	{
		choice.engine = engine_by_setting(wanted);
		return choice;
	}
	if (IsParallelWorker())
	{
		choice.reason = CHOSEN_IN_WORKER;
		return choice;
	}
	if (!cuda_library_installed())
	{
		choice.reason = CHOSEN_WITHOUT_LIBRARY;
		return choice;
	}

	choice.cpu_us = estimate(&cost->cpu, request);
	if (wanted == ENGINE_AUTO)
		choice.gpu_us = estimate(&cost->gpu, request);
	choice.reason = CHOSEN_BY_COST;
	loss = choice.cpu_us - choice.gpu_us;
	if (loss <= 0)
		return choice;

	if (wanted == ENGINE_AUTO && open_gpu != setting_device &&
		absent_gpu != setting_device)
	{
		choice.lost_us = lost_us;
		if (Max(lost_us, loss) < OPENING_US)
		{
			lost_us += loss;
			choice.reason = CHOSEN_UNOPENED;
			return choice;
		}
	}
	library = cuda_library();
	choice.why_not = library->engine == NULL ? library->why_not : gpu_refusal;
	if (library->engine == NULL || absent_gpu == setting_device)
		choice.reason = CHOSEN_WITHOUT_GPU;
	else
		choice.engine = library->engine;
	return choice;
}

/* To be told when the chosen engine has begun a job. */
void
choice_begun(const Choice *choice)
{
	if (choice->engine != &cpu_engine && open_gpu != setting_device)
	{
		open_gpu = setting_device;
		lost_us = 0;
	}
}

/*
 * To be told when the GPU has failed to do a job.  True means that the choice
 * is now the CPU, which is to do it from the beginning.
 *
 * Without memory for a job, the GPU may have it for the next.  But it is not
 * opened again for that before it would once more have paid for its opening.
 */
bool
choice_failed(Choice *choice, EngineStatus status)
{
	const char *why_not = choice->engine->message();
	bool		by_cost = choice->reason == CHOSEN_BY_COST;

	switch (status)
	{
		case ENGINE_NOT_SUPPORTED:
			break;
		case ENGINE_NO_DEVICE:
			absent_gpu = setting_device;
			break;
		case ENGINE_OUT_OF_MEMORY:
			if (open_gpu != setting_device)
				lost_us = 0;
			break;
		case ENGINE_DEVICE_FAILED:
			cuda_library_lost(setting_device, why_not);
			if (by_cost)
				ereport(WARNING,
						(errcode(ERRCODE_SYSTEM_ERROR),
						 errmsg("the GPU has failed"),
						 errdetail_internal("%s", why_not),
						 errhint("This session runs on the CPU from now on.  "
								 "Only a new one may use the GPU again.")));
			break;
		default:
			return false;		/* an engine must not say that */
	}
	if (by_cost)
	{
		strlcpy(gpu_refusal, why_not, sizeof(gpu_refusal));
		choice->why_not = gpu_refusal;
		choice->engine = &cpu_engine;
		choice->reason = CHOSEN_WITHOUT_GPU;
	}
	return by_cost;
}

/* A number of microseconds, to two digits, in the unit that suits it. */
static void
append_time(StringInfo text, double us)
{
	if (us < 1000)
		appendStringInfo(text, "%.*f us", us < 10 ? 1 : 0, us);
	else
		appendStringInfo(text, "%.*f ms", us < 10000 ? 1 : 0, us / 1000);
}

/* A number with commas between its groups of three digits. */
static void
append_count(StringInfo text, int64 count)
{
	if (count >= 1000)
	{
		append_count(text, count / 1000);
		appendStringInfo(text, ",%03d", (int) (count % 1000));
	}
	else
		appendStringInfo(text, "%d", (int) count);
}

/* Why the engine was chosen. */
char *
choice_in_words(const Choice *choice)
{
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s: ", choice->engine->name);
	if (choice->reason == CHOSEN_BY_SETTING)
		appendStringInfoString(&text, "as gpucompact.engine says");
	else if (choice->reason == CHOSEN_BY_ALGORITHM)
		appendStringInfoString(&text, "as gpucompact.algorithm says");
	else if (choice->reason == CHOSEN_IN_WORKER)
		appendStringInfoString(&text, "in a parallel worker");
	else if (choice->reason == CHOSEN_WITHOUT_LIBRARY)
		appendStringInfoString(&text, "no GPU library installed");
	else
	{
		append_count(&text, choice->elements);
		appendStringInfoString(&text, " elements, estimated cpu ");
		append_time(&text, choice->cpu_us);
		appendStringInfoString(&text, ", gpu ");
		append_time(&text, choice->gpu_us);
	}
	if (choice->reason == CHOSEN_UNOPENED)
	{
		appendStringInfoString(&text, " and ");
		append_time(&text, OPENING_US);
		appendStringInfoString(&text, " to open it, lost before ");
		append_time(&text, choice->lost_us);
	}
	if (choice->reason == CHOSEN_WITHOUT_GPU)
		appendStringInfo(&text, ", but not there: %s", choice->why_not);
	return text.data;
}
