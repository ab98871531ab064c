"""What the gate costs: the block beside a plain one of two matrices with as many parameters."""

from report.headline import tally_text
from report.model import place, shape_labels, threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel, token_axis

KEY = "two_matrix"
TITLE = "Beside a block of two matrices"
HOW = (
    "y = silu(x·W1)·W2 with d_ff = 4 · d_model has as many parameters and needs as much arithmetic as the gated block "
    "with 8/3 · d_model. Its time, computed by our own matrix product and activation pass (orange: by oneDNN), divided "
    "by the gated block's, paired in time; bars: 99 % bounds. At 1 the gate is free."
)
MISSING = "The two-matrix block was not measured."
MEASURE = "swiglu-bench paired --d-model 1024,2048,4096 --align 64 --tokens 1-512*2 --impl native,ffn2 --out ffn2.json"
LOOKS = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."), ("v", "-"), ("P", "--"))


def places(run):
    found = {(s.row.isa, s.row.thr) for s in _points(run)}
    return [setting for setting in run.settings if setting in found]


def reading(run):
    points = [s for s in _points(run) if s.baseline == "ffn2"] or _points(run)
    low, high = min(points, key=lambda s: s.ratio.ratio), max(points, key=lambda s: s.ratio.ratio)
    return (
        f"The two-matrix block takes {low.ratio.ratio:.2f} times ({place(low.row)}) to {high.ratio.ratio:.2f} times "
        f"({place(high.row)}) as long as the gated one; for the gated one: {tally_text(points)}."
    )


def _points(run):
    return [s for s in run.speedups if s.kind == "ffn2"]


def panel(run, isa, thr):
    points = [s for s in _points(run) if (s.row.isa, s.row.thr) == (isa, thr)]
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=2.9)
    shapes = shape_labels((s.row.d, s.row.h) for s in points)
    for (marker, line), (shape, name) in zip(LOOKS, shapes.items()):
        for baseline, role in (("ffn2-onednn", "rival"), ("ffn2", "ours")):
            curve = [s for s in points if (s.row.d, s.row.h) == shape and s.baseline == baseline]
            curve.sort(key=lambda s: s.row.T)
            xs, ratios = [s.row.T for s in curve], [s.ratio for s in curve]
            style = dict(color=LIGHT[role], marker=marker, linestyle=line)
            style["label"] = f"d_model {name}" if baseline == "ffn2" else None
            axes.plot(xs, [r.ratio for r in ratios], **style)
            axes.vlines(xs, [r.lower for r in ratios], [r.upper for r in ratios], color=LIGHT[role], linewidth=0.8)
    axes.axhline(1, color=LIGHT["ink"], linewidth=1)
    token_axis(axes, {s.row.T for s in points})
    axes.set_ylabel("time two-matrix / time gated")
    legend_below(axes)
    alt = f"Two-matrix block against the gated one, {isa}, {threads(thr)}"
    return Panel(f"two_matrix_{isa}_{thr}t", isa, alt, figure)
