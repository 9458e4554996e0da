/*
 * cpu_device.c
 *	  A stand-in for the GPU of a GPU process: its jobs run on the CPU engine.
 *
 * So all of the process but CUDA's part can be tested on any machine.  It also
 * fails on demand: see cpu_faults.h.
 *
 *		make t/engine/gpu_on_cpu
 */
#include <malloc.h>

#include "cpu_faults.h"
#include "gpuprocess/program.h"
#include "packed/packed_format.h"

/* As much memory as the device says to have. */
#define DEVICE_MEMORY	((int64_t) 1024 * 1024 * 1024)

struct DeviceLane
{
	SharedLane *shared;
	int			number;
	EngineContext *context;
	const CacheUse *uses;
	EngineRequest request;
	bool		begun;			/* in the CPU engine */
	char	   *table;
	int64_t		table_arrived;	/* bytes */
	void	   *inputs[ENGINE_INPUTS];
	int64_t		arrived;		/* elements */
	int64_t		pieces;			/* slots that were filled */
	int64_t		pushed;			/* elements */
	bool		finished;
	char	   *stays;			/* where the first output goes, or NULL */
	int			output;			/* that is on its way to the session */
	int64_t		sent;			/* bytes of it */
	Fault		fault;
	int			calls[STEPS];
	Failure		failure;
};

/* Memory of cached values, and of results that have stayed. */
static int64_t bytes_in_use;

static bool
is_abandoned(const DeviceLane *lane)
{
	return word_read(&lane->shared->state) != LANE_BEGUN;
}

/*
 * Delays a step while the file says so.  Counts progress, so that this does
 * not look like a hang.
 */
static void
hold(DeviceLane *lane, Step step)
{
	while (is_fault(&lane->fault, step, "held") && !is_abandoned(lane))
	{
		__atomic_add_fetch(&lanes_shared->progress, 1, __ATOMIC_RELAXED);
		sleep_ms(HELD_MS);
		lane->fault = read_fault();
	}
}

static EngineStatus
job_status(DeviceLane *lane, Step step)
{
	EngineStatus status;

	hold(lane, step);
	status = fault_status(&lane->fault, step, ++lane->calls[step]);
	if (status != ENGINE_OK)
		snprintf(lane->failure.message, sizeof(lane->failure.message),
				 "The test has it so: %s %s.", lane->fault.step,
				 lane->fault.name);
	return status;
}

EngineStatus
device_list(EngineDevice *devices, int capacity, int *count, Failure *failure)
{
	const char *gpus = getenv("GPUCOMPACT_TEST_GPUS");

	*count = gpus ? atoi(gpus) : 1;
	if (*count == 0)
	{
		snprintf(failure->message, sizeof(failure->message),
				 "the test has no GPU");
		return ENGINE_NO_DEVICE;
	}
	memset(devices, 0, capacity * sizeof(*devices));
	for (int i = 0; i < *count && i < capacity; i++)
	{
		devices[i].index = i;
		snprintf(devices[i].name, sizeof(devices[i].name), "CPU %d", i);
		devices[i].memory_total = DEVICE_MEMORY;
		devices[i].memory_free = -1;
	}
	return ENGINE_OK;
}

EngineStatus
device_open(int index, EngineDevice *device, Failure *failure)
{
	Fault		fault = read_fault();
	EngineDevice devices[MAX_GPUS];
	int			count;
	EngineStatus status = device_list(devices, MAX_GPUS, &count, failure);

	if (status == ENGINE_OK)
		status = fault_status(&fault, STEP_OPEN, 1);
	if (status == ENGINE_OK && index < count)
	{
		lanes_devices = count;
		*device = devices[index];
		device->memory_free = is_fault(&fault, STEP_OPEN, "crowded") ?
			(int64_t) fault.number << 20 : DEVICE_MEMORY;
		return ENGINE_OK;
	}
	if (status == ENGINE_OK || failure->message[0] == '\0')
		snprintf(failure->message, sizeof(failure->message),
				 status == ENGINE_OK ? "the test has only %d GPUs" :
				 "the test has it so: open", count);
	return status == ENGINE_OK ? ENGINE_NO_DEVICE : status;
}

EngineStatus
device_share(void *memory, size_t bytes, Failure *failure)
{
	return ENGINE_OK;
}

int64_t
device_bytes_in_use(void)
{
	return __atomic_load_n(&bytes_in_use, __ATOMIC_RELAXED);
}

void
device_trim_pool(void)
{
}

DeviceLane *
lane_open(SharedLane *shared, int number, Failure *failure)
{
	DeviceLane *lane = calloc(1, sizeof(DeviceLane));

	lane->shared = shared;
	lane->number = number;
	lane->context = cpu_engine.open();
	return lane;
}

const char *
job_message(DeviceLane *lane)
{
	return lane->failure.message;
}

/*
 * A fault is not reported: a value that finds no memory is not cached.
 */
char *
device_cache_alloc(DeviceLane *lane, int64_t bytes)
{
	Fault		fault = read_fault();
	char	   *memory;

	if (is_fault(&fault, STEP_BEGIN, "no_cache"))
		return NULL;
	memory = malloc(bytes);
	if (memory != NULL)
		__atomic_add_fetch(&bytes_in_use, malloc_usable_size(memory),
						   __ATOMIC_RELAXED);
	return memory;
}

void
device_cache_free(char *memory)
{
	__atomic_sub_fetch(&bytes_in_use, malloc_usable_size(memory),
					   __ATOMIC_RELAXED);
	free(memory);
}

/* Returns true if every input is cached. */
static bool
has_all_inputs(const DeviceLane *lane)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (!lane->uses[i].has && source_bytes(&lane->request, i) > 0)
			return false;
	}
	return true;
}

/* Where a source is that is an input, or one of two joined arrays. */
static char *
source_memory(const DeviceLane *lane, int source)
{
	return source == 1 && lane->request.joined > 0 ?
		(char *) lane->inputs[0] + source_bytes(&lane->request, 0) :
		lane->inputs[source];
}

EngineStatus
job_begin(DeviceLane *lane, const CacheUse uses[ENGINE_SOURCES], char *stays)
{
	memset(&lane->request, 0, sizeof(*lane) - offsetof(DeviceLane, request));
	lane->uses = uses;
	lane->stays = stays;
	lane->request = lane_request_to(&lane->shared->request);
	lane->request.algorithm = ALGORITHM_AUTO;
	lane->request.threads = 2;
	lane->fault = read_fault();
	for (int i = 0; i < lane->request.inputs; i++)
	{
		int64_t		bytes = lane->request.count * input_size(&lane->request, i);

		lane->inputs[i] = malloc(bytes);
	}
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (uses[i].has)
			memcpy(source_memory(lane, i), uses[i].memory,
				   source_bytes(&lane->request, i));
	}
	lane->request.table = lane->table = malloc(lane->request.table_bytes + 1);
	if (uses[ENGINE_TABLE].has)
	{
		lane->table_arrived = lane->request.table_bytes;
		memcpy(lane->table, uses[ENGINE_TABLE].memory, lane->table_arrived);
	}
	lane->request.summary = calloc(1, lane->request.summary_bytes + 1);
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		EngineOutput *output = &lane->request.outputs[i];

		if (output->memory != NULL)
			output->memory = malloc(lane->request.room *
									kind_size(output->kind) + 1);
	}
	if (is_fault(&lane->fault, STEP_BEGIN, "tight"))
		(void) cache_evict(INT64_MAX);
	if (is_fault(&lane->fault, STEP_BEGIN, "lab") &&
		lab_library(&lane->failure) == NULL)
		return ENGINE_NOT_SUPPORTED;
	for (int i = 0; i < ENGINE_SOURCES; i++)
	{
		EngineStatus status = uses[i].resident < 0 ? ENGINE_OK :
			job_status(lane, STEP_CHAIN);

		if (status != ENGINE_OK)
			return status;
	}
	return job_status(lane, STEP_BEGIN);
}

static char *
slot_memory(DeviceLane *lane, int slot)
{
	return lane_slot_memory(lanes_shared, &lanes_layout, lane->number, slot);
}

/* Puts a piece of the inputs behind the pieces before it. */
static void
take_inputs(DeviceLane *lane, const char *from, int64_t count)
{
	const EngineRequest *request = &lane->request;
	int64_t		joined_at = source_count(request, 0);

	for (int i = 0; i < request->inputs; i++)
	{
		int			size = input_size(request, i);
		int			array = request->joined > 0 && lane->arrived >= joined_at;

		if (!lane->uses[i + array].has)
			memcpy((char *) lane->inputs[i] + lane->arrived * size, from,
				   count * size);
		from += lane_slot_capacity(&lanes_layout, request) * size;
	}
	lane->arrived += count;
}

/* Gives the cache the parts that have arrived of the sources to be cached. */
static void
cache_sources(DeviceLane *lane)
{
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		if (!lane->uses[i].has && lane->uses[i].memory != NULL)
			memcpy(lane->uses[i].memory, source_memory(lane, i),
				   source_bytes(&lane->request, i));
	}
}

static void
hand_slot(DeviceLane *lane, LaneSlot *slot, LaneSlotState state)
{
	word_write(&slot->state, state);
	doorbell_ring(&lane->shared->to_session);
}

/*
 * Unpacks a block of a piece to its elements' place.  Returns false if it is
 * damaged.
 */
static bool
unpack_block(const BlockPlace *place, ElementKind kind, const char *bytes,
			 char *elements)
{
	uint64_t	all[PACKED_BLOCK];
	int			size = kind_size(kind);
	PackedArray packed = {.kind = kind};
	PackedBlock block = {
		.length = place->length * 8, .count = place->count,
		.scheme = (PackedScheme) place->scheme,
		.mapping = (PackedMapping) place->mapping, .bits = place->bits,
		.checksum = packed_checksum(0, bytes, place->length * 8)
	};

	if (packed_unpack_block(&packed, &block, bytes, all) != PACKED_OK)
		return false;
	memcpy(elements + place->first * (int64_t) size,
		   (char *) all + place->skipped * size, place->wanted * size);
	return true;
}

/* Unpacks the blocks of a piece to where its elements would be. */
static EngineStatus
unpack_piece(DeviceLane *lane, const LaneSlot *slot, char *elements)
{
	const char *memory = elements + lanes_layout.slot_bytes;
	const BlockPlace *places = (const BlockPlace *) memory;
	const char *bytes = memory + lane_places_bytes(&lanes_layout,
												   &lane->request);

	if (slot->nblocks > 0)
		TRY_STATUS(job_status(lane, STEP_UNPACK));

	/* A device does not get the elements then. */
	if (slot->nblocks > 0 && slot->in_blocks)
		memset(elements, 0xA5, slot->count * input_size(&lane->request, 0));
	for (int i = 0; i < slot->nblocks; i++)
	{
		if (!unpack_block(&places[i], lane->request.kinds[0],
						  bytes + places[i].before * INT64_C(8), elements))
		{
			snprintf(lane->failure.message, sizeof(lane->failure.message),
					 "A block cannot be unpacked.");
			return ENGINE_NOT_UNPACKED;
		}
	}
	return ENGINE_OK;
}

/* Puts a piece that has arrived behind the pieces before it. */
static EngineStatus
take_piece(DeviceLane *lane, JobWait *wait)
{
	int			number = lane->pieces % LANE_SLOTS;
	LaneSlot   *slot = &lane->shared->slots[number];
	const EngineRequest *request = &lane->request;
	char	   *from = slot_memory(lane, number);
	EngineStatus status;

	if (word_read(&slot->state) != LANE_SLOT_FILLED)
	{
		*wait = WAIT_FOR_SESSION;
		return ENGINE_MORE;
	}
	status = job_status(lane, STEP_PUSH);
	if (status != ENGINE_OK)
	{
		*wait = WAIT_FOR_DEVICE;
		return status;
	}
	if (lane->table_arrived < request->table_bytes)
	{
		char	   *cached = lane->uses[ENGINE_TABLE].memory;

		memcpy(lane->table + lane->table_arrived, from, slot->count);
		if (cached != NULL)
			memcpy(cached + lane->table_arrived, from, slot->count);
		lane->table_arrived += slot->count;
	}
	else
	{
		TRY_STATUS(unpack_piece(lane, slot, from));
		take_inputs(lane, from, slot->count);
		if (lane->arrived == request->count)
			cache_sources(lane);
	}
	lane->pieces++;
	hand_slot(lane, slot, LANE_SLOT_FREE);
	return ENGINE_MORE;
}

/* Lets the CPU engine do the job, unless its session abandons it. */
static EngineStatus
compute(DeviceLane *lane)
{
	const EngineRequest *request = &lane->request;
	EngineStatus status = cpu_engine.begin(lane->context, request);
	void	   *buffers[ENGINE_INPUTS];
	int64_t		count;

	lane->begun = status == ENGINE_OK;
	while (status == ENGINE_OK && lane->pushed < request->count &&
		   !is_abandoned(lane))
	{
		const void *data[ENGINE_INPUTS] = {NULL, NULL};

		while ((status = cpu_engine.buffer(lane->context, buffers,
										   &count)) == ENGINE_MORE)
			;
		if (count > request->count - lane->pushed)
			count = request->count - lane->pushed;
		for (int i = 0; i < request->inputs; i++)
			data[i] = (char *) lane->inputs[i] +
				lane->pushed * input_size(request, i);
		if (status == ENGINE_OK)
			status = cpu_engine.push(lane->context, data, count);
		lane->pushed += count;
	}
	if (is_abandoned(lane))
		return ENGINE_MORE;
	if (status == ENGINE_OK)
	{
		do
			status = cpu_engine.finish(lane->context, &lane->shared->result);
		while (status == ENGINE_MORE && !is_abandoned(lane));
	}
	if (status == ENGINE_MORE)
		return status;
	if (status != ENGINE_OK)
		snprintf(lane->failure.message, sizeof(lane->failure.message), "%s",
				 cpu_engine.message(lane->context));
	lane->shared->result.on_device = true;
	lane->finished = true;
	return status == ENGINE_OK ? ENGINE_MORE : status;
}

/* The output that is on its way. */
static const char *
output_memory(const DeviceLane *lane)
{
	return lane->output == LANE_SUMMARY ? lane->request.summary :
		lane->request.outputs[lane->output].memory;
}

static int64_t
output_bytes(const DeviceLane *lane)
{
	int64_t		results = lane->shared->result.count;

	if (lane->output == LANE_SUMMARY)
		return lane->request.summary_bytes;
	return (results < lane->request.room ? results : lane->request.room) *
		output_size(&lane->request, lane->output);
}

/* Sends a slot of results. */
static EngineStatus
send_results(DeviceLane *lane, JobWait *wait)
{
	const EngineRequest *request = &lane->request;
	const char *memory = output_memory(lane);
	int64_t		left = output_bytes(lane) - lane->sent;

	if (operation_facts[request->operation].shape == RESULT_ONE &&
		lane->output == 0)
	{
		memcpy(&lane->shared->value, memory, output_size(request, 0));
		left = 0;
	}
	if (lane->output == 0 && lane->stays != NULL)
	{
		memcpy(lane->stays, memory, left);
		left = 0;
	}
	if (memory == NULL || left == 0)
	{
		lane->output++;
		lane->sent = 0;
		return lane->output < LANE_OUTPUTS ? ENGINE_MORE : ENGINE_OK;
	}
	for (int i = 0; i < LANE_SLOTS; i++)
	{
		LaneSlot   *slot = &lane->shared->slots[i];

		if (word_read(&slot->state) != LANE_SLOT_FREE)
			continue;
		slot->output = lane->output;
		slot->offset = lane->sent;
		slot->bytes = left < lanes_layout.slot_bytes ? left :
			lanes_layout.slot_bytes;
		if (is_fault(&lane->fault, STEP_FINISH, "far"))
			slot->offset += INT64_C(1) << 40;
		memcpy(slot_memory(lane, i) + lanes_layout.slot_bytes,
			   memory + lane->sent, slot->bytes);
		lane->sent += slot->bytes;
		hand_slot(lane, slot, LANE_SLOT_READY);
		return ENGINE_MORE;
	}
	*wait = WAIT_FOR_SESSION;
	return ENGINE_MORE;
}

EngineStatus
job_step(DeviceLane *lane, JobWait *wait)
{
	EngineStatus status;

	if (lane->table_arrived == lane->request.table_bytes &&
		has_all_inputs(lane))
		lane->arrived = lane->request.count;
	if (lane->arrived < lane->request.count)
		return take_piece(lane, wait);
	if (!lane->finished)
	{
		status = job_status(lane, STEP_FINISH);
		if (status != ENGINE_OK)
		{
			*wait = WAIT_FOR_DEVICE;
			return status;
		}
		status = compute(lane);
		if (is_fault(&lane->fault, STEP_FINISH, "long"))
			lane->shared->result.count = 4 * lane->request.count + 1;
		if (is_fault(&lane->fault, STEP_FINISH, "short"))
			lane->shared->result.count--;
		return status;
	}
	return send_results(lane, wait);
}

bool
job_is_urgent(const DeviceLane *lane)
{
	return false;
}

EngineStatus
job_settle(DeviceLane *lane)
{
	if (lane->begun)
		cpu_engine.end(lane->context);
	lane->begun = false;
	for (int i = 0; i < ENGINE_INPUTS; i++)
	{
		free(lane->inputs[i]);
		lane->inputs[i] = NULL;
	}
	for (int i = 0; i < ENGINE_RESULTS; i++)
	{
		free(lane->request.outputs[i].memory);
		lane->request.outputs[i].memory = NULL;
	}
	free(lane->table);
	free(lane->request.summary);
	lane->table = lane->request.summary = NULL;
	return ENGINE_OK;
}
