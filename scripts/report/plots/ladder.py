"""ISA ladder: the same shape on every instruction set of the machine, each against its own roof."""

from report.model import threads
from report.plots.style import LIGHT, SMALL, Panel, hundred, new_panel

KEY = "ladder"
TITLE = "Every instruction set against its own roof"
HOW = (
    "Each ISA has its own arithmetic peak, measured in this run (a frequency cost of wide vectors is in it). Bar: "
    "share of the roofline of that ISA; number at the right: GFLOP/s. A low bar is a kernel with room, not a slow ISA."
)
MISSING = "Only one instruction set was measured."
MEASURE = "swiglu-bench paired --isa portable,avx2,avx512 --models TinyLlama-1.1B --impl native --out ladder.json"


def places(run):
    return [()] if _ladder(run) else []


def reading(run):
    found = _ladder(run)
    T = max(row.T for row in found)
    rows = [row for isa in run.isas for row in found if (row.isa, row.T) == (isa, T)]
    rungs = [f"{row.isa} {row.gflops:.0f} GFLOP/s ({row.pct_roof:.0f} % of its roof)" for row in rows]
    return f"At d_model {rows[0].d}, T = {T}, {threads(rows[0].thr)}: {', '.join(rungs)}."


def _ladder(run):
    """Native rows of one shape and thread count, at the T that more than one ISA has."""
    by_place = {}
    for row in run.select(impl="native", cache="wei"):
        by_place.setdefault((row.d, row.h, row.thr, row.T), {})[row.isa] = row
    shared = {key: isas for key, isas in by_place.items() if len(isas) > 1}
    if not shared:
        return []
    shape = max(shared, key=lambda key: (len(shared[key]), key[0], key[1], -key[2]))[:3]
    return [row for key, isas in sorted(shared.items()) if key[:3] == shape for row in isas.values()]


def panel(run):
    rows = _ladder(run)
    tokens = sorted({row.T for row in rows})
    isas = [isa for isa in run.isas if any(row.isa == isa for row in rows)]
    title = f"d_model {rows[0].d}, d_ff {rows[0].h}, {threads(rows[0].thr)}"
    figure, axes = new_panel(title, height=0.7 + 0.19 * len(tokens) * (len(isas) + 0.8))
    ticks = {}
    for row in rows:
        y = tokens.index(row.T) * (len(isas) + 0.8) + isas.index(row.isa)
        ticks[y] = f"{row.isa}, T = {row.T}"
        axes.barh(y, row.pct_roof, 0.78, color=LIGHT["ours"], alpha=1 - 0.22 * isas.index(row.isa))
        axes.text(max(100, row.pct_roof) + 2, y, f"{row.gflops:.0f}", va="center", fontsize=SMALL)
    hundred(axes, "x")
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_ylim(max(ticks) + 0.7, -0.7)
    axes.set_xlim(0, max([100, *(row.pct_roof for row in rows)]) * 1.2)
    axes.set_xlabel("% of this ISA's own roofline")
    return Panel("ladder", run.isas[0], f"Every ISA against its own roofline, {title}", figure)
