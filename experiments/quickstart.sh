#!/usr/bin/env bash
# From a fresh Debian 12 machine to the first result: installs what is missing, builds, simulates a training step of
# GPT-80B on 1,024 GPUs of Perlmutter without, with the paper's, and with all overlap, draws the figures.
# Results lie in results/quickstart/. Safe to run again.
set -euo pipefail
cd "$(dirname "$0")/.."

# shellcheck source=experiments/packages.sh
. experiments/packages.sh
install_packages

echo "Building (a few minutes the first time)"
cmake --preset release
cmake --build --preset release --target fourfold-sim

results=results/quickstart
mkdir -p "$results"
rm -f "$results/runs.csv"
for overlap in none paper all; do
  echo "Simulating 1,024 GPUs, overlap $overlap"
  build/release/sim/cli/fourfold-sim simulate --model gpt-80b --machine perlmutter --gpus 1024 --grid 4x1x32x8 \
    --batch 8192 --seq 2048 --overlap "$overlap" --csv "$results/runs.csv" --json "$results/report-$overlap.json" \
    --trace "$results/trace-$overlap.json" > "$results/report-$overlap.txt"
  grep "Step time" "$results/report-$overlap.txt"
done
echo
cat "$results/report-all.txt"

# Debian's interpreter, which has matplotlib, whatever other Python comes first in PATH.
echo
/usr/bin/python3 plots/time_breakdown.py "$results/runs.csv" "$results/time_breakdown"
/usr/bin/python3 plots/timeline.py "$results/trace-all.json" "$results/timeline" --begin 4.0 --end 4.4
echo "All results: $results"
