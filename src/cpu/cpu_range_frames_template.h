/*
 * cpu_range_frames_template.h
 *	  The frames of places, for cpu_types.h.
 *
 * The frames of neighbours begin, and end, near each other.  So the bounds of
 * several places are found at a time, by comparing their keys with all x from
 * the last bound on.  Where that would be many, each bound is looked for at
 * distances that double.
 */
#ifdef TYPE_BITS
#define KEY					double
#define KEYS				RangeFloats
#define KEY_LESS(a, b)		FLOAT_LESS(a, b)
#define KEY_LOW(place)		range_low_float(&parameters, place)
#define KEY_HIGH(place)		range_high_float(&parameters, place)
#else
#define KEY					int64_t
#define KEYS				RangeIntegers
#define KEY_LESS(a, b)		((a) < (b))
#define KEY_LOW(place) \
	range_low_integer(&parameters, place, TYPE_FIRST, TYPE_LAST)
#define KEY_HIGH(place) \
	range_high_integer(&parameters, place, TYPE_FIRST, TYPE_LAST)
#endif

/* Returns whether an x comes before a key; or also if it is equal. */
static inline __attribute__((always_inline)) bool
TYPE_NAME(is_before) (KEY x, KEY key, bool or_equal)
{
	return or_equal ? !KEY_LESS(key, x) : KEY_LESS(x, key);
}

/* Returns the first x from "from" on that does not come before a key. */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(skip_before) (const TYPE_ELEMENT *x, int32_t from, int32_t count,
						KEY key, bool or_equal)
{
	int32_t		to;

	for (int32_t step = 1;; step *= 2)
	{
		to = step < count - from ? from + step : count;
		if (to == count || !TYPE_NAME(is_before) (x[to], key, or_equal))
			break;
		from = to + 1;
	}
	SEARCH(from, to, at, TYPE_NAME(is_before) (x[at], key, or_equal));
	return from;
}

/*
 * Finds RANGE_ABREAST bounds, which are not before "from": compares each key
 * with the same x, without branches, which nobody could predict.  Returns an x
 * that is not behind the last bound.
 */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(find_near) (const TYPE_ELEMENT *x, int32_t from, const KEY *keys,
					  bool or_equal, int32_t *bounds)
{
	const TYPE_ELEMENT *next = x + from;
	KEYS		low;
	KEYS		high;
	RangeIntegers low_less = {0};	/* minus the x that are less; or, with
									 * "or_equal", that are greater */
	RangeIntegers high_less = {0};
	int32_t		at;

	memcpy(&low, keys, sizeof(low));
	memcpy(&high, keys + RANGE_VECTOR, sizeof(high));
	for (;; next += RANGE_VECTOR)
	{
		for (int i = 0; i < RANGE_VECTOR; i++)
		{
			KEY			one = next[i];
			KEYS		all = {one, one, one, one};

			low_less += or_equal ? KEY_LESS(low, all) : KEY_LESS(all, low);
			high_less += or_equal ? KEY_LESS(high, all) : KEY_LESS(all, high);
		}
		if (!TYPE_NAME(is_before) (next[RANGE_VECTOR - 1],
								   keys[RANGE_ABREAST - 1], or_equal))
			break;
	}
	at = (int32_t) (next - x);
	for (int i = 0; i < RANGE_VECTOR; i++)
	{
		bounds[i] = or_equal ? at + RANGE_VECTOR + (int32_t) low_less[i] :
			from - (int32_t) low_less[i];
		bounds[RANGE_VECTOR + i] = or_equal ?
			at + RANGE_VECTOR + (int32_t) high_less[i] :
			from - (int32_t) high_less[i];
	}
	return at;
}

/*
 * Finds a bound of the frames of some places, from one before them on, which is
 * not behind the bound of any.  Returns such a one for the next places.
 */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(find_bounds) (const TYPE_ELEMENT *x, int32_t from, int32_t elements,
						const KEY *keys, int count, bool or_equal,
						int32_t *bounds)
{
	for (int i = 0, found; i < count; i += found)
	{
		if (count - i >= RANGE_ABREAST && elements - from >= RANGE_NEAR &&
			!TYPE_NAME(is_before) (x[from + RANGE_NEAR - 1],
								   keys[i + RANGE_ABREAST - 1], or_equal))
		{
			from = TYPE_NAME(find_near) (x, from, keys + i, or_equal,
										 bounds + i);
			found = RANGE_ABREAST;
		}
		else
		{
			bounds[i] = from = TYPE_NAME(skip_before) (x, from, elements,
													   keys[i], or_equal);
			found = 1;
		}
	}
	return from;
}

CPU_CLONES static void
TYPE_NAME(find_frames) (const CpuRangeWindow *window, int64_t from, int count,
						RangeFrames *frames)
{
	const RangeWindowParameters parameters = *window->parameters;
	const TYPE_ELEMENT *places = (const TYPE_ELEMENT *) window->places + from;
	const TYPE_ELEMENT *x = window->x;
	int32_t		elements = (int32_t) window->count;
	KEY			keys[RANGE_FRAMES];

	for (int i = 0; i < count; i++)
		keys[i] = KEY_LOW(places[i]);
	frames->next_first =
		TYPE_NAME(find_bounds) (x, frames->next_first, elements, keys, count,
								false, frames->first);
	for (int i = 0; i < count; i++)
		keys[i] = KEY_HIGH(places[i]);
	frames->next_end =
		TYPE_NAME(find_bounds) (x, frames->next_end, elements, keys, count,
								true, frames->end);
}

static bool
TYPE_NAME(has_ended) (const CpuRangeWindow *window, int64_t place)
{
	const RangeWindowParameters parameters = *window->parameters;
	const TYPE_ELEMENT *x = window->x;

	return KEY_LESS(KEY_HIGH(((const TYPE_ELEMENT *) window->places)[place]),
					(KEY) x[window->count - 1]);
}

static const FrameWork TYPE_NAME(frames) = {
	TYPE_NAME(find_frames), TYPE_NAME(has_ended)
};

#undef KEY
#undef KEYS
#undef KEY_LESS
#undef KEY_LOW
#undef KEY_HIGH
