/*
 * choice.c
 *	  Which engine runs a call, and why.
 *
 * With gpucompact.engine = auto, each call runs on the engine of the least
 * estimated cost.  A session that has not used the GPU must first open it,
 * which takes longer than most calls.  This is the ski rental problem: a
 * session opens the GPU when the time that calls on the CPU have lost so far
 * reaches the time to open it, or when a single call would lose as much.
 * Whatever the future calls, the total cost is at most twice the optimum
 * (Karlin et al., "Competitive snoopy caching", 1988).
 */
#include "compat.h"

#include "access/parallel.h"
#include "utils/guc.h"

#include "engine/choice.h"
#include "engine/status.h"
#include "settings.h"

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

static bool
is_installed(const SessionEngine *engine)
{
	return engine->installed == NULL || engine->installed();
}

/* The cost of a request on an engine, which need not be open. */
static double
cost_on(const SessionEngine *engine, const EngineRequest *request)
{
	if (engine->engine == NULL)
		return request_cost_us(request, engine - session_engines);
	return engine->engine->cost_us(engine->context, request);
}

/* The installed engine of the least cost. */
static SessionEngine *
cheapest_engine(Choice *choice, const EngineRequest *request)
{
	int			cheapest = ENGINE_CPU;

	for (int i = 0; i < ENGINES; i++)
	{
		SessionEngine *engine = &session_engines[i];
		double		cost = is_installed(engine) ? cost_on(engine, request) : -1;

		if (setting_engine == ENGINE_EAGER && cost >= 0 && i != ENGINE_CPU)
			cost = 0;
		choice->cost_us[i] = cost;
		if (cost >= 0 && cost < choice->cost_us[cheapest])
			cheapest = i;
	}
	return &session_engines[cheapest];
}

/* Has the session, with this call, lost less time than opening takes? */
static bool
is_too_early(SessionEngine *engine, double loss_us, Choice *choice)
{
	if (setting_engine == ENGINE_EAGER ||
		engine->open_device == setting_device ||
		engine->absent_device == setting_device)
		return false;
	choice->lost_us = engine->lost_us;
	if (Max(engine->lost_us, loss_us) >= engine->opening_us)
		return false;
	engine->lost_us += loss_us;
	return true;
}

/* Chooses by estimated cost. */
static void
choose_by_cost(Choice *choice, const EngineRequest *request)
{
	SessionEngine *cheapest = cheapest_engine(choice, request);
	double		loss_us = choice->cost_us[choice->engine - session_engines] -
		choice->cost_us[cheapest - session_engines];

	choice->reason = CHOSEN_BY_COST;
	if (cheapest == choice->engine)
		return;
	if (is_too_early(cheapest, loss_us, choice))
	{
		choice->reason = CHOSEN_UNOPENED;
		choice->instead_of = cheapest;
	}
	else if (!session_engine_usable(cheapest) ||
			 cheapest->absent_device == setting_device)
	{
		choice->reason = CHOSEN_INSTEAD;
		choice->instead_of = cheapest;
		choice->why_not = cheapest->engine ? refusal : cheapest->why_not;
	}
	else
		choice->engine = cheapest;
}

static bool
others_are_installed(void)
{
	for (int i = 0; i < ENGINES; i++)
	{
		if (i != ENGINE_CPU && is_installed(&session_engines[i]))
			return true;
	}
	return false;
}

/*
 * Chooses the engine for a request, whose count and threads are set, on an
 * array of that many elements.
 *
 * Raises 55000 if the settings name an engine that cannot be used, and 58000
 * if they name one whose device has failed.
 */
Choice
choose_engine(const EngineRequest *request, int64 elements)
{
	Choice		choice = {.elements = elements};
	int			wanted = wanted_engine();

	choice.engine = &session_engines[Max(wanted, ENGINE_CPU)];
	if (!session_engine_usable(choice.engine))
		raise_status(choice.engine->status, choice.engine->why_not);

	if (wanted >= 0)
		choice.reason = setting_algorithm == ALGORITHM_AUTO ?
			CHOSEN_BY_SETTING : CHOSEN_BY_ALGORITHM;
	else if (IsParallelWorker())
		choice.reason = CHOSEN_IN_WORKER;
	else if (!others_are_installed())
		choice.reason = CHOSEN_ALONE;
	else
		choose_by_cost(&choice, request);
	return choice;
}

/* Must be called when the chosen engine has begun a job. */
void
choice_begun(const Choice *choice)
{
	if (choice->engine->open_device != setting_device)
	{
		choice->engine->open_device = setting_device;
		choice->engine->lost_us = 0;
	}
}

/* Is the choice final even if the engine fails? */
bool
choice_is_final(const Choice *choice)
{
	return choice->reason != CHOSEN_BY_COST ||
		choice->engine == &session_engines[ENGINE_CPU];
}

/*
 * Must be called when the chosen engine has failed.  Returns true if another
 * engine is chosen now, which must start over; otherwise choice->why_not tells
 * the failure.
 *
 * A device without memory for one job may have memory for the next.  But if it
 * could not be opened, the time lost is counted anew before the next try.
 */
bool
choice_failed(Choice *choice, EngineStatus status)
{
	SessionEngine *engine = choice->engine;
	bool		final = choice_is_final(choice);

	if (status < ENGINE_NOT_SUPPORTED || status > ENGINE_DEVICE_FAILED)
		return false;			/* no engine may return that */
	strlcpy(refusal, engine->engine->message(engine->context),
			sizeof(refusal));
	choice->why_not = refusal;

	if (status == ENGINE_NO_DEVICE)
		engine->absent_device = setting_device;
	if (status == ENGINE_OUT_OF_MEMORY && engine->open_device != setting_device)
		engine->lost_us = 0;
	if (status == ENGINE_DEVICE_FAILED)
	{
		session_engine_failed(engine, setting_device, refusal);
		if (!final)
			ereport(WARNING,
					(errcode(ERRCODE_SYSTEM_ERROR),
					 errmsg("the GPU has failed"),
					 errdetail_internal("%s", refusal),
					 errhint("This session runs on the CPU from now on.  "
							 "Only a new one may use the GPU again.")));
	}
	if (final)
		return false;
	choice->engine = &session_engines[ENGINE_CPU];
	choice->reason = CHOSEN_INSTEAD;
	choice->instead_of = engine;
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
						 session_engines[i].name);
		append_time(text, choice->cost_us[i]);
	}
}

/* Tells why the engine was chosen. */
char *
choice_in_words(const Choice *choice)
{
	static const char *const reasons[] = {
		[CHOSEN_BY_SETTING] = "as gpucompact.engine says",
		[CHOSEN_BY_ALGORITHM] = "as gpucompact.algorithm says",
		[CHOSEN_IN_WORKER] = "in a parallel worker",
		[CHOSEN_ALONE] = "no GPU library installed",
		[CHOSEN_INSTEAD] = NULL
	};
	const char *reason = reasons[choice->reason];
	StringInfoData text;

	initStringInfo(&text);
	appendStringInfo(&text, "%s: ", choice->engine->name);
	if (reason != NULL)
		appendStringInfoString(&text, reason);
	else
		append_costs(&text, choice);
	if (choice->reason == CHOSEN_UNOPENED)
	{
		appendStringInfoString(&text, " and ");
		append_time(&text, choice->instead_of->opening_us);
		appendStringInfoString(&text, " to open it, lost before ");
		append_time(&text, choice->lost_us);
	}
	if (choice->reason == CHOSEN_INSTEAD)
		appendStringInfo(&text, ", but not there: %s", choice->why_not);
	return text.data;
}
