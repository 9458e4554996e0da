/*
 * cuda_library.c
 *	  Opens the library of the CUDA engine, and closes it to a session whose
 *	  device has failed.
 *
 * The extension links no CUDA, so that it runs on servers without any.  The
 * engine lies beside it, in gpucompact_cuda.so, and is opened by the first
 * call that wants it.  There is one attempt in a session; its outcome is
 * remembered.  (Core opens its JIT provider in this way.)
 *
 * The name of the library is built from this module's own, so that no user
 * has a say in what is opened.
 */
#include "compat.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <elf.h>
#include <link.h>
#endif

#include "miscadmin.h"
#include "storage/ipc.h"
#include "utils/memutils.h"

#include "engine/cuda_library.h"

static CudaLibrary the_library = {NULL, ENGINE_NO_DEVICE};

/* Where the library is to be: beside the file that this code is in. */
static void
library_path(char *path)
{
	Dl_info		info;

	if (dladdr(&cpu_engine, &info) == 0)
		elog(ERROR, "could not find the file of gpucompact");
	strlcpy(path, info.dli_fname, MAXPGPATH);
	get_parent_directory(path);
	join_path_components(path, path, "gpucompact_cuda" DLSUFFIX);
}

/* Is the library there?  Looks once in a session. */
bool
cuda_library_installed(void)
{
	static bool looked = false;
	static bool installed;
	char		path[MAXPGPATH];

	if (!looked)
	{
		library_path(path);
		installed = access(path, F_OK) == 0;
		looked = true;
	}
	return installed;
}

#ifdef __linux__

/*
 * How many bytes an ELF file has to have for what its headers speak of; zero
 * for what is no such file, or has not even the headers.
 */
static off_t
elf_size(int file)
{
	ElfW(Ehdr) header;
	off_t		size;

	if (pread(file, &header, sizeof(header), 0) != sizeof(header) ||
		memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
		return 0;

	size = Max(header.e_phoff + (off_t) header.e_phnum * sizeof(ElfW(Phdr)),
			   header.e_shoff + (off_t) header.e_shnum * sizeof(ElfW(Shdr)));
	for (int i = 0; i < header.e_phnum; i++)
	{
		ElfW(Phdr) segment;
		off_t		at = header.e_phoff + i * sizeof(segment);

		if (pread(file, &segment, sizeof(segment), at) != sizeof(segment))
			break;
		size = Max(size, (off_t) (segment.p_offset + segment.p_filesz));
	}
	return size;
}

/*
 * Is the file shorter than it says itself, as after a copy that was broken
 * off?  To open it would kill the process: what is mapped beyond a file's end
 * cannot be read.
 */
static bool
is_cut_short(const char *path)
{
	int			file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	bool		result;

	if (file < 0)
		return false;			/* whoever opens it will be told why */
	result = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size < elf_size(file);
	close(file);
	return result;
}

#else

static bool
is_cut_short(const char *path)
{
	return false;
}

#endif

/*
 * The library's engine, or NULL and, in memory that stays, why there is none.
 */
static const Engine *
open_library(const char *path, const char **why_not)
{
	void	   *library;
	const Engine *engine;

	if (access(path, F_OK) != 0)
	{
		*why_not = psprintf("no GPU library is installed: there is no file \"%s\"",
							path);
		return NULL;
	}
	if (is_cut_short(path))
	{
		*why_not = psprintf("library \"%s\" is cut short", path);
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
 * The first of what exit() calls: leaves at once, before what the CUDA runtime
 * has registered.  The server's own part of the exit is over by then.
 */
static int	exit_code;

static void
leave_at_once(void)
{
	_exit(exit_code);
}

/*
 * The CUDA runtime cleans up when a process exits.  Where the device has
 * failed, or is at work still, that could wait for ever; and the driver cleans
 * up after any process.
 */
static void
library_at_exit(int code, Datum engine)
{
	exit_code = code;
	if (!((const Engine *) DatumGetPointer(engine))->idle())
		(void) atexit(leave_at_once);
}

/* The library, which is opened if it is not. */
const CudaLibrary *
cuda_library(void)
{
	static bool attempted = false;

	if (!attempted)
	{
		MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);
		char		path[MAXPGPATH];

		library_path(path);
		the_library.engine = open_library(path, &the_library.why_not);
		if (the_library.engine != NULL)
			on_proc_exit(library_at_exit, PointerGetDatum(the_library.engine));
		attempted = true;
		MemoryContextSwitchTo(context);
	}
	return &the_library;
}

/*
 * Fills in up to "capacity" of the devices that this session can use, and says
 * how many there are.
 */
EngineStatus
cuda_library_devices(EngineDevice *devices, int capacity, int *count)
{
	const CudaLibrary *library = cuda_library();
	EngineStatus status;

	*count = 0;
	if (library->engine == NULL)
		return library->status;
	while ((status = library->engine->devices(devices, capacity,
											  count)) == ENGINE_MORE)
		CHECK_FOR_INTERRUPTS();
	return status;
}

/*
 * To be told when a device has failed.  After that nothing more can be done
 * with CUDA in a process but to end it (CUDA Runtime API, on the errors that
 * say so): this session has no engine but the CPU from now on.
 */
void
cuda_library_lost(int device, const char *why)
{
	MemoryContext context = MemoryContextSwitchTo(TopMemoryContext);

	the_library.why_not = psprintf("This session has lost GPU %d: %s",
								   device, why);
	the_library.status = ENGINE_DEVICE_FAILED;
	the_library.lost_device = device;
	the_library.engine = NULL;
	MemoryContextSwitchTo(context);
}
