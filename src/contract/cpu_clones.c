/*
 * cpu_clones.c
 *	  Which of the versions of functions run: those for the processor, or those
 *	  for a lesser one.
 *
 * A function with CPU_CLONES has a relocation of the type IRELATIVE for each
 * place that holds its address.  The relocation names a resolver, which gcc has
 * made: it looks at libgcc's record of the processor, and returns the address
 * of a version.  To choose other versions, cpu_choose() hides features from
 * that record, and does what the dynamic linker did when it loaded the library.
 */
#include "contract/cpu_clones.h"

int			cpu_level = CPU_AVX512;

bool
cpu_has(CpuLevel level)
{
#if defined(__x86_64__) && defined(__GNUC__)
	if (level == CPU_AVX512)
		return __builtin_cpu_supports("avx512f");
	if (level == CPU_AVX2)
		return __builtin_cpu_supports("avx2");
#endif
	return level == CPU_PLAIN;
}

#ifdef HAVE_CPU_CLONES

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

/* libgcc's record of the processor; each library has its own copy. */
extern struct
{
	unsigned int vendor;
	unsigned int type;
	unsigned int subtype;
	unsigned int features;
}			__cpu_model __attribute__((visibility("hidden")));

/* Bits of the features, which the ABI has fixed. */
#define FEATURE_AVX2		(1u << 10)
#define FEATURE_AVX512F		(1u << 15)

/* The first byte of the file, by the linker, as is _DYNAMIC of link.h. */
extern char __ehdr_start[] __attribute__((visibility("hidden")));

/* Calls the resolvers that a table of relocations names once more. */
static void
resolve(const ElfW(Rela) * table, size_t bytes)
{
	for (size_t i = 0; i < bytes / sizeof(*table); i++)
	{
		void	   *(*resolver) (void);

		if (ELF64_R_TYPE(table[i].r_info) != R_X86_64_IRELATIVE)
			continue;
		resolver = (void *(*) (void)) (__ehdr_start + table[i].r_addend);
		__atomic_store_n((void **) (__ehdr_start + table[i].r_offset),
						 resolver(), __ATOMIC_RELAXED);
	}
}

/* The dynamic linker has put addresses into the entries. */
static ElfW(Xword)
dynamic_entry(ElfW(Sxword) tag)
{
	for (const ElfW(Dyn) * entry = _DYNAMIC; entry->d_tag != DT_NULL; entry++)
	{
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	}
	return 0;
}

/* Protects what relocations have changed, by whole pages. */
static bool
protect(int protection)
{
	const ElfW(Ehdr) * file = (const void *) __ehdr_start;
	const ElfW(Phdr) * parts = (const void *) (__ehdr_start + file->e_phoff);
	uintptr_t	page = (uintptr_t) sysconf(_SC_PAGESIZE);

	for (int i = 0; i < file->e_phnum; i++)
	{
		uintptr_t	from = (uintptr_t) __ehdr_start + parts[i].p_vaddr;
		uintptr_t	end = (from + parts[i].p_memsz) & ~(page - 1);

		from &= ~(page - 1);
		if (parts[i].p_type == PT_GNU_RELRO && end > from &&
			mprotect((void *) from, end - from, protection) != 0)
			return false;
	}
	return true;
}

/* Other threads may run either version until this is done. */
static bool
choose_clones(CpuLevel level)
{
	unsigned int features = __cpu_model.features;

	if (!protect(PROT_READ | PROT_WRITE))
		return false;
	if (level < CPU_AVX2)
		__cpu_model.features &= ~FEATURE_AVX2;
	if (level < CPU_AVX512)
		__cpu_model.features &= ~FEATURE_AVX512F;
	resolve((const void *) dynamic_entry(DT_RELA), dynamic_entry(DT_RELASZ));
	resolve((const void *) dynamic_entry(DT_JMPREL),
			dynamic_entry(DT_PLTRELSZ));
	__cpu_model.features = features;
	return protect(PROT_READ);
}

#else

static bool
choose_clones(CpuLevel level)
{
	return true;
}

#endif

bool
cpu_choose(CpuLevel level)
{
	if (level == cpu_level)		/* as in all sessions but for tests */
		return true;
	cpu_level = level;
	return choose_clones(level);
}
