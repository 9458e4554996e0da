# shellcheck shell=bash
# lib.sh: what script/test and script/demo share: the packages they need, a
# build of this checkout, and a server of its own that no other server notices.
# The packages and the installed extension stay; all else is under $work and
# goes away on exit.
#
# From the environment:
#   PG_CONFIG         the server to use, by its pg_config; else the one on the
#                     PATH; else the distribution's, installed by apt
#   NVCC, CUDA_ARCH   as for make

set -euo pipefail

root=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
work=$(mktemp -d /tmp/gpucompact.XXXXXX) # not in $TMPDIR: socket paths are short
build=$work/build
as=()       # what a command starts with that root is not to run, such as a server
no_cluster= # a file that is there while apt installs PostgreSQL

say() { printf '== %s\n' "$*"; }
die() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit 1
}

# quietly WHAT COMMAND...: what a command says matters only when it fails
quietly() {
  "${@:2}" >"$work/log" 2>&1 </dev/null && return
  tail -qn 50 "$work"/*log >&2
  die "$1 failed"
}

cleanup() {
  trap '' HUP INT TERM # a second Ctrl-C does not stop this
  cd /
  [[ -z $no_cluster ]] || rm -f "$no_cluster"
  # TAP tests that were cut short leave servers, too.
  find "$work" -name postmaster.pid -printf '%h\n' | while read -r data; do
    "${as[@]}" "$bin/pg_ctl" -D "$data" -m immediate stop &>/dev/null || true
  done
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# usable PG_CONFIG: does it have a server, and what extensions are built with?
usable() {
  local pgxs
  pgxs=$("$1" --pgxs) &&
    [[ -f $pgxs && -x ${pgxs%/makefiles/*}/test/regress/pg_regress ]] &&
    [[ -f $("$1" --includedir-server)/postgres.h ]] &&
    [[ -x $("$1" --bindir)/postgres ]]
} 2>/dev/null

# update_apt WHAT: before that is installed
update_apt() {
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    die "missing: $1; on Debian and Ubuntu, root gets it by apt"
  fi
  quietly "apt-get update" apt-get update
}

# get PACKAGE...: without upgrades, as they would restart servers that run
get() {
  say "Installing $*"
  quietly "apt-get install $*" \
    env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends --no-upgrade "$@"
}

# need PACKAGE COMMAND...: the package, unless the command works
need() {
  "${@:2}" &>/dev/null && return
  update_apt "$1"
  get "$1"
}

# get_postgresql: the distribution's, less the cluster "main" that its package
# would make and start
get_postgresql() {
  local version
  update_apt "a PostgreSQL server with its headers; PG_CONFIG can name one"
  version=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-//p')
  [[ $version ]] || die "apt offers no PostgreSQL"
  no_cluster=/etc/postgresql-common/createcluster.d/gpucompact.conf
  mkdir -p "${no_cluster%/*}"
  echo 'create_main_cluster = false' >"$no_cluster"
  get "postgresql-$version" "postgresql-server-dev-$version"
  rm "$no_cluster"
  PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config
}

# prepare: a compiler, a PostgreSQL, and a copy of the checkout in which the
# server's user can build and test
prepare() {
  need build-essential make --version
  need build-essential gcc --version
  if [[ ${PG_CONFIG-} ]]; then
    usable "$PG_CONFIG" ||
      die "PG_CONFIG=$PG_CONFIG: no server there, or no headers and PGXS for it"
  elif usable pg_config; then
    PG_CONFIG=pg_config
  else
    get_postgresql
  fi
  PG_CONFIG=$(realpath "$(command -v "$PG_CONFIG")")
  export PG_CONFIG
  bin=$("$PG_CONFIG" --bindir)

  cd "$work"
  if ((EUID == 0)); then
    local user=postgres
    id "$user" &>/dev/null || user=nobody
    as=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups)
    chown "$user" .
  fi
  "${as[@]}" mkdir "$build"
  tar -C "$root" --anchored --exclude='./.?*' --no-anchored --exclude='*.[do]' \
    --exclude='*.so' -cf - . | "${as[@]}" tar -C "$build" --no-same-owner -xf -

  # What the caller has set for other servers is not meant for this one.
  local variable
  for variable in ${!PG@}; do
    [[ $variable == PG_* ]] || unset "$variable"
  done
  export PGHOST=$work PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
  export HOME=$work TMPDIR=$work LC_ALL=C.UTF-8
}

# compile ARGUMENT...: make
compile() {
  quietly "make $*" "${as[@]}" make -s -C "$build" -j"$(nproc)" "$@"
}

# install_extension: where the server looks for it
install_extension() {
  local directory
  for directory in "$("$PG_CONFIG" --pkglibdir)" "$("$PG_CONFIG" --sharedir)/extension"; do
    [[ -w $directory ]] || die "cannot install into $directory: run this as root," \
      "or name in PG_CONFIG a PostgreSQL of your own"
  done
  quietly "make install" make -s -C "$build" install
}

# init_server: makes one
init_server() {
  quietly initdb "${as[@]}" "$bin/initdb" -D data -U postgres -A trust -E UTF8 --locale=C
  printf '%s\n' "listen_addresses = ''" "unix_socket_directories = '$work'" \
    'fsync = off' | "${as[@]}" tee -a data/postgresql.conf >/dev/null
}

# start_server: makes one, with the extension in its database postgres
start_server() {
  init_server
  quietly "starting a server" "${as[@]}" "$bin/pg_ctl" -D data -l server.log -w start
  psql -c 'CREATE EXTENSION gpucompact'
}

# start_under COMMAND...: makes a server, and has a command run it.  It compiles
# no queries: to load LLVM alone is said to read what it should not.
start_under() {
  init_server
  "${as[@]}" "$@" "$bin/postgres" -D data -c jit=off \
    >server.log 2>&1 </dev/null &
  for _ in {1..300}; do
    "$bin/pg_isready" -q && return
    sleep 0.2
  done
  tail server.log
  die "the server does not start"
}

# regress_on_cpu: the regression scripts, and then the server is stopped
regress_on_cpu() {
  local status=0
  PGOPTIONS="-c gpucompact.engine=cpu -c gpucompact.cpu_threads=4" "${as[@]}" \
    make -s -C "$build" installcheck TAP_TESTS= </dev/null | grep '^test' || status=$?
  quietly "stopping the server" "${as[@]}" "$bin/pg_ctl" -D data -w -t 300 stop
  wait
  ((!status)) || head -n 200 "$build/regression.diffs"
  return "$status"
}

# psql ARGUMENT...: for scripts, in which an error is the end
psql() { "${as[@]}" "$bin/psql" -Xq -v ON_ERROR_STOP=1 "$@"; }
