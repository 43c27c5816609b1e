#!/usr/bin/env python3
"""What a simulation costs against ranks and layers, all ranks replayed, beside what other simulators need for less.

    plots/scaling_cost.py results/folding/cost.csv --same results/folding/same.csv \\
        --others experiments/folding/others.csv --output results/folding/scaling_cost
"""

import argparse
import csv

import matplotlib.pyplot as plt
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

import style

# The series of the table and the column that it varies.
SERIES = ["ranks", "layers"]
LABELS = {"processor_s": "processor time (s)", "memory_MB": "memory (MB)"}
OURS, THEIRS = "#0072B2", "#D55E00"


def number(text):
    """A number as a person writes it: 0.43, 5, 28.8, 366."""
    return f"{float(text):.3g}"


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def draw_series(axes, rows, varied, cost):
    """The measured points, and a line of cost proportional to what is varied through the last one."""
    sizes = [int(row[varied]) for row in rows]
    costs = [float(row[cost]) for row in rows]
    axes.loglog(sizes, costs, marker="o", color=OURS, label="GPT-20B step, every rank", zorder=3)
    if cost == "processor_s":
        axes.loglog(sizes, [costs[-1] * size / sizes[-1] for size in sizes], color="0.6", linestyle=":",
                    label=f"proportional to {varied}")
    axes.xaxis.set_major_locator(FixedLocator(sizes))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(ScalarFormatter())
    axes.set(xlabel=varied, ylabel=LABELS[cost])


def draw_points(axes, rows, what, cost):
    """One point for each simulator's cost of the same thing, with its number."""
    names = [row["name"] for row in rows]
    costs = [float(row[cost]) for row in rows]
    colours = [row["colour"] for row in rows]
    axes.scatter(costs, range(len(rows)), color=colours, s=36, zorder=3)
    axes.grid(axis="y", color="0.9")
    for place, (name, value) in enumerate(zip(names, costs)):
        axes.text(value * 1.4, place, number(value), va="center", fontsize=8)
    axes.set_xscale("log")
    axes.set_xlim(min(costs) / 3, max(costs) * 6)
    axes.set_yticks(range(len(rows)), names)
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel(LABELS[cost])
    axes.set_title(what, fontsize=9)


def rows_of(what, same, others):
    """Rows of one task: the other simulators first."""
    theirs = [row | {"name": row["tool"].replace(" ", "\n", 1), "colour": THEIRS} for row in others if row["what"] == what]
    ours = []
    for row in same:
        if row["series"] == what:
            mode = row["model"] if what == "one all-reduce" else "every rank"
            ours.append(row | {"name": f"Fourfold,\n{mode}", "colour": OURS})
    return theirs + ours


def draw(rows, same, others):
    figure = plt.figure(figsize=(style.PAGE_WIDTH, 6.6), layout="constrained")
    scaling, tasks = figure.subfigures(2, 1, height_ratios=[2.2, 1])
    panels = scaling.subplots(2, 2, sharex="col")
    for column, varied in enumerate(SERIES):
        for row, cost in enumerate(LABELS):
            draw_series(panels[row][column], [r for r in rows if r["series"] == varied], varied, cost)
        panels[0][column].legend(loc="lower right")
        panels[0][column].set(ylim=(0.03, 30), xlabel="")
        panels[1][column].set_ylim(10, 1000)
    left, right = tasks.subplots(1, 2)
    draw_points(left, rows_of("one all-reduce", same, others), "1 GiB all-reduce over 1,024 ranks", "processor_s")
    draw_points(right, rows_of("GPT step", same, others), "GPT step, 24 layers, 64 ranks", "processor_s")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", help="cost.csv of experiments/folding/run.sh")
    parser.add_argument("--same", required=True, help="same.csv of experiments/folding/run.sh")
    parser.add_argument("--others", required=True, help="experiments/folding/others.csv")
    parser.add_argument("--output", required=True, help="figure without suffix; .pdf and .png are written")
    arguments = parser.parse_args()
    style.use_style()
    style.save(draw(read(arguments.csv), read(arguments.same), read(arguments.others)), arguments.output)


if __name__ == "__main__":
    main()
