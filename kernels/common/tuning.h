/*
 * tuning.h
 *	  The sizes on which the speed of all single-pass kernels depends.
 *
 * A kernel's own sizes are in its file.  All sizes were measured on an H200,
 * unless a comment names another GPU. bench/tried.md has more of the sizes
 * that were compared.  Other sizes change no result.
 */
#ifndef GPUCOMPACT_TUNING_H
#define GPUCOMPACT_TUNING_H

/*
 * Single-pass kernels (tiles_kernel.h).  384 consumer threads, tiles of 6 rows
 * of 128 items a warp, and 3 stages.  256, 512 and 768 threads, and tiles of
 * 3, 4 and 8 rows were slower.
 */
#define CONSUMER_THREADS		384
#define TILE_STAGES				3
#define LARGE_TILE_ROWS			6
#define TILE_BLOCKS_PER_SM		2

/*
 * Tile descriptors that a lane of the look-ahead warp loads at once.  Word by
 * word, a scan of 2^27 items took 777 us; by ten words, 352.
 */
#define LOOKAHEAD_POLLS			10

/*
 * Arrays of up to SMALL_TILE_ITEMS, and up to MIDDLE_TILE_ITEMS, use smaller
 * tiles, so that all multiprocessors have work.  Without MIDDLE_TILE_ROWS, a
 * scan of 2^20 items takes 7.4 us instead of 6.8.
 */
#define SMALL_TILE_ROWS			1
#define SMALL_TILE_ITEMS		((int64_t) 384 * 1024)
#define MIDDLE_TILE_ROWS		3
#define MIDDLE_TILE_ITEMS		((int64_t) 1152 * 1024)

/* Shared memory of a thread block that large tiles need. */
#define LARGE_TILE_SHARED		(112 * 1024)

#endif							/* GPUCOMPACT_TUNING_H */
