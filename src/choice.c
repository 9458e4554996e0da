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
#include "utils/memutils.h"

#include "choice.h"
#include "cuda_library.h"
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
 * Fitted to calls in warm sessions on arrays of 2^10 to 2^26 elements, stored
 * out of line and not compressed, by one and four threads of an H200's host;
 * bench/run measures them, and bench/results has what it found.
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
		.gpu = {3000, 1.3, 0, 0}
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
};

/* Opening the GPU in a session. */
#define OPENING_US		330000.0

static bool gpu_open = false;	/* has a call run on the GPU? */
static char *gpu_failure = NULL;	/* why none ever will */
static char gpu_refusal[256];	/* why the last one to be refused did not */
static double lost_us = 0;		/* by calls on the CPU until now */

static double
estimate(const EngineCost *cost, const EngineRequest *request)
{
	int			threads = request->count < cost->team_count ?
		1 : request->threads;

	return cost->call_us + request->count / 1000.0 *
		(cost->own_ns + cost->shared_ns / threads);
}

/* No call of this session will run on the GPU. */
static void
give_up_gpu(const char *why)
{
	gpu_failure = MemoryContextStrdup(TopMemoryContext, why);
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
	if (setting_engine != ENGINE_AUTO && setting_engine != implied)
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
	const Engine *engine = &cpu_engine;
	const char *why_not;

	if (wanted == ENGINE_CUDA)
	{
		engine = cuda_engine(&why_not);
		if (engine == NULL)
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("cannot run on a GPU"),
					 errdetail_internal("%s", why_not),
					 errhint("Set \"gpucompact.engine\" to \"auto\" or "
							 "\"cpu\" to run on the CPU.")));
	}
	return engine;
}

/*
 * The engine for a call, whose count and threads are known.
 *
 * Raises 55000 if it is set to be one that there is not.
 */
Choice
choose_engine(const EngineRequest *request)
{
	const OperationCost *cost = &operation_costs[request->operation];
	Choice		choice = {&cpu_engine, CHOSEN_BY_SETTING, request->count};
	EngineSetting wanted = wanted_engine();
	const char *why_not;
	double		loss;

	if (setting_algorithm != ALGORITHM_AUTO)
		choice.reason = CHOSEN_BY_ALGORITHM;
	if (wanted != ENGINE_AUTO)
	{
		choice.engine = engine_by_setting(wanted);
		return choice;
	}
	if (IsParallelWorker())
	{
		choice.reason = CHOSEN_IN_WORKER;
		return choice;
	}

	choice.cpu_us = estimate(&cost->cpu, request);
	choice.gpu_us = estimate(&cost->gpu, request);
	choice.reason = CHOSEN_BY_COST;
	loss = choice.cpu_us - choice.gpu_us;
	if (loss <= 0)
		return choice;

	if (gpu_failure == NULL && !gpu_open)
	{
		choice.lost_us = lost_us;
		if (Max(lost_us, loss) < OPENING_US)
		{
			lost_us += loss;
			choice.reason = CHOSEN_UNOPENED;
			return choice;
		}
		if (cuda_engine(&why_not) == NULL)
			give_up_gpu(why_not);
	}
	if (gpu_failure != NULL)
	{
		choice.reason = CHOSEN_WITHOUT_GPU;
		return choice;
	}
	choice.engine = cuda_engine(&why_not);
	return choice;
}

/* To be told when the chosen engine has begun a job. */
void
choice_begun(const Choice *choice)
{
	if (choice->engine != &cpu_engine)
		gpu_open = true;
}

/*
 * To be told when the chosen engine could not begin a job.  True means that
 * the choice is now another engine, which is to be tried instead.
 */
bool
choice_failed(Choice *choice, EngineStatus status)
{
	if (choice->reason == CHOSEN_BY_SETTING ||
		choice->reason == CHOSEN_BY_ALGORITHM || choice->engine == &cpu_engine)
		return false;
	strlcpy(gpu_refusal, choice->engine->message(), sizeof(gpu_refusal));
	if (status != ENGINE_OUT_OF_MEMORY)
		give_up_gpu(gpu_refusal);
	choice->engine = &cpu_engine;
	choice->reason = CHOSEN_WITHOUT_GPU;
	return true;
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
	else
	{
		append_count(&text, choice->count);
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
		appendStringInfo(&text, ", but not there: %s",
						 gpu_failure ? gpu_failure : gpu_refusal);
	return text.data;
}
