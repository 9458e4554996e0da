/*
 * fuzz_utf8.c
 *	  Compares the CPU engine with the reference on inputs of libFuzzer.
 *
 *		make t/engine/fuzz_utf8 && t/engine/fuzz_utf8 -runs=10000000
 *		-max_len=512
 *
 * The first bytes of the input choose the request, and how the rest, which are
 * the elements, is divided into pieces.  All memory has the exact size, so
 * that the sanitizer detects accesses past the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "utf8_reference.h"

/* The operation and its options, the room, the buffers, and three pieces. */
#define CHOICES		6

static void
require(bool condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "difference: %s\n", what);
	abort();
}

static void *
exact_copy(const void *data, size_t bytes)
{
	void	   *copy = malloc(bytes);

	return bytes > 0 ? memcpy(copy, data, bytes) : copy;
}

/*
 * Runs the request in pieces.  The bits of "buffered" choose the pieces that
 * are in the engine's buffers.
 */
static EngineResult
run(const EngineRequest *request, const char *in, const uint8_t pieces[3],
	uint8_t buffered)
{
	const Engine *engine = &cpu_engine;
	EngineContext *context = engine->open();
	int			size = input_size(request, 0);
	EngineResult result = {0};
	int64_t		done = 0;

	require(engine->begin(context, request) == ENGINE_OK, "begin");
	for (int turn = 0; done < request->count; turn++)
	{
		void	   *buffers[ENGINE_INPUTS];
		const void *data[ENGINE_INPUTS] = {in + done * size, NULL};
		int64_t		count = 1 + pieces[turn % 3];

		require(engine->buffer(context, buffers, &(int64_t) {0}) == ENGINE_OK,
				"buffer");
		if (count > request->count - done)
			count = request->count - done;
		if (buffered >> turn % 8 & 1)
			data[0] = memcpy(buffers[0], data[0], count * size);
		require(engine->push(context, data, count) == ENGINE_OK, "push");
		done += count;
	}
	require(engine->finish(context, &result) == ENGINE_OK, "finish");
	engine->end(context);
	engine->close(context);
	return result;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	EngineRequest request = {.threads = 1};
	EngineResult result;
	EngineResult expected;
	void	   *in;
	void	   *out;

	if (size <= CHOICES)
		return 0;
	request.operation = ENGINE_UTF8_DECODE + data[0] % 5;
	request.inputs = 1;
	request.kinds[0] = request.operation == ENGINE_UTF8_ENCODE ?
		KIND_INT4 : KIND_UINT1;
	PARAMETERS(&request, Utf8Parameters)->skip_errors = data[0] & 0x80;
	PARAMETERS(&request, Utf8Parameters)->zero_is_error = data[0] & 0x40;
	request.count = (size - CHOICES) / input_size(&request, 0);
	if (request.count == 0)
		return 0;

	in = exact_copy(data + CHOICES, request.count * input_size(&request, 0));
	out = malloc(request.count * sizeof(EngineUtf8Error));
	expected = reference_run(&request, in, out);
	request.room = expected.count - data[1] % 4;
	if (request.room < 0)
		request.room = 0;
	request.outputs[0].kind = reference_output_kind(request.operation);
	request.outputs[0].memory = malloc(request.room * output_size(&request, 0));

	result = run(&request, in, data + 3, data[2]);
	require(result.count == expected.count, "count");
	require(result.errors == expected.errors, "errors");
	require(result.errors == 0 || result.first_error == expected.first_error,
			"first error");
	require(request.room < expected.count || request.room == 0 ||
			memcmp(request.outputs[0].memory, out,
				   request.room * output_size(&request, 0)) == 0, "result");
	free(in);
	free(out);
	free(request.outputs[0].memory);
	return 0;
}
