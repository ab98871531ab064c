"""Share of the roofline over T: the one number that can be compared between small and large T."""

from lib.stats import geometric_mean
from report.model import label, threads
from report.plots.style import BACKEND, LIGHT, Panel, new_panel, token_axis

KEY = "percent_roof"
TITLE = "Share of the roofline over T"
HOW = (
    "100 % = the time that the measured bandwidth and peak allow at best. Line: geometric mean over d_model; band: "
    "from the worst to the best d_model. A dip between two good T is a cliff."
)
IMPLS = ("onednn-wide", "onednn-post_ops", "reference", "native")  # drawn in this order: ours on top


LADDER = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."))  # marker and line of the ISAs, widest first


def panels(run):
    swept = {(row.isa, row.thr) for row in run.select(impl="native", group=run.main)}
    return [_panel(run, isa, thr) for isa, thr in run.settings if (isa, thr) in swept] + _ladder(run)


def reading(run):
    rows = run.select(impl="native", isa=run.isas[0], group=run.main)
    if not rows:
        return "The sweep was not measured."
    worst, best = min(rows, key=lambda r: r.pct_roof), max(rows, key=lambda r: r.pct_roof)
    mean = geometric_mean(r.pct_roof for r in rows)
    text = (
        f"With {run.isas[0]}, swiglu is at {mean:.0f} % of the roofline on average, from {worst.pct_roof:.0f} % "
        f"(d_model {worst.d}, T = {worst.T}, {threads(worst.thr)}) to {best.pct_roof:.0f} %"
    )
    rivals = {row.point: row for row in run.strongest_rows(isa=run.isas[0], group=run.main)}
    both = [(row, rivals[row.point]) for row in rows if row.point in rivals]
    if not both:
        return text + "; oneDNN was not measured."
    behind = sum(ours.pct_roof < rival.pct_roof for ours, rival in both)
    lowest = min((rival for _, rival in both), key=lambda r: r.pct_roof)
    mean = geometric_mean(r.pct_roof for _, r in both)
    return (
        f"{text}; oneDNN's stronger form is at {mean:.0f} % on average and falls to {lowest.pct_roof:.0f} % "
        f"(d_model {lowest.d}, T = {lowest.T}, {threads(lowest.thr)}); swiglu is the lower of the two at {behind} of "
        f"{len(both)} points."
    )


def _panel(run, isa, thr):
    figure, axes = new_panel(f"{isa}, {threads(thr)}")
    tokens, top = set(), 100.0
    for impl in IMPLS:
        rows = run.select(impl=impl, isa=isa, thr=thr, group=run.main)
        by_tokens = {T: [row.pct_roof for row in rows if row.T == T] for T in sorted({row.T for row in rows})}
        if not by_tokens:
            continue
        tokens.update(by_tokens)
        top = max(top, *(max(values) for values in by_tokens.values()))
        xs = list(by_tokens)
        axes.fill_between(
            xs, [min(v) for v in by_tokens.values()], [max(v) for v in by_tokens.values()],
            color=BACKEND[impl]["color"], alpha=0.13, linewidth=0,
        )  # fmt: skip
        axes.plot(xs, [geometric_mean(v) for v in by_tokens.values()], label=label(impl), **BACKEND[impl])
    axes.axhline(100, color=LIGHT["ink"], linewidth=1.2)
    token_axis(axes, tokens or {1, 2})
    axes.set_ylim(0, top * 1.06)
    axes.set_ylabel("% of the roofline")
    axes.legend(loc="best")
    return Panel(f"percent_roof_{isa}_{thr}t", isa, f"Percent of roofline over T, {isa}, {threads(thr)}", figure)


def _ladder(run):
    """One shape on every ISA, each against its own roof."""
    rungs = run.select(impl="native", group="ladder")
    if not rungs:
        return []
    d, h, thr = max((row.d, row.h, row.thr) for row in rungs)
    tokens, top = {row.T for row in rungs}, 100.0
    figure, axes = new_panel(f"every ISA, {threads(thr)}, d_model {d}")
    for isa, (marker, line) in zip(run.isas, LADDER):
        rows = sorted(
            (row for row in run.select(impl="native", isa=isa, thr=thr, d=d, h=h) if row.T in tokens),
            key=lambda row: row.T,
        )
        top = max([top, *(row.pct_roof for row in rows)])
        axes.plot(
            [row.T for row in rows], [row.pct_roof for row in rows], color=LIGHT["ours"], marker=marker, linestyle=line,
            label=f"swiglu, {isa}",
        )  # fmt: skip
    axes.axhline(100, color=LIGHT["ink"], linewidth=1.2)
    token_axis(axes, tokens)
    axes.set_ylim(0, top * 1.06)
    axes.set_ylabel("% of this ISA's own roofline")
    axes.legend(loc="best")
    return [Panel("percent_roof_ladder", run.isas[0], f"Percent of each ISA's own roofline, d_model {d}", figure)]
