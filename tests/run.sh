#!/usr/bin/env bash
# Installs what is missing, builds the release preset, runs all tests. The last line is "N passed, N failed"; the exit
# code is 0 only if nothing failed. Safe to run again. Arguments go to ctest: tests/run.sh -L unit
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=experiments/packages.sh
. experiments/packages.sh
install_packages

cmake --preset release
cmake --build --preset release

log=build/release/tests.log
code=0
ctest --preset release "$@" | tee "$log" || code=$?

# ctest ends with "96% tests passed, 2 tests failed out of 57".
read -r failed total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests failed out of ([0-9]+).*/\1 \2/p' "$log") || {
  echo "ctest ran no tests" >&2
  exit 1
}
echo "$((total - failed)) passed, $failed failed"
exit "$code"
