"""Speed-up against the strongest form of oneDNN, d_model x T: losses as loud as wins."""

from report.headline import mean_ratio, tally_text
from report.model import place, shape_labels, threads
from report.plots.heatmap import Cell, heatmap
from report.plots.style import Panel

KEY = "speedup"
TITLE = "Speed-up over oneDNN's strongest form"
HOW = (
    "Time of the faster oneDNN form divided by ours, paired in time. Blue: we are faster; orange: we are slower, on "
    "the same scale. Framed: a loss, the whole 99 % interval is below 1. Hatched: the interval contains 1, so neither "
    "is shown to be faster."
)
MISSING = "oneDNN was not measured, so there is nothing to compare with."
MEASURE = "swiglu-bench paired --preset report --impl native,onednn-wide,onednn-post_ops --out paired.json"
# Symmetric in the logarithm: 1.5x faster and 1.5x slower are equally dark.
STEPS = (1.03, 1.15, 1.4)
KEY_LABELS = (f"{1 / STEPS[-1]:.2f}", "1", f"{STEPS[-1]:.2f}", "slower", "faster")


def places(run):
    compared = {(s.row.isa, s.row.thr) for s in run.against_strongest(group=run.main)}
    return [setting for setting in run.settings if setting in compared]


def reading(run):
    isa, _ = places(run)[0]
    points = run.against_strongest(isa=isa)
    mean, low, high = mean_ratio(points)
    worst = min(points, key=lambda s: s.ratio.ratio)
    best = max(points, key=lambda s: s.ratio.ratio)
    return (
        f"With {isa}: {tally_text(points)} over {len(points)} points (every sweep), "
        f"geometric mean {mean:.2f}× [{low:.2f}, {high:.2f}]; best {best.ratio.ratio:.2f}× at {place(best.row)}; "
        f"worst {worst.ratio.ratio:.2f}× at {place(worst.row)} (a {worst.verdict})."
    )


def cell(speedup):
    """The map's cell of one comparison."""
    ratio = speedup.ratio.ratio
    text = f"{ratio:.2f}" if ratio < 9.995 else f"{ratio:.1f}" if ratio < 99.95 else f"{ratio:.0f}"  # the cell's width
    return Cell(text, speedup.ratio.ratio, tie=speedup.verdict == "tie", loss=speedup.verdict == "loss")


def panel(run, isa, thr):
    points = run.against_strongest(isa=isa, thr=thr, group=run.main)
    shapes = shape_labels((s.row.d, s.row.h) for s in points)
    tokens = {T: str(T) for T in sorted({s.row.T for s in points})}
    cells = {((s.row.d, s.row.h), s.row.T): cell(s) for s in points}
    title = f"{isa}, {threads(thr)}: {tally_text(points)}"
    figure, axes = heatmap(title.replace(": ", "\n"), tokens, shapes, cells, STEPS, KEY_LABELS, row_height=0.3)
    axes.set_xlabel("T (tokens per call)")
    axes.set_ylabel("d_model")
    return Panel(f"speedup_{isa}_{thr}t", isa, f"Speed-up heat map, {title}", figure)
