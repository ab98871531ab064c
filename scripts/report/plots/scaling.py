"""Threads: how much faster several are than one, beside how much more bandwidth they have."""

from lib.stats import geometric_mean
from report.plots.style import LIGHT, Panel, legend_below, look, new_panel, token_axis

KEY = "scaling"
TITLE = "Thread scaling"
HOW = (
    "Time of one thread divided by time of n, geometric mean over d_model; grey: ideal. Dotted: the read bandwidth of "
    "n threads over that of one, as measured beside these very blocks, which few tokens cannot exceed. All thread "
    "counts are of this run, but not paired; on a shared host the bandwidth of two threads itself moves by half within "
    "seconds (see the run in time order)."
)
MISSING = "Only one thread count was measured."
MEASURE = "swiglu-bench paired --d-model 1024,4096 --threads 1,max --out threads.json"
LINES = ("-", "--", "-.")
IMPLS = (("native", "swiglu"), ("onednn-strongest", "oneDNN"))


def places(run):
    many = [(isa, _over_threads) for isa in _isas(run) if len(run.thread_counts(isa)) > 2]
    return [(isa, _over_tokens) for isa in _isas(run)] + many


def panel(run, isa, draw):
    return draw(run, isa, run.thread_counts(isa))


def reading(run):
    isa = _isas(run)[0]
    n = run.thread_counts(isa)[-1]
    ours, rival = (_gain(run, impl, isa, n) for impl in ("native", "onednn-strongest"))
    said = [f"{ours[T]:.2f}× at T = {T}" + (f" (oneDNN {rival[T]:.2f}×)" if T in rival else "") for T in _chosen(ours)]
    few = min(ours)
    more = f"their read bandwidth is {_bandwidth(run, isa, n)[few]:.2f}× that of one beside the blocks of T = {few}"
    return f"With {isa}, {n} threads are as many times as fast as one: {', '.join(said)}; {more}."


def _isas(run):
    """ISAs whose sweep has one thread and more."""
    return [isa for isa in run.isas if any(_gain(run, "native", isa, n) for n in run.thread_counts(isa) if n > 1)]


def _gain(run, impl, isa, n):
    """{T: t(1) / t(n)}"""
    return _over_one(run, impl, isa, n, lambda one, many: one.t / many.t)


def _bandwidth(run, isa, n):
    """{T: read bandwidth of n threads over that of one}, from the roofs of our rows."""
    return _over_one(run, "native", isa, n, lambda one, many: many.read / one.read)


def _over_one(run, impl, isa, n, ratio):
    """{T: geometric mean of the ratio of the rows with one thread and with n} over the shapes that both have."""
    rows = run.rows_of(impl, isa=isa, group=run.main, cache="wei")
    one = {(r.d, r.h, r.T): r for r in rows if r.thr == 1}
    ratios = {}
    for row in sorted(rows, key=lambda r: r.T):
        if row.thr == n and (row.d, row.h, row.T) in one:
            ratios.setdefault(row.T, []).append(ratio(one[row.d, row.h, row.T], row))
    return {T: geometric_mean(found) for T, found in ratios.items()}


def _chosen(tokens):
    """The smallest, the middle and the largest."""
    tokens = sorted(tokens)
    return sorted({tokens[0], tokens[len(tokens) // 2], tokens[-1]})


def _over_tokens(run, isa, counts):
    n = counts[-1]
    figure, axes = new_panel(f"{isa}, {n} threads over 1", height=2.9)
    axes.axhline(n, color=LIGHT["axis"], linewidth=1.5, label="ideal")
    tokens = set()
    for impl, name in IMPLS:
        gain = _gain(run, impl, isa, n)
        tokens.update(gain)
        axes.plot(list(gain), list(gain.values()), label=name, **look(impl)) if gain else None
    bandwidth = _bandwidth(run, isa, n)
    axes.plot(list(bandwidth), list(bandwidth.values()), color=LIGHT["ink"], linestyle=":", label="read bandwidth")
    token_axis(axes, tokens)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("times as fast as one thread")
    legend_below(axes)
    return Panel(f"scaling_{isa}_{n}t", isa, f"{n} threads against one, {isa}", figure)


def _over_threads(run, isa, counts):
    figure, axes = new_panel(f"{isa}, by number of threads", height=3.1)
    axes.plot(counts, counts, color=LIGHT["axis"], linewidth=1.5, label="ideal")
    tokens = _chosen(_gain(run, "native", isa, counts[-1]))
    for impl, name in IMPLS:
        gains = {n: _gain(run, impl, isa, n) for n in counts}
        for line, T in zip(LINES, tokens):
            curve = {n: gain[T] for n, gain in gains.items() if T in gain}
            style = {**look(impl), "linestyle": line}
            axes.plot(list(curve), list(curve.values()), label=f"{name}, T = {T}", **style) if curve else None
    beside = {n: _bandwidth(run, isa, n) for n in counts}
    bandwidth = {n: by_T[tokens[0]] for n, by_T in beside.items() if tokens[0] in by_T}
    axes.plot(list(bandwidth), list(bandwidth.values()), color=LIGHT["ink"], linestyle=":", label="read bandwidth")
    axes.set_xticks(counts)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("threads")
    axes.set_ylabel("times as fast as one thread")
    legend_below(axes)
    return Panel(f"scaling_{isa}", isa, f"Thread scaling, {isa}", figure)
