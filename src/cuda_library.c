/*
 * cuda_library.c
 *	  Opens the library of the CUDA engine.
 *
 * The extension links no CUDA, so that it runs on servers without any.  The
 * engine lies beside it, in gpucompact_cuda.so, and is opened by the first
 * call that wants it.  There is one attempt in a session; its outcome is
 * remembered.  (Core opens its JIT provider in this way.)
 */
#include "compat.h"

#include <dlfcn.h>
#include <unistd.h>

#include "utils/memutils.h"

#include "cuda_library.h"

/* The file that this code is in, less its name. */
static void
own_directory(char *path)
{
	Dl_info		info;

	if (dladdr(&cpu_engine, &info) == 0)
		elog(ERROR, "could not find the file of gpucompact");
	strlcpy(path, info.dli_fname, MAXPGPATH);
	get_parent_directory(path);
}

/*
 * The library's engine, or NULL and, in memory that stays, why there is none.
 */
static const Engine *
open_library(const char *path, char **why_not)
{
	void	   *library;
	const Engine *engine;

	if (access(path, F_OK) != 0)
	{
		*why_not = psprintf("there is no library \"%s\"", path);
		return NULL;
	}
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
	{
		*why_not = psprintf("could not open library \"%s\": %s",
							path, dlerror());
		return NULL;
	}
	engine = dlsym(library, ENGINE_SYMBOL);
	if (engine == NULL)
		*why_not = psprintf("library \"%s\" is not an engine of gpucompact",
							path);
	else if (engine->api_version != ENGINE_API_VERSION)
		*why_not = psprintf("library \"%s\" has engine API version %u, "
							"and version %d is needed",
							path, engine->api_version, ENGINE_API_VERSION);
	else
		return engine;
	dlclose(library);
	return NULL;
}

/*
 * The CUDA engine, or NULL and a text that says why there is none.
 */
const Engine *
cuda_engine(const char **why_not)
{
	static bool attempted = false;
	static const Engine *engine = NULL;
	static char *failure = NULL;

	if (!attempted)
	{
		MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);
		char		path[MAXPGPATH];

		own_directory(path);
		join_path_components(path, path, "gpucompact_cuda" DLSUFFIX);
		engine = open_library(path, &failure);
		attempted = true;
		MemoryContextSwitchTo(context);
	}
	*why_not = failure;
	return engine;
}
