#!/usr/bin/env python3
"""What a simulation costs against ranks and layers, all ranks replayed.

    plots/scaling_cost.py results/folding/cost.csv --output results/folding/scaling_cost
"""

import argparse
import csv

import matplotlib.pyplot as plt

import style

# The series of the table and the column that it varies.
SERIES = ["ranks", "layers"]
COST = {"processor_s": ("processor time (s)", "#0072B2"), "memory_MB": ("memory (MB)", "#E69F00")}


def draw_series(axes, rows, varied, cost):
    label, colour = COST[cost]
    axes.plot([int(row[varied]) for row in rows], [float(row[cost]) for row in rows], marker="o", color=colour)
    axes.set(xlim=(0, None), ylim=(0, None), xlabel=varied, ylabel=label)


def draw(rows):
    figure, panels = plt.subplots(2, 2, figsize=(5.4, 4.4), layout="constrained")
    for column, varied in enumerate(SERIES):
        for row, cost in enumerate(COST):
            draw_series(panels[row][column], [r for r in rows if r["series"] == varied], varied, cost)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="cost.csv of experiments/folding/run.sh")
    parser.add_argument("--output", required=True, help="figure without suffix; .pdf and .png are written")
    arguments = parser.parse_args()
    with open(arguments.csv, newline="") as file:
        rows = list(csv.DictReader(file))
    style.use_style()
    style.save(draw(rows), arguments.output)


if __name__ == "__main__":
    main()
