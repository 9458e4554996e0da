/*
 * test_packed.c
 *	  What is unpacked is what has been packed, by the code for this processor
 *	  and for lesser ones.
 */
#include "contract/cpu_clones.h"
#include "contract/order.h"
#include "packed_series.h"
#include "packed_whole.h"

/*
 * The expected scheme and mapping of a full block.  Other series may have any.
 */
static const struct
{
	PackedScheme scheme;
	PackedMapping mapping;
}			expected_blocks[SERIES] = {
	[SERIES_CONSTANT] = {PACKED_CONSTANT},
	[SERIES_GAPS] = {PACKED_DELTA},
	[SERIES_STEPS] = {PACKED_FRAME},
	[SERIES_KINDS] = {PACKED_DICTIONARY},
	[SERIES_RUNS] = {PACKED_RUNS},
	[SERIES_OUTLIERS] = {PACKED_FRAME},
	[SERIES_BITS] = {PACKED_RAW},
	[SERIES_DECIMALS] = {PACKED_FRAME, PACKED_DIVIDED},
	[SERIES_PRODUCTS] = {PACKED_FRAME, PACKED_MULTIPLIED},
	[SERIES_EIGHTHS] = {PACKED_FRAME, PACKED_MULTIPLIED},
	[SERIES_SPECIALS] = {PACKED_FRAME, PACKED_DIVIDED},
	[SERIES_SIGNS] = {PACKED_FRAME, PACKED_ROTATED}
};

/* Elements, some of them NULL, and a packed array of them. */
typedef struct Case
{
	Series		series;
	int			data;
	PackedArray packed;
	uint8_t    *elements;		/* that are present */
	uint8_t    *bitmap;
	uint8_t    *array;
} Case;

static void
expect_case(bool condition, const Case *this, const char *what)
{
	expect_packed(condition, &this->packed, this->series, what, this->data);
}

static bool
is_present(const Case *this, int64_t i)
{
	return this->packed.nulls == 0 || (this->bitmap[i / 8] >> i % 8 & 1);
}

/* Without NULLs, or with few, many or nothing else. */
static void
make_nulls(Case *this, int pattern)
{
	int64_t		count = this->packed.count;

	this->packed.nulls = 0;
	memset(this->bitmap, 0xFF, (count + 7) / 8);
	for (int64_t i = 0; i < count && pattern > 0; i++)
	{
		if (pattern == 3 || random_bits() % 100 < (pattern == 1 ? 1 : 70))
		{
			this->bitmap[i / 8] &= (uint8_t) ~(1 << i % 8);
			this->packed.nulls++;
		}
	}
}

/* Packs in parts: the bytes are the same. */
static void
test_parts(const Case *this)
{
	PackedArray packed = this->packed;
	int			size = kind_size(packed.kind);
	int64_t		present = packed_present(&packed);
	OWNED uint8_t *array = malloc(packed_most(&packed));
	OWNED PackedBlock *blocks = malloc((packed_blocks(present) + 1) *
									   sizeof(PackedBlock));
	uint8_t    *end = array + packed_front(&packed);

	for (int64_t done = 0; done < present;)
	{
		int64_t		some = (1 + (int64_t) (random_bits() % 3)) * PACKED_BLOCK;
		uint8_t    *part;
		int64_t		length;

		if (some > present - done)
			some = present - done;
		part = malloc(packed_most_blocks(packed.kind, some));
		length = packed_pack(packed.kind, this->elements + done * size, some,
							 part, blocks + done / PACKED_BLOCK);
		memcpy(end, part, length);
		end += length;
		done += some;
		free(part);
	}
	packed_write_front(&packed, this->bitmap, blocks, array);
	expect_case(packed.length == this->packed.length &&
				memcmp(array, this->array, packed.length) == 0, this,
				"packed in parts");
}

/* Unpacks all elements. */
static void
test_elements(const Case *this)
{
	int64_t		size = packed_present(&this->packed) *
		kind_size(this->packed.kind);
	OWNED uint8_t *elements = malloc(size + 1);
	PackedStatus status = unpack_whole(&this->packed, this->array, elements);

	expect_case(status == PACKED_OK &&
				memcmp(elements, this->elements, size) == 0, this, "unpacked");
}

/* Reads the NULL bitmap; bits behind its last element are zero. */
static void
test_nulls(const Case *this)
{
	int64_t		bytes = (this->packed.count + 7) / 8;
	OWNED uint8_t *bitmap = malloc(bytes + 1);
	bool		same = nulls_whole(&this->packed, this->array,
								   bitmap) == PACKED_OK;

	for (int64_t i = 0; i < bytes * 8 && same && this->packed.nulls > 0; i++)
		same = (i < this->packed.count && is_present(this, i)) ==
			(bitmap[i / 8] >> i % 8 & 1);
	expect_case(same, this, "NULLs");
}

static void *
copy_span(const Case *this, PackedSpan span)
{
	return memcpy(malloc(span.length), this->array + span.offset,
				  span.length);
}

/* The minimum and maximum equal those that a loop finds, and are canonical. */
static void
test_extremes(const Case *this, const PackedBlock *block, int64_t first)
{
	ElementKind kind = this->packed.kind;
	uint64_t	bits[2] = {block->least, block->greatest};
	uint64_t	least = UINT64_MAX;
	uint64_t	greatest = 0;
	bool		canonical = true;

	for (int64_t i = first; i < first + block->count; i++)
	{
		uint64_t	index = index_of(kind, this->elements, i);

		least = index < least ? index : least;
		greatest = index > greatest ? index : greatest;
	}
	for (int i = 0; i < 2; i++)
	{
		if (kind == KIND_FLOAT4)
			canonical &= bits[i] == float4_canonicalize((uint32_t) bits[i]);
		if (kind == KIND_FLOAT8)
			canonical &= bits[i] == float8_canonicalize(bits[i]);
	}
	expect_case(canonical && index_of(kind, &bits[0], 0) == least &&
				index_of(kind, &bits[1], 0) == greatest, this, "extremes");
}

/* Reads a block by the bytes alone that have to do with it. */
static void
test_block(const Case *this)
{
	const PackedArray *packed = &this->packed;
	int			size = kind_size(packed->kind);
	int64_t		number = (int64_t) (random_bits() %
									packed_blocks(packed_present(packed)));
	int64_t		page = number / PACKED_PAGE;
	void	   *bytes = copy_span(this, packed_page_span(packed, page));
	PackedBlock blocks[PACKED_PAGE];
	const PackedBlock *block = &blocks[number % PACKED_PAGE];
	uint8_t    *elements;

	expect_case(packed_read_page(packed, page, bytes, blocks) == PACKED_OK,
				this, "page");
	free(bytes);
	bytes = copy_span(this, (PackedSpan) {block->offset, block->length});
	elements = malloc(block->count * size);
	expect_case(packed_check_block(packed, block, bytes,
								   elements) == PACKED_OK &&
				memcmp(elements, this->elements + number * PACKED_BLOCK * size,
					   block->count * size) == 0, this, "block");
	test_extremes(this, block, number * PACKED_BLOCK);
	free(bytes);
	free(elements);
}

/*
 * Series that are made for a scheme are packed by it.  Outliers below zero are
 * too far away in an unsigned kind.
 */
static void
test_scheme(const Case *this)
{
	PackedBlock blocks[PACKED_PAGE];
	ElementKind kind = this->packed.kind;
	bool		is_float = kind_is_float(kind);

	if (this->series == SERIES_DATA ||
		packed_present(&this->packed) < PACKED_BLOCK || kind_size(kind) < 4 ||
		(!is_float && this->series >= SERIES_DECIMALS) ||
		(kind == KIND_UINT4 && this->series == SERIES_OUTLIERS))
		return;
	(void) read_page(&this->packed, this->array, 0, blocks);
	expect_case(blocks[0].scheme == expected_blocks[this->series].scheme,
				this, packed_scheme_names[blocks[0].scheme]);
	if (this->series >= SERIES_DECIMALS &&
		(kind == KIND_FLOAT8 || this->series != SERIES_PRODUCTS))
		expect_case(blocks[0].mapping ==
					expected_blocks[this->series].mapping, this, "mapping");
}

static void
test_case(Case *this)
{
	CpuLevel	chosen = (CpuLevel) cpu_level;
	PackedArray opened;

	memset(&opened, 0, sizeof(opened));
	expect_case(packed_open(&opened, this->array,
							this->packed.length) == PACKED_OK &&
				memcmp(&opened, &this->packed, sizeof(opened)) == 0, this,
				"header");
	for (int i = CPU_PLAIN; i <= (int) chosen; i++)
	{
		(void) cpu_choose((CpuLevel) i);
		test_parts(this);
		test_elements(this);
	}
	test_nulls(this);
	if (packed_present(&this->packed) == 0)
		return;
	test_block(this);
	test_scheme(this);
}

static void
test_packed(int64_t count, int data)
{
	OWNED uint8_t *elements = malloc(count * sizeof(int64_t));
	OWNED uint8_t *bitmap = malloc(count / 8 + 1);
	Case		this = {.data = data, .elements = elements, .bitmap = bitmap};

	/* Packing has no other engine. */
	if (options.engine != &cpu_engine)
		return;
	for (int i = 0; i < ELEMENT_KINDS * SERIES; i++)
	{
		this.series = (Series) (i % SERIES);
		if (count > MANY && random_bits() % 8 > 0)
			continue;

		/* Set to zeros, because padding is compared, too. */
		memset(&this.packed, 0, sizeof(this.packed));
		this.packed.kind = (ElementKind) (i / SERIES);
		this.packed.element_type = 4294967295u - i;
		this.packed.lower_bound = -i;
		this.packed.count = count;
		make_nulls(&this, (int) (random_bits() % 4));
		make_series(this.packed.kind, this.series, data, this.elements,
					packed_present(&this.packed));
		this.array = pack_all(&this.packed, this.elements, this.bitmap);
		test_case(&this);
		free(this.array);
	}
}

TEST_FAMILY(packed)
