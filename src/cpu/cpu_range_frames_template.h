/*
 * cpu_range_frames_template.h
 *	  The frames of places, for cpu_types.h.
 *
 * The frames of neighbours begin, and end, near each other.  So each bound is
 * looked for from the last one on: at a few elements, then at distances that
 * double.  If the places are the x themselves and frames end with them, a
 * frame ends where the peers of its x end; these ends are found backward.
 */
#ifdef TYPE_BITS
#define KEY					double
#define KEY_LESS(a, b)		FLOAT_LESS(a, b)
#define KEY_LOW(place)		range_low_float(&parameters, place)
#define KEY_HIGH(place)		range_high_float(&parameters, place)
#else
#define KEY					int64_t
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

/*
 * Returns the first x from "from" on that does not come before a key.  The
 * first few are counted without branches, which nobody could predict.
 */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(skip_before) (const TYPE_ELEMENT *x, int32_t from, int32_t count,
						KEY key, bool or_equal)
{
	int32_t		to;

	if (count - from >= 3)
	{
		int			before = TYPE_NAME(is_before) (x[from], key, or_equal) +
			TYPE_NAME(is_before) (x[from + 1], key, or_equal) +
			TYPE_NAME(is_before) (x[from + 2], key, or_equal);

		from += before;
		if (before < 3)
			return from;
	}
	for (int32_t step = 1;; step *= 2)
	{
		to = step < count - from ? from + step : count;
		if (to == count || !TYPE_NAME(is_before) (x[to], key, or_equal))
			break;
		from = to + 1;
	}
	while (from < to)
	{
		int32_t		middle = from + (to - from) / 2;

		if (TYPE_NAME(is_before) (x[middle], key, or_equal))
			from = middle + 1;
		else
			to = middle;
	}
	return from;
}

/*
 * Finds a bound of the frames of some places, from a bound before them on.
 * Several go on side by side, as each search waits for the one before it.
 */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(find_bounds) (const TYPE_ELEMENT *x, int32_t from, int32_t elements,
						const KEY *keys, int count, bool or_equal,
						int32_t *bounds)
{
	int			length = count / RANGE_ABREAST;
	int32_t		at[RANGE_ABREAST];

	for (int lane = 0; length > 0 && lane < RANGE_ABREAST; lane++)
		at[lane] = from = TYPE_NAME(skip_before) (x, from, elements,
												  keys[lane * length],
												  or_equal);
	for (int i = 0; i < length; i++)
	{
		for (int lane = 0; lane < RANGE_ABREAST; lane++)
		{
			at[lane] = TYPE_NAME(skip_before) (x, at[lane], elements,
											   keys[lane * length + i],
											   or_equal);
			bounds[lane * length + i] = at[lane];
		}
	}
	if (length > 0)
		from = at[RANGE_ABREAST - 1];
	for (int i = length * RANGE_ABREAST; i < count; i++)
		bounds[i] = from = TYPE_NAME(skip_before) (x, from, elements, keys[i],
												   or_equal);
	return from;
}

/* Finds the ends of the peers of some x.  Returns the last one. */
static inline __attribute__((always_inline)) int32_t
TYPE_NAME(find_peers) (const TYPE_ELEMENT *x, int32_t from, int32_t elements,
					   int count, int32_t *ends)
{
	const TYPE_ELEMENT *own = x + from;
	int32_t		last = TYPE_NAME(skip_before) (x, from + count, elements,
											   own[count - 1], true);
	int32_t		end = last;

	ends[count - 1] = end;
	for (int i = count - 2; i >= 0; i--)
	{
		end = KEY_LESS(own[i], own[i + 1]) ? from + i + 1 : end;
		ends[i] = end;
	}
	return last;
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
	frames->last_first =
		TYPE_NAME(find_bounds) (x, frames->last_first, elements, keys, count,
								false, frames->first);
	if (places == x + from && !parameters.following_all &&
		parameters.following.integer == 0)
	{
		frames->last_end = TYPE_NAME(find_peers) (x, (int32_t) from, elements,
												  count, frames->end);
		return;
	}
	for (int i = 0; i < count; i++)
		keys[i] = KEY_HIGH(places[i]);
	frames->last_end =
		TYPE_NAME(find_bounds) (x, frames->last_end, elements, keys, count,
								true, frames->end);
}

#undef KEY
#undef KEY_LESS
#undef KEY_LOW
#undef KEY_HIGH
