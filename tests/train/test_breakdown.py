#!/usr/bin/env python3
"""plots/time_breakdown.py draws a profile of fourfold-train beside a report of fourfold-sim.

Usage: test_breakdown.py FOURFOLD_TRAIN [FOURFOLD_SIM]. Without the simulator a report with its keys stands in.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

PLOTS = Path(__file__).resolve().parents[2] / "plots"
sys.path.insert(0, str(PLOTS))
from breakdown_rows import COLUMNS, read_rows  # noqa: E402


def make_profile(train, folder):
    text = folder / "text.txt"
    text.write_text("the quick brown fox jumps over the lazy dog. " * 200)
    model = folder / "tiny.json"
    model.write_text('{"layers": 1, "hidden": 16, "heads": 2, "sequence": 16, "vocabulary": 256}')
    subprocess.run([train, "--model", model, "--data", text, "--steps", "2", "--batch", "8", "--backend", "reference",
                    "--grid", "2x1x2x1", "--peak-tflops", "1", "--profile", "--quiet", "--out", folder / "run"],
                   check=True)
    return folder / "run" / "profile.json"


def make_report(sim, folder):
    path = folder / "report.json"
    if sim is None:
        path.write_text(json.dumps({"step_time_s": 4.0, "time_per_gpu": {
            "compute_s": 2.5, "collectives": [{"axes": "z", "exposed_s": 1.0}]}}))
    else:
        subprocess.run([sim, "simulate", "--model", "gpt-nano", "--machine", "perlmutter", "--gpus", "4", "--grid",
                        "2x1x2x1", "--batch", "8", "--json", path], check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    return path


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        profile = make_profile(sys.argv[1], folder)
        report = make_report(sys.argv[2] if len(sys.argv) > 2 else None, folder)
        rows = read_rows([f"real={profile}", str(report)])
        assert [row["label"] for row in rows] == ["real", "report"], rows
        for row in rows:
            parts = sum(row[part] for part in COLUMNS)
            assert abs(parts - row["step"]) < 1e-6 * row["step"], row  # the bars end at the step time
            assert row["compute"] > 0 and row["z"] > 0, row
        assert rows[0]["x"] > 0 and rows[0]["y"] == 0, rows[0]
        subprocess.run([sys.executable, PLOTS / "time_breakdown.py", f"real={profile}", f"simulated={report}",
                        folder / "figure"], check=True, stdout=subprocess.DEVNULL)
        assert (folder / "figure.png").stat().st_size > 1000


if __name__ == "__main__":
    main()
