#!/bin/bash
# Training speed of the cpu backend against PyTorch, one rank and two, overlap on and off. Ratios, from interleaved runs.
# Usage: experiments/train-speed/run.sh [--quick] [BUILD_DIRECTORY]      results: results/train-speed/runs.jsonl
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

rounds=5 steps=4
if [[ ${1:-} == --quick ]]; then rounds=1 steps=2; shift; fi
program=${1:-$root/build/release}/tests/cpu/train_speed
[[ -x $program ]] || { echo "error: $program is missing; build it: cmake --build --preset release" >&2; exit 2; }

results=$root/results/train-speed
mkdir -p "$results"
runs=$results/runs.jsonl
: >"$runs"

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1  # containers
speed() {  # ranks, grid, threads, overlap
  mpirun --oversubscribe -n "$1" "$program" "$2" "$3" "$4" "$steps" >>"$runs"
}
pytorch() {  # threads; Debian's python3-torch belongs to /usr/bin/python3
  OPENBLAS_NUM_THREADS=$1 /usr/bin/python3 "$here/pytorch_speed.py" "$1" "$steps" >>"$runs"
}

has_pytorch=$(/usr/bin/python3 -c 'import torch; print("yes")' 2>/dev/null || true)
[[ $has_pytorch ]] || echo "PyTorch is not installed (apt-get install python3-torch): compared without it" >&2
for ((round = 1; round <= rounds; ++round)); do
  if [[ $has_pytorch ]]; then pytorch 1; fi
  speed 1 1x1x1x1 1 all
  for grid in 1x1x1x2 2x1x1x1 1x1x2x1; do
    speed 2 $grid 1 all
    speed 2 $grid 1 none
  done
done
python3 "$here/summary.py" "$runs"
