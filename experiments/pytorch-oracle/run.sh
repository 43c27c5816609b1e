#!/usr/bin/env bash
# Trains the same GPT with fourfold-train and with PyTorch and compares the losses of 20 steps. Exit code 0 equal, 1 not,
# 77 skipped because PyTorch is missing.
# Usage: run.sh [--build DIR] [--grid XxYxZxDATA]
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)

build=$root/build/release grid=1x1x1x1
while (($#)); do
  case $1 in
    --build) build=$2 ;;
    --grid) grid=$2 ;;
    *) echo "error: unknown argument $1; usage: run.sh [--build DIR] [--grid XxYxZxDATA]" >&2; exit 2 ;;
  esac
  shift 2
done
program=$build/real/fourfold-train
[[ -x $program ]] || { echo "error: $program is missing; build it: cmake --build --preset release" >&2; exit 2; }
if ! /usr/bin/python3 -c 'import torch' 2>/dev/null; then  # Debian's package belongs to this interpreter
  echo "skipped: PyTorch is not installed (apt-get install python3-torch)"
  exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat "$root"/core/*/README.md >"$work/corpus.txt"  # any text serves
model=$root/experiments/models/gpt-nano.json
common=(--model "$model" --data "$work/corpus.txt" --batch 8 --seq 32 --peak-tflops 1 --quiet)

# More ranks than cores, also as root (containers).
export OMPI_MCA_hwloc_base_binding_policy=none
ranks=$((${grid//x/*}))
"$program" "${common[@]}" --steps 0 --out "$work/start"
"$program" export --checkpoint "$work/start" --file "$work/start.safetensors"
mpirun --oversubscribe --allow-run-as-root -n "$ranks" "$program" "${common[@]}" --grid "$grid" \
  --init "$work/start.safetensors" --steps 20 --metrics "$work/metrics.jsonl" --metrics-tokens
/usr/bin/python3 "$here/train_gpt.py" "$model" "$work/start.safetensors" "$work/metrics.jsonl"
