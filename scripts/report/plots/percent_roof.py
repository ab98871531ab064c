"""Share of the roofline over T: the one number that can be compared between small and large T."""

from lib.stats import geometric_mean
from report.model import label, threads
from report.plots.style import Panel, hundred, impl_order, legend_below, look, new_panel, token_axis

KEY = "percent_roof"
TITLE = "Share of the roofline over T"
HOW = (
    "100 % = the time that the measured bandwidth and peak allow at best. Line: geometric mean over d_model; band: "
    "from the worst to the best d_model. A dip between two good T is a cliff."
)
MISSING = "The sweep over T was not measured."
MEASURE = "swiglu-bench paired --d-model 1024,4096 --tokens 1-512*2 --out sweep.json"


def places(run):
    swept = {(row.isa, row.thr) for row in run.select(impl="native", group=run.main)}
    return [setting for setting in run.settings if setting in swept]


def reading(run):
    """The T where swiglu is farthest from the roof, and what oneDNN does there; then the whole."""
    isa, thr = places(run)[0]
    ours = _by_tokens(run.select(impl="native", isa=isa, thr=thr, group=run.main))
    rivals = _by_tokens(run.strongest_rows(isa=isa, thr=thr, group=run.main))
    T = min(ours, key=ours.get)
    text = f"With {threads(thr)}, the {isa} path is lowest at T = {T}, at {ours[T]:.0f} % of the roof"
    both = [T for T in ours if T in rivals]
    if not both:
        return text + "; oneDNN was not measured."
    lowest = min(both, key=rivals.get)
    text += f"; oneDNN there at {rivals[T]:.0f} %" if T in rivals else ""
    if lowest != T:
        text += f", and lowest itself at T = {lowest}, at {rivals[lowest]:.0f} % (swiglu there: {ours[lowest]:.0f} %)"
    ahead = sum(ours[T] > rivals[T] for T in both)
    return f"{text}; on average over the shapes swiglu is the higher one at {ahead} of {len(both)} T."


def _by_tokens(rows):
    """{T: geometric mean of the share}"""
    return {T: geometric_mean(r.pct_roof for r in rows if r.T == T) for T in sorted({r.T for r in rows})}


def panel(run, isa, thr):
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.0)
    wanted = dict(isa=isa, thr=thr, group=run.main)
    rows = [row for row in run.rows if row.ok and all(getattr(row, k) == v for k, v in wanted.items())]
    for i, impl in enumerate(impl_order({row.impl for row in rows})):
        found = [row for row in rows if row.impl == impl]
        spread = {T: [row.pct_roof for row in found if row.T == T] for T in sorted({row.T for row in found})}
        low, high = ([end(values) for values in spread.values()] for end in (min, max))
        axes.fill_between(list(spread), low, high, color=look(impl)["color"], alpha=0.13, linewidth=0)
        ours_on_top = dict(label=label(impl), zorder=9 - i)
        axes.plot(list(spread), list(_by_tokens(found).values()), **ours_on_top, **look(impl))
    hundred(axes)
    token_axis(axes, {row.T for row in rows})
    axes.set_ylim(0, max([100, *(row.pct_roof for row in rows)]) * 1.06)
    axes.set_ylabel("% of the roofline")
    legend_below(axes)
    return Panel(f"percent_roof_{isa}_{thr}t", isa, f"Percent of roofline over T, {isa}, {threads(thr)}", figure)
