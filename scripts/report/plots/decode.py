"""Decode: share of the read bandwidth at one token, by shape, for every implementation."""

from matplotlib.transforms import blended_transform_factory

from lib.stats import geometric_mean
from report.build import COLD_LIMIT
from report.model import label, shape_labels, threads
from report.plots.style import LIGHT, SMALL, Panel, hundred, impl_order, legend_below, look, new_panel

KEY = "decode"
TITLE = "Decode: share of the read bandwidth"
HOW = (
    "One token per call, cold weights: the bytes that must be read, divided by time and by the bandwidth that a plain "
    "reading loop had beside it; whisker: 95 % interval. Past the dotted line at 110 % weights came from a cache: such "
    "bars are pale, and no headline counts them."
)
MISSING = "Nothing was measured at T = 1 with cold weights."
MEASURE = "swiglu-bench paired --d-model 1024,4096 --tokens 1 --out decode.json"
BAR = 0.8  # of the space between two bars


def places(run):
    return [setting for setting in run.settings if _rows(run, *setting)]


def reading(run):
    isa, thr = places(run)[0]
    shares = {}
    for row in _rows(run, isa, thr):
        if row.cold:
            shares.setdefault(row.impl, []).append(row.pct_bw)
    said = [f"{label(impl)} at {geometric_mean(shares[impl]):.0f} %" for impl in impl_order(shares)]
    if not said:
        return f"With {isa} and {threads(thr)} no row at T = 1 is certified cold, so none says how fast decode is."
    return (
        f"With {isa} and {threads(thr)}, over the shapes on average: {', '.join(said)} of the read bandwidth; what is "
        "missing to 100 % is all that a faster kernel could still gain."
    )


def _rows(run, isa, thr):
    """One per shape and implementation: the shapes of the main sweep, whoever was measured there in whatever sweep."""
    rows = [row for row in run.rows if row.ok and (row.isa, row.thr, row.T, row.cache) == (isa, thr, 1, "wei")]
    main = {(row.d, row.h) for row in rows if row.group == run.main}
    found = {}
    for row in sorted(rows, key=lambda row: row.group != run.main):
        if not main or (row.d, row.h) in main:
            found.setdefault((row.d, row.h, row.impl), row)
    return list(found.values())


def panel(run, isa, thr):
    rows = _rows(run, isa, thr)
    shapes = shape_labels((row.d, row.h) for row in rows)
    impls = impl_order({row.impl for row in rows})
    at = {}
    for shape in shapes:
        for impl in impls:
            for row in rows:
                if (row.d, row.h) == shape and row.impl == impl:
                    at[row] = len(at) + 0.8 * list(shapes).index(shape)  # a gap between shapes
    figure, axes = new_panel(f"{isa}, {threads(thr)}, T = 1", height=1.0 + 0.145 * (max(at.values()) + 1))
    for impl in impls:
        _bars(axes, impl, {row: y for row, y in at.items() if row.impl == impl})
    hundred(axes, "x")
    axes.axvline(100 * COLD_LIMIT, color=LIGHT["muted"], linewidth=0.9, linestyle=":")
    axes.set_xlim(0, max([100 * COLD_LIMIT, *(row.interval("pct_bw")[2] for row in rows)]) * 1.1)
    axes.set_ylim(max(at.values()) + 0.7, -0.7)
    middles = {name: [y for row, y in at.items() if (row.d, row.h) == shape] for shape, name in shapes.items()}
    axes.set_yticks([sum(ys) / len(ys) for ys in middles.values()], list(middles))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_xlabel("% of the read bandwidth")
    axes.set_ylabel("d_model")
    legend_below(axes, columns=3 if len(impls) > 4 else 2)
    return Panel(f"decode_{isa}_{thr}t", isa, f"Share of read bandwidth at T = 1, {isa}, {threads(thr)}", figure)


def _bars(axes, impl, at):
    colour = look(impl)["color"]
    at_left = blended_transform_factory(axes.transAxes, axes.transData)
    for i, (row, y) in enumerate(at.items()):
        value, low, high = row.interval("pct_bw")
        axes.barh(y, value, BAR, color=colour, alpha=1 if row.cold else 0.35, label=label(impl) if i == 0 else None)
        axes.hlines(y, low, high, color=LIGHT["ink"], linewidth=0.9)
        axes.text(0.015, y, f"{value:.0f}", va="center", fontsize=SMALL, transform=at_left,
                  color=LIGHT["cell-strong"] if row.cold else LIGHT["ink"])  # fmt: skip
