"""Old against new: each row's share of its own roof, one dot per row."""

from report.model import place, threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel

KEY = "shares"
TITLE = "Share of the roofline, row by row"
HOW = (
    "Each dot is one row of swiglu: its share of the roof that the old file measured beside it, to the right, against "
    "that in the new file, upwards. On the line nothing changed; above it the new one is closer to its roof. Solid: "
    "the 95 % intervals do not overlap."
)
MISSING = "No row of swiglu was measured in both files."
MEASURE = "swiglu-bench paired --preset report --out new.json"


def moves(both):
    """[(old row, new row, difference in points, whether the intervals are apart)] of native."""
    result = []
    for old, new in both.matched:
        if new.impl == "native" and new.name.startswith("ffn/"):
            _, old_low, old_high = old.interval("pct_roof")
            _, new_low, new_high = new.interval("pct_roof")
            result.append((old, new, new.pct_roof - old.pct_roof, old_high < new_low or new_high < old_low))
    return result


def places(both):
    return sorted({(new.isa, new.thr) for _, new, _, _ in moves(both)}, key=lambda p: (both.isas.index(p[0]), p[1]))


def reading(both):
    found = moves(both)
    better = sum(apart and points > 0 for *_, points, apart in found)
    worse = sum(apart and points < 0 for *_, points, apart in found)
    _, low, down, _ = min(found, key=lambda move: move[2])
    _, high, up, _ = max(found, key=lambda move: move[2])
    return (
        f"Of {len(found)} rows in both files {better} are closer to their roof in the new one, {worse} are farther "
        f"from it and {len(found) - better - worse} cannot be told apart; the largest moves are {up:+.1f} points at "
        f"{place(high)} and {down:+.1f} points at {place(low)}."
    )


def panel(both, isa, thr):
    found = [move for move in moves(both) if (move[1].isa, move[1].thr) == (isa, thr)]
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.4)
    low = min(row.pct_roof for old, new, *_ in found for row in (old, new)) - 4
    high = max(row.pct_roof for old, new, *_ in found for row in (old, new)) + 4
    axes.plot([low, high], [low, high], color=LIGHT["ink"], linewidth=1)
    for apart, name in ((True, "moved"), (False, "not told apart")):
        dots = [(old.pct_roof, new.pct_roof) for old, new, _, a in found if a == apart]
        if dots:
            face = LIGHT["ours"] if apart else "none"
            axes.plot(*zip(*dots), "o", color=LIGHT["ours"], markerfacecolor=face, label=name)
    axes.set_xlim(low, high)
    axes.set_ylim(low, high)
    axes.set_xlabel("old: % of its roofline")
    axes.set_ylabel("new: % of its roofline")
    legend_below(axes)
    return Panel(f"shares_{isa}_{thr}t", isa, f"Share of roof, old against new, {isa}, {threads(thr)}", figure)
