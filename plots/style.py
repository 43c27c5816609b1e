"""One look for all figures: readable in print and in grey, fonts of 8 points and more, PDF and PNG."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt  # noqa: E402  (the backend is chosen first)

# Okabe and Ito's palette, safe for colour-blind readers. Neighbours differ in brightness, and those of equal
# brightness have different hatches, so that the parts are told apart without any colour.
PARTS = {
    "compute": {"facecolor": "#CFCFCF", "hatch": ""},
    "x": {"facecolor": "#0072B2", "hatch": ""},
    "y": {"facecolor": "#009E73", "hatch": "///"},
    "z": {"facecolor": "#E69F00", "hatch": ""},
    "data": {"facecolor": "#56B4E9", "hatch": "\\\\\\"},
    "other": {"facecolor": "#FFFFFF", "hatch": "..."},
}

COLUMN_WIDTH = 3.5  # inches, one column of a two-column page
PAGE_WIDTH = 7.2


def use_style():
    plt.rcParams.update({
        "font.size": 9,
        "axes.labelsize": 9,
        "xtick.labelsize": 8,
        "ytick.labelsize": 8,
        "legend.fontsize": 8,
        "legend.frameon": False,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "hatch.linewidth": 0.6,
        "savefig.dpi": 200,
        "savefig.bbox": "tight",
        "pdf.fonttype": 42,  # text stays text
    })


def save(figure, stem):
    """Writes STEM.pdf and STEM.png and says so; equal figures give equal files."""
    stem = Path(stem).with_suffix("")
    for suffix, metadata in [(".pdf", {"CreationDate": None}), (".png", {})]:
        path = stem.with_suffix(suffix)
        figure.savefig(path, metadata=metadata)
        print(path)
