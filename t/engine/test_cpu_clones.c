/*
 * test_cpu_clones.c
 *	  Each level of code that is chosen runs versions of its own.
 */
#include "contract/cpu_clones.h"
#include "engines.h"
#include "loops/bitmaps.h"

#ifdef HAVE_CPU_CLONES
#define HAS_CLONES		true
#else
#define HAS_CLONES		false
#endif

/* Holds the address of a function that has several versions. */
static int64_t (*volatile chosen) (const uint8_t *, int64_t, int64_t) =
	count_bits;

static void
test_cpu_clones(int64_t count, int data)
{
	EngineRequest request = {.count = count};
	CpuLevel	before = (CpuLevel) cpu_level;
	OWNED uint8_t *bits = malloc(count);
	int64_t		(*earlier) (const uint8_t *, int64_t, int64_t) = NULL;

	memset(bits, 0x81, count);
	for (int i = CPU_PLAIN; i <= CPU_AVX512; i++)
	{
		expect(cpu_choose((CpuLevel) i), &request, "choice of code", data);
		expect(!HAS_CLONES || (chosen != earlier) == cpu_has((CpuLevel) i),
			   &request, "code of a level", data);
		expect(chosen(bits, 0, 8 * count) == 2 * count, &request, "bits", data);
		earlier = chosen;
	}
	(void) cpu_choose(before);
}

TEST_FAMILY(cpu_clones)
