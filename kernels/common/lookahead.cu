/*
 * lookahead.cu
 *	  Launching a single-pass kernel.
 */
#include "kernels/common/operation.h"
#include "kernels/common/tiles_kernel.h"
#include "kernels/common/vector.h"

/*
 * Enough for the largest array in the smallest tiles: 2^27 items by 768.  These
 * are of a row, and have 6 kB.
 */
#define MAX_TILES			(176 * 1024)
#define DESCRIPTORS_BYTES	(MAX_TILES * sizeof(TileDescriptor))

/* How an array is divided. */
typedef struct TileShape
{
	int			rows;			/* of a consumer warp in a tile */
	int			stages;			/* of a thread block; 1: it has one tile */
	int64_t		tiles;
	size_t		shared;			/* bytes of a thread block */
} TileShape;

cudaError_t
lookahead_open(LookAhead *ahead)
{
	*ahead = {};
	TRY(cudaMalloc(&ahead->descriptors, DESCRIPTORS_BYTES));
	TRY(cudaMemset(ahead->descriptors, 0, DESCRIPTORS_BYTES));
	pthread_mutex_init(&ahead->lock, NULL);
	return cudaSuccess;
}

/*
 * Divides an array, of which a row of all consumer warps has "row" items.  If
 * "rows" is 0, chooses the rows of a tile: the fewest with which all thread
 * blocks that the device can hold have one tile each, or do so in TILE_TURNS
 * turns; else they have several, each in a stage.  All tiles have as many rows.
 */
static TileShape
choose_tiles(int64_t count, int row, size_t row_bytes, int rows)
{
	int			blocks = device_blocks(TILE_BLOCKS_PER_SM);
	size_t		room = device_shared_bytes(TILE_BLOCKS_PER_SM) -
		sizeof(TileMemory);
	int64_t		least = count_tiles(count, (int64_t) blocks * row);
	int64_t		most = (room - HALO_ROOM) / row_bytes;
	TileShape	shape = {rows, TILE_STAGES};

	if (rows == 0)
	{
		if (least <= TILE_TURNS * most)
			shape.stages = 1;
		else
			most = (room / TILE_STAGES - HALO_ROOM) / row_bytes;
		shape.rows = (int) count_tiles(least, count_tiles(least, most > 0 ?
														  most : 1));
	}
	shape.tiles = count_tiles(count, (int64_t) shape.rows * row);
	if (shape.tiles <= blocks)
		shape.stages = 1;
	shape.shared = sizeof(TileMemory) +
		shape.stages * (HALO_ROOM + shape.rows * row_bytes);
	return shape;
}

/*
 * A thread block with one tile waits only for those before it, which have
 * started.  If blocks have several tiles, they wait for each other: a
 * cooperative launch guarantees that all of them are resident.  When epochs
 * start over, descriptors of the same epoch are cleared.
 */
static cudaError_t
launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
	   TileShape shape, void **arguments, unsigned *epoch)
{
	int			blocks;
	cudaLaunchAttribute attribute = dependent_launch();
	cudaLaunchConfig_t config = {
		.gridDim = (unsigned) shape.tiles,
		.blockDim = TILE_THREADS,
		.dynamicSmemBytes = shape.shared,
		.stream = stream,
		.attrs = &attribute,
		.numAttrs = is_for_hopper() ? 1u : 0u
	};

	TRY(cudaFuncSetAttribute(kernel,
							 cudaFuncAttributeMaxDynamicSharedMemorySize,
							 (int) shape.shared));
	if (ahead->epoch == EPOCHS - 1)
	{
		TRY(cudaMemsetAsync(ahead->descriptors, 0, DESCRIPTORS_BYTES, stream));
		ahead->epoch = 0;
	}
	*epoch = ++ahead->epoch;
	if (shape.stages == 1)
		return cudaLaunchKernelExC(&config, kernel, arguments);
	TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel,
													  TILE_THREADS,
													  shape.shared));
	blocks = device_blocks(blocks);
	if (shape.tiles > blocks)
		config.gridDim = (unsigned) blocks;
	return cudaLaunchCooperativeKernel(kernel, config.gridDim, config.blockDim,
									   arguments, shape.shared, stream);
}

/*
 * Launches a kernel over an array, as choose_tiles() divides it.  *rows and
 * *epoch are among the arguments, and are set before the launch reads them.
 * Threads may launch at the same time.
 */
cudaError_t
lookahead_launch(cudaStream_t stream, LookAhead *ahead, const void *kernel,
				 int64_t count, int row, size_t row_bytes, int *rows,
				 void **arguments, unsigned *epoch)
{
	TileShape	shape = choose_tiles(count, row, row_bytes, *rows);
	cudaError_t error;

	*rows = shape.rows;
	pthread_mutex_lock(&ahead->lock);
	error = launch(stream, ahead, kernel, shape, arguments, epoch);
	pthread_mutex_unlock(&ahead->lock);
	return error;
}
