# shellcheck shell=bash
# Each script gets the packages that are missing (as root, on Debian or Ubuntu).
# Then, in a copy of the checkout and never as root, it works with a server and an
# installation of PostgreSQL of its own, which are in a temporary directory.  That
# goes away on exit; the packages stay.
#
# Environment variables:
#   PG_CONFIG         the PostgreSQL to use, by its pg_config; without it, the one
#                     on the PATH, or else the distribution's
#   PYTHON3           the Python to use; without it, the distribution's, as its
#                     packages are for that one
#   NVCC, CUDA_ARCH   as for make

set -euo pipefail

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
arguments=("$@")

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# The comments at the head of a script and of this file say how it is used.
if [[ ${1-} == --help ]]; then
  sed -sn '2,/^$/s/^#\{0,1\} \{0,1\}//p' "$0" "${BASH_SOURCE[0]}"
  exit
fi

# A script runs twice: in the checkout, and then, as setup.sh has it, in the copy.
copied=${GPUCOMPACT_WORK-}
unset GPUCOMPACT_WORK
work=$copied
nested= # the process of a script that this one runs

choose_python() { echo "${PYTHON3:-$(type -P /usr/bin/python3 || echo python3)}"; }

# logged COMMAND...: its output goes into a file.  A shell handles signals while it
# waits, but apt has to get them, too.
logged() {
  if [[ $copied ]]; then
    "$@" >"$work/log" 2>&1 </dev/null &
    wait $!
  else
    "$@" >"$work/log" 2>&1 </dev/null
  fi
}

# quietly WHAT COMMAND...: what a command says matters only when it fails
quietly() {
  logged "${@:2}" && return
  tail -qn 50 "$work"/*log >&2
  die "$1 failed"
}

# our_processes: the processes that work in the directory or were started there, even if
# they have another parent now; and the subshells of this one
our_processes() {
  local directory pid
  for directory in /proc/[0-9]*; do
    pid=${directory#/proc/}
    [[ $pid != "$$" && $pid != "$BASHPID" && -O $directory/environ ]] || continue
    [[ $(readlink "$directory/cwd")/ != "$work"/* ]] &&
      ! grep -qazxE "(TMPDIR|GPUCOMPACT_WORK)=$work" "$directory/environ" ||
      echo "$pid"
  done
} 2>/dev/null

# stop_processes: all of them, because they would go on writing.  Servers work in their
# data directories, and stop by themselves: killed servers would leave shared memory
# behind.
stop_processes() {
  local pid pids try
  for ((try = 0; try < 100; try++)); do
    mapfile -t pids < <(our_processes)
    ((${#pids[@]})) || return 0
    for pid in "${pids[@]}"; do
      if ((try < 50)) && [[ -e /proc/$pid/cwd/PG_VERSION ]]; then
        kill -QUIT "$pid" || true
      else
        kill -KILL "$pid" || true
      fi
    done
    sleep 0.1
  done
} 2>/dev/null

cleanup() {
  trap '' HUP INT TERM # a second Ctrl-C does not stop this
  cd /
  [[ ! $nested ]] || { kill "$nested" && wait "$nested"; } 2>/dev/null || true
  [[ ! $copied ]] || stop_processes
  [[ ! $work ]] || rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# make_directory VARIABLE COMMAND...: a new directory in /tmp, as socket paths are
# short; by mkdir, with a command before it.  The variable has the name before
# that is made, so that whatever happens then, it is removed.
make_directory() {
  printf -v "$1" %s "$(mktemp --dry-run /tmp/gpucompact.XXXXXX)"
  "${@:2}" mkdir -m 700 "${!1}" || {
    printf -v "$1" %s ''
    die "cannot make a directory in /tmp"
  }
}
[[ $work ]] || make_directory work

# prepare PACKAGE...: these, a PostgreSQL, a copy of the checkout, and an
# installation to build for
prepare() {
  if [[ ! $copied ]]; then
    # shellcheck source=script/setup.sh
    source "$root/script/setup.sh"
    get_packages "$@"
    continue_in_copy
  fi

  cd "$work"
  # Variables that the caller has set for other servers are not meant for this one.
  local variable
  for variable in ${!PG@}; do
    [[ $variable == PG_* ]] || unset "$variable"
  done
  export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  export HOME=$work TMPDIR=$work LC_ALL=C.UTF-8
  PYTHON3=$(choose_python)
  export PYTHON3
  make_installation
  say "With $("$PG_CONFIG" --version)"
}

# make_installation: one of PostgreSQL that is like the given one: its programs,
# and links to its other files.  The programs look for files relative to where
# they are themselves, so that an extension can be installed for them alone.
make_installation() {
  local bindir sharedir pkglibdir tree=$work/installation
  bindir=$("$PG_CONFIG" --bindir)
  sharedir=$("$PG_CONFIG" --sharedir)
  pkglibdir=$("$PG_CONFIG" --pkglibdir)
  mkdir -p "$tree$sharedir/extension" "$tree$pkglibdir" # not as links
  cp -rsH --parents "$sharedir" "$pkglibdir" "$("$PG_CONFIG" --includedir-server)" "$tree"
  find "$tree" -type l -name 'gpucompact*' -delete
  cp --parents "$bindir"/{initdb,pg_*,pgbench,postgres,psql,vacuumdb} "$tree"

  bin=$tree$bindir
  export PG_CONFIG=$bin/pg_config
  [[ $("$PG_CONFIG" --pkglibdir) == "$(realpath "$tree$pkglibdir")" ]] ||
    die "a copy of $bindir/pg_config does not find libraries relative to itself"
}

# compile ARGUMENT...: make
compile() {
  quietly "make $*" make -s -C "$root" -j"$(nproc)" "$@"
}

# install_extension VARIABLE=VALUE...: into the installation of our own, with
# the variables of make that say what has been compiled
install_extension() {
  quietly "make install" make -s -C "$root" install "$@"
}

# init_server: makes one
init_server() {
  quietly initdb "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C
  printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$work'" \
    'fsync = off' >>data/postgresql.conf
}

# start_server: makes one, with the extension in its database postgres.  The C library
# fills memory that it hands out with the byte 5a, and memory that is freed with a5:
# neither is zeros, and one is odd.
start_server() {
  init_server
  MALLOC_PERTURB_=${MALLOC_PERTURB_-165} \
    quietly "starting a server" "$bin/pg_ctl" -D data -l server.log -w start
  psql -c 'CREATE EXTENSION gpucompact'
}

# start_under COMMAND...: makes a server, and runs it under a command.  It compiles
# no queries: the checkers report invalid reads as soon as LLVM is loaded.
start_under() {
  init_server
  "$@" "$bin/postgres" -D data -c jit=off >server.log 2>&1 </dev/null &
  for _ in {1..300}; do
    "$bin/pg_isready" -q && return
    sleep 0.2
  done
  tail server.log
  kill -KILL $! || true
  die "the server does not start"
}

# regress_on_cpu: the regression scripts, and then the server is stopped
regress_on_cpu() {
  local status=0
  PGOPTIONS="-c gpucompact.engine=cpu -c gpucompact.cpu_threads=4" \
    make -s -C "$root" installcheck TAP_TESTS= </dev/null |
    grep -E '^(test|ok|not ok) ' || status=$?
  quietly "stopping the server" "$bin/pg_ctl" -D data -w -t 300 stop
  wait
  ((!status)) || head -n 200 "$root/regression.diffs"
  return "$status"
}

# psql ARGUMENT...: for scripts, in which an error is the end
psql() { "$bin/psql" -Xq -v ON_ERROR_STOP=1 "$@"; }
