"""Speed-up over oneDNN in each of two files, both paired inside their own run."""

from lib.stats import geometric_mean
from report.headline import tally_text
from report.model import threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel, token_axis

KEY = "speedups"
TITLE = "Speed-up over oneDNN in each file"
HOW = (
    "Time of the faster oneDNN form divided by ours, paired inside each run, so that the machine's mood cancels; "
    "geometric mean over the shapes that both files have at that T. If both oneDNN versions are the same, a difference "
    "between the curves is ours."
)
MISSING = "The two files have no point in common that was compared with oneDNN."
MEASURE = "swiglu-bench paired --preset report --out new.json"


def shared(both):
    """[(old Speedup, new Speedup)] against the strongest form, at the same point."""
    old = {s.row.name: s for s in both.old.against_strongest()}
    return [(old[s.row.name], s) for s in both.new.against_strongest() if s.row.name in old]


def places(both):
    found = {(new.row.isa, new.row.thr) for _, new in shared(both)}
    return [setting for setting in both.new.settings if setting in found]


def reading(both):
    old, new = zip(*shared(both))
    means = [geometric_mean(s.ratio.ratio for s in side) for side in (old, new)]
    return (
        f"Over {len(new)} shared points the mean speed-up is {means[0]:.3f}× in the old file ({tally_text(old)}) and "
        f"{means[1]:.3f}× in the new one ({tally_text(new)})."
    )


def panel(both, isa, thr):
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.0)
    pairs = [pair for pair in shared(both) if (pair[1].row.isa, pair[1].row.thr) == (isa, thr)]
    tokens = sorted({new.row.T for _, new in pairs})
    for side, name, role, line in ((0, "old", "other", "--"), (1, "new", "ours", "-")):
        curve = [geometric_mean(pair[side].ratio.ratio for pair in pairs if pair[side].row.T == T) for T in tokens]
        axes.plot(tokens, curve, color=LIGHT[role], linestyle=line, marker="o", label=name)
    axes.axhline(1, color=LIGHT["ink"], linewidth=1)
    token_axis(axes, tokens)
    axes.set_ylabel("times as fast as oneDNN")
    legend_below(axes)
    return Panel(f"speedups_{isa}_{thr}t", isa, f"Speed-up over T, old and new, {isa}, {threads(thr)}", figure)
