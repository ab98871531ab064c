"""Roofline: what was reached against what the machine allows, at every T."""

from statistics import median

from matplotlib.ticker import FuncFormatter, NullFormatter

from report.model import label, threads
from report.plots.style import LIGHT, SMALL, Panel, legend_below, look, new_panel

KEY = "roofline"
TITLE = "Roofline"
HOW = (
    "Sloped: the read bandwidth of memory (of the last-level cache: dashed). Flat: the arithmetic peak, those of the "
    "other ISAs in grey. All measured in this run. Points of one shape are joined along T, T growing to the right. "
    "Hollow: cold weights; solid: served by a cache. The distance below the lines is what is left to gain. They are "
    "medians over the run: a hollow point above them had a higher roof in its own seconds."
)
MISSING = "No sweep over T was measured."
MEASURE = "swiglu-bench paired --d-model 1024,4096 --tokens 1-512*2 --out sweep.json"


def places(run):
    return run.settings


def reading(run):
    isa, thr = places(run)[0]
    rows = sorted(_ours(run, isa, thr), key=lambda row: row.T)
    first = max((row for row in rows if row.T == rows[0].T), key=lambda row: row.d)
    last = max((row for row in rows if row.T == rows[-1].T), key=lambda row: row.d)
    lowest = min(rows, key=lambda row: row.pct_roof)
    peak, read = run.ceiling(isa, thr)
    return (
        f"With {threads(thr)} and {isa} the two roofs ({read:.0f} GB/s, {peak:.0f} GFLOP/s) meet at T* = "
        f"{2 * peak / read:.0f}; at d_model {first.d} swiglu streams {first.gbps:.1f} GB/s at T = {first.T} "
        f"({first.pct_roof:.0f} % of the roof) and computes {last.gflops:.0f} GFLOP/s at T = {last.T} "
        f"({last.pct_roof:.0f} %); the farthest from the roof is {lowest.pct_roof:.0f} %, at d_model {lowest.d}, "
        f"T = {lowest.T}."
    )


def _ours(run, isa, thr):
    """Those of the main sweep, or all of an ISA of which only the ladder was measured."""
    rows = run.select(impl="native", isa=isa, thr=thr)
    return [row for row in rows if row.group == run.main] or rows


def panel(run, isa, thr):
    ours = _ours(run, isa, thr)
    points = {row.point for row in ours}
    rivals = [row for row in run.strongest_rows(isa=isa, thr=thr) if row.point in points]
    peak, read = run.ceiling(isa, thr)
    title = f"{isa}, {threads(thr)}\n{read:.0f} GB/s, {peak:.0f} GFLOP/s"
    figure, axes = new_panel(title, height=3.2)
    low, high = min(row.ai for row in ours) / 1.6, max(row.ai for row in ours) * 1.6
    low, high = min(low, peak / read / 2), max(high, peak / read * 2)
    _roofs(run, axes, isa, thr, peak, read, low, high)
    _curves(axes, "native", ours, 3)
    _curves(axes, "onednn-strongest", rivals, 2)
    bottom = min(row.gflops for row in (*ours, *rivals)) / 2.2
    _mark_tokens(axes, ours, bottom, high / low)
    axes.set_xlim(low, high)
    axes.set_ylim(bottom, peak * 2.5)
    axes.set_xlabel("FLOP per byte that must be read or written")
    axes.set_ylabel("GFLOP/s")
    legend_below(axes)
    return Panel(f"roofline_{isa}_{thr}t", isa, f"Roofline, {isa}, {threads(thr)}", figure)


def _roofs(run, axes, isa, thr, peak, read, low, high):
    axes.set_xscale("log")
    axes.set_yscale("log")
    ridge = peak / read
    axes.plot([low, ridge, high], [low * read, peak, peak], color=LIGHT["ink"], linewidth=1.4)
    cache = _cache_gbps(run, thr)
    if cache and cache > 1.3 * read:
        axes.plot([low, peak / cache], [low * cache, peak], color=LIGHT["muted"], linewidth=0.9, linestyle="--")
        axes.annotate(
            f"cache {cache:.0f} GB/s", (peak / cache, peak), xytext=(0, 3), textcoords="offset points", ha="center",
            fontsize=SMALL, color=LIGHT["muted"],
        )  # fmt: skip
    start = {item.get("isa"): item["median"] for item in run.calibration.get("peak_gflops", ())
             if item.get("threads") == thr}  # fmt: skip
    # Peaks of other ISAs are known from the start only, when the machine may have been another one.
    comparable = abs(start.get(isa, peak) / peak - 1) < 0.1
    for item in run.calibration.get("peak_gflops", ()) if comparable else ():
        if item.get("isa") != isa and item.get("threads") == thr and item["median"] < 0.9 * peak:
            axes.plot([item["median"] / read, high], [item["median"]] * 2, color=LIGHT["axis"], linewidth=1)
            axes.annotate(
                f"{item['isa']} peak", (high, item["median"]), xytext=(-4, 3), textcoords="offset points", ha="right",
                fontsize=SMALL, color=LIGHT["muted"],
            )  # fmt: skip
    plain = FuncFormatter(lambda value, _: f"{value:g}")
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter(plain)
        axis.set_minor_formatter(NullFormatter())


def _cache_gbps(run, thr):
    """Bandwidth of the last-level cache (one thread), where the curve over working sets is at half of its size."""
    llc = run.machine.get("llc_used")
    if thr != 1 or not isinstance(llc, (int, float)):
        return None
    inside = [gbps for size, gbps in run.calibration.get("bw_curve", ()) if llc / 4 <= size <= llc / 2]
    return median(inside) if inside else None


def _curves(axes, impl, rows, zorder):
    style = look(impl)
    if rows:  # the legend shows line and marker, which are drawn apart below
        axes.plot([], [], label=label(impl), linewidth=0.9, markersize=3.6, **{**style, "markerfacecolor": "none"})
    for shape in sorted({(row.d, row.h) for row in rows}):
        curve = sorted((row for row in rows if (row.d, row.h) == shape), key=lambda row: row.T)
        line = dict(color=style["color"], linewidth=0.9, zorder=zorder)
        axes.plot([row.ai for row in curve], [row.gflops for row in curve], **line)
        for cold, face in ((True, LIGHT["surface"]), (False, style["color"])):
            dots = [row for row in curve if row.cold == cold]
            axes.plot(
                [row.ai for row in dots], [row.gflops for row in dots], linestyle="none", marker=style["marker"],
                markersize=3.6, markerfacecolor=face, markeredgecolor=style["color"], markeredgewidth=1.1,
                zorder=zorder,
            )  # fmt: skip


def _mark_tokens(axes, rows, bottom, span):
    """T along the lower edge, at the intensity that the widest d_model has there; some are left out if they crowd."""
    widest = max(row.d for row in rows)
    last = 0.0
    for row in sorted((row for row in rows if row.d == widest), key=lambda row: row.T):
        if row.ai > last * span ** (1 / 18):
            text = "T = 1" if row.T == 1 else str(row.T)
            axes.text(row.ai, bottom * 1.06, text, ha="center", va="bottom", fontsize=SMALL, color=LIGHT["muted"])
            last = row.ai
