/*
 * cpu_compact_move.h
 *	  Moves what goes with the flags of a piece that are set, "survivors" in
 *	  number, side by side.  To be included with these defined:
 *
 *		MOVE_NAME			the function
 *		MOVE_TYPE			the type of what is moved
 *		MOVE_ITEM(i)		what goes with flag i of "piece"
 *
 * It goes by lines, as often all of a line survives, or nothing.  Else it is
 * not branched on whether an item survives, as no one could predict it: one
 * that does not is written all the same, where the next survivor will be.
 * After the piece's last survivor, that would be where another piece's
 * belong: the line that has it ends with it.
 */
CPU_CLONES static void
MOVE_NAME(void *to, const CpuPiece *piece, const uint8_t *flags,
		  int64_t survivors)
{
	MOVE_TYPE  *out = to;
	MOVE_TYPE  *end = out + survivors;

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
