/*
 * cuda_library.c
 *	  Opens the library of the CUDA engine.
 *
 * The extension does not link CUDA, so it runs on servers without it.  The
 * engine is in gpucompact_cuda.so in the same directory.  The first call that
 * needs the engine opens the library, as core opens its JIT provider.
 *
 * The path of the library is made from this module's own path, so no user can
 * choose what is opened.
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

#include "engine/cuda_library.h"

/* The path of the library, in the directory of this module. */
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

/* Does the library exist?  Checks once in a session. */
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
 * The size that an ELF file has according to its headers; zero if it is no ELF
 * file, or is shorter than the header.
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
 * Is the file truncated, as after an interrupted copy?  Opening it would kill
 * the process, because pages mapped past the end of a file cannot be read.
 */
static bool
is_truncated(const char *path)
{
	int			file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	bool		result;

	if (file < 0)
		return false;			/* dlopen() will report why */
	result = fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
		status.st_size < elf_size(file);
	close(file);
	return result;
}

#else

static bool
is_truncated(const char *path)
{
	return false;
}

#endif

/*
 * Returns the library's engine; or NULL, and the reason, in the current memory
 * context.
 */
const Engine *
cuda_library_open(const char **why_not)
{
	char		path[MAXPGPATH];
	void	   *library;
	const Engine *engine;

	library_path(path);
	if (access(path, F_OK) != 0)
	{
		*why_not = psprintf("no GPU library is installed: there is no file \"%s\"",
							path);
		return NULL;
	}
	if (is_truncated(path))
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
