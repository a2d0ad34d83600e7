"""Small pictures of curves, drawn alike."""

from collections.abc import Sequence
from pathlib import Path

Curve = tuple[str, Sequence[float], Sequence[float]]


def draw(
    path: Path,
    curves: Sequence[Curve],
    *,
    across: str,
    up: str,
    title: str,
    log: tuple[bool, bool] = (False, False),
) -> None:
    """Write a PNG with these named curves; `log` makes the axes logarithmic."""
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 3.6), dpi=100, layout="constrained")
    for name, xs, ys in curves:
        axes.plot(xs, ys, marker="o", markersize=4, label=name)
    axes.set(xlabel=across, ylabel=up, title=title)
    if log[0]:
        axes.set_xscale("log")
    if log[1]:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    # Without a date or a version, so that the same figures make the same file.
    figure.savefig(path, metadata={"Software": None})
    plt.close(figure)
