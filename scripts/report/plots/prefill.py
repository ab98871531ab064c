"""Prefill: share of the arithmetic peak over T, one curve per shape."""

from report.model import label, shape_labels, threads
from report.plots.style import LIGHT, Panel, hundred, legend_below, look, new_panel, token_axis

KEY = "prefill"
TITLE = "Prefill: share of the arithmetic peak over T"
HOW = (
    "100 % = every cycle does multiply-adds at the measured peak, the top of the axis. Steep is good, then flat; "
    "a saw-tooth is a T that does not fill the kernel's tile. Few tokens must be low: memory is the limit there."
)
MISSING = "The sweep over T was not measured."
MEASURE = "swiglu-bench paired --d-model 1024,4096 --tokens 1-512*2 --out sweep.json"
LINES = ("-", "--", "-.", ":", (0, (1, 1)), (0, (5, 1, 1, 1, 1, 1)))


def places(run):
    return [setting for setting in run.settings if len({row.T for row in _ours(run, *setting)}) > 1]


def reading(run):
    rows = _ours(run, *places(run)[0])
    largest = max(row.T for row in rows)
    ends = [row for row in rows if row.T == largest]
    low, high = min(ends, key=lambda r: r.pct_peak), max(ends, key=lambda r: r.pct_peak)
    reached = {row.T for row in rows} - {row.T for row in rows if row.pct_peak < 0.9 * low.pct_peak}
    text = (
        f"With {low.isa} and {threads(low.thr)}, at T = {largest} swiglu computes at {low.pct_peak:.0f}–"
        f"{high.pct_peak:.0f} % of the peak; nine tenths of that are reached from T = {min(reached)} on"
    )
    rivals = run.strongest_rows(isa=low.isa, thr=low.thr, group=run.main, T=largest)
    if not rivals:
        return text + "."
    shares = [row.pct_peak for row in rivals]
    return f"{text}; oneDNN's stronger form is at {min(shares):.0f}–{max(shares):.0f} % at T = {largest}."


def _ours(run, isa, thr):
    return run.select(impl="native", isa=isa, thr=thr, group=run.main)


def panel(run, isa, thr):
    wanted = dict(isa=isa, thr=thr, group=run.main)
    rows = {impl: run.rows_of(impl, **wanted) for impl in ("onednn-strongest", "native")}
    shapes = shape_labels((row.d, row.h) for row in rows["native"])
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.1)
    for impl, found in rows.items():
        for line, shape in zip(LINES, shapes):
            curve = sorted(((r.T, r.pct_peak) for r in found if (r.d, r.h) == shape))
            axes.plot(*zip(*curve), color=look(impl)["color"], linestyle=line) if curve else None
    for impl in ("native", "onednn-strongest"):
        if rows[impl]:
            axes.plot([], [], color=look(impl)["color"], label=label(impl))
    for line, name in zip(LINES, shapes.values()):
        axes.plot([], [], color=LIGHT["muted"], linestyle=line, label=f"d_model {name}")
    hundred(axes)
    token_axis(axes, {row.T for row in rows["native"]})
    axes.set_ylim(0, max([100, *(row.pct_peak for found in rows.values() for row in found)]))
    axes.set_ylabel("% of the peak")
    legend_below(axes, handlelength=2.6)
    return Panel(f"prefill_{isa}_{thr}t", isa, f"Percent of peak over T, {isa}, {threads(thr)}", figure)
