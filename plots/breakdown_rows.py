"""Rows of plots/time_breakdown.py from what the programs write: step time and the parts it is made of, in seconds."""

import csv
import json
from pathlib import Path

# Part, and its column in the CSV of fourfold-sim.
COLUMNS = {
    "compute": "compute_s",
    "x": "x_exposed_s",
    "y": "y_exposed_s",
    "z": "z_exposed_s",
    "data": "data_exposed_s",
    "other": "other_exposed_s",
}


def from_csv(path):
    """Every row of `fourfold-sim simulate --csv`, labelled by the settings in which the rows differ."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in ["model", "machine", "gpus", "grid", "order", "overlap"]
             if len({row[name] for row in rows}) > 1]
    return [{"label": "\n".join(("overlap " if name == "overlap" else "") + row[name] for name in names or ["overlap"]),
             "step": float(row["step_time_s"]),
             **{part: float(row[column]) for part, column in COLUMNS.items()}} for row in rows]


def from_json(path, label):
    """The one run of `fourfold-sim simulate --json` or of `fourfold-train --profile`, which have the same keys."""
    report = json.loads(Path(path).read_text())
    times = report["time_per_gpu"]
    row = {"label": label, "step": report["step_time_s"], "compute": times["compute_s"]}
    for axis in ["x", "y", "z", "data"]:
        row[axis] = sum(collective["exposed_s"] for collective in times["collectives"] if collective["axes"] == axis)
    row["other"] = max(0.0, row["step"] - sum(row[part] for part in COLUMNS if part != "other"))
    return row


def read_rows(inputs):
    """Rows of all inputs: "FILE.csv", "FILE.json" or "LABEL=FILE.json"."""
    rows = []
    for text in inputs:
        label, _, name = text.rpartition("=")
        if name.endswith(".json"):
            rows.append(from_json(name, label or Path(name).stem))
        else:
            rows.extend(from_csv(name))
    return rows
