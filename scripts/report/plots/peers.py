"""Everyone who was measured beside us in the same rounds, over T."""

from lib.stats import geometric_mean
from report.headline import tally_text
from report.model import label, threads
from report.plots.style import LIGHT, Panel, legend_below, look, new_panel, token_axis

KEY = "peers"
TITLE = "Against each rival, over T"
HOW = (
    "Time of the rival divided by ours, paired in time; geometric mean over the shapes that were measured at that T. "
    "Above the line at 1 we are faster. OpenBLAS, Eigen and “unfused” are a plain matrix product each for gate, up and "
    "down, with our own activation pass between them: what a program without a fused block would do."
)
MISSING = "No rival was measured beside swiglu."
MEASURE = "swiglu-bench paired --d-model 1536 --impl native,unfused,onednn-wide,openblas,eigen --out peers.json"


def places(run):
    found = {(s.row.isa, s.row.thr) for s in _points(run)}
    return [setting for setting in run.settings if setting in found]


def reading(run):
    isa, _ = places(run)[0]
    by_rival = {}
    for s in _points(run):
        if s.row.isa == isa:
            by_rival.setdefault(s.baseline, []).append(s)
    said = [
        f"{label(rival)} {geometric_mean(s.ratio.ratio for s in found):.2f}× ({tally_text(found)})"
        for rival, found in by_rival.items()
    ]
    return f"With {isa}, over all points where each ran, swiglu is on average as many times as fast: {'; '.join(said)}."


def _points(run):
    """Comparisons with one implementation; the strongest of oneDNN's forms has maps of its own."""
    return [s for s in run.speedups if s.kind != "ffn2" and s.baseline != "onednn-strongest"]


def panel(run, isa, thr):
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.0)
    points = [s for s in _points(run) if (s.row.isa, s.row.thr) == (isa, thr)]
    tokens, values = set(), []
    for rival in dict.fromkeys(s.baseline for s in points):
        by_tokens = {}
        for s in sorted((s for s in points if s.baseline == rival), key=lambda s: s.row.T):
            by_tokens.setdefault(s.row.T, []).append(s.ratio.ratio)
        curve = [geometric_mean(ratios) for ratios in by_tokens.values()]
        axes.plot(list(by_tokens), curve, label=label(rival), **look(rival))
        tokens.update(by_tokens)
        values += curve
    axes.axhline(1, color=LIGHT["ink"], linewidth=1)
    token_axis(axes, tokens)
    axes.set_ylim(min([0.9, *values]) * 0.97, max([1.1, *values]) * 1.05)
    axes.set_ylabel("times as fast as the rival")
    legend_below(axes)
    return Panel(f"peers_{isa}_{thr}t", isa, f"Speed-up over each rival by T, {isa}, {threads(thr)}", figure)
