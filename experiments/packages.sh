# shellcheck shell=bash
# Sourced by experiments/quickstart.sh and tests/run.sh: the Debian packages that Fourfold needs.

fourfold_packages="cmake ninja-build g++ pkg-config libsimgrid-dev libexpat1-dev zlib1g-dev libboost-program-options-dev
  nlohmann-json3-dev libfmt-dev libgtest-dev libgmock-dev libbenchmark-dev libopenmpi-dev openmpi-bin libopenblas-dev
  python3 python3-matplotlib"

missing_packages() {
  local package
  for package in $fourfold_packages; do
    dpkg-query --show --showformat='${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^.i' || echo "$package"
  done
}

# Installs what is missing, as root or through sudo; where neither is possible, says what is needed and exits with 1.
# Touches neither network nor system when everything is there.
install_packages() {
  local missing as_root=""
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then return; fi
  if [ "$(id -u)" -ne 0 ]; then as_root="sudo"; fi
  if ! command -v apt-get > /dev/null || { [ -n "$as_root" ] && ! command -v sudo > /dev/null; }; then
    echo "These packages (Debian 12 names) are needed and may not be installed by this user: $missing" >&2
    echo "Install them as root, then start again: apt-get install $missing" >&2
    exit 1
  fi
  echo "Installing $missing"
  $as_root apt-get update --quiet
  # shellcheck disable=SC2086 # one word a package
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet --yes --no-install-recommends $missing
}
