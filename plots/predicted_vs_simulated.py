#!/usr/bin/env python3
"""How the analytical model ranks: predicted against simulated step times, and times in the predicted order.

One column of panels for each CSV that `fourfold-sim plan --verify all --csv` writes; published times in their
predicted order are drawn beside the simulated ones where there are some (experiments/planner/published_fig2.csv):

    plots/predicted_vs_simulated.py results/planner/gpt-20b.csv --published experiments/planner/published_fig2.csv \\
        --output results/planner/predicted_vs_simulated
"""

import argparse
import csv
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib import ticker

import style

SIMULATED = {"color": "#0072B2", "marker": "o", "s": 14, "linewidths": 0.5, "edgecolors": "black"}
PUBLISHED = {"color": "#E69F00", "marker": "^", "s": 18, "linewidths": 0.5, "edgecolors": "black"}


def use_logarithmic(axis):
    axis.set_major_locator(ticker.LogLocator(subs=[1, 2, 5]))
    axis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axis.set_minor_formatter(ticker.NullFormatter())


def read(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def draw_scatter(axes, rows, name):
    predicted = [float(row["predicted_s"]) for row in rows]
    simulated = [float(row["simulated_s"]) for row in rows]
    limits = [0.9 * min(predicted + simulated), 1.1 * max(predicted + simulated)]
    axes.plot(limits, limits, color="grey", linewidth=0.8, zorder=0)
    axes.scatter(predicted, simulated, **SIMULATED)
    axes.set(xscale="log", yscale="log", xlim=limits, ylim=limits, aspect="equal")
    use_logarithmic(axes.xaxis)
    use_logarithmic(axes.yaxis)
    axes.set_xlabel("predicted step (s)")
    axes.set_ylabel("simulated step (s)")
    axes.set_title(f"{name}, {len(rows)} grids", fontsize=9)


def draw_order(axes, rows, published):
    axes.scatter([int(row["predicted_rank"]) for row in rows], [float(row["simulated_s"]) for row in rows],
                 label="simulated", **SIMULATED)
    if published:
        axes.scatter([int(row["predicted_rank"]) for row in published],
                     [float(row["batch_time_s"]) for row in published], label="published, Fig 2", **PUBLISHED)
    axes.set_yscale("log")
    use_logarithmic(axes.yaxis)
    axes.set_xlabel("rank in the predicted order")
    axes.set_ylabel("time per step (s)")
    axes.legend(loc="upper left")


def draw(tables, published):
    figure, panels = plt.subplots(2, len(tables), figsize=(2.6 * len(tables), 5.0), squeeze=False,
                                  layout="constrained")
    for column, (name, rows) in enumerate(tables):
        draw_scatter(panels[0][column], rows, name)
        draw_order(panels[1][column], rows, [row for row in published if row["model"] == name])
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("csv", nargs="+", help="plans written by fourfold-sim plan --verify all --csv")
    parser.add_argument("--published", help="measured times in the order of the authors' prediction")
    parser.add_argument("--output", required=True, help="figure without suffix; .pdf and .png are written")
    arguments = parser.parse_args()
    tables = []
    for path in arguments.csv:
        rows = [row for row in read(path) if row["simulated_s"]]
        if not rows:
            parser.error(f"{path} holds no simulated plans; run plan with --verify")
        tables.append((Path(path).stem, rows))
    published = read(arguments.published) if arguments.published else []
    style.use_style()
    style.save(draw(tables, published), arguments.output)


if __name__ == "__main__":
    main()
