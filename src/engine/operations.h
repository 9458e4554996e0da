/*
 * operations.h
 *	  The table of operations.
 *
 * Define OPERATION before including this file, to make an entry of each row:
 *
 *	  OPERATION(NAME, name, engines, shape, most, gathers, cpu, gpu)
 *
 *	  NAME		ENGINE_NAME is its value of EngineOperation
 *	  name		the engines' tables have cpu_name and gpu_name
 *	  engines	BOTH, or CPU_ALONE
 *	  shape		the number of results, a ResultShape
 *	  most		the most results of one element
 *	  gathers	do results need the whole array?
 *	  cpu, gpu	the cost on each, an EngineCost, or NO_COST
 *
 * To add an operation, add a row.  The compiler then asks for cpu_name and
 * gpu_name.
 *
 * The costs were fitted to calls in warm sessions on arrays of 2^10 to 2^26
 * elements, and on texts of 61 kB to 100 MB, stored out of line and not
 * compressed, with one and four threads of an H200's host (bench/results:
 * h200-auto).  The fit must be good where the engines are close.  Scans and
 * compactions are bound by memory.  If their results fit into memory that is
 * already mapped, both engines take less time than estimated, the CPU the
 * least.  So their cost on the GPU is some milliseconds higher.
 */
OPERATION(SCAN, scan, BOTH, RESULT_EACH, 1, false,
		  COST(1, 0.9, 3.4, 256 * 1024), COST(3000, 1.3, 0, 0))
OPERATION(REDUCE, reduce, BOTH, RESULT_ONE, 1, false,
		  COST(1, 0.9, 0.6, 256 * 1024), COST(150, 1.0, 0, 0))
OPERATION(GROUP, group, BOTH, RESULT_SOME, 1, false,
		  COST(1, 0.9, 1.5, 256 * 1024), COST(300, 1.2, 0, 0))
OPERATION(STATS, stats, BOTH, RESULT_NONE, 0, false,
		  COST(1, 0.9, 0.6, 256 * 1024), COST(150, 1.0, 0, 0))
OPERATION(EXTREMES, extremes, CPU_ALONE, RESULT_NONE, 0, false,
		  COST(1, 0.9, 0.6, 256 * 1024), NO_COST)
OPERATION(HISTOGRAM, histogram, BOTH, RESULT_NONE, 0, false,
		  COST(1, 0.9, 2.0, 128 * 1024), COST(200, 1.0, 0, 0))
OPERATION(BUCKET, bucket, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.0, 2.5, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(TAKE, take, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.5, 4.0, 256 * 1024), COST(2500, 2.0, 0, 0))
OPERATION(DELTA, delta, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.0, 1.4, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(SUBTRACT, subtract, BOTH, RESULT_EACH, 1, false,
		  COST(1, 2.0, 1.6, 256 * 1024), COST(2000, 2.6, 0, 0))
OPERATION(COMPACT, compact, BOTH, RESULT_SOME, 1, false,
		  COST(1, 1.0, 1.4, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(MEMBERS, members, BOTH, RESULT_SOME, 1, false,
		  COST(1, 1.0, 8.0, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(SORT, sort, BOTH, RESULT_EACH, 1, true,
		  COST(1, 1.5, 17.0, 256 * 1024), COST(100, 1.6, 0, 0))
OPERATION(SELECT, select, BOTH, RESULT_TABLE, 0, false,
		  COST(1, 1.2, 1.8, 256 * 1024), COST(200, 1.1, 0, 0))
OPERATION(DISTINCT, distinct, BOTH, RESULT_SOME, 1, true,
		  COST(1, 1.5, 17.0, 256 * 1024), COST(100, 1.6, 0, 0))
OPERATION(SET, set, BOTH, RESULT_SOME, 1, true,
		  COST(1, 1.0, 2.5, 256 * 1024), COST(100, 1.4, 0, 0))
OPERATION(RUNS, runs, BOTH, RESULT_SOME, 1, false,
		  COST(1, 1.0, 1.4, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(WINDOW, window, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.0, 5.0, 256 * 1024), COST(2000, 1.5, 0, 0))
OPERATION(COPY, copy, BOTH, RESULT_EACH, 1, false,
		  COST(1, 1.0, 1.4, 256 * 1024), COST(2000, 1.4, 0, 0))
OPERATION(UTF8_DECODE, utf8_decode, BOTH, RESULT_SOME, 1, false,
		  COST(1, 0.3, 1.0, 1024 * 1024), COST(100, 0.45, 0, 0))
OPERATION(UTF8_REPAIR, utf8_repair, BOTH, RESULT_SOME, 3, false,
		  COST(1, 0.2, 0.4, 1024 * 1024), COST(80, 0.3, 0, 0))
OPERATION(UTF8_ERRORS, utf8_errors, BOTH, RESULT_SOME, 1, false,
		  COST(1, 0.2, 0.3, 1024 * 1024), COST(60, 0.3, 0, 0))
OPERATION(UTF8_VALIDATE, utf8_validate, BOTH, RESULT_NONE, 0, false,
		  COST(1, 0.2, 0.3, 1024 * 1024), COST(60, 0.3, 0, 0))
OPERATION(UTF8_ENCODE, utf8_encode, BOTH, RESULT_SOME, 4, false,
		  COST(1, 0.9, 0.8, 256 * 1024), COST(150, 0.95, 0, 0))

#undef OPERATION
