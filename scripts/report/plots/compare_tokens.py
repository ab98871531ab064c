"""Old and new share of the roofline over T."""

from lib.stats import geometric_mean
from report.model import threads
from report.plots.style import LIGHT, Panel, hundred, legend_below, new_panel, token_axis

KEY = "tokens"
TITLE = "Share of the roofline over T"
HOW = (
    "Geometric mean over the shapes that both files have at that T; each file against its own roofs. The band is from "
    "the worst to the best shape."
)
MISSING = "No row of the main sweep was measured in both files."
MEASURE = "swiglu-bench paired --preset report --out new.json"


def _by_tokens(both, isa, thr):
    """{T: [(old row, new row)]} of native's main sweep."""
    found = {}
    for old, new in sorted(both.matched, key=lambda pair: pair[1].T):
        if (new.impl, new.isa, new.thr, new.group, new.cache) == ("native", isa, thr, both.new.main, "wei"):
            found.setdefault(new.T, []).append((old, new))
    return found


def places(both):
    return [setting for setting in both.new.settings if _by_tokens(both, *setting)]


def reading(both):
    isa, thr = places(both)[0]
    means = {T: [geometric_mean(row.pct_roof for row in side) for side in zip(*pairs)]
             for T, pairs in _by_tokens(both, isa, thr).items()}  # fmt: skip
    T = max(means, key=lambda T: abs(means[T][1] - means[T][0]))
    return (
        f"With {isa} and {threads(thr)} the mean share moves most at T = {T}: {means[T][0]:.1f} % → "
        f"{means[T][1]:.1f} % of the roof."
    )


def panel(both, isa, thr):
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.0)
    by_tokens = _by_tokens(both, isa, thr)
    for side, name, role, line in ((0, "old", "other", "--"), (1, "new", "ours", "-")):
        shares = [[pair[side].pct_roof for pair in pairs] for pairs in by_tokens.values()]
        axes.fill_between(list(by_tokens), *zip(*((min(v), max(v)) for v in shares)), color=LIGHT[role], alpha=0.13,
                          linewidth=0)  # fmt: skip
        axes.plot(list(by_tokens), list(map(geometric_mean, shares)), color=LIGHT[role], linestyle=line, marker="o",
                  label=name)  # fmt: skip
    hundred(axes)
    token_axis(axes, by_tokens)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("% of the roofline")
    legend_below(axes)
    return Panel(f"tokens_{isa}_{thr}t", isa, f"Share of roof over T, old and new, {isa}, {threads(thr)}", figure)
