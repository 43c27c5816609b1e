#!/usr/bin/env python3
"""Stacked bars of training steps: computation, and the exposed communication of each axis.

One bar for each row of the CSV that `fourfold-sim simulate --csv` writes, and for each JSON file of `fourfold-sim
simulate --json` or `fourfold-train --profile`:

    plots/time_breakdown.py results/runs.csv results/time_breakdown
    plots/time_breakdown.py "simulated=out.json" "real=run/profile.json" results/simulated_and_real

A profile waits for every operation: all its communication is exposed. Bars of runs on different machines are drawn as
shares of their steps with --share.
"""

import argparse

import matplotlib.pyplot as plt

import style
from breakdown_rows import read_rows

NAMES = {
    "compute": "computation",
    "x": "exposed, x",
    "y": "exposed, y",
    "z": "exposed, z",
    "data": "exposed, data",
    "other": "other waiting",
}
SMALLEST_SHARE = 0.001  # of the longest step, for an entry in the legend


def draw(rows, share):
    figure, axes = plt.subplots(figsize=(max(style.COLUMN_WIDTH, 0.9 * len(rows) + 1.6), 3.0))
    units = [row["step"] / 100 if share else 1 for row in rows]
    tops = [row["step"] / unit for row, unit in zip(rows, units)]
    bottoms = [0.0] * len(rows)
    for part, name in NAMES.items():
        heights = [row[part] / unit for row, unit in zip(rows, units)]
        visible = any(height > SMALLEST_SHARE * max(tops) for height in heights)
        axes.bar(range(len(rows)), heights, bottom=bottoms, width=0.6, edgecolor="black", linewidth=0.6,
                 label=name if visible else None, **style.PARTS[part])
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    for place, (row, top) in enumerate(zip(rows, tops)):
        axes.annotate(f"{row['step']:.3g} s", (place, top), ha="center", va="bottom", fontsize=8,
                      xytext=(0, 2), textcoords="offset points")
    axes.set_xticks(range(len(rows)), [row["label"] for row in rows])
    axes.set_ylabel("share of the training step (%)" if share else "time per training step (s)")
    axes.set_ylim(0, 1.1 * max(tops))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("inputs", nargs="+", help="CSV of runs; JSON of one run, also as LABEL=FILE.json")
    parser.add_argument("figure", help="name of the figure without suffix; .pdf and .png are written")
    parser.add_argument("--share", action="store_true", help="bars as shares of their steps")
    arguments = parser.parse_args()
    rows = read_rows(arguments.inputs)
    if not rows:
        parser.error(f"{arguments.inputs[0]} holds no rows")
    style.use_style()
    style.save(draw(rows, arguments.share), arguments.figure)


if __name__ == "__main__":
    main()
