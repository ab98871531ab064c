"""What an odd d_ff costs: time per hidden unit against the nearest odd multiple of 256, as a map m x d_model."""

import math
from collections import defaultdict

from report.model import label, place, threads
from report.plots.heatmap import Cell, heatmap
from report.plots.style import Panel

KEY = "alignment"
TITLE = "Cost of an unaligned d_ff"
HOW = (
    "d_ff is the odd multiple of m nearest to 8/3 · d_model, so m is exactly the largest power of two in it. Cell: "
    "penalty = time per hidden unit against m = 256 (per unit, since d_ff differs a little between the m), and the "
    "d_ff below it. Orange costs, blue gains; hatched: the 95 % interval of the time contains 0. Rows like 2¹²+16 are "
    "d_ff beside powers of two, whose rows collide in the sets of a cache."
)
MISSING = "The alignment sweep was not measured."
MEASURE = "swiglu-bench paired --d-model 2048 --align 1-256*2 --tokens 1,16,256 --out align.json"
ALIGNED = 256
STEPS = (1.01, 1.04, 1.12)
KEY_LABELS = (f"+{100 * STEPS[-1] - 100:.0f} %", "0", f"−{100 - 100 / STEPS[-1]:.0f} %", "costs", "gains")
IMPLS = ("native", "onednn-strongest")


def penalties(run):
    """{(isa, thr, T): {(d, impl): {key: (penalty in %, row)}}} where m = 256 was measured too. The key is ("m", m), or
    ("d_ff", d_ff) for a width that was measured for being near a power of two."""
    result = defaultdict(lambda: defaultdict(dict))
    for impl in IMPLS:
        groups = defaultdict(dict)
        for row in (*_shared(run, impl), *run.rows_of(impl, group="align"), *run.rows_of(impl, group="pow2")):
            key = ("d_ff", row.h) if row.group == "pow2" else ("m", row.m)
            groups[row.isa, row.thr, row.T, row.d, row.cache][key] = row
        for (isa, thr, T, d, _), by_m in groups.items():
            base = by_m.get(("m", ALIGNED))
            if base and len(by_m) > 1:
                unit = base.t / base.h
                result[isa, thr, T][d, impl] = {
                    key: (100 * (by_m[key].t / by_m[key].h / unit - 1), by_m[key]) for key in sorted(by_m, key=_order)
                }
    return dict(sorted(result.items(), key=lambda item: item[0][1:]))


def _order(key):
    """Alignments before widths, each growing."""
    return key[0] != "m", key[1]


def _shared(run, impl):
    """A point that two sweeps share is measured once, in the main one; only m = 256 can be such a point."""
    return (row for row in run.rows_of(impl, group=run.main) if row.m == ALIGNED)


def places(run):
    """(isa, thr, T, impl): one panel while both implementations fit side by side (impl is empty), else one each."""
    found = []
    for where, columns in penalties(run).items():
        impls = [""] if len(columns) <= 6 else [impl for impl in IMPLS if any(i == impl for _, i in columns)]
        found += [(*where, impl) for impl in impls]
    return sorted(found, key=lambda place: (run.isas.index(place[0]), place[1:]))


def reading(run):
    widest, worst = places(run)[0][0], {}
    for (isa, *_), columns in penalties(run).items():
        for (_, impl), by_m in columns.items():
            if isa == widest:
                top = max(by_m.values(), key=lambda item: item[0])
                worst[impl] = max(worst.get(impl, top), top, key=lambda item: item[0])
    parts = [f"{label(impl)} at most {penalty:+.1f} % (d_ff {row.h}, m = {row.m}; {place(row)})"
             for impl, (penalty, row) in sorted(worst.items())]  # fmt: skip
    return f"With {widest}, per hidden unit an unaligned d_ff costs {'; '.join(parts)}."


def panel(run, isa, thr, T, impl):
    columns = {c: by_m for c, by_m in penalties(run)[isa, thr, T].items() if impl in ("", c[1])}
    columns = dict(sorted(columns.items(), key=lambda item: (item[0][0], IMPLS.index(item[0][1]))))
    short = {"native": "swiglu", "onednn-strongest": "oneDNN"}
    heads = {c: f"{c[0]}" if impl else f"{c[0]}\n{short[c[1]]}" for c in columns}
    cells = {(m, c): _cell(*item) for c, by_m in columns.items() for m, item in by_m.items()}
    keys = sorted({key for key, _ in cells}, key=_order)
    rows = {key: str(key[1]) if key[0] == "m" else _near_power(key[1]) for key in keys}
    title = f"{isa}, {threads(thr)}, T = {T}" + (f", {short[impl]}" if impl else "")
    figure, axes = heatmap(title, heads, rows, cells, STEPS, KEY_LABELS, row_height=0.29)
    axes.set_ylabel("m")
    axes.set_xlabel("d_model")
    slug = f"alignment_{isa}_{thr}t_T{T}" + (f"_{short[impl]}" if impl else "")
    return Panel(slug, isa, f"Alignment penalty, {title}", figure)


def _cell(penalty, row):
    low, high = ((100 + penalty) * t / row.t - 100 for t in row.ci)
    if penalty == 0 and row.m == ALIGNED:
        return Cell(f"base\n{row.h}", 1.0)
    text = f"{penalty:+.1f}".replace("-0.0", "0.0").replace("-", "−")
    return Cell(f"{text}\n{row.h}", 1 / (1 + penalty / 100), tie=low <= 0 <= high)


def _near_power(width):
    """4112 is "2¹²+16"."""
    exponent = round(math.log2(width))
    off = width - 2**exponent
    raised = str(exponent).translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"2{raised}" + (f"{off:+d}".replace("-", "−") if off else "")
