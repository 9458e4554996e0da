# lib.sh: what the benchmarks that are shell scripts share.
# shellcheck shell=bash

# Sets the variables of a list to the values of the options --NAME VALUE that are
# called like them, and "arguments" to what is after them, if the list has "..."; for
# any other option, prints what is at the script's head.
take_options()
{
	local names=" $1 "

	shift
	while (($# > 0)) && [[ $1 == --* || $names != *' ... '* ]]; do
		if [[ $1 != --* || $names != *" ${1#--} "* ]]; then
			sed -n '2,/^set/s/^# \{0,1\}//p' "$0"
			[[ $1 == --help ]]
			exit
		fi
		printf -v "${1#--}" %s "$2"
		shift 2
	done
	# shellcheck disable=SC2034
	arguments=("$@")
}

# Sets gpucompact.gpu_cache_size; or resets it if no size is given.
set_cache()
{
	psql -Xq -v ON_ERROR_STOP=1 -c "LOAD 'gpucompact'" \
		-c "ALTER SYSTEM SET gpucompact.gpu_cache_size = ${1:-DEFAULT}" \
		-c "SELECT pg_reload_conf()" >/dev/null
	sleep 1
}

# The median of a column of numbers.
median()
{
	awk -v column="$1" '{ print $column }' | sort -n |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# Prepares servers in a temporary directory, which goes away at the end, with the
# programs that PG_CONFIG names.  The front, which is asked, has port 5500.
own_servers()
{
	pg_config=${PG_CONFIG:-pg_config}
	bin=$("$pg_config" --bindir)
	directory=$(mktemp -d /tmp/bench.XXXXXX) # not in $TMPDIR: socket paths are short
	front=5500
	export PGHOST=$directory PGUSER=postgres PGDATABASE=postgres
	trap 'for data in "$directory"/data.*; do
			"$bin/pg_ctl" -D "$data" -m immediate stop &>/dev/null || true
		done
		rm -rf "$directory"' EXIT
}

# ask PORT [ARGUMENT...]: psql
ask() { "$bin/psql" -XAtq -v ON_ERROR_STOP=1 -p "$@"; }

# start_server COMMAND PORT [SETTING...]: with one process for a query; COMMAND, which
# may be nothing, starts it
start_server()
{
	local command=$1 port=$2 data=$directory/data.$2

	"$bin/initdb" -D "$data" -U postgres -A trust -E UTF8 --locale=C >/dev/null
	printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$directory'" \
		"port = $port" 'fsync = off' 'jit = off' 'autovacuum = off' \
		'shared_buffers = 512MB' 'max_wal_size = 4GB' \
		'max_parallel_workers_per_gather = 0' 'gpucompact.engine = cpu' \
		'enable_partitionwise_aggregate = on' "${@:3}" >>"$data/postgresql.conf"
	# shellcheck disable=SC2086
	$command "$bin/pg_ctl" -D "$data" -l "$directory/log.$port" -w start >/dev/null
}

# foreign_server NUMBER [OPTION]: the server of the next port but NUMBER - 1, for the
# front
foreign_server()
{
	ask "$front" <<-SQL
	SET client_min_messages = error;
	CREATE EXTENSION IF NOT EXISTS postgres_fdw;
	CREATE SERVER s$1 FOREIGN DATA WRAPPER postgres_fdw
	OPTIONS (host '$directory', port '$((front + $1))', dbname 'postgres',
			 extensions 'gpucompact', async_capable 'true', fdw_tuple_cost '1'${2:+, $2});
	CREATE USER MAPPING FOR CURRENT_USER SERVER s$1;
	SQL
}
