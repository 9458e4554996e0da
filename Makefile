# gpucompact: scans, compacts and sorts arrays on an NVIDIA GPU or the CPU
#
#	make                  gpucompact.so, and gpucompact_cuda.so where nvcc is
#	make NVCC=            without the CUDA engine
#	make CUDA_ARCH=90     for these architectures only
#	make COPT=-Werror     with warnings as errors, from both compilers
#	make install          into the server that PG_CONFIG belongs to
#	make installcheck     regression scripts on a running server, then TAP

MODULE_big = gpucompact
OBJS = $(patsubst %.c,%.o,$(sort $(wildcard src/*.c src/array/*.c src/engine/*.c src/cpu/*.c)))

EXTENSION = gpucompact
DATA = sql/gpucompact--1.0.sql
PGFILEDESC = "gpucompact - scan, compact and sort arrays"

REGRESS = scan delta compact sort runs utf8 benchmark info settings errors
REGRESS_OPTS = --load-extension=gpucompact
ENCODING = UTF8
NO_LOCALE = 1
TAP_TESTS = 1

PG_CPPFLAGS = -I$(srcdir)/src -MMD -MP
SHLIB_LINK = -pthread
EXTRA_CLEAN = gpucompact_cuda.so bench/hardware bench/kernels \
	bench/kernels_utf8 t/engines t/faulty_cuda.so t/faulty_engine.so t/fill_memory t/fuzz/utf8 \
	t/real_engine.o t/toast_pages.o t/toast_pages.so \
	$(CUDA_OBJS) $(DEPENDENCIES)

# The loops of the CPU engine are worth vectorising.  Floats are rounded after
# each operation.
CPU_FLAGS = -O3 -ffp-contract=off
src/cpu/%.o: CFLAGS += $(CPU_FLAGS)

# No bitcode: nothing here gains from being inlined into a query.
override with_llvm = no

PG_CONFIG ?= pg_config
PGXS := $(shell $(PG_CONFIG) --pgxs)
include $(PGXS)

# The CUDA engine, a library of its own that the extension opens when a call
# wants it.  It shares engine.h and the thread team with the rest.

NVCC ?= $(firstword $(shell command -v nvcc) \
	$(wildcard /usr/local/cuda/bin/nvcc))
CUDA_ARCH ?= 75 80 90
CUDA_OBJS = $(patsubst %.cu,%.o,$(sort $(wildcard kernels/*.cu kernels/lab/*.cu)))
NVCC_FLAGS = -O3 -fmad=false -std=c++17 -Isrc -Ikernels \
	-Xcompiler -fPIC,-Wall,-fvisibility=hidden \
	$(if $(COPT),-Werror all-warnings -Xcompiler $(COPT)) \
	$(foreach arch,$(CUDA_ARCH),-gencode=arch=compute_$(arch),code=sm_$(arch)) \
	-gencode=arch=compute_$(lastword $(CUDA_ARCH)),code=compute_$(lastword $(CUDA_ARCH))

DEPENDENCIES = $(OBJS:.o=.d) $(CUDA_OBJS:.o=.d) t/toast_pages.d

$(CUDA_OBJS): %.o: %.cu
	$(NVCC) $(NVCC_FLAGS) -MMD -MP -c -o $@ $<

gpucompact_cuda.so: $(CUDA_OBJS) src/engine/team.o
	$(NVCC) -shared -cudart static -o $@ $^ -lpthread

# Both libraries in a server are of one build: without nvcc, there is but one.
ifneq ($(NVCC),)
all: gpucompact_cuda.so
install: install-cuda
else
install: uninstall-cuda
endif

# The engines without a server, for sanitizers.
t/engines: $(wildcard t/engines*.[ch]) t/fuzz/utf8_reference.h \
		$(wildcard src/engine/*.h) src/engine/team.c $(wildcard src/cpu/*.[ch])
	$(CC) $(CPU_FLAGS) -g $(SANITIZE) -Isrc -o $@ $(filter %.c,$^) \
		-pthread -ldl -lm

# An engine that fails as it is told, for the tests of the server.
t/faulty_engine.so: t/faulty_engine.c $(wildcard src/engine/*.h) src/engine/team.c \
		$(wildcard src/cpu/*.[ch])
	$(CC) $(CPU_FLAGS) -O1 -g -Wall $(COPT) -shared -fPIC -fvisibility=hidden -Isrc -o $@ \
		$(filter %.c,$^) -pthread -lm

# Functions that read stored values by pages.
t/toast_pages.so: t/toast_pages.o src/array/page_reader.o \
		$(patsubst %.c,%.o,$(wildcard src/array/toast_*.c))
	$(CC) $(CFLAGS) $^ $(LDFLAGS) -shared -o $@

installcheck: t/faulty_engine.so t/toast_pages.so

# The same with the CUDA engine, and with a GPU that has hardly any memory.
t/real_engine.o: kernels/engine.o
	objcopy --redefine-sym gpucompact_engine=real_engine $< $@

t/faulty_cuda.so: t/faulty_cuda.cu t/real_engine.o src/engine/team.o \
		$(filter-out kernels/engine.o,$(CUDA_OBJS))
	$(NVCC) $(NVCC_FLAGS) -shared -cudart static -o $@ $^ -lpthread

t/fill_memory: t/fill_memory.cu
	$(NVCC) -O1 -o $@ $<

ifneq ($(NVCC),)
installcheck: t/faulty_cuda.so t/fill_memory
endif

# The CPU engine's UTF-8 against the reference, on made-up bytes; by libFuzzer.
t/fuzz/utf8: t/fuzz/utf8.c t/fuzz/utf8_reference.h src/engine.h src/engine/team.c \
		$(wildcard src/cpu/*.[ch])
	clang -O2 -g -fsanitize=fuzzer,address,undefined \
		-fno-sanitize-recover=undefined -o $@ $(filter %.c,$^) -pthread -lm

# What the machine gives, for the benchmarks to compare with.
bench/hardware: bench/hardware.cu bench/bench.h
	$(NVCC) -O3 -std=c++17 -arch=native -o $@ $< -lpthread

# The kernels alone, beside CUB's.
KERNEL_OBJS = kernels/compact.o kernels/lookahead.o kernels/scan.o \
	kernels/sort.o kernels/sort_count.o kernels/sort_move.o
bench/kernels: bench/kernels.cu bench/bench.h kernels/kernels.h $(KERNEL_OBJS)
	$(NVCC) $(NVCC_FLAGS) -o $@ $< $(KERNEL_OBJS)

# And those of UTF-8, beside a copy.
UTF8_OBJS = kernels/lookahead.o kernels/utf8.o kernels/utf8_encode.o
bench/kernels_utf8: bench/kernels_utf8.cu bench/bench.h kernels/kernels.h \
		$(UTF8_OBJS)
	$(NVCC) $(NVCC_FLAGS) -o $@ $< $(UTF8_OBJS)

.PHONY: install-cuda uninstall-cuda
install-cuda: gpucompact_cuda.so installdirs
	$(INSTALL_SHLIB) $< '$(DESTDIR)$(pkglibdir)/'
uninstall: uninstall-cuda
uninstall-cuda:
	rm -f '$(DESTDIR)$(pkglibdir)/gpucompact_cuda.so'

-include $(DEPENDENCIES)
