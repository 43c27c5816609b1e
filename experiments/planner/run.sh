#!/usr/bin/env bash
# How well the analytical model ranks: every grid that fits, predicted and simulated, for GPT-20B on 32, GPT-40B on 64
# and GPT-80B on 1,024 GPUs of Perlmutter, one sequence a GPU. --quick leaves the last one out.
# Results lie in results/planner/. Set FOURFOLD_SIM to use another build.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=${FOURFOLD_SIM:-build/release/sim/cli/fourfold-sim}
[ -x "$program" ] || { echo "no $program: build it with cmake --preset release && cmake --build --preset release" >&2; exit 2; }
results=results/planner
mkdir -p "$results"

configurations=("gpt-20b 32" "gpt-40b 64")
[ "${1:-}" = "--quick" ] || configurations+=("gpt-80b 1024")
tables=()
for configuration in "${configurations[@]}"; do
  read -r model gpus <<< "$configuration"
  echo "$model on $gpus GPUs"
  # Recomputation at 1,024 GPUs, as the paper's runs have it.
  recompute=auto
  [ "$gpus" -lt 1024 ] || recompute=full
  "$program" plan --model "$model" --machine perlmutter --gpus "$gpus" --batch "$gpus" --recompute "$recompute" \
    --verify all --csv "$results/$model.csv" --json "$results/$model.json" > "$results/$model.txt"
  cat "$results/$model.txt"
  tables+=("$results/$model.csv")
done
/usr/bin/python3 plots/predicted_vs_simulated.py "${tables[@]}" --published experiments/planner/published_fig2.csv \
  --output "$results/predicted_vs_simulated"
