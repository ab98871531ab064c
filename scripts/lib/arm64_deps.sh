# shellcheck shell=bash disable=SC2034,SC2154
# The one library that the AArch64 build links against, pthreadpool, unpacked from Debian's arm64 packages into
# .deps/aarch64. apt is used with lists of its own there: no foreign architecture is added to the system, no root needed.

arm64_prefix=$root/.deps/aarch64/usr

have_arm64_pthreadpool() {
  [ -e "$arm64_prefix/lib/aarch64-linux-gnu/libpthreadpool.so" ] || [ -e /usr/lib/aarch64-linux-gnu/libpthreadpool.so ]
}

fetch_arm64_pthreadpool() {
  local staging=$root/.deps/aarch64.staging
  have_command apt-get || die "AArch64 tests need pthreadpool for arm64 in $arm64_prefix (no apt-get here to fetch it)"
  info "unpacking into ${arm64_prefix#"$root"/} (not installed into the system): libpthreadpool-dev:arm64"
  rm -rf "$staging"
  mkdir -p "$staging/lists/partial" "$staging/archives/partial"
  local apt=(apt-get -q -o APT::Architecture=arm64 -o APT::Architectures=arm64 -o APT::Sandbox::User=root
    -o Dir::State::lists="$staging/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$staging"
    -o Acquire::Languages=none -o Acquire::Retries=5)
  (
    cd "$staging"
    "${apt[@]}" update >log 2>&1 || true
    "${apt[@]}" download libpthreadpool-dev libpthreadpool0 >>log 2>&1 || { tail -n 20 log >&2; exit 1; }
    for package in *.deb; do dpkg-deb -x "$package" root; done
  ) || die "could not fetch libpthreadpool-dev for arm64 (see above); scripts/test --quick runs without the AArch64 part"
  mkdir -p "$root/.deps/aarch64"
  cp -a "$staging/root/." "$root/.deps/aarch64/"
  rm -rf "$staging"
}
