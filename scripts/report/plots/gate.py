"""The verdicts of scripts/perf_gate as a forest: ratio, 99 % bounds, the lines that decide."""

from lib import stats
from report.model import threads
from report.plots.style import LIGHT, SMALL, Panel, new_panel

KEY = "gate"
TITLE = "Verdicts of the gate"
HOW = (
    "Time of the new build divided by the old one, both in turns in many launches: dot and two one-sided 99 % bounds. "
    "Slower is only what lies wholly right of the dotted margin, in two looks; a bound wider than the band is no pass."
)
MISSING = "No verdict of the gate was given to this report."
MEASURE = "scripts/perf_gate BASE HEAD, then /usr/bin/python3 scripts/report RESULTS build/perf_gate/result.json"
MEASURED_BY = "scripts/perf_gate BASE HEAD"
COLOUR = {"slower": "rival", "pass": "ours", "inconclusive": "muted"}


def places(run):
    return [(i,) for i in range(len(run.gates))]


def reading(run):
    verdicts = [verdict for gate in run.gates for verdict in gate["verdicts"]]
    largest = max((ratio for gate in run.gates for ratio in _ratios(gate)), key=lambda r: r.ratio)
    widest = max((ratio for gate in run.gates for ratio in _ratios(gate)), key=lambda r: r.upper / r.lower)
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in COLOUR)
    return (
        f"{len(verdicts)} points: {counts}; the largest ratio is {largest.ratio:.3f} [{largest.lower:.3f}, "
        f"{largest.upper:.3f}], and the widest interval reaches {100 * (widest.upper / widest.ratio - 1):.1f} % to "
        "each side."
    )


def _ratios(gate):
    return [stats.paired_ratio(launches) for launches in gate["pairs_head_base_seconds"]]


def panel(run, i):
    gate = run.gates[i]
    ratios, names = _ratios(gate), gate["points"]
    title = f"{gate['isa']}, {threads(gate['threads'])}, margin {100 * gate['margin']:g} %"
    figure, axes = new_panel(title, height=1.0 + 0.28 * len(names))
    for y, (ratio, verdict) in enumerate(zip(ratios, gate["verdicts"])):
        colour = LIGHT[COLOUR.get(verdict, "muted")]
        axes.hlines(y, ratio.lower, ratio.upper, color=colour, linewidth=1.6)
        axes.plot(ratio.ratio, y, "o", color=colour)
        axes.annotate(f"{ratio.ratio:.3f} {verdict}", (ratio.upper, y), xytext=(4, 0), textcoords="offset points",
                      va="center", fontsize=SMALL)  # fmt: skip
    axes.axvline(1, color=LIGHT["ink"], linewidth=1)
    axes.axvline(1 + gate["margin"], color=LIGHT["ink"], linewidth=0.9, linestyle=":")
    low, high = min([0.97, *(r.lower for r in ratios)]), max([1.04, *(r.upper for r in ratios)])
    axes.set_xlim(low - 0.005, high + 0.55 * (high - low))  # room for the verdicts
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.grid(False, axis="y")
    axes.set_xlabel("time new / time old")
    axes.set_ylabel("d_model/d_ff:T")
    return Panel(f"gate_{i}", run.isas[0], f"Gate verdicts, {title}", figure)
