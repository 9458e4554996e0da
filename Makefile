# gpucompact: sort, filter, scan and summarise arrays on the CPU or an NVIDIA GPU
#
#	make                  gpucompact.so; and gpucompact_gpu and gpucompact_lab.so
#	                      where nvcc is
#	make NVCC=            without the CUDA engine
#	make CUDA_ARCH=90     for these architectures only
#	make COPT=-Werror     with warnings as errors, from both compilers
#	make install          into the server that PG_CONFIG belongs to
#	make check            the engines' tests, without a server
#	make installcheck     regression scripts on a running server, then TAP
#
# In another directory: make -f SOURCE/Makefile, and so on, where SOURCE is the
# source tree, in which nothing has been built.

# PGXS has a target check of its own, which only says that there are no tests.
ifeq ($(MAKECMDGOALS),check)
.PHONY: check
check:
	$(MAKE) check-engines
else

# The objects of all sources with a suffix in these directories.  They are made in
# the current directory, which need not be the directory of the sources.
objects = $(patsubst $(srcdir)/%.$1,%.o,\
	$(sort $(wildcard $(patsubst %,$(srcdir)/%/*.$1,$2))))

MODULE_big = gpucompact
OBJS = $(call objects,c,$(addprefix src/,sql call array contract gpuclient \
	cpu loops packed))

EXTENSION = gpucompact
DATA = sql/gpucompact--1.3.0.sql
PGFILEDESC = "gpucompact - sort, filter, scan and summarise arrays"

# All scripts in sql/ except the install scripts.
REGRESS = $(patsubst $(srcdir)/sql/%.sql,%,$(filter-out $(srcdir)/sql/gpucompact--%,\
	$(sort $(wildcard $(srcdir)/sql/*.sql))))
REGRESS_OPTS = --load-extension=gpucompact
ENCODING = UTF8
NO_LOCALE = 1
TAP_TESTS = 1
# The tests of an installation; t/repo tests the sources.
PROVE_TESTS = $(patsubst $(srcdir)/%,%,$(foreach shelf,answers faults process \
	server,$(sort $(wildcard $(srcdir)/t/$(shelf)/*.pl))))

# Sessions and a GPU process of two builds do not share memory, and the process
# does not use a library of another build, unless these headers are the same.
LANES_HEADERS = src/protocol/*.h \
	$(addprefix src/contract/,blocks.h engine.h identity.h kinds.h operations.h) \
	src/contract/operations/*.h kernels/common/operation.h \
	kernels/lab/lab_library.h
LANES_VERSION := $(shell cd '$(or $(VPATH),$(dir $(firstword $(MAKEFILE_LIST))))' && \
	cat $(LANES_HEADERS) | cksum | cut -d' ' -f1)U

PG_CPPFLAGS = -I$(srcdir)/src -I$(srcdir) -DLANES_VERSION=$(LANES_VERSION) \
	-MMD -MP
# The module's calls of its own functions do not look up symbols, and compilers
# may inline them.
SHLIB_LINK = -pthread -Wl,-Bsymbolic-functions
PG_CFLAGS = -fno-semantic-interposition

# What is built without PostgreSQL.
KERNEL_BENCHES = bench/kernels \
	$(addprefix bench/kernels_,operations packed sorts statistics utf8)
STANDALONE = gpucompact_gpu gpucompact_lab.so bench/packed_codec \
	$(KERNEL_BENCHES) \
	$(addprefix t/engine/,engines gpu_on_cpu simulate dirty_gpu faulty_gpu \
		fill_memory fuzz_utf8 fuzz_packed engines_arm64)
EXTRA_CLEAN = $(STANDALONE) t/engine/real_job.o $(PROGRAM_OBJS) $(CUDA_OBJS) $(LAB_OBJS) \
	$(DEPENDENCIES)

# The loops of the CPU engine and of packed arrays are worth vectorising.  Floats are
# rounded after each operation.  Functions begin at a cache line, so that the speed
# of a loop does not depend on the files before it.
CPU_FLAGS = -O3 -ffp-contract=off -falign-functions=64

# Nobody looks at the flags and the errno of floor() and sqrt().
src/cpu/cpu_map.o: CFLAGS += -fno-math-errno -fno-trapping-math

# By default, gcc zeroes a struct of some hundred bytes by "rep stos", which takes
# longer to start than to run.  A call on a small array zeroes several.
ZEROING = -mmemset-strategy=vector_loop:512:noalign,libcall:-1:noalign

# A server that was built by gcc has flags and headers that clang does not know.
ifneq ($(findstring clang,$(CC)),)
PG_CFLAGS += -Wno-unknown-warning-option \
	-Wno-ignored-optimization-argument -Wno-ignored-attributes
endif

# No bitcode: nothing here gains from being inlined into a query.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
ifneq ($(wildcard $(PGXS)),)
include $(PGXS)

# Each part of installcheck says at its beginning about how long it takes, and at
# its end how long it took.
timed = trap 'echo "\# $1 took $$(($$(date +%s) - began)) s"' EXIT; \
	began=$$(date +%s); echo "\# $1$(if $2,$(comma) about $2 on two cores)";
comma := ,
part = $(if $(TAP_TESTS),part $1 of 2: )
pg_regress_installcheck := $(call timed,$(call part,1)regression scripts,$(if \
	$(filter file,$(origin REGRESS)),a minute)) $(pg_regress_installcheck)
ifeq ($(enable_tap_tests),yes)
prove_installcheck := $(call timed,$(if $(REGRESS),$(call part,2))TAP tests,$(if \
	$(filter file,$(origin PROVE_TESTS)),a quarter of an hour)) $(prove_installcheck)
endif
else ifneq ($(filter-out $(STANDALONE) kernels/% gpuprocess/%,$(or $(MAKECMDGOALS),all)),)
$(error "$(PG_CONFIG) --pgxs" names no PostgreSQL to build for: install its \
	server headers (Debian: postgresql-server-dev-NN), or choose another \
	by PG_CONFIG=/path/to/pg_config)
else
srcdir = .
CPPFLAGS += -D_GNU_SOURCE $(PG_CPPFLAGS)
CFLAGS += -fPIC
endif

# Full debug information of vectorised loops says little, and takes a quarter of the
# compiler's time.  Line numbers are enough.
src/cpu/%.o src/loops/%.o src/packed/%.o: \
	CFLAGS := $(patsubst -g,-g1,$(CFLAGS)) $(CPU_FLAGS)

ifeq ($(shell $(CC) $(ZEROING) -x c -E /dev/null >/dev/null 2>&1 && echo yes),yes)
$(filter-out src/cpu/% src/loops/% src/packed/%,$(OBJS)): CFLAGS += $(ZEROING)
endif

# Outside the source tree, PGXS does not always tell make where that is.
VPATH := $(srcdir)

# The GPU process, a program of its own that a background worker executes when
# a call wants it.

NVCC ?= $(firstword $(shell command -v nvcc) \
	$(wildcard /usr/local/cuda/bin/nvcc))
CUDA_ARCH ?= 75 80 90
KERNEL_DIRS = $(addprefix kernels/,common scan reduce compact sort select utf8 \
	packed)
KERNEL_OBJS = $(call objects,cu,$(KERNEL_DIRS))
CUDA_OBJS = $(KERNEL_OBJS) $(call objects,cu,gpuprocess)
LAB_OBJS = $(call objects,cu,kernels/lab)

# TOGETHER=1: a folder's kernels are compiled at once, in half of the time: most of it
# goes into CUDA's own headers, which several front ends read.
ifneq ($(TOGETHER),)
KERNEL_OBJS = $(KERNEL_DIRS:=.o)
LAB_OBJS = kernels/lab.o
endif
HOST_OPT = -O3
NVCC_FLAGS = $(HOST_OPT) -fmad=false -std=c++17 -I$(srcdir)/src -I$(srcdir) \
	-DLANES_VERSION=$(LANES_VERSION) \
	-Xcompiler -fPIC,-Wall,-fvisibility=hidden \
	$(if $(COPT),-Werror all-warnings -Xcompiler $(COPT)) $(CUDA_CODE)

# Machine code for each architecture, and PTX for later ones.
CUDA_CODE = \
	$(foreach arch,$(CUDA_ARCH),-gencode=arch=compute_$(arch),code=sm_$(arch)) \
	-gencode=arch=compute_$(lastword $(CUDA_ARCH)),code=compute_$(lastword $(CUDA_ARCH))

DEPENDENCIES = $(patsubst %.o,%.d,$(OBJS) $(PROGRAM_OBJS) $(CUDA_OBJS) $(LAB_OBJS)) \
	t/toast_pages.d

.SECONDEXPANSION:
$(CUDA_OBJS) $(LAB_OBJS): %.o: $$(or $$(wildcard $(srcdir)/$$*/*.cu),%.cu)
	$(NVCC) $(NVCC_FLAGS) -MMD -MP -c -o $@ \
		$(addprefix -include ,$(filter-out $<,$(filter %.cu,$^))) $<

# They have no kernels, so that the host's compiler alone reads them.
$(call objects,cu,gpuprocess): NVCC_FLAGS += -x c++

# The sources that the GPU program shares with the library, as objects and as
# sources.
SHARED_OBJS = src/contract/operations.o
PROGRAM_OBJS = $(call objects,c,gpuprocess)

gpuprocess/%.o: CPPFLAGS += -D_GNU_SOURCE

$(shell mkdir -p bench t/engine $(sort $(dir $(OBJS) $(CUDA_OBJS) $(LAB_OBJS) $(PROGRAM_OBJS))))

# The objects that compare LANES_VERSION.
gpuprocess/main.o gpuprocess/lab.o src/gpuclient/gpu_connection.o \
kernels/lab/lab.o t/engine/gpu_on_cpu: \
	$(wildcard $(addprefix $(srcdir)/,$(LANES_HEADERS)))

gpucompact_gpu: $(CUDA_OBJS) $(PROGRAM_OBJS) $(SHARED_OBJS)
	$(NVCC) -cudart static -o $@ $^ -lpthread

# The textbooks' algorithms, which the program loads when a call names one.
gpucompact_lab.so: $(LAB_OBJS)
	$(NVCC) -shared -cudart static -o $@ $^ \
		-Xlinker --no-undefined,--exclude-libs=ALL

# The program and the library in a server are of one build: without nvcc, there
# is but one.
ifneq ($(NVCC),)
all: gpucompact_gpu gpucompact_lab.so
install: install-gpu
else
install: uninstall-gpu
endif

# The sources of the engines, for tests that contain them.
CPU_SHARED = $(addprefix src/contract/,cpu_clones operations team kept_memory) \
	src/loops/bitmaps src/loops/numbers
CPU_ENGINE = $(CPU_SHARED:%=$(srcdir)/%.c) \
	$(wildcard $(srcdir)/src/contract/*.h $(srcdir)/src/contract/operations/*.h \
		$(srcdir)/src/loops/*.h $(srcdir)/src/cpu/*.[ch] $(srcdir)/src/packed/*.[ch])
PACKED_CODEC = $(addprefix $(srcdir)/src/,loops/bitmaps.c \
	contract/cpu_clones.c) $(wildcard $(srcdir)/src/packed/*.[ch])
GPU_ENGINE = $(addprefix $(srcdir)/src/gpuclient/,gpu_engine.c gpu_lease.c \
	gpu_slots.c gpu_connection.c)
TEST_FLAGS = $(CPU_FLAGS) -g $(PROFILE) -Wall $(COPT) $(SANITIZE) -D_GNU_SOURCE \
	-I$(srcdir)/src -I$(srcdir) -DLANES_VERSION=$(LANES_VERSION)

# They are the library's objects, unless a sanitizer is used.
CPU_PARTS = $(if $(SANITIZE),$(CPU_ENGINE),$(filter src/cpu/% src/packed/% \
	$(CPU_SHARED:%=%.o),$(OBJS)))
GPU_PARTS = $(if $(SANITIZE),$(GPU_ENGINE),$(GPU_ENGINE:$(srcdir)/%.c=%.o))

# The engines without a server.
t/engine/engines: t/engine/engines.c $(wildcard $(srcdir)/t/engine/test_*.c) \
		$(wildcard $(srcdir)/t/engine/*.h) $(CPU_PARTS) $(GPU_PARTS)
	$(CC) $(TEST_FLAGS) -Wl,--wrap=pthread_create,--wrap=madvise -o $@ \
		$(filter %.c %.o,$^) -pthread -lm

# The program on the CPU, which fails on demand, for tests.
t/engine/gpu_on_cpu: t/engine/cpu_device.c t/engine/cpu_faults.h \
		t/engine/cuda_runtime.h $(CPU_PARTS) \
		$(if $(SANITIZE),$(PROGRAM_OBJS:.o=.c),$(PROGRAM_OBJS)) \
		$(wildcard $(srcdir)/gpuprocess/*.cu $(srcdir)/gpuprocess/*.h \
			$(srcdir)/src/contract/*.h $(srcdir)/src/gpuclient/*.h)
	$(CC) $(TEST_FLAGS) -I$(srcdir)/t/engine -o $@ $(filter %.c %.o,$^) \
		-pthread -lm -ldl

# The program and its sessions, with a simulated device, system and scheduler.
SIMULATED = _exit accept4 bind clock_gettime close connect epoll_create1 epoll_ctl \
	epoll_wait fallocate ftruncate getsockopt listen memfd_create mmap munmap \
	poll pthread_create pthread_mutex_lock pthread_mutex_unlock read recv recvmsg \
	send sendmsg socket syscall sysconf umask unlink usleep
t/engine/simulate: t/engine/simulate.c $(GPU_ENGINE) $(addprefix $(srcdir)/src/, \
		contract/operations.c contract/team.c contract/kept_memory.c) \
		$(PROGRAM_OBJS:.o=.c) $(wildcard $(srcdir)/gpuprocess/*.cu \
			$(srcdir)/gpuprocess/*.h $(srcdir)/src/contract/*.h \
			$(srcdir)/src/gpuclient/*.h $(srcdir)/t/engine/simulated_*.h) \
		t/engine/cuda_runtime.h
	$(CC) $(TEST_FLAGS) -I$(srcdir)/t/engine $(SIMULATED:%=-Wl,--wrap=%) -o $@ \
		$(filter-out gpuprocess/%,$(filter %.c,$^)) -pthread -lm

# The CPU engine on arm64, which an emulator runs.
t/engine/engines_arm64: t/engine/engines.c $(wildcard $(srcdir)/t/engine/test_*.c) \
		$(wildcard $(srcdir)/t/engine/*.h) $(CPU_ENGINE) $(GPU_ENGINE)
	aarch64-linux-gnu-gcc $(TEST_FLAGS) -static \
		-Wl,--wrap=pthread_create,--wrap=madvise -o $@ \
		$(filter %.c,$^) -pthread -lm

tap_programs = t/engine/engines t/engine/gpu_on_cpu t/engine/simulate

# The quick tests of a change: COUNT elements at most, or a range such as 511-513,
# and one FAMILY of t/engine/test_*.c.
COUNT = 5000
.PHONY: check-engines
check-engines: t/engine/engines t/engine/gpu_on_cpu
	t/engine/engines cpu $(COUNT) 0 $(FAMILY)
	t/engine/engines t/engine/gpu_on_cpu $(COUNT) 0 $(FAMILY)
	cd '$(srcdir)' && prove $(addprefix t/repo/,includes.pl index.pl reference.pl style.pl)

# The same with the GPU, and with a GPU that has hardly any memory.
t/engine/real_job.o: gpuprocess/job.o
	objcopy --redefine-sym job_begin=real_job_begin \
		--redefine-sym job_step=real_job_step $< $@

t/engine/faulty_gpu: t/engine/faulty_gpu.cu t/engine/real_job.o \
		$(filter-out gpuprocess/job.o,$(CUDA_OBJS)) $(PROGRAM_OBJS) $(SHARED_OBJS)
	$(NVCC) $(NVCC_FLAGS) -cudart static -o $@ $^ -lpthread

# The program, each of whose kernels finds arbitrary bytes in shared memory.
t/engine/dirty_gpu: t/engine/dirty_gpu.cu $(CUDA_OBJS) $(PROGRAM_OBJS) \
		$(SHARED_OBJS)
	$(NVCC) $(NVCC_FLAGS) -cudart static \
		-Xlinker --wrap=cudaLaunchKernelExC,--wrap=__cudaLaunchKernel \
		-o $@ $^ -lpthread

t/engine/fill_memory: t/engine/fill_memory.cu
	$(NVCC) -O1 -o $@ $<

ifneq ($(NVCC),)
tap_programs += t/engine/dirty_gpu t/engine/faulty_gpu t/engine/fill_memory
endif

# The CPU engine's UTF-8 against the reference, and the reader of packed arrays,
# on made-up bytes; by libFuzzer.
t/engine/fuzz_utf8: t/engine/utf8_reference.h $(CPU_ENGINE)
t/engine/fuzz_packed: t/engine/packed_damage.h t/engine/packed_whole.h \
	$(PACKED_CODEC)
t/engine/fuzz_utf8 t/engine/fuzz_packed: %: %.c
	clang -O2 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -I$(srcdir)/src -I$(srcdir) -o $@ \
		$(filter %.c,$^) -pthread -lm

# What gpu_packed and gpu_state receive, likewise, in a server.
RECEIVERS = $(patsubst $(srcdir)/%,%,$(wildcard $(srcdir)/src/packed/*.c)) \
	src/sql/packed_type.c src/sql/state.c \
	src/array/packed_reader.c
t/fuzz_receive.so: t/fuzz_receive.c $(RECEIVERS) \
		$(filter-out $(RECEIVERS:.c=.o),$(OBJS))
	clang -O1 -g -fPIC -shared -Wno-ignored-attributes \
		-fsanitize=fuzzer-no-link,undefined \
		-fsanitize-trap=undefined $(CPPFLAGS) -Wl,-Bsymbolic -o $@ \
		$(filter %.c %.o,$^) $(subst builtins,fuzzer_no_main,$(shell clang \
		--rtlib=compiler-rt -print-libgcc-file-name)) -lstdc++ -pthread -lm

EXTRA_CLEAN += t/fuzz_receive.so

# Functions that damage values, for the tests of the server.
tap_programs += t/crafted.so
EXTRA_CLEAN += t/crafted.o t/crafted.so
DEPENDENCIES += t/crafted.d

# Functions that read stored values by pages, for the same tests.
t/toast_pages.so: t/toast_pages.o $(filter src/array/toast_%,$(OBJS))
	$(CC) $(CFLAGS) $^ $(LDFLAGS) -shared -o $@

tap_programs += t/toast_pages.so
EXTRA_CLEAN += t/toast_pages.o t/toast_pages.so
DEPENDENCIES += t/toast_pages.d

# The regression scripts alone, without TAP tests, need none of these.
.PHONY: test-programs
test-programs: $(tap_programs)
ifneq ($(TAP_TESTS),)
installcheck: test-programs
endif

# The codec of packed arrays, and a copy to compare with; for bench/packed.
bench/packed_codec: bench/packed_codec.c $(PACKED_CODEC)
	$(CC) $(TEST_FLAGS) -o $@ $(filter %.c,$^) -lm

# The kernels alone, CUB's kernels, and a copy.  CCCL=DIRECTORY has headers of
# another version of CUB than nvcc's own.
bench/kernels_packed: $(filter src/packed/%,$(OBJS)) src/loops/bitmaps.o \
	src/contract/cpu_clones.o
$(KERNEL_BENCHES): %: %.cu $(wildcard $(srcdir)/bench/*.h) $(KERNEL_OBJS) $(SHARED_OBJS)
	$(NVCC) $(addprefix -I,$(CCCL)) $(NVCC_FLAGS) -o $@ $(filter-out %.h,$^)
.PHONY: kernel-benches
kernel-benches: $(KERNEL_BENCHES)

.PHONY: install-gpu uninstall-gpu
install-gpu: gpucompact_gpu gpucompact_lab.so installdirs
	$(INSTALL_PROGRAM) gpucompact_gpu '$(DESTDIR)$(pkglibdir)/'
	$(INSTALL_SHLIB) gpucompact_lab.so '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-gpu
uninstall-gpu:
	rm -f '$(DESTDIR)$(pkglibdir)/gpucompact_gpu' \
		'$(DESTDIR)$(pkglibdir)/gpucompact_lab.so'

-include $(DEPENDENCIES)

endif
