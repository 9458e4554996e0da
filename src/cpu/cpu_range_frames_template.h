/*
 * cpu_range_frames_template.h
 *	  The frames of places, for cpu_types.h.
 *
 * The frames of neighbours begin, and end, near each other.  So each bound is
 * looked for from the last one on: at a few elements, then at distances that
 * double.
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

static void
TYPE_NAME(find_frames) (const CpuRangeWindow *window, int64_t from, int count,
						RangeFrames *frames)
{
	const RangeWindowParameters parameters = *window->parameters;
	const TYPE_ELEMENT *places = (const TYPE_ELEMENT *) window->places + from;
	const TYPE_ELEMENT *x = window->x;
	int32_t		elements = (int32_t) window->count;
	int32_t		first = frames->last_first;
	int32_t		end = frames->last_end;
	KEY			low[RANGE_FRAMES];
	KEY			high[RANGE_FRAMES];

	for (int i = 0; i < count; i++)
		low[i] = KEY_LOW(places[i]);
	for (int i = 0; i < count; i++)
		high[i] = KEY_HIGH(places[i]);

	/* Neither search waits for the other one's loads. */
	for (int i = 0; i < count; i++)
	{
		first = TYPE_NAME(skip_before) (x, first, elements, low[i], false);
		end = TYPE_NAME(skip_before) (x, end, elements, high[i], true);
		frames->first[i] = first;
		frames->end[i] = end;
	}
	frames->last_first = first;
	frames->last_end = end;

	/* Only places that descend have frames that end before they begin. */
	for (int i = 0; i < count; i++)
		frames->end[i] = frames->end[i] < frames->first[i] ?
			frames->first[i] : frames->end[i];
}

#undef KEY
#undef KEY_LESS
#undef KEY_LOW
#undef KEY_HIGH
