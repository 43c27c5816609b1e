#!/usr/bin/env bash
# GPT-80B on 1,024 GPUs of Perlmutter: three grids, every overlap switch by itself and together; one run that replays every
# rank. Builds nothing: run experiments/quickstart.sh first. Results lie in results/gpt-80b-1024/. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/../.."

simulator=${FOURFOLD_SIM:-build/release/sim/cli/fourfold-sim}
results=results/gpt-80b-1024
mkdir -p "$results"
rm -f "$results/runs.csv"
simulate() {
  "$simulator" simulate --model gpt-80b --machine perlmutter --gpus 1024 --seq 2048 "$@"
}

for grid in 4x1x32x8 2x1x128x4 4x4x16x4; do
  for overlap in none oar ors oag odp paper all; do
    simulate --grid "$grid" --batch 8192 --overlap "$overlap" --csv "$results/runs.csv" 2>> "$results/cost.log" |
      grep "Step time" | sed "s/^/$grid $overlap: /"
  done
done
echo "Every rank replayed, one micro-batch:"
simulate --grid 4x1x32x8 --batch 2048 --micro-batch 8 --fold off 2>&1 > /dev/null | tail -n 1
echo "All results: $results"
