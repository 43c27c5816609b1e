#!/usr/bin/env python3
"""Fit the constants of a collective library to published measurements, and predict others by them.

  ./fit.py nccl-hdr100            constants; errors on fitted rows, and on each group size left out
  ./fit.py nccl-hdr100 --write    also writes the constants into platforms/libraries/

The model is the program itself: every trial writes a library file and runs `fourfold-sim validate`
on the rows of experiments/data/collectives.csv, so that nothing is said twice. Needs numpy and
scipy.
"""

import argparse
import copy
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np
from scipy.optimize import least_squares

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROWS = ROOT / "experiments/data/collectives.csv"


def both(key):
    """A constant that all_gather and reduce_scatter share."""
    return (f"all_gather.{key}", f"reduce_scatter.{key}")


SIMPLE = ("simple.step_latency_network_us", "simple.network_efficiency")
RING = SIMPLE + ("low_latency.step_latency_network_us", "low_latency.network_efficiency")
SIMPLE_TREE = ["all_reduce_tree.simple.hop_latency_us", "all_reduce_tree.simple.network_efficiency"]

# For each library: whose rows, and the constants that rows of 1 MB and more determine. The others (most of LL and t0,
# which smaller messages show; what happens inside nodes) have their source in the library's file.
FITS = {
    "nccl-slingshot": (("Perlmutter",), [both("fixed_network_us")] + [both(key) for key in RING]),
    "nccl-slingshot-gh200": (("Alps",), [both(key) for key in SIMPLE] + [(key,) for key in SIMPLE_TREE]),
    "nccl-hdr100": (("Leonardo",), [both(key) for key in SIMPLE] + [(key,) for key in SIMPLE_TREE]),
    "rccl-slingshot": (("Frontier",), [(f"{op}.{key}",) for op in ("all_gather", "reduce_scatter")
                                       for key in ("fixed_network_us",) + RING]),
    "nccl-ndr400": (("AWS p5.48xlarge", "Dell XE9680 cluster", "H100 IB cluster (gj-aion)",
                     'H100 IB cluster "HCA-*" (128 nodes)', "8x H200 node"),
                    [(f"all_reduce.{key}",) for key in ("fixed_network_us", "fixed_node_us") + RING] +
                    [("all_reduce_tree.simple.hop_latency_us",), ("all_reduce_tree.low_latency.hop_latency_us",),
                     ("nvls.latency_us",), ("nvls.node_efficiency",)]),
}
LARGEST = {"network_efficiency": 1.0}  # a fraction of the wire
LOSS_SCALE = 0.1                       # errors beyond 10 % count less than their square


def get(library, key):
    for part in key.split("."):
        library = library[part]
    return library


def put(library, key, value):
    *path, last = key.split(".")
    for part in path:
        library = library[part]
    library[last] = min(value, LARGEST.get(last, np.inf))


class Model:
    """Log ratios of predicted and measured times, as `fourfold-sim validate` has them."""

    def __init__(self, program, name, scratch):
        self.program, self.scratch = program, scratch
        shutil.copytree(ROOT / "platforms", scratch / "platforms")
        self.file = scratch / "platforms/libraries" / f"{name}.json"
        self.library = json.loads(self.file.read_text())

    def errors(self, library, rows):
        self.file.write_text(json.dumps(library))
        data = self.scratch / "rows.csv"
        with open(data, "w", newline="") as target:
            writer = csv.DictWriter(target, rows[0].keys())
            writer.writeheader()
            writer.writerows(rows)
        report = self.scratch / "report.csv"
        result = subprocess.run([self.program, "validate", "--set", "collectives", "--data", data, "--csv", report],
                                env={**os.environ, "FOURFOLD_PLATFORMS": str(self.scratch / "platforms")},
                                capture_output=True, text=True, check=False)
        if result.returncode != 0:
            sys.exit(result.stderr)
        with open(report, newline="") as source:
            return np.array([np.log(float(row["predicted_s"]) / float(row["measured_s"]))
                             for row in csv.DictReader(source)])

    def fit(self, constants, rows):
        library = copy.deepcopy(self.library)

        def residuals(logarithms):
            for keys, value in zip(constants, np.exp(logarithms)):
                for key in keys:
                    put(library, key, float(value))
            return self.errors(library, rows)

        start = np.log([max(get(library, keys[0]), 1e-3) for keys in constants])
        best = least_squares(residuals, start, loss="soft_l1", f_scale=LOSS_SCALE, diff_step=1e-2, max_nfev=25)
        residuals(best.x)
        return library


def read_rows(machines):
    with open(ROWS, newline="") as source:
        return [row for row in csv.DictReader(source)
                if row["machine"] in machines and row["op"] in ("all_reduce", "all_gather", "reduce_scatter")
                and int(row["gpus"]) >= 8]


def summary(errors):
    sizes = np.abs(np.expm1(errors))
    return f"{len(sizes):4} rows, median {100 * np.median(sizes):.1f} %, p90 {100 * np.quantile(sizes, 0.9):.1f} %"


def cross_validate(model, constants, rows):
    """Every group size predicted by constants fitted to the others."""
    errors = []
    for gpus in sorted({row["gpus"] for row in rows}, key=int):
        library = model.fit(constants, [row for row in rows if row["gpus"] != gpus])
        errors.append(model.errors(library, [row for row in rows if row["gpus"] == gpus]))
        print(f"  {gpus:>5} GPUs left out: {summary(errors[-1])}", flush=True)
    print(f"  together:            {summary(np.concatenate(errors))}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("library", choices=FITS)
    parser.add_argument("--program", default=str(ROOT / "build/release/sim/cli/fourfold-sim"))
    parser.add_argument("--write", action="store_true", help="write the constants into platforms/libraries/")
    parser.add_argument("--no-cross-validation", action="store_true")
    arguments = parser.parse_args()
    machines, constants = FITS[arguments.library]
    rows = read_rows(machines)
    with tempfile.TemporaryDirectory() as scratch:
        model = Model(arguments.program, arguments.library, pathlib.Path(scratch))
        print(f"{arguments.library}\n  as shipped:          {summary(model.errors(model.library, rows))}", flush=True)
        library = model.fit(constants, rows)
        print(f"  fitted:              {summary(model.errors(library, rows))}")
        for keys in constants:
            value = float(f"{get(library, keys[0]):.3g}")
            print(f"    {keys[0]:<45} {get(model.library, keys[0]):>8} -> {value}")
            for key in keys:
                put(library, key, value)
        if arguments.write:
            target = ROOT / "platforms/libraries" / f"{arguments.library}.json"
            target.write_text(json.dumps(library, indent=2, ensure_ascii=False) + "\n")
        if not arguments.no_cross_validation:
            cross_validate(model, constants, rows)


if __name__ == "__main__":
    main()
