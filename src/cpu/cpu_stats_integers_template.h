/*
 * cpu_stats_integers_template.h
 *	  The statistics of a piece of integers, which may have none left behind its
 *	  stages, for a type of them; for cpu_types.h.
 *
 * It defines the task STATS(stats).
 */

CPU_CLONES static void
STATS(stats) (CpuJob *job, CpuPiece *piece)
{
	const TYPE_ELEMENT *data = piece->data[0];
	EngineStats *stats = job->request->summary;
	EngineStats part;
	IntegerSums sums = {0};
	TYPE_ELEMENT least = piece->count > 0 ? data[0] : 0;
	TYPE_ELEMENT greatest = least;

	for (int64_t i = 0; i < piece->count; i++)
	{
		TYPE_ELEMENT element = data[i];

		least = element < least ? element : least;
		greatest = element > greatest ? element : greatest;
		if (sizeof(element) < sizeof(int64_t))
			integer_sums_add_narrow(&sums, element);
		else
			integer_sums_add_wide(&sums, element);
	}
	integer_sums_total(&sums, &part);

	cpu_chain_wait(job, piece);
	if (piece->turn == 0)
		*stats = (EngineStats) {.least = INT64_MAX, .greatest = INT64_MIN};
	if (piece->count > 0 && least < stats->least)
		stats->least = least;
	if (piece->count > 0 && greatest > stats->greatest)
		stats->greatest = greatest;
	wide_add(&stats->sum, part.sum);
	wide_add(&stats->squares, part.squares);
	cpu_chain_pass(job);
}
