/*
 * status.c
 *	  Raises failures of an engine as errors.
 */
#include "call/status.h"

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
