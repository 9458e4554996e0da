/*
 * choice.c
 *	  The engines of this session; which one runs a call, and why.
 *
 * Under gpucompact.engine = auto each call runs where its estimated cost is
 * the least, the wait for a lane of a GPU process included.  If the process
 * does not run yet, it is requested, and the CPU runs the call.
 */
#include "compat.h"

#include <unistd.h>

#include "miscadmin.h"
#include "port/pg_bitutils.h"
#include "storage/latch.h"
#include "utils/guc.h"
#include "utils/wait_event.h"

#include "call/choice.h"
#include "settings.h"

/* How often to look whether a GPU process has come up. */
#define LOOK_MS		5

const Engine *const session_engines[ENGINES] = {
	[ENGINE_CPU] = &cpu_engine,
	[ENGINE_CUDA] = &gpu_engine
};
EngineContext *session_contexts[ENGINES];

/* Opens an engine that is used for the first time. */
EngineContext *
session_open(int engine)
{
	session_contexts[engine] = session_engines[engine]->open();
	if (session_contexts[engine] == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OUT_OF_MEMORY), errmsg("out of memory")));
	return session_contexts[engine];
}

/*
 * Returns GPU_READY if a job can run on the GPU now.  Otherwise requests the
 * missing process and, if "wait", waits while it starts.
 */
GpuState
session_gpu_state(bool wait, const char **why_not)
{
	EngineContext *context = session_context(ENGINE_CUDA);
	GpuState	state;

	while ((state = gpu_process_state(context, setting_device,
									  why_not)) == GPU_STARTING && wait)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT |
						 WL_EXIT_ON_PM_DEATH, LOOK_MS, gpu_wait_event());
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
	}
	return state;
}

/* The machine's processors. */
int
session_processors(void)
{
	static int	processors = 0;

	if (processors == 0)
		processors = Max(1, (int) sysconf(_SC_NPROCESSORS_ONLN));
	return processors;
}

static char refusal[512];		/* why an engine refused the last call */

/* The engine that an algorithm belongs to, as a value of the setting. */
static const int algorithm_engines[] = {
	[ALGORITHM_AUTO] = ENGINE_AUTO,
	[ALGORITHM_SEQUENTIAL] = ENGINE_CPU,
	[ALGORITHM_PARALLEL] = ENGINE_CPU,
	[ALGORITHM_NAIVE] = ENGINE_CUDA,
	[ALGORITHM_WORK_EFFICIENT] = ENGINE_CUDA,
	[ALGORITHM_SINGLE_PASS] = ENGINE_CUDA,
	[ALGORITHM_CUB] = ENGINE_CUDA
};

/* The engine that the settings name, or that the algorithm implies. */
static int
wanted_engine(void)
{
	int			implied = algorithm_engines[setting_algorithm];

	if (implied == ENGINE_AUTO)
		return setting_engine;
	if (setting_engine >= 0 && setting_engine != implied)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("algorithm \"%s\" does not run on engine \"%s\"",
						GetConfigOption("gpucompact.algorithm", false, false),
						GetConfigOption("gpucompact.engine", false, false)),
				 errhint("Set \"gpucompact.engine\" to \"auto\".")));
	return implied;
}

/* Returns whether calls keep all processors at work. */
static bool
is_saturated(void)
{
	return gpu_engine_busy_threads(session_context(ENGINE_CUDA)) >=
		session_processors();
}

/*
 * The cost of the next steps of a chain, if an engine has the result of a
 * request.  A step that the engine does not support is done on the CPU.  An
 * earlier step may leave fewer elements; how many is unknown.
 */
static double
next_cost_us(int engine, const EngineRequest *request, const NextStep *step)
{
	EngineContext *context = session_context(engine);
	ElementKind kind = request->outputs[0].kind;
	double		sum = 0;

	for (; step != NULL; step = step->next)
	{
		EngineRequest next = {
			.operation = step->operation,
			.count = request->count,
			.inputs = 1,
			.kinds[0] = kind,
			.residents[0] = engine != ENGINE_CPU,
			.outputs[0].kind = step->kind,
			.stays = step->next != NULL,
			.threads = request->threads
		};
		double		cost;

		kind = step->kind;
		if (step->operation < 0)
			continue;
		cost = context->engine->cost_us(context, &next, false);
		sum += cost >= 0 ? cost : request_cost_us(&next, ENGINE_CPU);
	}
	return sum;
}

/*
 * For smaller arrays, neither the elements nor other calls are looked at, as
 * that would take too much of the call's time.
 */
#define MIN_LOOKED_AT	4096

/*
 * The engine of the least cost, for a call and the calls of a chain that use
 * its result.  While processors are free, the cost is the time of the call.
 * While all are at work, the cost is the time that processors spend on the
 * call: a call that waits for a lane leaves them to other calls.
 */
static int
cheapest_engine(Choice *choice, const EngineRequest *request,
				const NextStep *next)
{
	bool		saturated = request->count >= MIN_LOOKED_AT && is_saturated();
	EngineRequest alone = *request;
	int			cheapest = ENGINE_CPU;

	alone.threads = 1;
	for (int i = 0; i < ENGINES; i++)
	{
		EngineContext *context = session_context(i);
		double		cost =
			context->engine->cost_us(context, saturated ? &alone : request,
									 !saturated);

		if (cost >= 0 && request->stays && !request->temporary)
			cost += next_cost_us(i, saturated ? &alone : request, next);
		if (setting_engine == ENGINE_EAGER && cost >= 0 && i != ENGINE_CPU)
			cost = 0;
		choice->cost_us[i] = cost;
		if (cost >= 0 && cost < choice->cost_us[cheapest])
			cheapest = i;
	}
	return cheapest;
}

/* Connects to a running GPU process, so that its cache can be consulted. */
static void
meet_gpu(const EngineRequest *request)
{
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		if (request->identities[i] == NULL)
			continue;
		gpu_process_meet(session_context(ENGINE_CUDA), setting_device);
		break;
	}
}

/*
 * A sample is taken from the values that are in memory: all values, or the
 * first 32 kB of an array that is stored out of line.  Sampling takes less than
 * a microsecond.  If the sample misleads, the call takes longer.
 */

/* Places at which bytes are looked at, and bytes looked at in each place. */
#define PLACES			16
#define PLACE_BYTES		64

/* Keys that are looked at. */
#define SAMPLED_KEYS	512

/*
 * The range of the keys is narrow if there are this many keys for each value in
 * the range of the sample.  The engine needs two keys for each value in the
 * range of all keys, which may be wider.
 */
#define KEYS_OF_RANGE	4

/*
 * Few keys are distinct if the keys of the sample set at most FEW_BITS of
 * HASH_BITS bits.  About 500 distinct keys set as many.
 */
#define HASH_BITS		2048
#define FEW_BITS		300

static bool
is_ascii(const char *bytes)
{
	uint64		words[PLACE_BYTES / sizeof(uint64)];
	uint64		any = 0;

	memcpy(words, bytes, sizeof(words));
	for (int i = 0; i < lengthof(words); i++)
		any |= words[i];
	return (any & UINT64CONST(0x8080808080808080)) == 0;
}

/*
 * Samples bytes: INPUT_EASY if they are ASCII in all places but one at most,
 * INPUT_HARD if they are in less than half of the places.
 */
static InputSample
sample_bytes(const char *bytes, int64 at_hand)
{
	int64		step = (at_hand - PLACE_BYTES) / (PLACES - 1);
	int			ascii = 0;

	if (step < PLACE_BYTES)
		return INPUT_UNKNOWN;
	for (int i = 0; i < PLACES; i++)
	{
		if (is_ascii(bytes + i * step))
			ascii++;
	}
	return ascii >= PLACES - 1 ? INPUT_EASY :
		ascii < PLACES / 2 ? INPUT_HARD : INPUT_UNKNOWN;
}

/*
 * Samples "count" keys: INPUT_EASY if they are integers in a narrow range, or
 * few of them are distinct.
 */
static InputSample
sample_keys(ElementKind kind, const char *values, int64 at_hand, int64 count)
{
	int64		step = at_hand / SAMPLED_KEYS;
	uint64		least = PG_UINT64_MAX;
	uint64		greatest = 0;
	uint64		bits[HASH_BITS / 64] = {0};
	int			nbits = 0;

	if (step == 0)
		return INPUT_UNKNOWN;
	for (int i = 0; i < SAMPLED_KEYS; i++)
	{
		uint64		order =
			element_order(kind, values + i * step * kind_size(kind));
		uint64		hash = order * UINT64CONST(0x9E3779B97F4A7C15) >> 53;

		least = Min(least, order);
		greatest = Max(greatest, order);
		bits[hash / 64] |= UINT64CONST(1) << hash % 64;
	}
	for (int i = 0; i < lengthof(bits); i++)
		nbits += pg_popcount64(bits[i]);
	if (nbits <= FEW_BITS)
		return INPUT_EASY;
	return !kind_is_float(kind) && greatest - least < count / KEYS_OF_RANGE ?
		INPUT_EASY : INPUT_HARD;
}

/*
 * Samples the input of a request whose cost varies.  What is still compressed
 * or deferred is not looked at.
 */
static InputSample
sample_input(const EngineRequest *request, ArrayReader *reader)
{
	const void *values;
	int64		at_hand;

	if (reader->at.values == NULL || reader->deferred != NULL ||
		reader->count != request->count)
		return INPUT_UNKNOWN;
	values = array_reader_peek(reader, &at_hand);
	if (operation_facts[request->operation].sampling == SAMPLE_KEYS)
		return sample_keys(request->kinds[0], values, at_hand,
						   request->count);
	return sample_bytes(values, at_hand);
}

/* Chooses by estimated cost, if there is a choice. */
static pg_noinline void
choose_by_cost(Choice *choice, EngineRequest *request, ArrayReader *reader,
			   const NextStep *next)
{
	int			cheapest;

	choose_cpu(choice, reader->nitems, CHOSEN_ALONE);
	if (!gpu_program_installed())
		return;
	meet_gpu(request);
	if (request->count >= MIN_LOOKED_AT && request_cost_varies(request))
		request->sample = sample_input(request, reader);
	cheapest = cheapest_engine(choice, request, next);

	choice->reason = CHOSEN_BY_COST;
	if (cheapest == choice->engine)
		return;
	switch (session_gpu_state(setting_engine == ENGINE_EAGER,
							  &choice->why_not))
	{
		case GPU_READY:
			/* Now it can be told how long the wait for a lane is. */
			choice->engine = cheapest_engine(choice, request, next);
			break;
		case GPU_STARTING:
			choice->reason = CHOSEN_MEANWHILE;
			break;
		case GPU_ABSENT:
			choice->reason = CHOSEN_NO_DEVICE;
			break;
	}
}

/* Chooses the CPU, for a reason that needs no look at the costs. */
void
choose_cpu(Choice *choice, int64 elements, ChoiceReason reason)
{
	choice->engine = ENGINE_CPU;
	choice->reason = reason;
	choice->elements = elements;
	(void) session_context(ENGINE_CPU); /* its first use, maybe */
}

/* Chooses the GPU, which the settings name, for what it can do. */
static pg_noinline void
choose_gpu(Choice *choice, EngineRequest *request, int64 elements,
		   ChoiceReason reason)
{
	if (request_cost_us(request, ENGINE_CUDA) < 0)
	{
		choose_cpu(choice, elements, CHOSEN_ONLY);
		request->algorithm = ALGORITHM_AUTO;
		return;
	}
	choice->engine = ENGINE_CUDA;
	choice->reason = reason;
	choice->elements = elements;
	if (session_gpu_state(true, &choice->why_not) != GPU_READY)
		raise_status(ENGINE_NO_DEVICE, choice->why_not);
}

/*
 * Chooses the engine for a request, whose count and threads are set, on an
 * array that is open; and the algorithm, if the engine that is set cannot do
 * this.  The steps of a chain that get the result have a part in the choice.
 *
 * Waits for an engine that is set and still starting.
 *
 * Raises 55000 if the engine that is set cannot be used.
 */
void
choose_engine(Choice *choice, EngineRequest *request, ArrayReader *reader,
			  const NextStep *next)
{
	int			wanted = wanted_engine();
	ChoiceReason reason = setting_algorithm == ALGORITHM_AUTO ?
		CHOSEN_BY_SETTING : CHOSEN_BY_ALGORITHM;

	if (wanted == ENGINE_CPU)
		choose_cpu(choice, reader->nitems, reason);
	else if (wanted == ENGINE_CUDA)
		choose_gpu(choice, request, reader->nitems, reason);
	else
		choose_by_cost(choice, request, reader, next);
}

/* Returns whether no other engine is tried if the chosen one fails. */
bool
choice_is_final(const Choice *choice)
{
	return choice->reason != CHOSEN_BY_COST || choice->engine == ENGINE_CPU;
}

/*
 * To be called when the chosen engine has failed to do a job.  Returns true if
 * the CPU is chosen now, which has to do the job from the beginning.  In either
 * case, choice->why_not says what the failure was.
 */
bool
choice_failed(Choice *choice, EngineStatus status)
{
	static const ChoiceReason reasons[] = {
		[ENGINE_NOT_SUPPORTED] = CHOSEN_UNSUPPORTED,
		[ENGINE_NO_DEVICE] = CHOSEN_NO_DEVICE,
		[ENGINE_OUT_OF_MEMORY] = CHOSEN_NO_MEMORY,
		[ENGINE_DEVICE_FAILED] = CHOSEN_DEVICE_FAILED
	};
	EngineContext *context = session_contexts[choice->engine];

	if (status < ENGINE_NOT_SUPPORTED || status > ENGINE_DEVICE_FAILED)
		return false;			/* no engine may return that */
	strlcpy(refusal, context->engine->message(context), sizeof(refusal));
	choice->why_not = refusal;
	if (choice_is_final(choice))
		return false;
	choice->engine = ENGINE_CPU;
	choice->reason = reasons[status];
	return true;
}

/* Appends a number of microseconds with two digits, in a suitable unit. */
static void
append_time(StringInfo text, double us)
{
	if (us < 1000)
		appendStringInfo(text, "%.*f us", us < 10 ? 1 : 0, us);
	else
		appendStringInfo(text, "%.*f ms", us < 10000 ? 1 : 0, us / 1000);
}

/* Appends a number, with commas between groups of three digits. */
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

/* Appends the estimated cost on each engine. */
static void
append_costs(StringInfo text, const Choice *choice)
{
	append_count(text, choice->elements);
	appendStringInfoString(text, " elements, estimated ");
	for (int i = 0; i < ENGINES; i++)
	{
		if (choice->cost_us[i] < 0)
			continue;
		appendStringInfo(text, "%s%s ", i > 0 ? ", " : "",
						 session_engines[i]->name);
		append_time(text, choice->cost_us[i]);
	}
}

/* The reasons: in a word or two, and without figures if they decided alone. */
static const struct
{
	const char *name;
	const char *words;
}			reasons[] =
{
	[CHOSEN_NONE] = {"nothing to do"},
	[CHOSEN_FAILED_BEFORE] = {"failed before the choice"},
	[CHOSEN_BY_SETTING] = {"engine setting", "as gpucompact.engine says"},
	[CHOSEN_BY_ALGORITHM] = {"algorithm setting",
	"as gpucompact.algorithm says"},
	[CHOSEN_ALONE] = {"no GPU program", "no GPU program installed"},
	[CHOSEN_ONLY] = {"CPU only", "no other engine can do this"},
	[CHOSEN_AS_STAGE] = {"with the next call",
	"done with the next call of the chain"},
	[CHOSEN_BY_COST] = {"cost"},
	[CHOSEN_MEANWHILE] = {"GPU starting"},
	[CHOSEN_UNSUPPORTED] = {"not supported"},
	[CHOSEN_NO_DEVICE] = {"no GPU"},
	[CHOSEN_NO_MEMORY] = {"out of memory"},
	[CHOSEN_DEVICE_FAILED] = {"GPU failed"}
};

/* The reason for the choice of the engine, as text. */
char *
choice_in_words(const Choice *choice)
{
	const char *words = reasons[choice->reason].words;
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s: ", session_engines[choice->engine]->name);
	if (words != NULL)
		appendStringInfoString(&text, words);
	else
		append_costs(&text, choice);
	if (choice->reason == CHOSEN_MEANWHILE)
		appendStringInfoString(&text, ", but the GPU process is still starting");
	if (choice->reason >= CHOSEN_UNSUPPORTED)
		appendStringInfo(&text, ", but not there: %s", choice->why_not);
	return text.data;
}

/* The reason in a word or two, without the figures of a call. */
const char *
choice_reason_name(ChoiceReason reason)
{
	return reasons[reason].name;
}

typedef struct StatusError
{
	int			sqlstate;
	const char *message;
	const char *hint;
} StatusError;

static const StatusError errors[] = {
	[ENGINE_NOT_SUPPORTED] = {
		ERRCODE_FEATURE_NOT_SUPPORTED,
		gettext_noop("not supported by the algorithm that is set"),
		gettext_noop("Set \"gpucompact.algorithm\" and \"gpucompact.engine\" "
					 "to \"auto\".")
	},
	[ENGINE_NO_DEVICE] = {
		ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
		gettext_noop("cannot run on a GPU"),
		gettext_noop("Set \"gpucompact.engine\" to \"auto\" or \"cpu\" to "
					 "run on the CPU.")
	},
	[ENGINE_OUT_OF_MEMORY] = {
		ERRCODE_OUT_OF_MEMORY,
		gettext_noop("out of memory"), NULL
	},
	[ENGINE_DEVICE_FAILED] = {
		ERRCODE_SYSTEM_ERROR,
		gettext_noop("the GPU has failed"),
		gettext_noop("The GPU process is started again.  Set "
					 "\"gpucompact.engine\" to \"auto\" or \"cpu\" to run on "
					 "the CPU.")
	},
};

/* Raises an error for a status other than ENGINE_OK. */
void
raise_status(EngineStatus status, const char *detail)
{
	const StatusError *error;

	if ((unsigned) status >= lengthof(errors) ||
		errors[status].message == NULL)
		elog(ERROR, "unexpected status %d of an engine", (int) status);
	error = &errors[status];
	ereport(ERROR,
			(errcode(error->sqlstate),
			 errmsg("%s", _(error->message)),
			 errdetail_internal("%s", detail),
			 error->hint ? errhint("%s", _(error->hint)) : 0));
}
