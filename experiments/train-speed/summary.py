"""Prints the ratios of a runs.jsonl written by run.sh. The best of all rounds counts: other programs only slow down.

By wall clock, which is what matters on a quiet machine, and by processor time of a rank, which a busy machine disturbs
less but which does not contain all of the waiting for other ranks."""

import json
import sys

METRICS = {"wall clock": "tokens_per_s", "processor time": "tokens_per_cpu_s"}


def best(runs, metric, **wanted):
    speeds = [run[metric] for run in runs if all(run.get(key) == value for key, value in wanted.items())]
    return max(speeds, default=float("nan"))


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = [json.loads(line) for line in file]
    print(f"{'':42}" + "".join(f"{name:>16}" for name in METRICS))

    def row(text, value, digits=2):
        print(f"{text:42}" + "".join(f"{value(metric):16.{digits}f}" for metric in METRICS.values()))

    row("one rank, tokens/s", lambda m: best(runs, m, grid="1x1x1x1"), 0)
    row("one rank / PyTorch, one thread", lambda m: best(runs, m, grid="1x1x1x1") / best(
        [run for run in runs if "pytorch" in run], m))
    for grid, split in (("1x1x1x2", "data"), ("2x1x1x1", "x"), ("1x1x2x1", "z")):
        row(f"two ranks ({split}) / one rank", lambda m: best(runs, m, grid=grid, overlap="all") / best(
            runs, m, grid="1x1x1x1"))
        row(f"two ranks ({split}), overlap on / off", lambda m: best(runs, m, grid=grid, overlap="all") / best(
            runs, m, grid=grid, overlap="none"))

    one = min((run for run in runs if run.get("grid") == "1x1x1x1"), key=lambda run: run["step_cpu_ms"])
    parts = one["parts_cpu_ms"]
    print(f"\nOne rank's step, {one['step_cpu_ms']:.0f} ms of processor time "
          f"(OpenBLAS alone on the same products: {one['openblas_alone_cpu_ms']:.0f} ms):")
    for name, time in sorted(parts.items(), key=lambda part: -part[1]):
        if time > 0.005 * one["step_cpu_ms"]:
            print(f"  {name:28}{time:10.1f} ms {100 * time / one['step_cpu_ms']:6.1f} %")


if __name__ == "__main__":
    main()
