"""How pictures of benchmarks are drawn and kept."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.figure import Figure

# text stays text, and the same figures give the same file
plt.rcParams["svg.fonttype"] = "none"
plt.rcParams["svg.hashsalt"] = "panewise"


def save(figure: Figure, picture: Path) -> Path:
    """Keep a figure as SVG, and forget it."""
    picture.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(picture, metadata={"Date": None})
    plt.close(figure)
    return picture
