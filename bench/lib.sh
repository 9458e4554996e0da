# lib.sh: what the benchmarks that are shell scripts share.
# shellcheck shell=bash

# Sets the variables of a list to the values of the options --NAME VALUE that are
# called like them; for any other option, prints what is at the script's head.
take_options()
{
	local names=" $1 "

	shift
	while (($# > 0)); do
		if [[ $1 != --* || $names != *" ${1#--} "* ]]; then
			sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
			[[ $1 == --help ]]
			exit
		fi
		printf -v "${1#--}" %s "$2"
		shift 2
	done
}

# Sets gpucompact.gpu_cache_size; or resets it if no size is given.
set_cache()
{
	psql -Xq -v ON_ERROR_STOP=1 -c "LOAD 'gpucompact'" \
		-c "ALTER SYSTEM SET gpucompact.gpu_cache_size = ${1:-DEFAULT}" \
		-c "SELECT pg_reload_conf()" >/dev/null
	sleep 1
}
