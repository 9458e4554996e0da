# shellcheck shell=bash disable=SC2034,SC2154 binaries.sh: the builds of
# script/release.  It leaves out the parts that this machine has no tools for, and
# fails if a build fails.

pg_config=${PG_CONFIG:-$(type -P pg_config || true)}
major=$([[ ! $pg_config ]] || "$pg_config" --version | sed -E 's/^PostgreSQL ([0-9]+).*/\1/')
nvcc=${NVCC-$(type -P nvcc || echo /usr/local/cuda/bin/nvcc)}
[[ -x $nvcc ]] || nvcc=
export NVCC=$nvcc
cuda_versions=() # of the libraries that are compiled into the GPU program

# of CCCL, whose macro has a decimal digit more for the last part, and of the runtime
if [[ $nvcc ]]; then
  mapfile -t cuda_versions < <(printf '%s\n' '#include <cuda/version>' \
    '#include <cuda_runtime_api.h>' 'VERSIONS CCCL_VERSION CUDART_VERSION' |
    "$nvcc" -x cu -E - | awk '/^VERSIONS/ {
      printf "%d.%d.%d\n%d.%d\n", $2 / 1000000, $2 / 1000 % 1000, $2 % 1000,
        $3 / 1000, $3 % 1000 / 10}')
else
  leave_out "the GPU program: there is no nvcc"
fi

# make_debian_packages: in chroots, which takes root, apt and mounts
make_debian_packages() {
  if ((EUID)); then
    leave_out "Debian packages: only root can make chroots"
  elif ! type -P apt-get >/dev/null; then
    leave_out "Debian packages: this machine has no apt"
  elif ! unshare --mount true 2>/dev/null; then
    leave_out "Debian packages: this machine may not make mounts"
  else
    "$tree/script/packages" "$out"
  fi
}

# build VARIABLE=VALUE...: outside of the tree, for $pg_config; no file knows where
build() {
  mkdir -p "$work/build"
  quietly "make $*" make -s -C "$work/build" -f "$tree/Makefile" PG_CONFIG="$pg_config" \
    PROFILE="-ffile-prefix-map=$work=." -j"$(nproc)" "$@"
}

# pack_image_root SUFFIX VARIABLE=VALUE...: installs what has been built, and packs
# it where a server of PostgreSQL 18 looks for it
pack_image_root() {
  local image=$work/image$1 installed=$work/installed$1 codename archive
  # shellcheck source=/dev/null
  codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-$ID$VERSION_ID}")
  build install DESTDIR="$installed" "${@:2}"
  mkdir -p "$image"/{lib,share/extension,"licenses/postgresql-$major-gpucompact"}
  mv "$installed$("$pg_config" --pkglibdir)"/* "$image/lib"
  mv "$installed$("$pg_config" --sharedir)"/extension/* "$image/share/extension"
  strip --strip-unneeded "$image"/lib/*
  cp "$tree/debian/copyright" "$image/licenses/postgresql-$major-gpucompact"
  chmod -R u=rwX,go=rX "$image"
  archive=$out/gpucompact-extension-$version-$major-$codename-$(uname -m)$1.tar.gz
  pack "$image" . "$archive"
  "$tree/script/check-image" "$archive"
}

# make_image_roots: one for the CPU, and one with the GPU program
make_image_roots() {
  if [[ ! $major ]] || ((major < 18)); then
    leave_out "the image's root: no PostgreSQL 18 or later, which PG_CONFIG can name"
    return
  fi
  say "Building the image's root for PostgreSQL $major"
  build all NVCC=
  pack_image_root '' NVCC=
  if [[ $nvcc ]]; then
    say "Building the image's root with the GPU program"
    build all
    pack_image_root -cuda
  fi
}

# make_rpm_packages: packages for another kind of system are only tried
make_rpm_packages() {
  local rpm=$work/rpm options=()
  if ! type -P rpmbuild >/dev/null; then
    leave_out "RPM packages: there is no rpmbuild"
    return
  elif [[ ! $major ]]; then
    leave_out "RPM packages: no PostgreSQL, which PG_CONFIG can name"
    return
  fi
  say "Building RPM packages for PostgreSQL $major"
  [[ ! $nvcc ]] || options+=(--with cuda)
  [[ -f /etc/redhat-release ]] || options+=(--nodeps)
  mkdir -p "$rpm/SOURCES"
  cp "$out/$name.tar.gz" "$rpm/SOURCES"
  PATH=$PATH:${nvcc%/nvcc} quietly rpmbuild rpmbuild -ba --define "_topdir $rpm" \
    --define "pgmajorversion $major" --define "pg_config $pg_config" "${options[@]}" \
    "$out/gpucompact.spec"
  if [[ -f /etc/redhat-release ]]; then
    cp "$rpm"/RPMS/*/*.rpm "$rpm"/SRPMS/*.rpm "$out"
  else
    leave_out "RPM packages: they were built, but this system has no packages of that kind"
  fi
}
