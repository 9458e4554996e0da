/*
 * cpu_compact_move_template.h
 *	  Moves the items whose flags are set, "selected" of them, side by side.  To
 *	  be included with these defined:
 *
 *		MOVE_NAME			the function
 *		MOVE_TYPE			the type of an item
 *		MOVE_ITEM(i)		the item of flag i of "piece"
 *
 * It goes by lines, as often all of a line is selected, or nothing.  In other
 * lines it does not branch on a flag, as no processor could predict it: an
 * item that is not selected is written, too, where the next selected one will
 * be.  Behind the last selected item of the piece that would be where another
 * piece's items belong: so the line that has this item ends with it.
 */
CPU_CLONES static void
MOVE_NAME(void *to, const CpuPiece *piece, const uint8_t *flags,
		  int64_t selected)
{
	MOVE_TYPE  *out = to;
	MOVE_TYPE  *end = out + selected;

	for (int64_t line = 0; out < end; line += FLAGS_LINE)
	{
		bool		whole = piece->count - line >= FLAGS_LINE;
		int64_t		found = whole ? count_line(flags + line) : end - out;
		MOVE_TYPE  *next = out;

		out += found;
		if (found == FLAGS_LINE)
		{
			MOVE_TYPE	items[FLAGS_LINE];

			for (int i = 0; i < FLAGS_LINE; i++)
				items[i] = MOVE_ITEM(line + i);
			memcpy(next, items, sizeof(items));
		}
		else if (found > 0 && out < end)
		{
			for (int i = 0; i < FLAGS_LINE; i++)
			{
				*next = MOVE_ITEM(line + i);
				next += flags[line + i];
			}
		}
		else
		{
			for (int64_t i = line; next < out; i++)
			{
				*next = MOVE_ITEM(i);
				next += flags[i];
			}
		}
	}
}

#undef MOVE_NAME
#undef MOVE_TYPE
