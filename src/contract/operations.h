/*
 * operations.h
 *	  The table of operations.
 *
 * Define OPERATION before including this file, to make an entry of each row:
 *
 *	  OPERATION(NAME, name, engines, shape, most, blocking, cpu, gpu, sampled)
 *
 *	  NAME		ENGINE_NAME is its value of EngineOperation
 *	  name		the engines' tables have cpu_name and cuda_name
 *	  engines	BOTH, or CPU_ALONE
 *	  shape		the number of results, a ResultShape
 *	  most		the most results of one element
 *	  blocking	whether results need the whole array
 *	  cpu, gpu	the cost on each, an EngineCost, or NO_COST
 *	  sampled	NOT_SAMPLED; or SAMPLED with what of the input is sampled, an
 *				InputSampling, and the costs by what the sample says: EASY,
 *				HARD, or both
 *
 * To add an operation, add a row.  The compiler then asks for cpu_name and
 * cuda_name.  What an operation means is said at its row, or in a header in
 * operations/, which has the types of its parameters and answers.
 *
 * The costs were fitted to calls in warm sessions on arrays of 2^10 to 2^24
 * elements, and on texts of 2^10 to 2^24 characters, stored out of line and not
 * compressed, with one and four threads of an H200's host (bench/crossover;
 * those of GROUP, COPY, PACK, WINDOW_PERCENTILE, RANGE_WINDOW and RESAMPLE are
 * guesses).  The microseconds of a GPU's call are those on 2^12 and 2^14
 * elements, less what the elements take, except those of DOT, REGR, ZIP,
 * COMPARE_PAIRS, WHERE, INTERPOLATE, EXTREMES and LTTB, which were fitted, too.
 * The fit must be good where the engines are close.
 * The least count of a team is where one thread was as fast on these and on a
 * host of two processors (bench/tried.md), and for TAKE on an H100's.  The
 * costs of TAKE lack what was measured for the table, which is counted by its
 * size.
 *
 * Costs by a sample are there where they are far from the others, which lie
 * between.  They were fitted to the same calls on ASCII, on Cyrillic letters,
 * and on integers from 0 to 1023, with one thread and with four, from 2^14 to
 * 2^22 elements, less 17 us for the query.
 */
OPERATION(SCAN, scan, BOTH, RESULT_EACH, 1, false,
		  COST(12, 0.65, 0.45, 512 * 1024),
		  COST(60, 0.35, 1.05, 2048 * 1024), NOT_SAMPLED)
OPERATION(REDUCE, reduce, BOTH, RESULT_ONE, 1, false,
		  COST(6, 0.42, 0, 2048 * 1024), COST(33, 0.66, 0, 0), NOT_SAMPLED)

/*
 * The REDUCE of each group of elements that are next to each other.  The table
 * has int4 positions, ascending from 1 on, of each group's first element; a
 * group is not empty.  There is a result for each group.  The parameters are
 * ScanParameters.
 */
OPERATION(GROUP, group, BOTH, RESULT_SOME, 1, false,
		  COST(1, 0.9, 1.5, 256 * 1024), COST(170, 1.2, 0, 0), NOT_SAMPLED)
OPERATION(STATS, stats, BOTH, RESULT_NONE, 0, false,
		  COST(6, 0.4, 0.34, 1024 * 1024),
		  COST(45, 0.45, 0.2, 1024 * 1024), NOT_SAMPLED)
OPERATION(DOT, dot, BOTH, RESULT_NONE, 0, false,
		  COST(8, 0.95, 0.12, 1024 * 1024), COST(55, 1.05, 0, 0), NOT_SAMPLED)
OPERATION(REGR, regr, BOTH, RESULT_NONE, 0, false,
		  COST(8, 0.95, 1.0, 512 * 1024), COST(75, 1.15, 0, 0), NOT_SAMPLED)
OPERATION(EXTREMES, extremes, BOTH, RESULT_NONE, 0, false,
		  COST(8, 0.45, 0.15, 1024 * 1024), COST(60, 0.58, 0, 0), NOT_SAMPLED)
OPERATION(LTTB, lttb, BOTH, RESULT_SOME, 1, false,
		  COST(5, 0.8, 1.1, 256 * 1024), COST(90, 0.75, 0, 0), NOT_SAMPLED)

/*
 * HISTOGRAM and BUCKET: elements among thresholds.
 *
 * The table has the thresholds, ascending, as unsigned integers of an
 * element's width: order(x) - kind_least().
 *
 * The result of BUCKET is, for each element, the int4 number of thresholds
 * that it is not less than.  The summary of HISTOGRAM has the int4 number of
 * elements for which that is i, from i = 0 to the number of thresholds.
 */
OPERATION(HISTOGRAM, histogram, BOTH, RESULT_NONE, 0, false,
		  COST(27, 0.9, 0.7, 128 * 1024), COST(60, 0.8, 0, 0), NOT_SAMPLED)
OPERATION(BUCKET, bucket, BOTH, RESULT_EACH, 1, false,
		  COST(24, 0.45, 0.32, 512 * 1024), COST(60, 1.0, 0, 0), NOT_SAMPLED)
OPERATION(TAKE, take, BOTH, RESULT_EACH, 1, false,
		  COST(1, 0.7, 1.5, 512 * 1024),
		  COST(70, 0.05, 0.5, 1024 * 1024), NOT_SAMPLED)
OPERATION(INTERPOLATE, interpolate, BOTH, RESULT_EACH, 1, false,
		  COST(5, 5, 18, 64 * 1024), COST(75, 5.7, 0, 0), NOT_SAMPLED)
OPERATION(DELTA, delta, BOTH, RESULT_EACH, 1, false,
		  COST(5, 0.5, 0.3, 1024 * 1024), COST(33, 0.9, 0, 0), NOT_SAMPLED)
OPERATION(MAP, map, BOTH, RESULT_EACH, 1, false,
		  COST(5, 0.4, 0.15, 1024 * 1024), COST(33, 0.9, 0, 0), NOT_SAMPLED)
OPERATION(ZIP, zip, BOTH, RESULT_EACH, 1, false,
		  COST(10, 0.85, 0.15, 256 * 1024), COST(60, 1.25, 0, 0), NOT_SAMPLED)
OPERATION(COMPACT, compact, BOTH, RESULT_SOME, 1, false,
		  COST(8, 0.63, 0.6, 512 * 1024),
		  COST(35, 1.05, 0.45, 512 * 1024), NOT_SAMPLED)
OPERATION(COMPARE, compare, BOTH, RESULT_EACH, 1, false,
		  COST(5, 0.38, 0.1, 1024 * 1024), COST(33, 0.7, 0, 0), NOT_SAMPLED)
OPERATION(COMPARE_PAIRS, compare_pairs, BOTH, RESULT_EACH, 1, false,
		  COST(10, 0.85, 0.12, 256 * 1024), COST(50, 1.2, 0, 0), NOT_SAMPLED)
OPERATION(WHERE, where, BOTH, RESULT_EACH, 1, false,
		  COST(10, 1.1, 0.2, 256 * 1024), COST(60, 1.6, 0, 0), NOT_SAMPLED)
OPERATION(MEMBERS, members, BOTH, RESULT_SOME, 1, false,
		  COST(28, 0.55, 5, 256 * 1024), COST(115, 0.63, 0, 0), NOT_SAMPLED)
OPERATION(SORT, sort, BOTH, RESULT_EACH, 1, true,
		  COST(1, 4.3, 8.5, 256 * 1024), COST(42, 1.2, 0, 0),
		  SAMPLED(SAMPLE_KEYS,
				  EASY(COST(1, 1.5, 0.9, 256 * 1024), COST(42, 1.2, 0, 0))))
OPERATION(RANK, rank, BOTH, RESULT_EACH, 1, true,
		  COST(1, 3.5, 16, 256 * 1024), COST(60, 1.4, 0, 0), NOT_SAMPLED)
OPERATION(SELECT, select, BOTH, RESULT_TABLE, 0, false,
		  COST(16, 1.7, 1.2, 256 * 1024), COST(52, 0.91, 0, 0), NOT_SAMPLED)
OPERATION(DISTINCT, distinct, BOTH, RESULT_SOME, 1, true,
		  COST(13, 5.2, 3.2, 256 * 1024), COST(68, 0.9, 0, 0),
		  SAMPLED(SAMPLE_KEYS,
				  EASY(COST(13, 1.7, 0.3, 256 * 1024), COST(68, 0.9, 0, 0))))
OPERATION(SET, set, BOTH, RESULT_SOME, 1, true,
		  COST(12, 1.1, 3.4, 256 * 1024), COST(108, 1.3, 0, 0), NOT_SAMPLED)

/*
 * The first of each run of equal elements that are next to each other.  The
 * second output has the int4 position of each run's first element, from 1 on.
 */
OPERATION(RUNS, runs, BOTH, RESULT_SOME, 1, false,
		  COST(8, 2.7, 0, 256 * 1024), COST(55, 3.2, 0, 0), NOT_SAMPLED)
OPERATION(WINDOW, window, BOTH, RESULT_EACH, 1, false,
		  COST(6, 1.2, 2.2, 256 * 1024), COST(80, 1.2, 0, 0), NOT_SAMPLED)
OPERATION(WINDOW_PERCENTILE, window_percentile, CPU_ALONE, RESULT_EACH, 1,
		  false, COST(10, 2, 20, 64 * 1024), NO_COST, NOT_SAMPLED)
OPERATION(RANGE_WINDOW, range_window, CPU_ALONE, RESULT_PLACES, 1, false,
		  COST(2, 1.0, 6, 64 * 1024), NO_COST, NOT_SAMPLED)
OPERATION(RESAMPLE, resample, CPU_ALONE, RESULT_SOME, 1, false,
		  COST(4, 1.0, 0.9, 256 * 1024), NO_COST, NOT_SAMPLED)

/*
 * The blocks of a packed array, of elements that are not NULL.  The results are
 * the bytes of the blocks, one behind the other.  The summary has the
 * PackedBlock of each block, without its offset (packed/packed.h).
 */
OPERATION(PACK, pack, CPU_ALONE, RESULT_SOME, 8, false,
		  COST(1, 1.0, 4, 256 * 1024), NO_COST, NOT_SAMPLED)

/* The elements of the input, which is the baseline of benchmarks. */
OPERATION(COPY, copy, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.0, 1.4, 256 * 1024), COST(2000, 1.4, 0, 0), NOT_SAMPLED)
OPERATION(UTF8_DECODE, utf8_decode, BOTH, RESULT_SOME, 1, false,
		  COST(4, 0.66, 0.47, 1024 * 1024), COST(50, 0.47, 0, 0),
		  SAMPLED(SAMPLE_BYTES,
				  EASY(COST(4, 0.43, 0.1, 1024 * 1024),
					   COST(50, 0.18, 0.47, 1536 * 1024)),
				  HARD(COST(4, 0.86, 1.16, 1024 * 1024),
					   COST(50, 0.22, 0.28, 1536 * 1024))))
OPERATION(UTF8_REPAIR, utf8_repair, BOTH, RESULT_SOME, 3, false,
		  COST(9, 0.34, 0.47, 1024 * 1024), COST(48, 0.28, 0, 0), NOT_SAMPLED)
OPERATION(UTF8_ERRORS, utf8_errors, BOTH, RESULT_SOME, 1, false,
		  COST(7, 0.2, 0.23, 1024 * 1024), COST(50, 0.2, 0, 0), NOT_SAMPLED)
OPERATION(UTF8_VALIDATE, utf8_validate, BOTH, RESULT_NONE, 0, false,
		  COST(7, 0.2, 0.23, 1024 * 1024), COST(50, 0.2, 0, 0),
		  SAMPLED(SAMPLE_BYTES,
				  EASY(COST(7, 0.21, 0.02, 1024 * 1024), COST(50, 0.2, 0, 0)),
				  HARD(COST(7, 0.3, 0.3, 1024 * 1024), COST(50, 0.2, 0, 0))))
OPERATION(UTF8_ENCODE, utf8_encode, BOTH, RESULT_SOME, 4, false,
		  COST(3, 1.5, 0.51, 256 * 1024), COST(36, 0.93, 0, 0), NOT_SAMPLED)

#undef OPERATION
