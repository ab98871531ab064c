# shellcheck shell=bash disable=SC2034,SC2154
# Messages. Progress goes to stdout, problems to stderr. Exit codes of every script: 0 ok, 1 a test or check failed,
# 2 wrong usage or could not be done.

script_name=${0##*/}

step() { printf '\n== %s\n' "$*"; }
info() { printf '   %s\n' "$*"; }
warn() { printf '%s: warning: %s\n' "$script_name" "$*" >&2; }

## stop STATUS MESSAGE; die MESSAGE for "could not be done".
stop() {
  local status=$1
  shift
  printf '%s: error: %s\n' "$script_name" "$*" >&2
  exit "$status"
}
die() { stop 2 "$@"; }

## Prints the comment block at the top of the running script (without the #! line): that is its --help.
print_help() { sed -n -e '1d' -e '/^#/!q' -e 's/^# \{0,1\}//p' "$0"; }
