#!/usr/bin/env python3
"""Choose the published steps of Megatron-LM, ZeRO-3 and FSDP that a grid of ours can stand for.

  ./select_megatron_rows.py COLLECTION_FOLDER      writes megatron.csv here

Kept: one pipeline stage, no sequence or context parallelism, bf16 or fp16, micro-batch and recomputation published, A100 or
H100. Added columns: `framework`; `weights` ("replicated", "zero3" over all data-parallel ranks); `attention`, which is what
the software had (unfused before 2023, flash in llm-foundry and NeMo 23.08).
"""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
COLUMNS = ("source", "table", "machine", "framework", "gpu", "gpus", "layers", "hidden", "heads", "seq", "vocab",
           "global_batch", "micro_batch", "tp", "dp", "weights", "recompute", "attention", "precision", "iter_time_s", "notes")
NAMES = {  # by what the source begins with: machine (None: as it is), framework, attention
    "Narayanan": ("Selene", "Megatron-LM", "unfused"),
    "Megatron-LM repo": ("Selene", "Megatron-LM", "unfused"),
    "VIA-Research": ("vTrain cluster", "Megatron-DeepSpeed", "unfused"),
    "NVIDIA/NeMo-Megatron-Launcher": ("DGX SuperPOD A100", "NeMo-Megatron", "flash"),
    "mosaicml": (None, "llm-foundry FSDP", "flash"),
}


def weights_of(row):
    """How weights are kept, or None where a grid cannot say it (ZeRO-2)."""
    if "ZeRO-3" in row["notes"] or "FULL_SHARD" in row["notes"]:
        return "zero3"
    return None if "FSDP" in row["notes"] or "zero2" in row["notes"] else "replicated"


def described(row):
    """The row with the added columns, or None where it is not one of ours."""
    plain = row["pp"] == "1" and row["seq_parallel"] != "yes" and "fp8" not in row["precision"]
    name = next((key for key in NAMES if row["source"].startswith(key)), None)
    weights = weights_of(row)
    if not plain or name is None or weights is None or not row["micro_batch"] or not row["recompute"]:
        return None
    if not row["gpu"].startswith(("A100", "H100")):
        return None
    machine, framework, attention = NAMES[name]
    if machine is None:
        machine = "MosaicML " + row["gpu"].split()[0]
    if weights == "zero3" and name == "Narayanan":
        framework = "DeepSpeed ZeRO-3"
    return {**row, "machine": machine, "framework": framework, "attention": attention, "weights": weights}


def single_node(row):
    """A row of vTrain's 2 to 8 GPUs in the columns of the others; Megatron pads the vocabulary, here always to 51,200."""
    return {**row, "table": "single-node validation", "machine": "vTrain node", "framework": "Megatron-DeepSpeed",
            "source": "VIA-Research/vTrain (MICRO-57 2024, arXiv 2312.12391), single node", "gpu": "A100",
            "vocab": "51200", "weights": "replicated", "attention": "unfused", "precision": "fp16",
            "iter_time_s": f"{float(row['iter_ms']) / 1000:.6f}", "notes": "vocabulary not published"}


def read(folder, name):
    with open(pathlib.Path(folder) / name, newline="") as file:
        return list(csv.DictReader(file))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    rows = [kept for row in read(sys.argv[1], "measured_points.csv") if (kept := described(row))]
    rows += [single_node(row) for row in read(sys.argv[1], "iteration_measured.csv")
             if row["source"] == "vtrain-single" and row["pp"] == "1"]
    with open(HERE / "megatron.csv", "w", newline="") as target:
        writer = csv.DictWriter(target, COLUMNS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"megatron: {len(rows)} rows")


if __name__ == "__main__":
    main()
