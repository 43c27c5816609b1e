#!/usr/bin/env python3
"""Predicted against published: one log-log figure for each set of `fourfold-sim validate`, its parts as colours.

The dark band is +-10 %, the light one +-20 %. Errors in the legend are those of the JSON file, median / 90th percentile:

    fourfold-sim validate --csv rows.csv --json errors.json
    plots/validation.py rows.csv errors.json --output results/validation      # validation-gemm.pdf, .png, ...
"""

import argparse
import csv
import json
import sys

import matplotlib.pyplot as plt
from matplotlib import ticker

import style

# Okabe and Ito's palette; a marker besides, so that ten and more parts are told apart.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#000000"]
MARKERS = ["o", "^", "s", "D", "v"]
BANDS = [(0.2, "#ECECEC"), (0.1, "#D4D4D4")]
QUANTITIES = {"time (s)": ("measured_s", "predicted_s"), "memory (GiB)": ("measured_GiB", "predicted_GiB")}


def read_rows(path):
    """Points (part, measured, predicted) by set, with the axis title of the set's quantity."""
    sets = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            for title, (measured, predicted) in QUANTITIES.items():
                if row[measured]:
                    points = sets.setdefault(row["set"], (title, []))[1]
                    points.append((row["part"], float(row[measured]), float(row[predicted])))
    return sets


def read_errors(path):
    """Summaries by set and part; the CSV file has single quotes for double ones."""
    with open(path) as file:
        sets = json.load(file)
    return {entry["set"]: {part["part"].replace('"', "'"): part for part in entry["parts"]} for entry in sets}


def label_of(part, summary):
    error = summary["error"]
    return f"{part}: n {summary['rows']}, {100 * error['median']:.1f} / {100 * error['p90']:.0f} %"


def use_powers_of_ten(axis):
    axis.set_major_locator(ticker.LogLocator(subs=[1], numticks=12))
    axis.set_minor_formatter(ticker.NullFormatter())


def draw_bands(axes, limits):
    for width, colour in BANDS:
        axes.fill_between(limits, [(1 - width) * limit for limit in limits], [(1 + width) * limit for limit in limits],
                          color=colour, linewidth=0, zorder=0)
    axes.plot(limits, limits, color="black", linewidth=0.7, zorder=1)


def positive(name, points):
    """Without what a logarithmic axis cannot show, such as an optimisation that is predicted to cost time."""
    shown = [point for point in points if min(point[1:]) > 0]
    if len(shown) < len(points):
        print(f"{name}: {len(points) - len(shown)} rows without a logarithm left out", file=sys.stderr)
    return shown


def draw(name, title, points, errors):
    figure, axes = plt.subplots(figsize=(style.COLUMN_WIDTH, style.COLUMN_WIDTH))
    values = [value for _, *pair in points for value in pair]
    limits = [0.7 * min(values), 1.4 * max(values)]
    draw_bands(axes, limits)
    for index, part in enumerate(dict.fromkeys(part for part, _, _ in points)):
        chosen = [(measured, predicted) for owner, measured, predicted in points if owner == part]
        axes.scatter(*zip(*chosen), s=12 if len(points) < 1000 else 4, color=COLOURS[index % len(COLOURS)],
                     marker=MARKERS[index % len(MARKERS)], alpha=0.8, linewidths=0, zorder=2,
                     rasterized=len(points) > 1000, label=label_of(part, errors[part]))
    axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits, aspect="equal",
             xlabel=f"published {title}", ylabel=f"predicted {title}")
    use_powers_of_ten(axes.xaxis)
    use_powers_of_ten(axes.yaxis)
    axes.set_title(label_of(name, errors["all"]) if "all" in errors else name, fontsize=9)
    axes.legend(loc="upper left", bbox_to_anchor=(1.02, 1.0), borderaxespad=0, markerscale=1.6, fontsize=7,
                title="rows, median / 90th percentile of the error", title_fontsize=7, alignment="left")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", help="CSV written by fourfold-sim validate --csv")
    parser.add_argument("errors", help="JSON written by the same run with --json")
    parser.add_argument("--output", required=True, help="figures without suffix; -SET.pdf and -SET.png are appended")
    arguments = parser.parse_args()
    errors = read_errors(arguments.errors)
    style.use_style()
    for name, (title, points) in read_rows(arguments.rows).items():
        figure = draw(name, title, positive(name, points), errors[name])
        style.save(figure, f"{arguments.output}-{name}")
        plt.close(figure)


if __name__ == "__main__":
    main()
