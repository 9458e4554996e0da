# shellcheck shell=bash disable=SC2016,SC2154 setup.sh: how a script begins, as root
# or not: it installs the packages that are missing, and goes on in a copy of the
# checkout, as a user without privileges. Root reads, runs and writes nothing that
# this user could change.

# Commands that work once a package is installed.
declare -A works=(
  [build-essential]='make --version && gcc --version'
  [bison]='bison --version'
  [flex]='flex --version'
  [gcc-aarch64-linux-gnu]='aarch64-linux-gnu-gcc --version'
  [gcovr]='gcovr --version'
  [libc6-dev-arm64-cross]='aarch64-linux-gnu-gcc -include stdio.h -E -x c /dev/null'
  [liblz4-dev]='gcc -include lz4.h -E -x c /dev/null'
  [libipc-run-perl]='perl -MIPC::Run -MTest::More -e 1'
  [python3]='"$PYTHON3" --version'
  [python3-numpy]='"$PYTHON3" -c "import numpy"'
  ['postgresql-%v-plproxy']='[[ -e $("$PG_CONFIG" --sharedir)/extension/plproxy.control ]]'
  [python3-psycopg]='"$PYTHON3" -c "import psycopg"'
  [qemu-user]='qemu-aarch64 --version'
  [valgrind]='valgrind --version'
)
user=       # who goes on
as=()       # what that user's commands start with
copy=       # the user's directory, which has the copy
no_cluster= # a file that is there while apt installs PostgreSQL
updated=    # are apt's lists?

undo_setup() {
  cleanup
  [[ ! $no_cluster ]] || rm -f "$no_cluster"
  [[ ! $copy ]] || "${as[@]}" rm -rf "$copy"
}
trap undo_setup EXIT

# choose_user: in root's place, the one whose server it would be
choose_user() {
  if ((EUID)); then
    user=$(id -un)
    return
  fi
  user=postgres
  id "$user" &>/dev/null || user=nobody
  as=(setpriv --reuid="$user" --regid="$(id -g "$user")" --init-groups)
}
choose_user

# find_server NAME: sets PG_CONFIG to the program of this name, if there is a
# server, and what extensions are built with
find_server() {
  PG_CONFIG=$(realpath "$(type -P "$1")") || return
  "${as[@]}" bash -c '
    pgxs=$("$1" --pgxs) &&
    [[ -f $pgxs && -x ${pgxs%/makefiles/*}/test/regress/pg_regress ]] &&
    [[ -f $("$1" --includedir-server)/postgres.h ]] &&
    [[ -x $("$1" --bindir)/postgres ]]' bash "$PG_CONFIG"
} 2>/dev/null

# get_packages PACKAGE...: installs the missing ones, and PostgreSQL; a package with
# a question mark is optional. %v is PostgreSQL's major version.
get_packages() {
  local package version list packages=() missing=() wanted=() given=${PG_CONFIG-}
  find_server "${given:-pg_config}" || PG_CONFIG=
  export PG_CONFIG
  for package in "$@"; do
    ! PYTHON3=$(choose_python) bash -c "${works[${package%\?}]}" &>/dev/null || continue
    if [[ $package == *\? ]]; then
      wanted+=("${package%\?}")
    else
      packages+=("$package")
    fi
  done
  missing=("${packages[@]}")
  if [[ ! $PG_CONFIG ]]; then
    [[ ! $given ]] || die "PG_CONFIG=$given: user $user finds no server there," \
      "or no headers and PGXS for it"
    missing+=("a PostgreSQL server with its headers (PG_CONFIG can name one)")
  fi

  if ((${#missing[@]})); then
    printf -v list ', %s' "${missing[@]}"
    if ((EUID)) || ! type -P apt-get >/dev/null; then
      die "missing: ${list:2}; on Debian and Ubuntu, root gets them by apt"
    fi
    update_apt
    if [[ ! $PG_CONFIG ]]; then
      version=$(apt-cache depends postgresql | sed -n 's/.*Depends: postgresql-//p')
      [[ $version ]] || die "apt offers no PostgreSQL"
      packages+=("postgresql-$version" "postgresql-server-dev-$version")
      PG_CONFIG=/usr/lib/postgresql/$version/bin/pg_config
    fi
    install_by_apt "${packages[@]}"
  fi

  version=$("$PG_CONFIG" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
  for package in "${wanted[@]//%v/$version}"; do
    if ((EUID)) || ! type -P apt-get >/dev/null ||
      ! { [[ $updated ]] || update_apt; } || ! try_apt "$package"; then
      say "There is no $package: tests that need it are skipped"
    fi
  done
}

# update_apt: if not all lists can be had, those that are there may do
update_apt() {
  updated=yes
  apt-get -o APT::Update::Error-Mode=any update &>"$work/log" </dev/null && return
  say "apt-get update failed"
  tail -n 20 "$work/log" >&2
}

# try_apt PACKAGE...: installs them, without upgrades, as they would restart servers
# that run, and without the cluster "main" that PostgreSQL's package would make
# and start
try_apt() {
  local status=0
  say "Installing $*"
  no_cluster=/etc/postgresql-common/createcluster.d/gpucompact.conf
  mkdir -p "${no_cluster%/*}"
  echo 'create_main_cluster = false' >"$no_cluster"
  logged env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
    install -y --no-install-recommends --no-upgrade "$@" || status=$?
  rm "$no_cluster"
  return "$status"
}

# install_by_apt PACKAGE...: the same where nothing can be done without them
install_by_apt() {
  try_apt "$@" && return
  tail -n 50 "$work/log" >&2
  die "apt-get install $* failed"
}

# pack_checkout: the files of the checkout, without build products, as a tar archive
pack_checkout() {
  tar -C "$root" --anchored --exclude='./.?*' --no-anchored --exclude='*.[do]' \
    --exclude='*.so' --exclude=gpucompact_gpu -cf - .
}

# continue_in_copy: does not return
continue_in_copy() {
  choose_user # a package may have made one
  cd /        # the user may not be allowed into the current directory
  make_directory copy "${as[@]}"
  # Until the next process has its traps, and if it is killed, this process removes
  # the copy.
  (
    trap '' HUP INT TERM
    while kill -0 $$; do sleep 1; done
    "${as[@]}" rm -rf "$copy"
  ) </dev/null &>/dev/null &
  "${as[@]}" mkdir "$copy/checkout"
  pack_checkout | "${as[@]}" tar -C "$copy/checkout" --no-same-owner -xf -
  rm -rf "$work"
  export GPUCOMPACT_WORK=$copy
  exec "${as[@]}" bash "$copy/checkout/script/${0##*/}" "${arguments[@]}"
}
