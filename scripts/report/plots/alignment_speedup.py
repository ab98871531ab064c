"""The cells of the alignment map again, as speed-up against the strongest form of oneDNN."""

from report.headline import tally_text
from report.model import place, threads
from report.plots.alignment import ALIGNED
from report.plots.heatmap import heatmap
from report.plots.speedup import KEY_LABELS, STEPS, cell
from report.plots.style import Panel

KEY = "alignment_speedup"
TITLE = "Speed-up over oneDNN at unaligned d_ff"
HOW = (
    "The same widths as above, d_model by m, T in the columns: time of the faster oneDNN form divided by ours, paired "
    "in time. Colours, hatching and frames as in the map before."
)
MISSING = "The alignment sweep was not measured beside oneDNN."
MEASURE = "swiglu-bench paired --d-model 2048 --align 1-256*2 --tokens 1,16,256 --out align.json"


def places(run):
    found = sorted({(s.row.isa, s.row.thr, s.row.d) for s in _points(run)})
    found.sort(key=lambda f: (run.isas.index(f[0]), f[1:]))
    return found


def reading(run):
    points = [s for s in _points(run) if s.row.isa == run.isas[0]] or _points(run)
    worst = min(points, key=lambda s: s.ratio.ratio)
    best = max(points, key=lambda s: s.ratio.ratio)
    return (
        f"At {len(points)} unaligned and aligned widths: {tally_text(points)}; from {worst.ratio.ratio:.2f}× at "
        f"m = {worst.row.m} ({place(worst.row)}) to {best.ratio.ratio:.2f}× at m = {best.row.m} ({place(best.row)})."
    )


def _points(run):
    """Those of the alignment sweep, and the aligned width that it shares with the main one."""
    swept = [s for s in run.against_strongest() if s.row.group in ("align", "pow2")]
    have = {_place(s) for s in swept if s.row.m == ALIGNED}
    lack = {_place(s) for s in swept} - have
    return swept + [s for s in run.against_strongest(group=run.main, m=ALIGNED) if _place(s) in lack]


def _place(speedup):
    return (speedup.row.isa, speedup.row.thr, speedup.row.d, speedup.row.T)


def panel(run, isa, thr, d):
    points = [s for s in _points(run) if (s.row.isa, s.row.thr, s.row.d) == (isa, thr, d)]
    tokens = {T: f"T = {T}" for T in sorted({s.row.T for s in points})}
    rows = {(m, h): f"{m}  ({h})" for m, h in sorted({(s.row.m, s.row.h) for s in points})}
    cells = {((s.row.m, s.row.h), s.row.T): cell(s) for s in points}
    title = f"{isa}, {threads(thr)}, d_model {d}: {tally_text(points)}"
    figure, axes = heatmap(title.replace(": ", "\n"), tokens, rows, cells, STEPS, KEY_LABELS)
    axes.set_ylabel("m  (d_ff)")
    return Panel(f"alignment_speedup_{isa}_{thr}t_d{d}", isa, f"Speed-up by alignment, {title}", figure)
