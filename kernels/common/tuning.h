/*
 * tuning.h
 *	  The sizes on which the speed of the kernels depends: of thread blocks, of
 *	  grids, of tiles, and the borders between ways.
 *
 * Grids have some thread blocks for each multiprocessor of the device
 * (device_blocks()), and tiles are as large as the device's shared memory lets
 * them be (device_shared_bytes()).  All numbers were measured on an H200,
 * unless a comment tells of an H100; times are in us.  What has no times was
 * not compared.  bench/tried.md has more.  Other sizes change no result.
 */
#ifndef GPUCOMPACT_TUNING_H
#define GPUCOMPACT_TUNING_H

/* Any kernel may have as much shared memory. */
#define SHARED_BYTES			(48 * 1024)

/* Kernels that go through their elements one by one, or vector by vector. */
#define ELEMENT_THREADS			256		/* differences of 2^24: 62; 128: 84;
										 * 512: 65 */

/*
 * Single-pass kernels (tiles_kernel.h).  Tiles fill the shared memory: a block
 * has one tile, or a stage for each of several.
 */
#define CONSUMER_THREADS		384		/* 256, 512, 768: slower */
#define TILE_BLOCKS_PER_SM		2		/* 3 and 4: slower */
#define TILE_TURNS				2		/* of blocks with one tile: scans of
										 * 2^23 26.7; 1: 28.8; of 2^24 in 3
										 * turns 46.9, in stages 45.1 */
#define TILE_STAGES				3		/* 2, of larger tiles: no difference */
#define LOOKAHEAD_POLLS			10		/* descriptors of a lane at once: a
										 * scan of 2^27 352; 1: 777 */

/* Scans by any operator (reduce_then_scan.cu, segmented_tile.h). */
#define SEGMENT_VECTORS			8		/* of a thread at once: 2^24 integers
										 * 125; 4: 130; 2: 138 */
#define AGGREGATE_BATCH			512		/* tiles: sums of 2^24 double precision
										 * 216; all at once: 228 (H100) */
#define AGGREGATE_THREADS		128
#define CHAINED_STEPS			8		/* of one thread, whose operands are
										 * loaded before */
#define WINDOW_THREADS			128		/* 2^24: 404; 256: 412; 512: 424 */
#define NEAR_BLOCK				128		/* the longest one; frames reach three
										 * blocks beyond a tile at most */

/* Reductions, and other kernels that make little of much. */
#define REDUCE_THREADS			256
#define REDUCE_VECTORS			4		/* of a lane: sums of 2^24 32.2; 2:
										 * 37.7; 8: 36.0 */
#define REDUCE_BLOCKS_PER_SM	8		/* 4: 33.7; 16: 34.6 */
#define REGR_BATCH				8		/* pairs that a thread loads at once */
#define STATS_BLOCKS_PER_SM		4		/* 2^24 36.4; 2: 48.3; 8: 39.6 */
#define MERGE_BATCH				128		/* parts at once; large ones: half */
#define LANE_ELEMENTS			8		/* of a lane in a short bucket */
#define PART_ELEMENTS			1024	/* of a part of a long bucket */
#define GROUP_BLOCKS_PER_SM		16
#define LONG_GROUP				(4 * FLOAT_TILE)	/* by all blocks: 10 groups
													 * of 2^24 97; by one each
													 * 1,170 (H100) */
#define LTTB_THREADS			256		/* and 8 points each: 1,000 of 2^24 2.4
										 * ms; 1,024 and 4: 4.9 ms */
#define LTTB_ITEMS				8
#define LTTB_BLOCKS				8		/* of a cluster */
#define LTTB_LONG				4096	/* points of a bucket for a cluster */

/* Histograms and members. */
#define CELLS_MAX				1024	/* 2^24: 37.7; 2,048: 41.7 */
#define CELLS_MIN_THRESHOLDS	4		/* that have cells */
#define CELLS_THREADS			512
#define CELLS_BLOCKS_PER_SM		3		/* histograms of 2^27 integers 135, of
										 * double precision 257; 2: 154, 295;
										 * 4: 141, 340 */
#define CELLS_VECTORS			4

/* Sets: a union of 2^24 takes 266. */
#define SET_THREADS				256
#define SET_ITEMS				12		/* 8: 275; 16: 357 */
#define MODE_BLOCKS_PER_SM		2

/* UTF-8: rows of a warp in a tile. */
#define ENCODE_ROWS				2

/* A sort by one block. */
#define BLOCK_SORT_THREADS		512
#define BLOCK_ITEMS_4			12		/* of a thread, of keys of up to 4
										 * bytes: 4,097 integers of random
										 * kinds 15; by a grid 26 */
#define BLOCK_ITEMS_8			8		/* 12: the median kind of 6,144 bigint
										 * 36, by a grid 24 */

/* Sorts by buckets. */
#define SORT_BUCKET_BITS		12		/* 11 and 13: no difference */
#define SORT_BUCKET_MAX			64		/* 2^20 of 64 copies 67; 128: 92 */

/* A sort by a grid. */
#define GRID_THREADS			1024	/* 512: 4 more */
#define GRID_ITEMS_8			8		/* of a thread, of up to 8 bytes */
#define GRID_ITEMS_16			4
#define GRID_SAMPLE				8		/* keys for each splitter; a half with
										 * fewer than GRID_SOME_BLOCKS, and a
										 * fourth with fewer than
										 * GRID_FEW_BLOCKS: 2^13 19; 8: 36 */
#define GRID_FEW_BLOCKS			16
#define GRID_SOME_BLOCKS		64
#define GRID_LOADS				8		/* histograms of which a thread loads a
										 * word of two counts; 16: 1 more; 1: 2
										 * more; a count each: 5 more */

/*
 * Onesweep: the sample.  A block alone sorts a group that is too large: a part
 * of 2^26 bigint in one group took 46 ms.
 */
#define SAMPLE_THREADS			1024	/* with a key each, or with SAMPLE_ROWS:
										 * 1,024 of 2^27 keys did not tell
										 * groups of 3,500 from small ones; but
										 * 4,096 take 5 more for each digit */
#define SAMPLE_ROWS				4
#define SAMPLE_LARGE_ITEMS		((int64_t) 16 * 1024 * 1024)
#define SAMPLE_MAX_IN_GROUP		8		/* keys of the sample in one group */
#define SAMPLE_MAX_EQUAL		32		/* equal keys, on average, in groups */
#define SAMPLE_CROWDED_PART		32		/* no groups if more than one of so
										 * many have the same digit below */
#define MOST_GROUP_DIGITS		4
#define CLEAR_BLOCKS_PER_SM		2

/* Onesweep: the histograms. */
#define COUNT_THREADS			1024
#define COUNT_BLOCKS_PER_SM		2		/* 2^27 220; more, smaller ones: 330 */
#define COUNT_VECTORS			2		/* of a thread, at least */

/*
 * Onesweep: the passes.  Up to SORT_FEW_TILES of the largest tiles, an array
 * has small ones; up to SORT_SOME_TILES, middle ones.
 */
#define SORT_THREADS			384
#define SORT_ITEMS				{{25, 20, 13}, {26, 18, 7}} /* of a thread in
															 * the largest
															 * tile: keys of up
															 * to 4 bytes and
															 * of 8, payloads
															 * of 0, 4, 8 */
#define SORT_FEW_TILES			64
#define SORT_SOME_TILES			1024
#define SORT_LOOKBACK			4		/* descriptors at once: 2^24 367; 1:
										 * 380; 16: 374 */

/* A part of an array that one block sorts in global memory. */
#define RANGE_ITEMS				8		/* of a thread */

/* Onesweep: the groups. */
#define LOCAL_THREADS			512
#define LOCAL_BLOCKS_PER_SM		12
#define LOCAL_TILE_ROWS			8
#define LOCAL_FEW_TILE_ROWS		4		/* 2^20 47.4; 8: 50.3 */
#define LOCAL_FEW_ITEMS			((int64_t) 1152 * 1024)
#define LOCAL_ROWS				14		/* for which a block has room */
#define LOOK_ROWS				2		/* in which a group's end is looked for
										 * at once */

/*
 * A selection by a grid.  Two ranks of a large array that are far apart have a
 * launch each.
 */
#define SELECT_MIN_SAMPLE		2		/* keys of a thread; 2^20, 4: 1 more */
#define SELECT_MAX_SAMPLE		8		/* of a large array: 2^27, 4 and 16:
										 * 1.05 times as long */
#define SELECT_LARGE_ITEMS		((int64_t) 32 * 1024 * 1024)	/* two ranks of
														 * 2^27 by one launch,
														 * with one bracket,
														 * 897 */
#define SEARCH_BIN_BITS			10		/* bins of a search, one a thread */
#define SELECT_ENDS				8		/* of the sample at a bracket's end */
#define SELECT_GRID_ITEMS		8		/* of a lane: a median of 2^24 double
										 * precision 74; 16: 122 */
#define SELECT_MIN_PART			2048	/* of a block; 1,024, 4,096: no
										 * difference */
#define SELECT_ALONE_ITEMS		16384	/* of one block for each rank */
#define SELECT_DIRECT_READS		32768	/* by all blocks, from host memory */
#define SELECT_REST				16384	/* that one block searches: a median of
										 * 2^20 33.0; 4,096, sorted: 48.3 */

/* A selection in rounds: nine deciles of 2^24 take 93.9 (H100). */
#define SELECT_THREADS			512		/* their buffers and bins need 48 kB */
#define SELECT_BLOCKS_PER_SM	3		/* 4: 95.7; 2, larger sample: 117.8 */
#define ROUND_SAMPLE			256		/* keys; 1,024, sorted, took longer */
#define RANGE_BITS				5		/* 32 ranges of a round */
#define RANGE_BIN_BITS			6		/* 64 bins of a range */
#define SELECT_VECTORS			2		/* of a lane at once */
#define SELECT_WARP_BUFFER		1024	/* bytes */
#define SELECT_MIN_ITEMS		8		/* of a thread */
#define SELECT_FEW_ITEMS		65536	/* of a bin that is not divided again */
#define SELECT_ROUNDS			2
#define FINISH_ITEMS			16		/* that a thread has in registers */

#endif							/* GPUCOMPACT_TUNING_H */
