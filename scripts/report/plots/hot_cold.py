"""Hot against cold weights, over the size of the weights: the cache cliff, and the proof that cold is cold."""

from report.model import threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel

KEY = "hot_cold"
TITLE = "Cold weights against weights in a cache"
HOW = (
    "Time with weights that no cache can hold (calls rotate over several copies) divided by time with one copy, read "
    "again and again, over the size of the weights as a multiple of the last-level cache. Both in this run, minutes "
    "apart, so a few percent mean nothing. Left of 1× the ratio shows what a cache would flatter; right of it, or at "
    "large T, it must come down to 1."
)
MISSING = "Weights served by a cache (hot rows) were not measured, so nothing here shows what coldness costs."
MEASURE = "swiglu-bench paired --models SmolLM2-135M,TinyLlama-1.1B --cold-cache none --impl native --out hot.json"
LOOKS = (("o", "-"), ("s", "--"), ("^", ":"), ("D", "-."), ("v", "-"))


def places(run):
    llc = run.machine.get("llc_used")
    return [s for s in run.settings if s in _ratios(run)] if isinstance(llc, (int, float)) and llc > 0 else []


def reading(run):
    points = [point for by_tokens in _ratios(run).values() for found in by_tokens.values() for point in found]
    top, most = max(points, key=lambda p: p[0])
    size = most.weight_bytes / run.machine["llc_used"]
    bottom, least = min(points, key=lambda p: p[0])
    return (
        f"Coldness costs most at d_model {most.d}, T = {most.T} ({size:.2g} × the cache): {top:.2f} × the time of a "
        f"hot call; least at d_model {least.d}, T = {least.T}: {bottom:.2f} ×."
    )


def _ratios(run):
    """{(isa, thr): {T: [(t_cold / t_hot, cold row)]}} of native."""
    hot = {(r.d, r.h, r.T, r.isa, r.thr): r for r in run.select(impl="native", cache="none")}
    found = {}
    for row in sorted(run.select(impl="native", cache="wei"), key=lambda r: r.weight_bytes):
        match = hot.get((row.d, row.h, row.T, row.isa, row.thr))
        if match:
            found.setdefault((row.isa, row.thr), {}).setdefault(row.T, []).append((row.t / match.t, row))
    return found


def panel(run, isa, thr):
    by_tokens, llc = _ratios(run)[isa, thr], run.machine["llc_used"]
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=2.9)
    for i, T in enumerate(sorted(by_tokens)):
        marker, line = LOOKS[i % len(LOOKS)]
        xs = [row.weight_bytes / llc for _, row in by_tokens[T]]
        axes.plot(xs, [ratio for ratio, _ in by_tokens[T]], color=LIGHT["ours"], marker=marker, linestyle=line,
                  alpha=1 - 0.15 * min(i, 4), label=f"T = {T}")  # fmt: skip
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:g}×")
    axes.minorticks_off()
    axes.axhline(1, color=LIGHT["ink"], linewidth=1)
    axes.axvline(1, color=LIGHT["muted"], linewidth=0.9, linestyle=":")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("weights / last-level cache")
    axes.set_ylabel("time cold / time hot")
    legend_below(axes, columns=4)
    return Panel(f"hot_cold_{isa}_{thr}t", isa, f"Cold against hot weights, {isa}, {threads(thr)}", figure)
