/*
 * cpu_members.c
 *	  Compaction by membership: the elements of a piece that a table contains,
 *	  or those that it does not contain.
 *
 * A search in the table takes long, and most elements need none.  Keys are
 * divided into ranges of equal width, and a bitmap says whether the table has
 * a key in a range.  If a range is a single key, its bit is the answer.
 * Otherwise a list says where wider ranges begin in the table, and the entries
 * of one wider range are searched: a few if keys are spread evenly, at worst
 * all.
 */
#include <stdlib.h>
#include <string.h>

#include "contract/operations/members.h"
#include "cpu/cpu_compact.h"

/*
 * Elements that are looked up at once; their intermediate results stay in the
 * cache.
 */
#define MEMBERS_BLOCK		1024

/* Elements are compared with all entries of a smaller table. */
#define MEMBERS_TABLE		8

/* The bitmap pays from this size of the array on. */
#define MEMBERS_COUNT		(16 * 1024)

/*
 * Bits for each entry of the table.  The bitmap has at least MEMBERS_MIN_BITS,
 * which stay in the first-level cache, and at most MEMBERS_MAX_BITS.
 */
#define MEMBERS_BITS		16
#define MEMBERS_MIN_BITS	((int64_t) 128 * 1024)
#define MEMBERS_MAX_BITS	((int64_t) 128 * 1024 * 1024)

/* Entries of the table for each of the wider ranges, on average. */
#define MEMBERS_RANGE		4

/* Entries of the table whose bits are set before buffer() returns. */
#define MEMBERS_STEP		(512 * 1024)

/* A key is an element's place in the order of its kind. */
typedef struct CpuMembers
{
	uint64_t	low;			/* the table's first key */
	uint64_t	last;			/* bit */
	int			shift;			/* of keys to their bits */
	int			range_shift;	/* of keys to their wider ranges */
	uint64_t	ranges;
	uint32_t   *starts;			/* of ranges in the table, and the table's
								 * end; NULL if a bit is one key */
	uint64_t	next_range;		/* whose start is not known yet */
	int64_t		made;			/* entries of the table so far */
	uint32_t	bits[];			/* one more than up to the last */
} CpuMembers;

typedef struct MembersKind
{
	uint64_t	(*key) (const void *table, int64_t i, uint64_t least);
	void		(*make_bits) (CpuMembers *members, const void *table,
							  int64_t from, int64_t to, uint64_t least);
	void		(*test_bits) (const CpuMembers *members, const void *data,
							  int64_t count, uint64_t least, uint8_t *flags);
	void		(*search) (const CpuJob *job, const void *data,
						   int64_t count, uint8_t *flags);
	void		(*compare) (const CpuJob *job, const void *data,
							int64_t count, uint8_t *flags);
} MembersKind;

static int64_t
table_count(const EngineRequest *request)
{
	return request->table_bytes / input_size(request, 0);
}

#define KIND_TEMPLATE "cpu_members_template.h"
#include "cpu/cpu_kinds.h"

static const MembersKind *const kinds[ELEMENT_KINDS] =
	KIND_TABLE(&members_kind);

/*
 * Returns the shift of keys that cuts a span into "most" ranges or fewer.
 */
static int
shift_to(uint64_t span, uint64_t most)
{
	int			shift = 0;

	while (span >> shift >= most)
		shift++;
	return shift;
}

/* Returns memory for bits and ranges, or NULL if there is not enough. */
static CpuMembers *
allocate_members(uint64_t low, uint64_t span, uint64_t count)
{
	uint64_t	most = MEMBERS_BITS * count;
	CpuMembers *members;
	int			shift;

	most = most < MEMBERS_MIN_BITS ? MEMBERS_MIN_BITS :
		most > MEMBERS_MAX_BITS ? MEMBERS_MAX_BITS : most;
	shift = shift_to(span, most);
	members = calloc(1, sizeof(CpuMembers) +
					 (((span >> shift) + 1) / 32 + 1) * sizeof(uint32_t));
	if (members == NULL)
		return NULL;
	members->low = low;
	members->last = span >> shift;
	members->shift = shift;
	if (shift == 0)
		return members;
	members->range_shift = shift_to(span, count / MEMBERS_RANGE + 1);
	members->ranges = (span >> members->range_shift) + 1;
	members->starts = malloc((members->ranges + 1) * sizeof(uint32_t));
	if (members->starts != NULL)
		return members;
	free(members);
	return NULL;
}

static bool
members_begin(CpuJob *job)
{
	const EngineRequest *request = job->request;
	const MembersKind *kind = kinds[request->kinds[0]];
	int64_t		count = table_count(request);

	if (count >= MEMBERS_TABLE && request->count >= MEMBERS_COUNT)
	{
		uint64_t	least = kind_least(request->kinds[0]);
		uint64_t	low = kind->key(request->table, 0, least);
		uint64_t	high = kind->key(request->table, count - 1, least);

		job->state = allocate_members(low, high - low, count);
		if (job->state == NULL)
			return false;
	}
	return cpu_pieces_begin(job);
}

/* Before the first piece, makes the bits. */
static EngineStatus
members_buffer(CpuJob *job, void *buffers[ENGINE_INPUTS], int64_t *capacity)
{
	const EngineRequest *request = job->request;
	CpuMembers *members = job->state;
	int64_t		left = members == NULL ? 0 :
		table_count(request) - members->made;
	int64_t		count = cpu_min(left, MEMBERS_STEP);

	if (left > 0)
	{
		kinds[request->kinds[0]]->make_bits(members, request->table,
											members->made,
											members->made + count,
											kind_least(request->kinds[0]));
		members->made += count;
		if (left > count)
			return ENGINE_MORE;
		if (members->starts != NULL)
			members->starts[members->ranges] = (uint32_t) members->made;
	}
	return cpu_pieces_buffer(job, buffers, capacity);
}

/* Flags a block of elements that are in the table. */
static void
flag_block(const CpuJob *job, const void *data, int64_t count, uint8_t *flags)
{
	const EngineRequest *request = job->request;
	const CpuMembers *members = job->state;
	const MembersKind *kind = kinds[request->kinds[0]];

	if (table_count(request) < MEMBERS_TABLE)
	{
		kind->compare(job, data, count, flags);
		return;
	}
	if (members == NULL)
		memset(flags, 1, count);
	else
		kind->test_bits(members, data, count, kind_least(request->kinds[0]),
						flags);
	if (members == NULL || members->shift > 0)
		kind->search(job, data, count, flags);
}

static void
members_piece(CpuJob *job, CpuPiece *piece)
{
	const EngineRequest *request = job->request;
	uint8_t    *flags = cpu_flags_buffer(job, piece);
	uint8_t		outside = PARAMETERS(request, MembersParameters)->outside;

	for (int64_t first = 0; first < piece->count; first += MEMBERS_BLOCK)
	{
		int64_t		count = cpu_min(piece->count - first, MEMBERS_BLOCK);

		flag_block(job, (const char *) piece->data[0] +
				   first * input_size(request, 0), count, flags + first);
	}
	for (int64_t i = 0; outside && i < piece->count; i++)
		flags[i] ^= 1;
	cpu_compact_flagged(job, piece, flags, false);
}

static void
members_end(CpuJob *job)
{
	CpuMembers *members = job->state;

	cpu_drop_pieces(job);
	if (members != NULL)
		free(members->starts);
}

const CpuOperation cpu_members = {
	.begin = members_begin,
	.buffer = members_buffer,
	.push = cpu_pieces_push,
	.finish = cpu_pieces_finish,
	.end = members_end,
	.piece = members_piece
};
