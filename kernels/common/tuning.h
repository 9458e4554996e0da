/*
 * tuning.h
 *	  The sizes on which the speed of the kernels depends.
 *
 * All sizes were measured on an H200, unless a comment tells otherwise.  The
 * comments name the records, which are in bench/results.
 * 2026-11-22-h200-kernels-operations.md has the sizes that were compared.
 * Other sizes change no result.
 */
#ifndef GPUCOMPACT_TUNING_H
#define GPUCOMPACT_TUNING_H

/*
 * Single-pass kernels (lookahead.h).  384 consumer threads, tiles of 6 rows of
 * 128 items a warp, and 3 stages: 2026-11-20-h200-counters.md.  256, 512 and
 * 768 threads, and tiles of 3, 4 and 8 rows were slower.
 */
#define CONSUMER_THREADS		384
#define TILE_STAGES				3
#define LARGE_TILE_ROWS			6
#define TILE_BLOCKS_PER_SM		2

/*
 * Tile descriptors that a lane of the look-ahead warp loads at once:
 * 2026-11-21-h200-tried.md.
 */
#define LOOKAHEAD_POLLS			10

/*
 * Arrays of up to SMALL_TILE_ITEMS, and up to MIDDLE_TILE_ITEMS, use smaller
 * tiles, so that all multiprocessors have work: 2026-11-22-h200-cub-3.5.md.
 */
#define SMALL_TILE_ROWS			1
#define SMALL_TILE_ITEMS		((int64_t) 384 * 1024)
#define MIDDLE_TILE_ROWS		3
#define MIDDLE_TILE_ITEMS		((int64_t) 1152 * 1024)

/* Shared memory of a thread block that large tiles need. */
#define LARGE_TILE_SHARED		(112 * 1024)

/*
 * Rows of a warp in a tile of UTF-8, each of 28 bytes a lane:
 * 2026-11-21-h200-tried.md.
 */
#define SMALL_UTF8_ROWS			1
#define LARGE_UTF8_ROWS			2

/* Rows of a warp in a tile that is encoded, each of 4 integers a lane. */
#define ENCODE_ROWS				2

/*
 * Vectors that a thread of reduce_then_scan.cu loads at once:
 * 2026-11-22-h200-kernels-operations.md.
 */
#define SEGMENT_VECTORS			8

/*
 * Tile aggregates that reduce_then_scan.cu scans at a time:
 * 2026-11-22-h200-kernels-operations.md.  Other PARALLEL_THREADS and
 * PARALLEL_ITEMS, for aggregates scanned in parallel, made no difference.
 */
#define AGGREGATE_BATCH			512
#define AGGREGATE_THREADS		128
#define PARALLEL_THREADS		512
#define PARALLEL_ITEMS			8

/*
 * Reductions: threads of a block, adjacent vectors of a lane, and thread
 * blocks: 2026-11-22-h200-kernels-operations.md.
 */
#define REDUCE_THREADS			256
#define REDUCE_VECTORS			4
#define REDUCE_BLOCKS			1056

/*
 * Differences.  2026-11-22-h200-kernels-operations.md compared sizes of a
 * kernel in which a thread had no vector; they were not compared again.
 */
#define DELTA_THREADS			256

/*
 * Statistics: threads and blocks that sum integers, and tiles of floats that
 * are merged at once: 2026-11-22-h200-kernels-operations.md.
 */
#define STATS_THREADS			256
#define STATS_BLOCKS			528
#define STATS_TILES				128

/* Cells: the most cells, and the fewest thresholds that have cells. */
#define CELLS_MAX				1024
#define CELLS_MIN_THRESHOLDS	4

/*
 * Histograms: HISTOGRAM_SHARED is the shared memory of a block for thresholds
 * and counters, which any kernel may have:
 * 2026-11-22-h200-kernels-operations.md.  396 thread blocks are three for each
 * multiprocessor of an H200: 2026-11-22-h200-kernels-statistics.md.
 */
#define HISTOGRAM_THREADS		512
#define HISTOGRAM_BLOCKS		396
#define HISTOGRAM_SHARED		(48 * 1024)
#define HISTOGRAM_VECTORS		4

/*
 * Groups: threads of a block, a multiple of FLOAT_SEGMENTS; and blocks, if
 * there are enough groups.  Up to GROUP_FEW groups, each has a larger block, of
 * GROUP_FEW_THREADS.  With one group for each thread of a block, only 64, 128
 * and 256 threads were compared: 2026-11-22-h200-kernels-operations.md.
 */
#define GROUP_THREADS			64
#define GROUP_BLOCKS			2112
#define GROUP_FEW				264
#define GROUP_FEW_THREADS		1024

/* Elements at positions: 2026-11-22-h200-kernels-operations.md. */
#define TAKE_THREADS			256

/* Windows: 2026-11-22-h200-kernels-operations.md. */
#define WINDOW_THREADS			128

/*
 * Membership: thread blocks, and the shared memory of a block for the table,
 * which any kernel may have: 2026-11-22-h200-kernels-operations.md.
 */
#define MEMBERS_THREADS			512
#define MEMBERS_BLOCKS			528
#define MEMBERS_SHARED			(48 * 1024)
#define MEMBERS_VECTORS			2

/*
 * Set operations: threads and their items in a tile, thread blocks that look
 * whether the arrays are in order, and threads that scan the tiles' counts:
 * 2026-11-22-h200-kernels-operations.md.
 */
#define SET_THREADS				256
#define SET_ITEMS				12
#define SET_BLOCKS				1056
#define SET_SCAN_THREADS		1024

/*
 * The histograms of a sort.  264 thread blocks are two for each multiprocessor
 * of an H200.  More and smaller blocks are slower, because each block adds its
 * histogram to the same words in the end: 2026-11-20-h200-counters.md.  One
 * block less leaves room for the block that makes the plan.  Fewer blocks count
 * few keys, so that a thread has COUNT_VECTORS vectors of 16 bytes.
 */
#define COUNT_THREADS			1024
#define COUNT_BLOCKS			263
#define COUNT_VECTORS			2

/*
 * The plan of a sort.  PLAN_SAMPLE is the size of the sample.  Up to a mean of
 * PLAN_MAX_EQUAL equal keys, groups are sorted by themselves; but not if more
 * than 1 / PLAN_CROWDED_PART of all keys have the same digit below the bits
 * that a group shares.  Other limits were not compared.
 */
#define PLAN_SAMPLE				1024
#define PLAN_MAX_EQUAL			32
#define PLAN_CROWDED_PART		32

/*
 * Sorts by buckets: the bits of the number of buckets,
 * 2026-11-23-h200-sort-groups.md; and the most keys that a bucket may have,
 * which was not compared with other limits.
 */
#define SORT_BUCKET_BITS		12
#define SORT_BUCKET_MAX		64

/*
 * The sort of groups: threads, blocks, and the rows of a tile, also of an array
 * of few items; and the rows that a block has room for:
 * 2026-11-23-h200-sort-groups.md.
 */
#define LOCAL_THREADS			512
#define LOCAL_BLOCKS			1584
#define LOCAL_TILE_ROWS			8
#define LOCAL_FEW_TILE_ROWS		4
#define LOCAL_FEW_ITEMS			((int64_t) 1152 * 1024)
#define LOCAL_ROWS				14

/*
 * The passes of a sort: the threads of a thread block, and the items of a
 * thread by the bytes of a key and its payload.  16 to 26 items were tried for
 * keys of 4 bytes.
 */
#define SORT_THREADS			384
#define SORT_ITEMS_4			22
#define SORT_ITEMS_8			16
#define SORT_ITEMS_12			10
#define SORT_ITEMS_16			7

/*
 * Arrays of up to SORT_FEW_TILES of the largest tiles use small tiles; of up to
 * SORT_SOME_TILES, middle ones.  A thread of the look-back loads SORT_LOOKBACK
 * descriptors at once: 2026-11-22-h200-sort.md.
 */
#define SORT_FEW_TILES			64
#define SORT_SOME_TILES			1024
#define SORT_LOOKBACK			4

/* Thread blocks on a multiprocessor; with 7.5, it has only 1024 threads. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SORT_BLOCKS_PER_SM		2
#else
#define SORT_BLOCKS_PER_SM		3
#endif

/*
 * Sorts in one launch, by a block or a cluster: the threads of a thread block,
 * their items, and the thread blocks of a cluster.  A block alone sorts up to
 * 1 << CLUSTER_ALONE_BITS items.  A block of a cluster has at least
 * 1 << CLUSTER_PART_BITS items: 2026-11-22-h200-sort.md, which also tells that
 * 1,024 threads are slower.  A grid sorts more than 65,536 items faster.
 */
#define CLUSTER_THREADS			512
#define CLUSTER_ITEMS			8
#define CLUSTER_BLOCKS			16
#define CLUSTER_MIN_BITS		9
#define CLUSTER_ALONE_BITS		12
#define CLUSTER_PART_BITS		11

/*
 * Sorts in one launch, by a grid: the threads of a thread block, the items of a
 * thread by the bytes of a key and its payload, the most thread blocks, and the
 * histograms of blocks of which a thread loads a word at once:
 * 2026-11-23-h200-sort-grid.md.
 */
#define GRID_THREADS			1024
#define GRID_ITEMS_8			8
#define GRID_ITEMS_16			4
#define GRID_BLOCKS				256
#define GRID_LOADS				8

/*
 * Selections of several ranks: 2026-11-23-h200-selection.md; a bracket's
 * margin and blocks: 2026-11-22-h200-kernels-statistics.md.  The buffers of the
 * warps fit into 48 kB.  The median is within 96 of where it is expected in the
 * sample with a probability of 0.99998; with 64, of 0.995.  With two thread
 * blocks on a multiprocessor a bracket is faster than with three, whose threads
 * have fewer registers.
 */
#define SELECT_BIN_BITS			9
#define SELECT_THREADS			(1 << SELECT_BIN_BITS)
#define SELECT_SAMPLE_ITEMS		4
#define SELECT_BRACKET_MARGIN	96
#define SELECT_BRACKET			(4 * SELECT_BRACKET_MARGIN)
#define SELECT_BRACKET_ITEMS	((int64_t) 4 * 1024 * 1024)
#define SELECT_BRACKET_BUFFER	2048
#define SELECT_KEEP_BUFFER		1024
#define SELECT_VECTORS			2
#define SELECT_MIN_ITEMS		8
#define SELECT_SORT_ITEMS		4
#define SELECT_BLOCKS			528
#define SELECT_RANK_SORT_BYTES	((int64_t) 512 * 1024)
#define SELECT_MAX_SORT_BYTES	((int64_t) 16 * 1024 * 1024)
#define SELECT_BLOCKS_PER_SM	2

/*
 * Selections of one rank or two: a thread's keys of the sample, of small and of
 * large arrays; the elements of a large array, in which two ranks that are far
 * apart have a bracket each; the keys of the sample that are enough to be an
 * end of a bracket; the items that a lane goes through at once; the least part
 * of a block; the elements that one block searches alone; and the keys left
 * that one block searches alone: 2026-11-23-h200-select-grid.md.
 */
#define SELECT_MIN_SAMPLE		2
#define SELECT_MAX_SAMPLE		8
#define SELECT_LARGE_ITEMS		((int64_t) 32 * 1024 * 1024)
#define SELECT_ENDS				8
#define SELECT_GRID_ITEMS		8
#define SELECT_MIN_PART		2048
#define SELECT_ALONE_ITEMS		16384
#define SELECT_REST				16384

#endif							/* GPUCOMPACT_TUNING_H */
