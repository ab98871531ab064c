"""What fusion buys: the phases of our own unfused block beside the fused one."""

from report.model import threads
from report.plots.style import LIGHT, SMALL, Panel, legend_below, new_panel

KEY = "fusion"
TITLE = "What fusion saves"
HOW = (
    "Upper bar of each T: our unfused block (two matrix products, an activation pass, a third product), its phases in "
    "% of its time. Lower bar: the fused block in the same rounds, with its 99 % bounds. Black line: what a block that "
    "only waits for memory would take without writing and reading the intermediates; nothing but arithmetic that "
    "overlaps better can go below it."
)
MISSING = "The unfused block was not measured."
MEASURE = "swiglu-bench paired --d-model 2048 --tokens 1-512*2 --impl native,unfused --out fusion.json"
PHASES = (("gate and up", "unfused", 1.0), ("activation pass", "rival", 1.0), ("down", "unfused", 0.55),
          ("overhead", "other", 0.6))  # fmt: skip


def places(run):
    found = {(s.row.isa, s.row.thr) for s in _points(run)}
    return [setting for setting in run.settings if setting in found]


def reading(run):
    points = [s for s in _points(run) if s.row.isa == run.isas[0]] or _points(run)
    best = max(points, key=lambda s: s.ratio.ratio)
    worst = min(points, key=lambda s: s.ratio.ratio)
    pays = [s for s in points if s.verdict == "win"]
    return (
        f"Fusion is shown to pay at {len(pays)} of {len(points)} points; it saves {_percent(_saved(best))} of the "
        f"unfused time at best (d_model {best.row.d}, T = {best.row.T}; the byte model: {100 - _limit(best.row):.1f} "
        f"%) and {_percent(_saved(worst))} at worst (d_model {worst.row.d}, T = {worst.row.T}; the byte model: "
        f"{100 - _limit(worst.row):.1f} %)."
    )


def _points(run):
    return [s for s in run.speedups if s.baseline == "unfused"]


def _saved(speedup):
    return 100 - 100 / speedup.ratio.ratio


def _percent(value):
    return f"{round(value, 1) + 0.0:.1f} %".replace("-", "−")  # no minus before a zero


def _limit(row):
    """Bytes of the fused block in % of those of the unfused one: gate, up and hidden, each written and read, f32."""
    minimum = 12 * row.d * row.h + 8 * row.T * row.d
    return 100 * minimum / (minimum + 24 * row.T * row.h)


def panel(run, isa, thr):
    points = [s for s in _points(run) if (s.row.isa, s.row.thr) == (isa, thr)]
    shapes = [(s.row.d, s.row.h) for s in points]
    shape = max(set(shapes), key=lambda shape: (shapes.count(shape), shape))  # that with most T, then the largest
    by_tokens = {s.row.T: s for s in sorted(points, key=lambda s: s.row.T) if (s.row.d, s.row.h) == shape}
    unfused = {row.T: row for row in run.select(impl="unfused", isa=isa, thr=thr, d=shape[0], h=shape[1])}
    figure, axes = new_panel(f"{isa}, {threads(thr)}, d_model {shape[0]}", height=1.15 + 0.3 * len(by_tokens))
    for y, (T, s) in enumerate(by_tokens.items()):
        _stack(axes, y - 0.2, unfused.get(T))
        fused = [100 / ratio for ratio in (s.ratio.ratio, s.ratio.upper, s.ratio.lower)]
        axes.barh(y + 0.2, fused[0], 0.36, color=LIGHT["ours"], label="fused" if y == 0 else None)
        axes.hlines(y + 0.2, fused[1], fused[2], color=LIGHT["ink"], linewidth=0.9)
        axes.vlines(_limit(s.row), y - 0.44, y + 0.44, color=LIGHT["ink"], linewidth=1.6)
        axes.text(max(101, fused[2] + 1), y + 0.2, f"{fused[0]:.0f}", va="center", fontsize=SMALL)
    axes.set_yticks(range(len(by_tokens)), [f"T = {T}" for T in by_tokens])
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_ylim(len(by_tokens) - 0.45, -0.55)
    axes.set_xlim(0, min(160, max(112, *(100 / s.ratio.lower + 10 for s in by_tokens.values()))))
    axes.set_xlabel("% of the unfused block's time")
    legend_below(axes, columns=3)
    return Panel(f"fusion_{isa}_{thr}t", isa, f"Fused against unfused, {isa}, {threads(thr)}", figure)


def _stack(axes, y, row):
    """The phases of one unfused row; where the program did not time them, one bar."""
    first = y < 0
    if row is None or not row.phases:
        axes.barh(y, 100, 0.36, color=LIGHT["unfused"], label="unfused" if first else None)
        return
    shares = [100 * t / row.t for t in row.phases]
    left = 0
    for share, (name, role, alpha) in zip([*shares, max(0, 100 - sum(shares))], PHASES):
        axes.barh(y, share, 0.36, left=left, color=LIGHT[role], alpha=alpha, label=name if first else None)
        left += share
