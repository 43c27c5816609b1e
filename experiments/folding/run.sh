#!/usr/bin/env bash
# What a simulation costs: named runs, the number of ranks (replayed in full) and of layers, and what other simulators need
# for less. --quick leaves the largest ones out. Results lie in results/folding/. Set FOURFOLD_SIM and FOURFOLD_BENCHMARKS to
# use another build.
set -euo pipefail
cd "$(dirname "$0")/../.."

program=${FOURFOLD_SIM:-build/release/sim/cli/fourfold-sim}
all_reduce=${FOURFOLD_BENCHMARKS:-build/release/tests/sim}/all_reduce_benchmark
[ -x "$program" ] || { echo "no $program: build it with cmake --preset release && cmake --build --preset release" >&2; exit 2; }
results=results/folding
mkdir -p "$results"
quick=${1:-}

# Appends a row: series, model, layers, ranks, replayed ranks, rank operations, processor seconds, memory in MB.
measure() {
  local series=$1 table=$2 model=$3
  shift 3
  /usr/bin/time -f "%e %U %S %M" -o "$results/time" "$program" simulate --model "$model" "$@" --quiet --json "$results/report.json"
  /usr/bin/python3 - "$series" "$results/report.json" "$results/time" >> "$table" <<'PYTHON'
import json, sys
series, report_file, time_file = sys.argv[1:]
report = json.load(open(report_file))
wall, user, system, kilobytes = map(float, open(time_file).read().split())
setup, effort = report["setup"], report["simulation"]
print(series, setup["model"], setup["layers"], setup["gpus"], effort["replayed_ranks"], effort["rank_operations"],
      wall, round(user + system, 2), round(kilobytes * 1.024e-3), sep=",")
PYTHON
  tail -n 1 "$table"
}

sized() {  # a copy of a model with other sizes: MODEL, FILE, then pairs of key and number
  local model=$1 file=$2
  shift 2
  /usr/bin/python3 - "experiments/models/$model.json" "$file" "$@" <<'PYTHON'
import json, sys
source, target, *changes = sys.argv[1:]
model = json.load(open(source)) | {key: int(number) for key, number in zip(changes[::2], changes[1::2])}
json.dump(model, open(target, "w"))
PYTHON
}

header="series,model,layers,ranks,replayed_ranks,rank_operations,wall_s,processor_s,memory_MB"

echo "$header" | tee "$results/named.csv"
measure folded "$results/named.csv" gpt-80b --machine perlmutter --grid 4x1x32x8 --batch 8192
if [ "$quick" != --quick ]; then
  measure folded "$results/named.csv" gpt-640b --machine frontier --grid 8x8x64x8 --batch 8192
  measure full "$results/named.csv" gpt-40b --machine perlmutter --grid 4x1x16x64 --batch 4096 --fold off
  measure full "$results/named.csv" gpt-160b --machine frontier --grid 8x4x32x16 --batch 512 --micro-batch 1 --fold off
fi

echo "$header" | tee "$results/cost.csv"
data_sizes=(1 2 4 8)
[ "$quick" = --quick ] || data_sizes+=(16 32)
for data in "${data_sizes[@]}"; do
  measure ranks "$results/cost.csv" gpt-20b --machine perlmutter --grid "2x2x16x$data" --batch $((16 * data)) --fold off
done
for layers in 12 24 48 96; do
  sized gpt-20b "$results/model-$layers.json" layers "$layers"
  measure layers "$results/cost.csv" "$results/model-$layers.json" --machine perlmutter --grid 2x2x16x2 --batch 32 --fold off
done

# The same things as in others.csv, here and now: one all-reduce of 1 GiB over 1,024 GPUs, a GPT step on 64 GPUs.
echo "series,model,layers,ranks,replayed_ranks,rank_operations,wall_s,processor_s,memory_MB" > "$results/same.csv"
sized gpt-20b "$results/gpt-64.json" layers 24 hidden 6144 heads 48
measure "GPT step" "$results/same.csv" "$results/gpt-64.json" --machine perlmutter --grid 8x1x1x8 --batch 64 --fold off
if [ -x "$all_reduce" ]; then
  modes=(macro-flow)
  [ "$quick" = --quick ] || modes+=(step-by-step)
  for mode in "${modes[@]}"; do
    IFS=, read -r _ ranks flows processor memory _ < <("$all_reduce" "$mode")
    echo "one all-reduce,$mode,,$ranks,$ranks,$flows,,$processor,$memory" | tee -a "$results/same.csv"
  done
fi
/usr/bin/python3 plots/scaling_cost.py "$results/cost.csv" --same "$results/same.csv" \
  --others experiments/folding/others.csv --output "$results/scaling_cost"
