/*
 * cpu_gather.c
 *	  Inputs that are gathered, for operations that go all over them.
 *
 * An input is put together in memory of its own, unless the caller has all of
 * it in one place, where it stays.
 */
#include <string.h>

#include "cpu/cpu_engine.h"

/* Gets memory for all inputs.  Returns false if there is not enough. */
bool
cpu_gather_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	int64_t		room = (request->count + 7) / 8 * 8;
	char	   *memory = cpu_scratch(job, 0, room * inputs_size(request));

	for (int i = 0; memory != NULL && i < request->inputs; i++)
	{
		job->gathered[i].memory = memory;
		memory += room * input_size(request, i);
	}
	return memory != NULL && cpu_pieces_begin(job);
}

/* Offers the places of the next piece. */
EngineStatus
cpu_gather_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS],
				  int64_t *capacity)
{
	(void) cpu_next_piece(job);
	for (int i = 0; i < job->request->inputs; i++)
		buffers[i] = job->gathered[i].memory +
			job->pushed * input_size(job->request, i);
	*capacity = job->piece_count;
	return ENGINE_OK;
}

/* Offers those of the rest of the chunk that is being filled, or of a piece. */
EngineStatus
cpu_gather_chunk(CpuJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	int			chunk = (int) (job->pushed / job->phases.chunk_size);
	int64_t		left = chunk_first(job, chunk) + chunk_count(job, chunk) -
		job->pushed;

	(void) cpu_gather_buffer(job, buffers, capacity);
	if (!job->request->paged || left < *capacity)
		*capacity = left;
	return ENGINE_OK;
}

/* Puts a piece into its place, which it then has as its data. */
void
cpu_gather_pushed(CpuJob *job, CpuPiece *piece, int64_t count)
{
	for (int i = 0; i < job->request->inputs; i++)
	{
		CpuGathered *input = &job->gathered[i];
		int			size = input_size(job->request, i);
		size_t		before = job->pushed * size;
		const char *data = piece->data[i];

		if (before == 0)
			input->elements = data;
		if (data == input->elements + before)
			continue;
		if (input->elements != input->memory)
			memcpy(input->memory, input->elements, before);
		input->elements = input->memory;
		piece->data[i] = input->memory + before;
		if (data != piece->data[i])
			memcpy(input->memory + before, data, count * size);
	}
}

/* Copies a piece to its place, for an operation that changes its inputs. */
void
cpu_gather_copy(CpuJob *job, CpuPiece *piece, int64_t count)
{
	for (int i = 0; i < job->request->inputs; i++)
	{
		int			size = input_size(job->request, i);
		char	   *place = job->gathered[i].memory + job->pushed * size;

		if (piece->data[i] != place)
			memcpy(place, piece->data[i], count * size);
	}
}

void
cpu_gather_end(CpuJob *job)
{
	cpu_scratch_free(job, 0, job->gathered[0].memory);
	job->gathered[0].memory = NULL;
}
