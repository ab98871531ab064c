"""Speed-up against the strongest form of oneDNN, d_model x T: losses as loud as wins."""

import math

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from report.headline import mean_ratio, tally_text
from report.model import shape_labels, threads
from report.plots.style import LIGHT, Panel

KEY = "speedup"
TITLE = "Speed-up over oneDNN's strongest form"
HOW = (
    "Time of the faster oneDNN form divided by ours, paired in time. Blue: we are faster; orange: we are slower, on "
    "the same scale. Hatched: the 99 % interval contains 1, so neither is shown to be faster."
)
# Symmetric in the logarithm: 1.5x faster and 1.5x slower are equally dark.
STEPS = (1.03, 1.15, 1.4)


def panels(run):
    compared = {(s.row.isa, s.row.thr) for s in run.against_strongest(group=run.main)}
    return [_panel(run, isa, thr) for isa, thr in run.settings if (isa, thr) in compared]


def reading(run):
    points = run.against_strongest(isa=run.isas[0])
    if not points:
        return "oneDNN was not measured, so there is nothing to compare with."
    mean, low, high = mean_ratio(points)
    worst = min(points, key=lambda s: s.ratio.ratio)
    best = max(points, key=lambda s: s.ratio.ratio)
    return (
        f"With {run.isas[0]}: {tally_text(points)} over {len(points)} points (main sweep, alignment sweep and models), "
        f"geometric mean {mean:.2f}× [{low:.2f}, {high:.2f}]; best {best.ratio.ratio:.2f}× at d_model {best.row.d}, "
        f"T = {best.row.T}, {threads(best.row.thr)}; worst {worst.ratio.ratio:.2f}× at d_model {worst.row.d}, "
        f"T = {worst.row.T}, {threads(worst.row.thr)}."
    )


def colour_of(ratio):
    """Role of the cell's colour: even, or win/loss 1..3."""
    strength = sum(abs(math.log(ratio)) > math.log(step) for step in STEPS)
    return "even" if strength == 0 else f"{'win' if ratio > 1 else 'loss'}{strength}"


def _panel(run, isa, thr):
    points = run.against_strongest(isa=isa, thr=thr, group=run.main)
    figure, (axes, strip) = plt.subplots(2, 1, gridspec_kw={"height_ratios": [18, 1]})
    axes.set_title(f"{isa}, {threads(thr)}: {tally_text(points)}")
    shapes = shape_labels((s.row.d, s.row.h) for s in points)
    tokens = sorted({s.row.T for s in points})
    cells = {(s.row.d, s.row.h, s.row.T): s for s in points}
    size = 8 if len(tokens) <= 9 else 6.3
    for y, shape in enumerate(shapes):
        for x, T in enumerate(tokens):
            _cell(axes, x, y, cells.get((*shape, T)), size)
    axes.set_xlim(0, len(tokens))
    axes.set_ylim(0, len(shapes))
    axes.set_xticks([x + 0.5 for x in range(len(tokens))], [str(T) for T in tokens], fontsize=size)
    axes.set_yticks([y + 0.5 for y in range(len(shapes))], list(shapes.values()))
    axes.set_xlabel("T (tokens per call)")
    axes.set_ylabel("d_model")
    _bare(axes)
    _key(strip)
    alt = f"Speed-up heat map, {isa}, {threads(thr)}: {tally_text(points)}"
    return Panel(f"speedup_{isa}_{thr}t", isa, alt, figure)


def _cell(axes, x, y, speedup, size):
    box = dict(xy=(x + 0.02, y + 0.02), width=0.96, height=0.96, linewidth=0)
    if speedup is None:
        axes.add_patch(Rectangle(**{**box, "linewidth": 0.8}, facecolor="none", edgecolor=LIGHT["grid"]))
        axes.text(x + 0.5, y + 0.5, "n/m", ha="center", va="center", fontsize=size - 1, color=LIGHT["muted"])
        return
    ratio = speedup.ratio.ratio
    role = colour_of(ratio)
    axes.add_patch(Rectangle(**box, facecolor=LIGHT[role]))
    if speedup.verdict == "tie":
        axes.add_patch(Rectangle(**box, facecolor="none", edgecolor=LIGHT["hatch"], hatch="////"))
    ink = LIGHT["cell-strong"] if role.endswith("3") else LIGHT["cell"]
    plate = dict(boxstyle="square,pad=0.15", facecolor=LIGHT[role], linewidth=0)  # keeps hatching off the number
    axes.text(x + 0.5, y + 0.5, f"{ratio:.2f}", ha="center", va="center", fontsize=size, color=ink, bbox=plate)


def _key(axes):
    """The colour scale, a strip of its own below the map."""
    bounds = [1 / step for step in reversed(STEPS)] + list(STEPS)
    roles = ["loss3", "loss2", "loss1", "even", "win1", "win2", "win3"]
    for x, role in enumerate(roles):
        axes.add_patch(Rectangle((x, 0), 1, 1, facecolor=LIGHT[role], linewidth=0))
    axes.set_xlim(0, len(roles))
    axes.set_ylim(0, 1)
    axes.set_xticks(range(1, len(roles)), [f"{bound:.2f}" for bound in bounds], fontsize=7.5)
    axes.set_yticks([])
    axes.text(-0.1, 0.5, "slower", ha="right", va="center", fontsize=7.5, color=LIGHT["muted"])
    axes.text(len(roles) + 0.1, 0.5, "faster", ha="left", va="center", fontsize=7.5, color=LIGHT["muted"])
    _bare(axes)


def _bare(axes):
    axes.tick_params(length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)
