# shellcheck shell=bash disable=SC2034,SC2154
# Configuring and building in build/NAME. Needs find_cmake and find_compiler first.

# A checkout of another user (a container's mount) is fine: git may read it for the commit that results are labelled with.
export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=safe.directory GIT_CONFIG_VALUE_0=$root

jobs=$(nproc)
set_jobs() {
  [[ $1 =~ ^[1-9][0-9]*$ ]] || die "-j needs a number of jobs, not '$1'"
  jobs=$1
}

## One script at a time in this tree: a second one waits. The lock goes with the process.
lock_build_folder() {
  mkdir -p "$root/build"
  exec 9>>"$root/build/.lock"
  if ! flock --nonblock 9; then
    info "waiting for another scripts/test or scripts/bench in this tree (pid $(cat "$root/build/.lock"))"
    flock 9
  fi
  echo $$ >"$root/build/.lock"
}

## configure_and_build NAME PRESET CMAKE-ARGUMENT…: builds PRESET into build/NAME with $jobs jobs.
configure_and_build() {
  local folder=$root/build/$1 preset=$2
  shift 2
  # A folder that another compiler or checkout has configured cannot be reused.
  if [ -e "$folder/CMakeCache.txt" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$folder/CMakeCache.txt"; then
    rm -rf "$folder"
  fi
  (cd "$root" && "$CMAKE" --preset "$preset" -B "$folder" "$@") >"$root/build/configure.log" 2>&1 ||
    { cat "$root/build/configure.log" >&2; die "configuring ${folder#"$root"/} failed (see above)"; }
  grep '^-- swiglu:' "$root/build/configure.log" || true
  "$CMAKE" --build "$folder" --parallel "$jobs" || stop 1 "the build failed (see above)"
}
