# shellcheck shell=bash disable=SC2034,SC2154
# Installing Debian packages: only when something is missing, with one list of packages, and said aloud.

apt_updated=no

## Root, or a sudo that can ask for a password or needs none.
can_be_root() { [ "$(id -u)" -eq 0 ] || { have_command sudo && { [ -t 0 ] || sudo -n true 2>/dev/null; }; }; }

as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

apt_get() {
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
    -o DPkg::Lock::Timeout=600 -o Acquire::Retries=5 -o Dpkg::Use-Pty=0 "$@"
}

## Package lists, once per run. A broken third-party source is no reason to stop: the install decides.
apt_update() {
  [ "$apt_updated" = no ] || return 0
  apt_updated=yes
  info "updating the package lists"
  apt_get update >/dev/null || warn "apt-get update reported a problem; going on with the lists at hand"
}

## apt_candidate PACKAGE: prints the upstream version that apt would install, nothing if it knows none.
apt_candidate() {
  LC_ALL=C apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: \([0-9]*:\)\{0,1\}\([0-9.]*\).*/\2/p'
}

## apt_install PACKAGE…
apt_install() {
  [ $# -gt 0 ] || return 0
  have_command apt-get || die "this machine has no apt-get; install what Debian calls: $*"
  can_be_root || die "root is needed once; run as root: apt-get install $*   and then this script again"
  apt_update
  info "installing into the system with apt-get: $*"
  # apt is chatty: keep its words for the case that it fails.
  local log
  log=$(mktemp)
  if ! apt_get install --no-install-recommends "$@" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    die "apt-get install $* failed (see above); install these packages, then run this script again"
  fi
  rm -f "$log"
}
