#!/usr/bin/env python3
"""Timeline of one rank: what each stream does when. Reads the trace that `fourfold-sim simulate --trace` writes.

    plots/timeline.py results/trace.json results/timeline --begin 10.0 --end 10.4
"""

import argparse
import json

import matplotlib.pyplot as plt

import style

# Streams as they appear from top to bottom, and how their bars look.
STREAMS = {
    "compute": ("compute", "compute"),
    "comm_x": ("x", "x"),
    "comm_y": ("y", "y"),
    "comm_z_gather": ("z, gather", "z"),
    "comm_z_scatter": ("z, scatter", "z"),
    "comm_data": ("data", "data"),
}
MOST_OUTLINED = 400


def read_events(path, rank):
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    return [event for event in events if event["ph"] == "X" and event["pid"] == rank]


def window(events, begin, end):
    """The events that touch [begin, end] (s); the limits default to those of the trace."""
    seconds = [(event["ts"] / 1e6, (event["ts"] + event["dur"]) / 1e6, event) for event in events]
    begin = min(first for first, _, _ in seconds) if begin is None else begin
    end = max(last for _, last, _ in seconds) if end is None else end
    return begin, end, [item for item in seconds if item[1] > begin and item[0] < end]


def draw(items, begin, end):
    used = [stream for stream in STREAMS if any(event["cat"] == stream for _, _, event in items)]
    figure, axes = plt.subplots(figsize=(style.PAGE_WIDTH, 0.6 + 0.4 * len(used)))
    for row, stream in enumerate(used):
        bars = [(first, last - first) for first, last, event in items if event["cat"] == stream]
        look = style.PARTS[STREAMS[stream][1]]
        # Black outlines separate few operations but would cover many; then an outline in the bar's own colour keeps
        # the narrowest visible.
        if len(items) <= MOST_OUTLINED:
            axes.broken_barh(bars, (row - 0.36, 0.72), edgecolor="black", linewidth=0.4, **look)
        else:
            axes.broken_barh(bars, (row - 0.36, 0.72), color=look["facecolor"], linewidth=0.2)
    axes.set_yticks(range(len(used)), [STREAMS[stream][0] for stream in used])
    axes.set_ylim(len(used) - 0.4, -0.6)
    axes.set_xlim(begin, end)
    axes.set_xlabel("time since the step began (s)")
    axes.set_ylabel("stream")
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", help="file written by fourfold-sim simulate --trace")
    parser.add_argument("figure", help="name of the figure without suffix; .pdf and .png are written")
    parser.add_argument("--rank", type=int, default=0)
    parser.add_argument("--begin", type=float, metavar="S", help="start of the window in seconds")
    parser.add_argument("--end", type=float, metavar="S", help="end of the window in seconds")
    arguments = parser.parse_args()
    events = read_events(arguments.trace, arguments.rank)
    if not events:
        parser.error(f"{arguments.trace} holds no operations of rank {arguments.rank}")
    begin, end, items = window(events, arguments.begin, arguments.end)
    if not items:
        parser.error(f"nothing happens between {begin} s and {end} s")
    style.use_style()
    style.save(draw(items, begin, end), arguments.figure)


if __name__ == "__main__":
    main()
