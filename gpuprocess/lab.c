/*
 * lab.c
 *	  Loads the library of the laboratory's algorithms.
 *
 * The library has a CUDA runtime of its own, which works in the context that
 * the program's runtime has made current: the device's primary one.
 */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>

#include "gpuprocess/program.h"
#include "kernels/lab/lab_library.h"

static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Loads the library; NULL if there is none of this version. */
static const LabLibrary *
load(Failure *failure)
{
	char		program[PATH_MAX];
	char		path[PATH_MAX + sizeof(LAB_FILE)];
	ssize_t		length = readlink("/proc/self/exe", program,
								  sizeof(program) - 1);
	void	   *library;
	const LabLibrary *lab;

	program[length < 0 ? 0 : length] = '\0';
	snprintf(path, sizeof(path), "%s/%s", dirname(program), LAB_FILE);
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (library == NULL)
	{
		(void) device_refused(failure, ENGINE_NOT_SUPPORTED,
							  "The library of this algorithm could not be "
							  "loaded: %s.", dlerror());
		return NULL;
	}
	lab = dlsym(library, LAB_SYMBOL);
	if (lab != NULL && lab->version == LANES_VERSION)
		return lab;
	(void) dlclose(library);
	(void) device_refused(failure, ENGINE_NOT_SUPPORTED,
						  "The library of this algorithm, \"%.400s\", is of "
						  "another version.", path);
	return NULL;
}

/*
 * Returns the library, which is loaded once; or NULL, and why.  After a
 * failure, the next call tries again.
 */
const LabLibrary *
lab_library(Failure *failure)
{
	static const LabLibrary *lab = NULL;
	const LabLibrary *found;

	(void) pthread_mutex_lock(&loading);
	if (lab == NULL)
		lab = load(failure);
	found = lab;
	(void) pthread_mutex_unlock(&loading);
	return found;
}
