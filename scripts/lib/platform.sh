# shellcheck shell=bash disable=SC2034,SC2154
# What this machine has. Everything is asked of the machine, nothing is derived from the distribution's name.

have_command() { command -v "$1" >/dev/null 2>&1; }

## version_at_least 3.31.6 3.25
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

## Sets CMAKE and CTEST to a pair of at least version 3.25. A cmake in PATH that is too old or broken (a pyenv shim
## without its package) does not hide a good one in /usr/bin.
find_cmake() {
  local candidate version
  for candidate in cmake /usr/bin/cmake; do
    version=$("$candidate" --version 2>/dev/null | sed -n 's/^cmake version \([0-9.]*\).*/\1/p') || continue
    if [ -n "$version" ] && version_at_least "$version" 3.25; then
      candidate=$(command -v "$candidate")
      [ -x "${candidate%/*}/ctest" ] || continue
      CMAKE=$candidate
      CTEST=${candidate%/*}/ctest
      return 0
    fi
  done
  return 1
}

## compiler_works COMMAND…: g++ >= 12 or clang++ >= 16 that finds a C++ standard library.
compiler_works() {
  "$@" -std=c++17 -fsyntax-only -x c++ - >/dev/null 2>&1 <<'CODE'
#include <string>
#if defined(__clang__) ? __clang_major__ < 16 : __GNUC__ < 12
#error too old
#endif
CODE
}

## Sets and exports CXX. A CXX from outside is obeyed or refused aloud; otherwise the first usual name that is new enough.
find_compiler() {
  local candidate
  if [ -n "${CXX:-}" ]; then
    # shellcheck disable=SC2086  # CXX may hold options
    compiler_works $CXX || die "CXX='$CXX' is not a working g++ >= 12 or clang++ >= 16; unset CXX to use the system's"
    return 0
  fi
  for candidate in c++ g++ g++-14 g++-13 g++-12 clang++ clang++-19; do
    if have_command "$candidate" && compiler_works "$candidate"; then
      export CXX=$candidate
      return 0
    fi
  done
  return 1
}

## have_header HEADER: the compiler finds it without our help.
have_header() { printf '#include <%s>\n' "$1" | ${CXX:-c++} -std=c++17 -E -x c++ - >/dev/null 2>&1; }

## header_value HEADER MACRO [FOLDER…]: prints what the macro expands to; FOLDERs are searched first.
header_value() {
  local header=$1 macro=$2 folders=()
  shift 2
  for folder in "$@"; do folders+=(-I "$folder"); done
  printf '#include <%s>\n%s\n' "$header" "$macro" |
    ${CXX:-c++} -E -P -x c++ "${folders[@]}" - 2>/dev/null | tail -n 1 | grep -x '[0-9]*'
}
