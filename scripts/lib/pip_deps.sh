# shellcheck shell=bash disable=SC2034,SC2154
# Libraries that the distribution has only in versions too old for us (Debian 12: xsimd 8, oneDNN 2.6), as PyPI wheels
# in .deps/local, an ignored folder of the checkout. They are C++ headers and a library; Python itself is not changed.

deps_prefix=$root/.deps/local

# Tested versions. pythran carries the headers of xsimd 14.1; onednn-*-gomp is oneDNN 3.2 on GNU OpenMP (x86-64 only).
pip_xsimd=(pythran==0.19.0)
pip_onednn=(onednn-cpu-gomp==2023.2.0 onednn-devel-cpu-gomp==2023.2.0)

## Prints a Python that has pip; the system's own comes first, whatever a pyenv puts into PATH.
pip_python() {
  local candidate
  for candidate in /usr/bin/python3 python3; do
    if "$candidate" -m pip --version >/dev/null 2>&1; then
      echo "$candidate"
      return 0
    fi
  done
  return 1
}

## pip_install_deps WHEEL…: into .deps/local. A staging folder keeps a broken download from looking like a finished one.
pip_install_deps() {
  local python attempt staging=$root/.deps/staging
  python=$(pip_python) || die "no pip for /usr/bin/python3: apt-get install python3-pip"
  info "installing into ${deps_prefix#"$root"/} with pip: $*"
  for attempt in 1 2 3; do
    rm -rf "$staging"
    mkdir -p "$staging"
    # --ignore-installed: a system-wide pythran of any version would otherwise make pip skip ours.
    if env -u PIP_TARGET -u PIP_ROOT -u PIP_PREFIX PIP_USER=0 PIP_REQUIRE_VIRTUALENV=0 \
      PIP_ROOT_USER_ACTION=ignore PIP_DISABLE_PIP_VERSION_CHECK=1 \
      "$python" -m pip install --quiet --no-deps --ignore-installed --no-compile --prefix "$staging/prefix" "$@" \
      >"$staging/log" 2>&1; then
      # Debian's pip installs into PREFIX/local, every other one into PREFIX.
      local installed=$staging/prefix
      [ ! -d "$installed/local" ] || installed=$installed/local
      mkdir -p "$deps_prefix"
      cp -a "$installed/." "$deps_prefix/"
      rm -rf "$staging"
      return 0
    fi
    [ "$attempt" = 3 ] || { info "pip failed, trying again"; sleep $((attempt * 5)); }
  done
  tail -n 12 "$staging/log" >&2
  rm -rf "$staging"
  die "pip could not install $* (see above); it needs the Python package index, or these wheels in PIP_FIND_LINKS"
}

## Major version of the xsimd (oneDNN) that a build would find; nothing if there is none.
xsimd_major() {
  local prefix folders=()
  for prefix in "$deps_prefix" ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//:/ }}; do
    folders+=("$prefix/include" "$prefix"/lib/python3*/*-packages/pythran)
  done
  header_value xsimd/config/xsimd_config.hpp XSIMD_VERSION_MAJOR "${folders[@]}"
}
onednn_major() {
  local prefix folders=()
  for prefix in "$deps_prefix" ${CMAKE_PREFIX_PATH:+${CMAKE_PREFIX_PATH//:/ }}; do folders+=("$prefix/include"); done
  header_value oneapi/dnnl/dnnl_version.h DNNL_VERSION_MAJOR "${folders[@]}"
}
