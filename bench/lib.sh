# cache.sh: what benchmarks with and without the GPU process's cache share.
# shellcheck shell=bash

# Sets gpucompact.gpu_cache_size; or resets it if no size is given.
set_cache()
{
	psql -Xq -v ON_ERROR_STOP=1 -c "LOAD 'gpucompact'" \
		-c "ALTER SYSTEM SET gpucompact.gpu_cache_size = ${1:-DEFAULT}" \
		-c "SELECT pg_reload_conf()" >/dev/null
	sleep 1
}
