/*
 * lab_compact.cu
 *	  Compaction by map, scan and scatter: GPU Gems 3, chapter 39, section
 *	  39.3.1, "Stream compaction"; Blelloch (1990) calls it packing.
 *
 * Each element is mapped to a flag, 1 if the element is selected and 0 if not.
 * The exclusive scan of the flags is the number of selected elements before
 * each: the place of a selected element.
 *
 *		elements	3	0	7	0	4	1	0	3
 *		flags		1	0	1	0	1	1	0	1
 *		positions	0	1	1	2	2	3	4	4
 *		result		3	7	4	1	3
 *
 * Operations: the operations of the scan, and O(n).
 *
 * Memory: 2 passes to map, the passes of the scan (4 if work-efficient,
 * 2 * ceil(log2 n) + 2 if naive), and to scatter 2 reads and a write of the
 * selected elements.
 */
#include "kernels/lab/lab.h"

__device__ static inline bool
is_selected(int item)
{
	return item != 0;
}

__global__ void
flag_selected(const int *in, unsigned *flags, long long count)
{
	long long	i = LAB_INDEX;

	if (i < count)
		flags[i] = is_selected(in[i]) ? 1 : 0;
}

__global__ void
scatter_selected_items(const int *in, const unsigned *positions, int *out,
					   long long count, long long *selected)
{
	long long	i = LAB_INDEX;

	if (i >= count)
		return;
	if (is_selected(in[i]))
		out[positions[i]] = in[i];

	/* The elements selected before the last one, and the last one itself. */
	if (i == count - 1)
		*selected = positions[i] + (is_selected(in[i]) ? 1 : 0);
}

/* The scratch memory of an algorithm that scans flags. */
size_t
flag_scratch(const LabScan *scan, int64_t count)
{
	return 2 * lab_align(count * sizeof(unsigned)) +
		scan->scratch(count, sizeof(unsigned));
}

FlagMemory
flag_memory(int64_t count, void *scratch)
{
	char	   *flags = (char *) scratch;
	char	   *positions = flags + lab_align(count * sizeof(unsigned));

	return {(unsigned *) flags, (unsigned *) positions,
		positions + (positions - flags)};
}

cudaError_t
flag_compact(const LabScan *scan, cudaStream_t stream, const int *in,
			 int *out, int64_t count, long long *selected, void *scratch)
{
	FlagMemory	memory = flag_memory(count, scratch);
	unsigned	blocks = lab_blocks(count);

	flag_selected<<<blocks, LAB_THREADS, 0, stream>>>(in, memory.flags,
													   count);
	TRY(cudaGetLastError());
	TRY(scan->flags(stream, memory.flags, memory.positions, count, true,
					memory.scan));
	scatter_selected_items<<<blocks, LAB_THREADS, 0, stream>>>
		(in, memory.positions, out, count, selected);
	return cudaGetLastError();
}
