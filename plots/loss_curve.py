#!/usr/bin/env python3
"""Training and validation loss over the tokens seen, of one run or several.

Reads the metrics (JSON Lines) that `fourfold-train --out DIR` or `--metrics FILE` writes:

    plots/loss_curve.py run/metrics.jsonl results/loss
    plots/loss_curve.py "one rank=a/metrics.jsonl" "eight ranks=b/metrics.jsonl" results/loss
"""

import argparse
import json
from pathlib import Path

import matplotlib.pyplot as plt
from matplotlib.ticker import EngFormatter

import style

LINES = [("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#CC79A7", ":")]  # Okabe and Ito


def read_run(text):
    """Label and rows of "FILE" or "LABEL=FILE". A last line that is still being written is left out."""
    label, _, name = text.rpartition("=")
    path = Path(name)
    lines = path.read_text().splitlines(keepends=True)
    rows = [json.loads(line) for line in lines if line.endswith("\n")]
    return label or path.parent.name or path.stem, rows


def draw(runs):
    figure, axes = plt.subplots(figsize=(style.COLUMN_WIDTH, 2.6))
    for (label, rows), (colour, line) in zip(runs, LINES):
        axes.plot([row["tokens"] for row in rows], [row["loss"] for row in rows], line, color=colour, linewidth=0.8,
                  alpha=0.7, label=f"{label}, training")
        evaluated = [row for row in rows if "validation_loss" in row]
        if evaluated:
            axes.plot([row["tokens"] for row in evaluated], [row["validation_loss"] for row in evaluated], "o-",
                      color=colour, linewidth=1.2, markersize=3.5, markeredgecolor="black", markeredgewidth=0.5,
                      label=f"{label}, validation")
    axes.set_xlabel("tokens seen")
    axes.set_xlim(left=0)
    axes.xaxis.set_major_formatter(EngFormatter(sep=""))  # 20k, 1M
    axes.set_ylabel("loss (nats per token)")
    axes.legend()
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("metrics", nargs="+", help="metrics.jsonl, or LABEL=metrics.jsonl; at most four")
    parser.add_argument("figure", help="name of the figure, without suffix")
    arguments = parser.parse_args()
    if len(arguments.metrics) > len(LINES):
        parser.error(f"at most {len(LINES)} runs in one figure")
    runs = [read_run(text) for text in arguments.metrics]
    for label, rows in runs:
        if not rows:
            parser.error(f"{label} has no steps yet")
    style.use_style()
    style.save(draw(runs), arguments.figure)


if __name__ == "__main__":
    main()
