/*
 * gpucompact.c
 *	  What happens when the module is loaded: its settings are defined, and
 *	  where it is loaded with the server, its GPU process is asked for.
 */
#include "sql/function.h"

#include <limits.h>

#include "utils/guc.h"

#include "contract/cpu_clones.h"
#include "contract/kept_memory.h"
#include "settings.h"
#include "sql/chain.h"

GPUCOMPACT_MODULE_MAGIC;

int			setting_engine = ENGINE_AUTO;
int			setting_algorithm = ALGORITHM_AUTO;
int			setting_device = -1;
int			setting_device_memory_limit = 0;
int			setting_cpu = CPU_AUTO;
int			setting_cpu_threads = 0;
int			setting_log_min_duration = -1;
int			setting_gpu_lanes = 16;
int			setting_gpu_slot_size = 2048;
int			setting_gpu_idle_timeout = 300;
int			setting_gpu_cache_size = -1;

static bool setting_gpu_start = false;

/* SHOW says the first name of a value. */
static const struct config_enum_entry engine_options[] = {
	{"auto", ENGINE_AUTO, false},
	{"cpu", ENGINE_CPU, false},
	{"cuda", ENGINE_CUDA, false},
	{"gpu", ENGINE_CUDA, true},
	{"eager", ENGINE_EAGER, true},
	{NULL, 0, false}
};

static const struct config_enum_entry algorithm_options[] = {
	{"auto", ALGORITHM_AUTO, false},
	{"sequential", ALGORITHM_SEQUENTIAL, false},
	{"parallel", ALGORITHM_PARALLEL, false},
	{"naive", ALGORITHM_NAIVE, false},
	{"work_efficient", ALGORITHM_WORK_EFFICIENT, false},
	{"single_pass", ALGORITHM_SINGLE_PASS, false},
	{"cub", ALGORITHM_CUB, false},
	{NULL, 0, false}
};

static const struct config_enum_entry cpu_options[] = {
	{"auto", CPU_AUTO, false},
	{"plain", CPU_PLAIN, false},
	{"avx2", CPU_AVX2, false},
	{"avx512", CPU_AVX512, false},
	{NULL, 0, false}
};

/* A setting that is an integer, as DefineCustomIntVariable takes it. */
typedef struct IntegerSetting
{
	const char *name;
	const char *summary;
	const char *detail;
	int		   *value;
	int			initial;
	int			least;
	int			greatest;
	GucContext	context;
	int			flags;
} IntegerSetting;

static const IntegerSetting integer_settings[] = {
	{
		"gpucompact.device",
		"Chooses the GPU, by its index in gpu_devices().",
		"-1 means the one that would serve first.",
		&setting_device, -1, -1, MAX_GPUS - 1, PGC_SUSET, 0
	},
	{
		"gpucompact.device_memory_limit",
		"Sets how much memory of the GPU a call may use.",
		"Zero means as much as is free.",
		&setting_device_memory_limit, 0, 0, INT_MAX, PGC_SUSET, GUC_UNIT_MB
	},
	{
		"gpucompact.cpu_threads",
		"Sets how many CPU threads a call may use, the session's own "
		"included.",
		"Zero means as many as the machine has, but four at most. No call "
		"uses more than the machine has, or four if that is more. A parallel "
		"worker uses one.",
		&setting_cpu_threads, 0, 0, 64, PGC_USERSET, 0
	},
	{
		"gpucompact.kept_memory",
		"Sets how much freed memory a session keeps for its next large "
		"results.",
		"Zero means that the memory of a result of more than 32 MB is given "
		"back when it is freed.",
		&setting_kept_memory, 256, 0, INT_MAX / (1024 * 1024),
		PGC_USERSET, GUC_UNIT_MB
	},
	{
		"gpucompact.max_kept_memory",
		"Limits gpucompact.kept_memory.",
		"What that is set to above this limit, has no effect.",
		&setting_max_kept_memory, 256, 0, INT_MAX / (1024 * 1024),
		PGC_SUSET, GUC_UNIT_MB
	},
	{
		"gpucompact.kept_memory_timeout",
		"Sets how long a session keeps memory after its last large result.",
		"Zero means until it ends.",
		&setting_kept_memory_timeout, 60, 0, INT_MAX, PGC_SUSET, GUC_UNIT_S
	},
	{
		"gpucompact.log_min_duration",
		"Sets the minimum time above which a call is logged, with the times "
		"of its parts.",
		"-1 turns this off, zero logs all calls.",
		&setting_log_min_duration, -1, -1, INT_MAX, PGC_SUSET, GUC_UNIT_MS
	},
	{
		"gpucompact.gpu_lanes",
		"Sets how many calls a GPU serves at a time.",
		"Takes effect when the GPU process starts.",
		&setting_gpu_lanes, 16, 1, MAX_LANES, PGC_SIGHUP, 0
	},
	{
		"gpucompact.gpu_slot_size",
		"Sets how much is sent to the GPU at a time.",
		"A lane has ten times as much memory, which is pinned.  Takes effect "
		"when the GPU process starts.",
		&setting_gpu_slot_size, 2048, 256, 65536, PGC_SIGHUP, GUC_UNIT_KB
	},
	{
		"gpucompact.gpu_idle_timeout",
		"Sets how long a GPU process without calls waits before it ends.",
		"Zero means for ever.",
		&setting_gpu_idle_timeout, 300, 0, INT_MAX, PGC_SIGHUP, GUC_UNIT_S
	},
	{
		"gpucompact.gpu_cache_size",
		"Sets how much memory of a GPU keeps stored arrays for later calls.",
		"-1 means half of the memory that is free when the GPU process "
		"starts, zero that none is kept.",
		&setting_gpu_cache_size, -1, -1, INT_MAX, PGC_SIGHUP, GUC_UNIT_MB
	}
};

/*
 * Seconds after which a worker is started again that could not do its work,
 * because the server lacked memory or files.
 */
#define RESTART_S		10

/* Refuses code that the processor does not have, by 22023. */
static bool
check_cpu(int *value, void **extra, GucSource source)
{
	if (*value == CPU_AUTO || cpu_has((CpuLevel) *value))
		return true;
	GUC_check_errdetail("This processor has no %s.",
						*value == CPU_AVX512 ? "AVX-512" : "AVX2");
	return false;
}

static void
assign_cpu(int value, void *extra)
{
	if (!cpu_choose(value == CPU_AUTO ? CPU_AVX512 : (CpuLevel) value))
		elog(WARNING, "could not change which code runs: %m");
}

void		_PG_init(void);

void
_PG_init(void)
{
	BackgroundWorker worker;

	DefineCustomEnumVariable("gpucompact.engine",
							 "Chooses where the functions run.",
							 "With \"auto\", each call runs where it is "
							 "estimated to take less time.",
							 &setting_engine, ENGINE_AUTO, engine_options,
							 PGC_USERSET, 0, NULL, NULL, NULL);

	DefineCustomEnumVariable("gpucompact.algorithm",
							 "Chooses how the functions do their work.",
							 "For comparison: it changes no result. "
							 "\"sequential\" and \"parallel\" run on the "
							 "CPU, all others on the GPU.",
							 &setting_algorithm, ALGORITHM_AUTO,
							 algorithm_options, PGC_USERSET, 0,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("gpucompact.cpu",
							 "Chooses the code that runs on the CPU.",
							 "For tests: it changes no result. \"auto\" is "
							 "the best that the processor has.",
							 &setting_cpu, CPU_AUTO, cpu_options, PGC_SUSET,
							 GUC_NOT_IN_SAMPLE, check_cpu, assign_cpu, NULL);

	for (int i = 0; i < lengthof(integer_settings); i++)
	{
		const IntegerSetting *setting = &integer_settings[i];

		DefineCustomIntVariable(setting->name, setting->summary,
								setting->detail, setting->value,
								setting->initial, setting->least,
								setting->greatest, setting->context,
								setting->flags, NULL, NULL, NULL);
	}

	DefineCustomBoolVariable("gpucompact.gpu_start",
							 "Starts the GPU process with the server.",
							 "gpucompact has to be in "
							 "\"shared_preload_libraries\".",
							 &setting_gpu_start, false, PGC_SIGHUP, 0,
							 NULL, NULL, NULL);

	MarkGUCPrefixReserved("gpucompact");
	call_init();
#if PG_VERSION_NUM >= 180000
	explain_init();
#endif
	if (!process_shared_preload_libraries_in_progress || !setting_gpu_start ||
		!gpu_program_installed())
		return;

	/*
	 * Has the postmaster start the process of the GPU that "gpucompact.device"
	 * names, or else of the first GPU, and start it again when the server has
	 * crashed.  A process that has ended by itself is not started again.
	 */
	gpu_worker_fill(&worker, Max(setting_device, 0), RESTART_S);
	RegisterBackgroundWorker(&worker);
}
