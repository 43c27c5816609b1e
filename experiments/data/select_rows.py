#!/usr/bin/env python3
"""Choose the rows that `fourfold-sim validate` is scored on from larger collections of public measurements.

  ./select_rows.py COLLECTION_FOLDER      writes gemm.csv, collectives.csv, attention.csv, steps.csv and ablations.csv here

Columns are kept as they are, so that a whole collection can also be given to `validate --data`. What is left out:
  gemm         other types than bf16; batches; rows without sizes or time; shapes with m < 512, n < 256 or k < 512 (inference), every second of the rest of
               the two collectors' tables, which have thousands of rows with neighbouring shapes
  collectives  anything but all_reduce, all_gather, reduce_scatter, all_to_all and ping-pongs; other libraries than NCCL and RCCL, under 1 MB, hosts' memory, runs that their authors mark as
               misconfigured or superseded ("BAD", "OLD series", "earlier series"), and Leonardo's noisy service level SL0
  attention    kernels inside serving engines (paged caches), FlashAttention-1 and other types than bf16
  steps        anything but seconds per batch of AxoNN's weak and strong scaling with all optimisations
  ablations    anything but seconds per batch of its Figs 5 and 7
"""

import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
BARE_ATTENTION = ("FA2", "FA3", "cuDNN", "PyTorch unfused")
COLLECTIVES = ("all_reduce", "all_gather", "reduce_scatter", "all_to_all", "p2p_pingpong_intra", "p2p_pingpong_inter")
MISCONFIGURED = ("BAD", "OLD series", "earlier series", "SL0")


def keep_gemm(row, number):
    if row["dtype"] != "bf16" or row["batch"] != "1" or not row["m"] or not row["time_us"]:
        return False
    trained = int(row["m"]) >= 512 and int(row["n"]) >= 256 and int(row["k"]) >= 512
    return trained and (number % 2 == 0 or not row["source"].startswith("aic-"))


def keep_collective(row, number):
    return (row["op"] in COLLECTIVES and row["library"].startswith(("NCCL", "RCCL"))
            and int(row["bytes"]) >= 1_000_000 and not any(mark in row["notes"] for mark in MISCONFIGURED))


def keep_attention(row, number):
    return row["impl"] in BARE_ATTENTION


def keep_step(row, number):
    return row["metric"] == "time_per_batch" and row["figure_or_table"].startswith(("Fig 6", "Fig 9"))


def keep_ablation(row, number):
    return row["metric"] == "time_per_batch" and row["figure_or_table"].startswith(("Fig 5", "Fig 7"))


SETS = {
    "gemm": ("gemm_measured.csv", keep_gemm),
    "collectives": ("collectives_measured.csv", keep_collective),
    "attention": ("attention_measured.csv", keep_attention),
    "steps": ("axonn_results.csv", keep_step),
    "ablations": ("axonn_results.csv", keep_ablation),
}


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    for name, (collection, keep) in SETS.items():
        with open(pathlib.Path(sys.argv[1]) / collection, newline="") as source:
            reader = csv.DictReader(source)
            rows = [row for number, row in enumerate(reader) if keep(row, number)]
        with open(HERE / f"{name}.csv", "w", newline="") as target:
            writer = csv.DictWriter(target, reader.fieldnames, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{name}: {len(rows)} rows")


if __name__ == "__main__":
    main()
