/*
 * cpu_set_template.h
 *	  The merge of a set operation; for cpu_kinds.h.
 *
 * A key is an element's place in the order of its kind, as an unsigned integer.
 */

#define SET_KEY(bits) \
	((KIND_BITS) (KIND_ORDER(KIND_CANONICALIZE(bits)) - least))

/* Parts of two arrays that are being merged. */
typedef struct KIND_NAME(SetLane)
{
	const KIND_BITS *a;
	const KIND_BITS *b;
	KIND_BITS  *out;
	KIND_BITS	last;			/* key: of the first array, or of a union */
	const KIND_BITS *a_end;
	const KIND_BITS *b_end;
	bool		b_follows;		/* the array has an element at b_end */
} KIND_NAME(SetLane);

CPU_CLONES static bool
KIND_NAME(set_in_order) (const void *data, int64_t count, uint64_t lowest)
{
	const KIND_BITS *elements = data;
	KIND_BITS	least = (KIND_BITS) lowest;
	KIND_BITS	descents = 0;

	for (int64_t i = 1; i < count; i++)
		descents |= SET_KEY(elements[i - 1]) > SET_KEY(elements[i]);
	return descents == 0;
}

static int64_t
KIND_NAME(set_split) (const void *first_array, int64_t na,
					  const void *second_array, int64_t nb, int64_t first,
					  uint64_t lowest)
{
	const KIND_BITS *a = first_array;
	const KIND_BITS *b = second_array;
	KIND_BITS	least = (KIND_BITS) lowest;
	int64_t		from = first > nb ? first - nb : 0;
	int64_t		to = first < na ? first : na;

	SEARCH(from, to, at, SET_KEY(a[at]) <= SET_KEY(b[first - 1 - at]));
	return from;
}

/*
 * Merges the next element, without a branch, as no processor could predict it.
 */
static inline __attribute__((always_inline)) void
KIND_NAME(set_step) (SetOperator op, KIND_NAME(SetLane) *lane, KIND_BITS least)
{
	KIND_BITS	a = *lane->a;
	KIND_BITS	b = *lane->b;
	KIND_BITS	x = SET_KEY(a);
	KIND_BITS	y = SET_KEY(b);
	KIND_BITS	of_a = -(KIND_BITS) (x <= y);
	KIND_BITS	key = op == SET_UNION ? y ^ ((x ^ y) & of_a) :
		lane->last ^ ((x ^ lane->last) & of_a);

	*lane->out = op == SET_UNION ? b ^ ((a ^ b) & of_a) : a;
	if (op == SET_UNION)
		lane->out += key != lane->last;
	else
		lane->out += (op == SET_INTERSECT ? x == y : x < y) & (x != lane->last);
	lane->last = key;
	lane->a += of_a & 1;
	lane->b += 1 - (of_a & 1);
}

/* Takes elements up to "end" that the other array does not have. */
static inline __attribute__((always_inline)) void
KIND_NAME(set_take) (KIND_NAME(SetLane) *lane, const KIND_BITS **from,
					 const KIND_BITS *end, KIND_BITS least)
{
	KIND_BITS  *out = lane->out;
	KIND_BITS	last = lane->last;

	for (const KIND_BITS *next = *from; next < end; next++)
	{
		KIND_BITS	key = SET_KEY(*next);

		*out = *next;
		out += key != last;
		last = key;
	}
	*from = end;
	lane->out = out;
	lane->last = last;
}

/* Passes over elements of the first array up to "end", or takes them. */
static inline __attribute__((always_inline)) void
KIND_NAME(set_pass_a) (SetOperator op, KIND_NAME(SetLane) *lane,
					   const KIND_BITS *end, KIND_BITS least)
{
	if (op != SET_INTERSECT)
		KIND_NAME(set_take) (lane, &lane->a, end, least);
	else if (lane->a < end)
	{
		lane->last = SET_KEY(end[-1]);
		lane->a = end;
	}
}

/* Passes over elements of the second array up to "end", or takes them. */
static inline __attribute__((always_inline)) void
KIND_NAME(set_pass_b) (SetOperator op, KIND_NAME(SetLane) *lane,
					   const KIND_BITS *end, KIND_BITS least)
{
	if (op == SET_UNION)
		KIND_NAME(set_take) (lane, &lane->b, end, least);
	lane->b = end;
}

/*
 * Merges what is left of one array after the other one ends.  The first array's
 * last elements may be equal to what follows in the second one.
 */
static inline __attribute__((always_inline)) void
KIND_NAME(set_finish) (SetOperator op, KIND_NAME(SetLane) *lane,
					   KIND_BITS least)
{
	if (op == SET_UNION || !lane->b_follows)
		KIND_NAME(set_pass_a) (op, lane, lane->a_end, least);
	else if (lane->a < lane->a_end)
	{
		KIND_BITS	y = SET_KEY(*lane->b_end);

		for (; lane->a < lane->a_end; lane->a++)
		{
			KIND_BITS	x = SET_KEY(*lane->a);

			*lane->out = *lane->a;
			lane->out += ((x == y) == (op == SET_INTERSECT)) &
				(x != lane->last);
			lane->last = x;
		}
	}
	KIND_NAME(set_pass_b) (op, lane, lane->b_end, least);
}

/* Gallops to the first element from "from" on that is not less than the key. */
static inline const KIND_BITS *
KIND_NAME(set_search) (const KIND_BITS *from, const KIND_BITS *end,
					   KIND_BITS key, KIND_BITS least)
{
	int64_t		step = 1;

	while (end - from >= step && SET_KEY(from[step - 1]) < key)
	{
		from += step;
		step *= 2;
	}
	if (end - from >= step)
		end = from + step - 1;
	SEARCH(from, end, at, SET_KEY(*at) < key);
	return from;
}

/* Merges a part in which one array has far fewer elements than the other. */
static inline __attribute__((always_inline)) void
KIND_NAME(set_merge_few) (SetOperator op, KIND_NAME(SetLane) *lane,
						  KIND_BITS least)
{
	bool		few_b = lane->b_end - lane->b < lane->a_end - lane->a;

	while (lane->a < lane->a_end && lane->b < lane->b_end)
	{
		if (few_b)
			KIND_NAME(set_pass_a) (op, lane,
								   KIND_NAME(set_search) (lane->a, lane->a_end,
														  SET_KEY(*lane->b),
														  least), least);
		else
			KIND_NAME(set_pass_b) (op, lane,
								   KIND_NAME(set_search) (lane->b, lane->b_end,
														  SET_KEY(*lane->a),
														  least), least);

		/* The next element of the shorter array, and elements equal to it. */
		for (const KIND_BITS *few = few_b ? lane->b : lane->a;
			 lane->a < lane->a_end && lane->b < lane->b_end &&
			 few == (few_b ? lane->b : lane->a);)
			KIND_NAME(set_step) (op, lane, least);
	}
	KIND_NAME(set_finish) (op, lane, least);
}

/* Returns how many steps take no lane beyond an array's end. */
static inline int64_t
KIND_NAME(set_safe_steps) (const KIND_NAME(SetLane) *lanes, int nlanes)
{
	int64_t		steps = INT64_MAX;

	for (int i = 0; i < nlanes; i++)
	{
		int64_t		a = lanes[i].a_end - lanes[i].a;
		int64_t		b = lanes[i].b_end - lanes[i].b;

		steps = a < steps ? a : steps;
		steps = b < steps ? b : steps;
	}
	return steps;
}

static inline __attribute__((always_inline)) void
KIND_NAME(set_steps) (SetOperator op, KIND_NAME(SetLane) *lanes, int nlanes,
					  KIND_BITS least)
{
	int64_t		steps;

	while ((steps = KIND_NAME(set_safe_steps) (lanes, nlanes)) > 0)
	{
		for (; steps > 0; steps--)
		{
			for (int i = 0; i < nlanes; i++)
				KIND_NAME(set_step) (op, &lanes[i], least);
		}
	}
}

static inline __attribute__((always_inline)) void
KIND_NAME(set_merge_abreast) (SetOperator op, KIND_NAME(SetLane) *lanes,
							  KIND_BITS least)
{
	KIND_NAME(SetLane) abreast[SET_LANES];

	memcpy(abreast, lanes, sizeof(abreast));
	KIND_NAME(set_steps) (op, abreast, SET_LANES, least);
	memcpy(lanes, abreast, sizeof(abreast));
	for (int i = 0; i < SET_LANES; i++)
	{
		KIND_NAME(set_steps) (op, &lanes[i], 1, least);
		KIND_NAME(set_finish) (op, &lanes[i], least);
	}
}

/* The last key that the merge has passed; at its start, not the first key. */
static KIND_BITS
KIND_NAME(set_last) (const CpuSet *set, const SetPart *part)
{
	const KIND_BITS *a = set->arrays[0];
	const KIND_BITS *b = set->arrays[1];
	KIND_BITS	least = (KIND_BITS) set->least;
	bool		of_a = set->op != SET_UNION ||
		part->b_from == 0 || (part->a_from > 0 &&
							  SET_KEY(a[part->a_from - 1]) >=
							  SET_KEY(b[part->b_from - 1]));

	if (of_a && part->a_from > 0)
		return SET_KEY(a[part->a_from - 1]);
	if (!of_a)
		return SET_KEY(b[part->b_from - 1]);
	if (set->counts[0] > 0 &&
		(set->op != SET_UNION || set->counts[1] == 0 ||
		 SET_KEY(a[0]) <= SET_KEY(b[0])))
		return SET_KEY(a[0]) + 1;
	return set->counts[1] > 0 ? SET_KEY(b[0]) + 1 : 0;
}

static inline __attribute__((always_inline)) void
KIND_NAME(set_merge_by) (SetOperator op, KIND_NAME(SetLane) *lanes,
						 int nlanes, KIND_BITS least)
{
	if (nlanes == 1)
		KIND_NAME(set_merge_few) (op, lanes, least);
	else
		KIND_NAME(set_merge_abreast) (op, lanes, least);
}

static void
KIND_NAME(set_merge) (const CpuSet *set, SetPart *parts, int nparts)
{
	const KIND_BITS *a = set->arrays[0];
	const KIND_BITS *b = set->arrays[1];
	KIND_BITS	least = (KIND_BITS) set->least;
	KIND_NAME(SetLane) lanes[SET_LANES] = {{0}};

	for (int i = 0; i < nparts; i++)
		lanes[i] = (KIND_NAME(SetLane))
	{
		a + parts[i].a_from, b + parts[i].b_from, parts[i].out,
			KIND_NAME(set_last) (set, &parts[i]),
			a + parts[i].a_to, b + parts[i].b_to,
			parts[i].b_to < set->counts[1]
	};
	switch (set->op)
	{
		case SET_UNION:
			KIND_NAME(set_merge_by) (SET_UNION, lanes, nparts, least);
			break;
		case SET_INTERSECT:
			KIND_NAME(set_merge_by) (SET_INTERSECT, lanes, nparts, least);
			break;
		case SET_EXCEPT:
			KIND_NAME(set_merge_by) (SET_EXCEPT, lanes, nparts, least);
			break;
	}
	for (int i = 0; i < nparts; i++)
		parts[i].results = lanes[i].out - (KIND_BITS *) parts[i].out;
}

static const SetKind KIND_NAME(set_kind) = {
	KIND_NAME(set_in_order), KIND_NAME(set_split), KIND_NAME(set_merge)
};

#undef SET_KEY
