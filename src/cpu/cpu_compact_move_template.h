/*
 * cpu_compact_move_template.h
 *	  Moves the items whose flags are set, "selected" of them, to adjacent
 *	  places.
 *
 * Define these before including this file:
 *
 *		MOVE_NAME			the function
 *		MOVE_TYPE			the type of an item
 *		MOVE_ITEM(i)		the item of flag i of "piece"
 *
 * The items are moved in groups, because often no item of a group is selected.
 * In other groups there is no branch on a flag, because no processor could
 * predict it: each item is written, and the next selected one overwrites an
 * item that is not selected.  An item written after the last selected one would
 * overwrite another piece's items, so the last group ends with the last
 * selected item.
 */
CPU_CLONES static void
MOVE_NAME(void *to, const CpuPiece *piece, const uint8_t *flags,
		  int64_t selected)
{
	MOVE_TYPE  *out = to;
	MOVE_TYPE  *end = out + selected;

	for (int64_t group = 0; out < end; group += FLAG_GROUP)
	{
		bool		whole = piece->count - group >= FLAG_GROUP;
		int64_t		found = whole ? count_group(flags + group) : end - out;
		MOVE_TYPE  *next = out;

		out += found;
		if (found > 0 && out < end)
		{
			for (int i = 0; i < FLAG_GROUP; i++)
			{
				*next = MOVE_ITEM(group + i);
				next += flags[group + i];
			}
		}
		else
		{
			for (int64_t i = group; next < out; i++)
			{
				*next = MOVE_ITEM(i);
				next += flags[i];
			}
		}
	}
}
