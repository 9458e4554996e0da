/*
 * gpucompact.c
 *	  What happens when the module is loaded: its settings are defined.
 *
 * Nothing of CUDA is touched here.  The module may be loaded in the
 * postmaster, and a process that is forked cannot use its parent's GPU.
 */
#include "compat.h"

#include <limits.h>

#include "fmgr.h"
#include "utils/guc.h"

#include "engine/engines.h"
#include "settings.h"

GPUCOMPACT_MODULE_MAGIC;

int			setting_engine = ENGINE_AUTO;
int			setting_algorithm = ALGORITHM_AUTO;
int			setting_device = 0;
int			setting_device_memory_limit = 0;
int			setting_cpu_threads = 0;

static const struct config_enum_entry engine_options[] = {
	{"auto", ENGINE_AUTO, false},
	{"cpu", ENGINE_CPU, false},
	{"cuda", ENGINE_CUDA, false},
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

void		_PG_init(void);

void
_PG_init(void)
{
	DefineCustomEnumVariable("gpucompact.engine",
							 "Chooses where the functions run.",
							 "With \"auto\", each call runs where it is "
							 "estimated to take less time.",
							 &setting_engine,
							 ENGINE_AUTO,
							 engine_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomEnumVariable("gpucompact.algorithm",
							 "Chooses how the functions do their work.",
							 "For comparison: it changes no result. "
							 "\"sequential\" and \"parallel\" run on the "
							 "CPU, all others on the GPU.",
							 &setting_algorithm,
							 ALGORITHM_AUTO,
							 algorithm_options,
							 PGC_USERSET,
							 0,
							 NULL, NULL, NULL);

	DefineCustomIntVariable("gpucompact.device",
							"Chooses the GPU, by its index in gpu_devices().",
							NULL,
							&setting_device,
							0, 0, 1023,
							PGC_SUSET,
							0,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpucompact.device_memory_limit",
							"Sets how much memory of the GPU a session may "
							"use, besides its context.",
							"Zero means as much as is free.",
							&setting_device_memory_limit,
							0, 0, INT_MAX,
							PGC_SUSET,
							GUC_UNIT_MB,
							NULL, NULL, NULL);

	DefineCustomIntVariable("gpucompact.cpu_threads",
							"Sets how many CPU threads a call may use, the "
							"session's own included.",
							"Zero means as many as the machine has, but four "
							"at most. No call uses more than the machine has, "
							"or four if that is more. A parallel worker uses "
							"one.",
							&setting_cpu_threads,
							0, 0, 64,
							PGC_USERSET,
							0,
							NULL, NULL, NULL);

	MarkGUCPrefixReserved("gpucompact");
}
