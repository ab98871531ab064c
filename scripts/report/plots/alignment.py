"""What an odd d_ff costs: time per hidden unit against the nearest multiple of 256."""

from collections import defaultdict
from functools import partial

from report.model import label, threads
from report.plots.style import BACKEND, LIGHT, Panel, new_panel

KEY = "alignment"
TITLE = "Cost of an unaligned d_ff"
HOW = (
    "d_ff is the odd multiple of m nearest to 8/3 · d_model, so m is exactly the largest power of two in it. Penalty = "
    "time per hidden unit against m = 256 (per unit, since d_ff differs a little between the m); the bar on each point "
    "is the 95 % interval of its time. Below 0: cheaper than the aligned width."
)
ALIGNED = 256


def penalties(run):
    """{(isa, thr, T, d): {impl: {m: (penalty in %, row)}}} of the alignment sweep, where m = 256 was measured too."""
    result = defaultdict(lambda: defaultdict(dict))
    groups = defaultdict(dict)
    for impl, either in (("native", partial(run.select, impl="native")), ("onednn-strongest", run.strongest_rows)):
        # A point that two sweeps share is measured once, in the main one; only m = 256 can be such a point.
        shared = (row for row in either(group=run.main) if row.m == ALIGNED)
        for row in (*shared, *either(group="align")):
            groups[(row.isa, row.thr, row.T, row.d), impl, row.cache][row.m] = row
    for (key, impl, _), by_m in groups.items():
        if ALIGNED in by_m and len(by_m) > 1:
            unit = by_m[ALIGNED].t / by_m[ALIGNED].h
            result[key][impl] = {m: (100 * (row.t / row.h / unit - 1), row) for m, row in sorted(by_m.items())}
    return dict(sorted(result.items(), key=lambda item: item[0][1:]))


def panels(run):
    by_place = penalties(run)
    shown = [p for impls in by_place.values() for by_m in impls.values() for p, _ in by_m.values()]
    # One scale for all panels, so that they can be compared.
    limits = (min([-5, *shown]) - 2, max([10, *shown]) + 2)
    places = sorted(by_place, key=lambda place: (run.isas.index(place[0]), place[1:]))
    return [_panel(place, by_place[place], limits) for place in places]


def reading(run):
    by_place = penalties(run)
    isa = run.isas[0]
    worst = {}
    for (place_isa, *_), impls in by_place.items():
        for impl, by_m in impls.items():
            if place_isa == isa:
                top = max(by_m.values(), key=lambda item: item[0])
                worst[impl] = max(worst.get(impl, top), top, key=lambda item: item[0])
    if "native" not in worst:
        return "The alignment sweep was not measured."
    parts = [
        f"{label(impl)} at most {penalty:+.1f} % (d_ff {row.h}, m = {row.m}, T = {row.T}, {threads(row.thr)})"
        for impl, (penalty, row) in sorted(worst.items())
    ]
    return f"With {isa}, per hidden unit an unaligned d_ff costs {'; '.join(parts)}."


def _panel(place, impls, limits):
    isa, thr, T, d = place
    figure, axes = new_panel(f"{isa}, {threads(thr)}, T = {T}, d_model {d}")
    axes.axhline(0, color=LIGHT["ink"], linewidth=1.2)
    ms = sorted({m for by_m in impls.values() for m in by_m})
    for impl in ("onednn-strongest", "native"):
        if impl in impls:
            spread = [_interval(penalty, row) for penalty, row in impls[impl].values()]
            axes.vlines(list(impls[impl]), *zip(*spread), color=BACKEND[impl]["color"], linewidth=1, alpha=0.6)
            axes.plot(list(impls[impl]), [p for p, _ in impls[impl].values()], label=label(impl), **BACKEND[impl])
    axes.set_xscale("log", base=2)
    rows = {m: row for by_m in impls.values() for m, (_, row) in by_m.items()}
    axes.set_xticks(ms, [f"{m}\n{rows[m].h}" for m in ms], fontsize=7.5)
    axes.minorticks_off()
    axes.set_ylim(limits)
    axes.set_xlabel("m, the largest power of two in d_ff; below it d_ff")
    axes.set_ylabel("penalty per hidden unit, %")
    axes.legend(loc="best")
    return Panel(f"alignment_{isa}_{thr}t_T{T}_d{d}", isa, f"Alignment penalty, {isa}, {threads(thr)}, T = {T}", figure)


def _interval(penalty, row):
    """The penalty's ends when the row's time takes the ends of its interval."""
    return tuple((100 + penalty) * t / row.t - 100 for t in row.ci)
