/*
 * cpu_sort_memory.c
 *	  The memory of a sort: the halves of a double buffer.
 */
#include <stdlib.h>

#include "cpu/cpu_sort_parts.h"

/*
 * Allocates a buffer for keys, and for payloads if "payloads".  All arrays
 * have the same offset from a line of payloads as the result.
 */
bool
cpu_sort_allocate_buffer(CpuJob *job, int number, bool payloads,
						 SortBuffer *buffer)
{
	size_t		lead = (uintptr_t) job->request->outputs[0].memory /
		output_size(job->request, 0) % PAYLOAD_LINE;
	size_t		room = (lead + job->request->count + PAYLOAD_LINE - 1) /
		PAYLOAD_LINE * PAYLOAD_LINE;
	size_t		payload_room = payloads ? room * sort_payload_bytes(job) : 0;
	size_t		key_room = room * sort_key_size(job);
	size_t		line = PAYLOAD_LINE * sizeof(int64_t);
	char	   *memory = cpu_scratch(job, number,
									 payload_room + key_room + line);

	if (memory == NULL)
		return false;
	job->sort.scratch[number] = memory;
	memory += -(uintptr_t) memory % line;
	if (payloads)
		buffer->payloads = memory + lead * sort_payload_bytes(job);
	buffer->keys = memory + payload_room + lead * sort_key_size(job);
	return true;
}

/* Allocates the other half of the double buffer. */
bool
cpu_sort_allocate_other(CpuJob *job)
{
	CpuSort    *sort = &job->sort;
	bool		odd = sort->npasses % 2 == 1;

	if (!cpu_sort_allocate_buffer(job, 1, sort_has_payload(job), &sort->to))
		return false;
	if (sort_makes_positions(job) && odd != cpu_makes_ranks(job) &&
		!cpu_marks_heads(job))
	{
		/*
		 * The last of an odd number of passes writes the result itself, or of
		 * an even number the positions from which ranks become the result.
		 */
		sort->from.payloads = sort->to.payloads;
		sort->to.payloads = job->request->outputs[0].memory;
	}
	return true;
}

/* Frees all of it. */
void
cpu_sort_free(CpuJob *job)
{
	CpuSort    *sort = &job->sort;

	for (int i = 0; i < 2; i++)
		cpu_scratch_free(job, i, sort->scratch[i]);
	free(sort->chunks);
}
