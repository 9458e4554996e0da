/*
 * test_members.c
 *	  The elements that a table has, or has not.
 */
#include "contract/operations/members.h"
#include "contract/order.h"
#include "engines.h"

/* Entries of a table: around those from which an engine goes other ways. */
static const int table_counts[] = {
	1, 2, 7, 8, 9, 33, 1000, 6144, 12289, 100000
};

/*
 * An element of this key; for the key of a float, maybe an element that equals
 * another one.
 */
static uint64_t
element_of(ElementKind kind, uint64_t key)
{
	return kind == KIND_FLOAT4 ? float4_of_order((uint32_t) key) :
		kind == KIND_FLOAT8 ? float8_of_order(key) : key + kind_least(kind);
}

/*
 * Distinct keys, in order: some of them of elements, or all close to each
 * other, or all but one.
 */
static int
make_keys(ElementKind kind, const void *in, int64_t count, uint64_t *keys,
		  int nkeys, bool dense)
{
	uint64_t	mask = UINT64_MAX >> (64 - 8 * kind_size(kind));
	uint64_t	start = index_of(kind, in, random_bits() % count);
	int			distinct = 0;

	for (int i = 0; i < nkeys; i++)
		keys[i] = dense ? (start + 2 * i) & mask :
			random_bits() % 2 ? index_of(kind, in, random_bits() % count) :
			random_bits() & mask;
	if (dense && nkeys % 2 == 1)
		keys[0] = random_bits() & mask;
	for (int i = 0; i < nkeys; i++) /* little end first */
	{
		uint64_t	element = element_of(kind, keys[i]);

		keys[i] = index_of(kind, &element, 0);
	}
	qsort(keys, nkeys, sizeof(uint64_t), compare_uint64);
	for (int i = 0; i < nkeys; i++)
	{
		if (i == 0 || keys[i] != keys[i - 1])
			keys[distinct++] = keys[i];
	}
	return distinct;
}

static void
try_table(ElementKind kind, const char *in, int64_t count, int data,
		  int nkeys, bool dense)
{
	int			size = kind_size(kind);
	OWNED uint64_t *keys = malloc(nkeys * sizeof(uint64_t));
	OWNED char *table = malloc(nkeys * sizeof(uint64_t));
	OWNED char *found = malloc(count * size);
	EngineRequest request = make_request(ENGINE_MEMBERS, kind, kind, count);

	request.table = table;
	nkeys = make_keys(kind, in, count, keys, nkeys, dense);
	for (int i = 0; i < nkeys; i++)
	{
		uint64_t	element = element_of(kind, keys[i]);

		memcpy(table + i * size, &element, size);
	}
	request.table_bytes = nkeys * size;
	for (int outside = 0; outside < 2; outside++)
	{
		int64_t		results = 0;

		for (int64_t i = 0; i < count; i++)
		{
			uint64_t	key = index_of(kind, in, i);
			bool		is_member = bsearch(&key, keys, nkeys, sizeof(key),
											compare_uint64) != NULL;

			if (is_member != (outside == 1))
				memcpy(found + results++ * size, in + i * size, size);
		}
		PARAMETERS(&request, MembersParameters)->outside = outside;
		expect_results(&request, INPUTS(in), &(Expected) {results, found},
					   outside ? "no members" : "members", data);
	}
}

static void
test_members(ElementKind kind, void *in, int64_t count, int data)
{
	int			step = count > MANY ? 10 : count > 1000 ? 3 : 1;

	for (int i = random_bits() % step; i < LENGTH(table_counts); i += step)
	{
		/* To sort a large table takes far longer than the calls. */
		if (table_counts[i] <= 1000 || random_bits() % 8 == 0)
			try_table(kind, in, count, data, table_counts[i],
					  random_bits() % 3 == 0);
	}
}

TEST_KINDS(members)

CONCURRENT_REQUEST(MEMBERS)
{
	concurrent_table(request);
}
