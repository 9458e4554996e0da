/*
 * engines.h
 *	  What the tests of an engine share.  engines.c runs requests; each
 *	  family's file makes requests, and compares the results with those of
 *	  plain loops.
 */
#ifndef GPUCOMPACT_TEST_ENGINES_H
#define GPUCOMPACT_TEST_ENGINES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/engine.h"

#define LENGTH(array)	((int) (sizeof(array) / sizeof((array)[0])))

/* Frees what a variable points to, where its scope ends. */
static inline void
free_owned(void *variable)
{
	void	   *memory;

	memcpy(&memory, variable, sizeof(memory));
	free(memory);
}

#define OWNED		__attribute__((cleanup(free_owned)))

/* The tests to run, from the command line. */
typedef struct Options
{
	const Engine *engine;
	EngineContext *context;		/* for tests of one job at a time */
	EngineAlgorithm algorithm;
	int64_t		least;			/* elements of an array */
	int64_t		most;
	int64_t		piece;			/* and the most of a piece; 0: no limit */
} Options;

extern Options options;

/* Counts around the sizes of a cache line, tile, piece and slot; then zero. */
extern const int64_t test_counts[];

/* With more elements than this, a family may skip some of its requests. */
#define MANY		100000

/* The kinds of data: random, narrow, constant, sorted, extreme. */
#define TEST_DATA	6

extern const char *const data_names[TEST_DATA];
extern void make_data(ElementKind kind, int data, void *elements,
					  int64_t count);
extern uint64_t next_bits(uint64_t *seed);
extern uint64_t random_bits(void);

/* The kinds of numbers: of integers, then of floats. */
#define NUMBER_KINDS	5

extern const ElementKind number_kinds[NUMBER_KINDS];

static inline bool
kind_is_unsigned(ElementKind kind)
{
	return kind == KIND_UINT1 || kind == KIND_UINT4;
}

extern EngineContext *open_context(void);

/* Fills under way at most. */
#define FILLS		12

/* A copy of the bytes that an engine copies; it is freed afterwards. */
typedef struct PagedFill
{
	char	   *bytes;
	int			length;
	ByteSpan   *spans;
	SpanBatch	batch;			/* the spans */
	int			pending;
} PagedFill;

/* The fills of a job. */
typedef struct Pages
{
	uint64_t	seed;
	bool		unpacks;		/* some bytes are not only copied */
	int			freed;			/* fills so far */
	int			filled;
	PagedFill	fills[FILLS];
} Pages;

extern void *fill_from_pages(Pages *pages, EngineContext *context, int input,
							 void *dest, const void *bytes, int length);
extern void free_pages(Pages *pages, EngineContext *context);

/* The value of an element of any kind. */
typedef struct TestValue
{
	int64_t		integer;		/* zero for a float */
	double		real;			/* zero for an integer */
} TestValue;

extern TestValue test_value(ElementKind kind, const void *elements, int64_t i);
extern void put_value(ElementKind kind, void *elements, int64_t i,
					  TestValue value);
extern double number_at(ElementKind kind, const void *elements, int64_t i);
extern void put_number(ElementKind kind, void *elements, int64_t i,
					   double number);
extern uint64_t index_of(ElementKind kind, const void *elements, int64_t i);
extern uint64_t order_at(ElementKind kind, const void *elements, int64_t i);
extern void sort_elements(ElementKind kind, void *elements, int64_t count);
extern int64_t count_up_to(const uint64_t *indexes, int64_t count,
						   uint64_t index);
extern int	compare_uint64(const void *a, const void *b);
extern EngineRequest make_request(EngineOperation operation, ElementKind from,
								  ElementKind to, int64_t count);
extern bool run_request(EngineRequest *request, const void *first,
						const void *second, EngineResult *result);
extern bool run_request_in(EngineContext *context,
						   const EngineRequest *request,
						   const void *const inputs[ENGINE_INPUTS],
						   EngineResult *result);
extern void expect(bool condition, const EngineRequest *request,
				   const char *what, int data);

/* The expected result of a request. */
typedef struct Expected
{
	int64_t		count;
	const void *results;		/* NULL: any */
	const void *second;			/* of the second output, NULL: it has none */
	const void *summary;		/* NULL: any */
	bool		(*same_summary) (const void *got, const void *summary);
								/* NULL: the bytes are the same */
	const int64_t *errors;		/* NULL: the operation has none */
	EngineOverflow overflow;
	bool		any_overflow;	/* up and down are the same */
	bool		any_nan;		/* and so are all in the results */
	const bool *undefined;		/* the results that do not matter, or NULL */
} Expected;

#define INPUTS(...)	((const void *const[ENGINE_INPUTS]) {__VA_ARGS__})

extern void expect_results(EngineRequest *request,
						   const void *const inputs[ENGINE_INPUTS],
						   const Expected *expected, const char *what,
						   int data);

/*
 * Tests its requests on arrays of "count" elements; or on one of each kind, or
 * of each kind of numbers.
 */
typedef struct TestFamily
{
	const char *name;
	void		(*test) (int64_t count, int data);
	void		(*test_kind) (ElementKind kind, void *in, int64_t count,
							  int data);
	int			kinds;
	struct TestFamily *next;
} TestFamily;

extern void add_test_family(TestFamily *family);

/* Ends the file of a family, which has a function test_NAME. */
#define TEST_FAMILY(name)	ADD_FAMILY(name, .test = test_##name)
#define TEST_KINDS(name) \
	ADD_FAMILY(name, .test_kind = test_##name, .kinds = ELEMENT_KINDS)
#define TEST_NUMBERS(name) \
	ADD_FAMILY(name, .test_kind = test_##name, .kinds = NUMBER_KINDS)
#define ADD_FAMILY(family_name, ...) \
	__attribute__((constructor)) static void \
	add_##family_name(void) \
	{ \
		static TestFamily family = {#family_name, __VA_ARGS__}; \
\
		add_test_family(&family); \
	}

/*
 * Completes the request of an operation for the tests of concurrent jobs: of
 * KIND_INT4 to KIND_INT4, as long as nothing else is said.  Its second input
 * is of KIND_INT8, and it has up to CONCURRENT_MOST elements, whose number is
 * set before.
 */
typedef void (*ConcurrentRequest) (EngineRequest *request);

extern ConcurrentRequest concurrent_requests[ENGINE_OPERATIONS];

/* The longest array has more pieces than there are helpers. */
#define CONCURRENT_MOST		700000

/* Gives a request a table of this many integers in order. */
#define CONCURRENT_TABLE	1000

extern void concurrent_table(EngineRequest *request);

/* Begins the function that does so, behind TEST_FAMILY(). */
#define CONCURRENT_REQUEST(NAME) \
	static void complete_##NAME(EngineRequest *request); \
	__attribute__((constructor)) static void \
	add_request_##NAME(void) \
	{ \
		concurrent_requests[ENGINE_##NAME] = complete_##NAME; \
	} \
	static void \
	complete_##NAME(EngineRequest *request)

extern void test_utf8_once(void);
extern void test_threads(void);

#endif							/* GPUCOMPACT_TEST_ENGINES_H */
