#!/usr/bin/env python3
"""Compares folded with full simulations: GPT-80B on every grid of 1,024 GPUs, three smaller models on every grid of 64 to 512.

    experiments/folding/agreement.py [--quick] [--output results/folding/agreement.csv]

One micro-batch of one sequence, all overlaps, activations recomputed; grids that the model cannot be cut into or that do not
fit the GPU's memory are left out. Writes a row for each grid and prints the largest difference of each model. Exits with 1
when a difference exceeds 1e-6. --quick takes a few grids of the smaller ones. Set FOURFOLD_SIM to use another build.
"""

import argparse
import csv
import itertools
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MACHINE = "perlmutter"
LARGEST_DIFFERENCE = 1e-6  # SimGrid's time resolution is 1e-9 s; steps take seconds
CASES = [("gpt-80b", [1024]), ("gpt-5b", [64, 128, 256, 512]), ("gpt-10b", [64, 128, 256, 512]),
         ("gpt-20b", [64, 128, 256, 512])]
COLUMNS = ["model", "gpus", "grid", "replayed_ranks", "folded_s", "full_s", "difference"]


def grids(gpus):
    """All (x, y, z, data) whose product is `gpus`, a power of two."""
    sizes = [2**k for k in range(gpus.bit_length())]
    return [grid for grid in itertools.product(sizes, repeat=4) if grid[0] * grid[1] * grid[2] * grid[3] == gpus]


def simulate(program, model, grid, fold, report):
    """The report of one simulation, or None for a configuration that does not work."""
    arguments = ["--model", model, "--machine", MACHINE, "--grid", "x".join(map(str, grid)), "--batch",
                 str(grid[2] * grid[3]), "--micro-batch", "1", "--fold", fold, "--quiet", "--json", str(report)]
    result = subprocess.run([program, "simulate", *arguments], capture_output=True, text=True)
    infeasible = "does not fit" in result.stderr or "divisible" in result.stderr
    if result.returncode != 0 and not infeasible:
        raise RuntimeError(f"{' '.join(arguments)}: {result.stderr}")
    return json.loads(report.read_text()) if result.returncode == 0 else None


def compare(program, directory, model, gpus, grid):
    """A row of the table, or None."""
    report = Path(directory) / f"{model}-{'x'.join(map(str, grid))}.json"
    folded = simulate(program, model, grid, "auto", report)
    if folded is None:
        return None
    full = simulate(program, model, grid, "off", report)
    folded_s, full_s = folded["step_time_s"], full["step_time_s"]
    return {"model": model, "gpus": gpus, "grid": "x".join(map(str, grid)),
            "replayed_ranks": folded["simulation"]["replayed_ranks"], "folded_s": folded_s, "full_s": full_s,
            "difference": abs(folded_s / full_s - 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a few grids of up to 128 GPUs")
    parser.add_argument("--output", type=Path, default=Path("results/folding/agreement.csv"))
    arguments = parser.parse_args()
    program = os.environ.get("FOURFOLD_SIM", "build/release/sim/cli/fourfold-sim")
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    worst = 0.0
    with (open(arguments.output, "w", newline="") as file, tempfile.TemporaryDirectory() as directory,
          ThreadPoolExecutor(os.cpu_count()) as pool):
        table = csv.DictWriter(file, COLUMNS)
        table.writeheader()
        for model, sizes in CASES:
            cases = [(gpus, grid) for gpus in sizes if not arguments.quick or gpus <= 128
                     for grid in grids(gpus)[::29 if arguments.quick else 1]]
            rows = []
            for row in pool.map(lambda case: compare(program, directory, model, *case), cases):
                if row:
                    table.writerow(row)
                    file.flush()
                    rows.append(row)
            if rows:
                largest = max(rows, key=lambda row: row["difference"])
                folded = sum(row["replayed_ranks"] == 1 for row in rows)
                print(f"{model}: {len(rows)} grids, {folded} by one rank; largest difference "
                      f"{largest['difference']:.1e} on {largest['grid']}", flush=True)
                worst = max(worst, largest["difference"])
    return 0 if worst <= LARGEST_DIFFERENCE else 1


if __name__ == "__main__":
    sys.exit(main())
