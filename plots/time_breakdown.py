#!/usr/bin/env python3
"""Stacked bars of a training step: computation, and the exposed communication of each axis.

One bar for each row of the CSV that `fourfold-sim simulate --csv` writes:

    plots/time_breakdown.py results/runs.csv results/time_breakdown
"""

import argparse
import csv

import matplotlib.pyplot as plt

import style

# Column of the CSV, and what the legend calls it.
PARTS = {
    "compute": ("compute_s", "computation"),
    "x": ("x_exposed_s", "exposed, x"),
    "y": ("y_exposed_s", "exposed, y"),
    "z": ("z_exposed_s", "exposed, z"),
    "data": ("data_exposed_s", "exposed, data"),
    "other": ("other_exposed_s", "other waiting"),
}
SMALLEST_SHARE = 0.001  # of the longest step, for an entry in the legend


def bar_label(row, rows):
    """The settings in which the rows differ; the overlap where all are alike."""
    names = [name for name in ["model", "machine", "gpus", "grid", "order", "overlap"]
             if len({other[name] for other in rows}) > 1]
    return "\n".join(("overlap " if name == "overlap" else "") + row[name] for name in names or ["overlap"])


def draw(rows):
    figure, axes = plt.subplots(figsize=(max(style.COLUMN_WIDTH, 0.9 * len(rows) + 1.6), 3.0))
    steps = [float(row["step_time_s"]) for row in rows]
    bottoms = [0.0] * len(rows)
    for part, (column, label) in PARTS.items():
        heights = [float(row[column]) for row in rows]
        visible = max(heights) > SMALLEST_SHARE * max(steps)
        axes.bar(range(len(rows)), heights, bottom=bottoms, width=0.6, edgecolor="black", linewidth=0.6,
                 label=label if visible else None, **style.PARTS[part])
        bottoms = [bottom + height for bottom, height in zip(bottoms, heights)]
    for place, step in enumerate(steps):
        axes.annotate(f"{step:.3g} s", (place, step), ha="center", va="bottom", fontsize=8,
                      xytext=(0, 2), textcoords="offset points")
    axes.set_xticks(range(len(rows)), [bar_label(row, rows) for row in rows])
    axes.set_ylabel("time per training step (s)")
    axes.set_ylim(0, 1.1 * max(steps))
    handles, labels = axes.get_legend_handles_labels()
    axes.legend(handles[::-1], labels[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="rows written by fourfold-sim simulate --csv")
    parser.add_argument("figure", help="name of the figure without suffix; .pdf and .png are written")
    arguments = parser.parse_args()
    with open(arguments.csv, newline="") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        parser.error(f"{arguments.csv} holds no rows")
    style.use_style()
    style.save(draw(rows), arguments.figure)


if __name__ == "__main__":
    main()
