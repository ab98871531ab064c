"""The run as it happened: every sample in time order, with what the machine did meanwhile."""

from statistics import median, quantiles

from report.model import threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel
from report.timeline import roofs, samples

KEY = "run_chart"
TITLE = "The run in time order"
HOW = (
    "First picture, top: each sample's time over the median of its own row, in slices of the run; the band holds 80 % "
    "of them, dots are samples more than 20 % off. Flat is a calm machine. Below it the roofs measured between the "
    "samples, in % of their median over the run, and what the system noted: involuntary switches, ticks taken by the "
    "hypervisor, waiting for a CPU (PSI). Second picture: how many samples are how far from their median; a step or a "
    "bend is a second state of the machine."
)
MISSING = "The file holds no raw samples, so the course of the run cannot be shown."
MEASURE = "swiglu-bench paired --preset report --out paired.json"
SLICES = 90
COLOURS = ("ours", "rival", "rival2", "unfused", "peer")
HEALTH = {"nivcsw": "switches", "steal": "stolen", "psi_us": "PSI, µs"}


def places(run):
    return [(_course,), (_spread,)] if len(samples(run)) > 1 else []


def panel(run, draw):
    return draw(run, samples(run))


def reading(run):
    found = samples(run)
    off = sorted(100 * abs(sample.ratio - 1) for sample in found)
    slow = sum(sample.ratio > 1.2 for sample in found)
    text = (
        f"Over {found[-1].t:.0f} s, half of the {len(found)} samples are within {off[len(off) // 2]:.1f} % of their "
        f"row's median and nine tenths within {off[int(0.9 * len(off))]:.1f} %; {slow} are more than 20 % slow"
    )
    moves = []
    for what, by_threads in roofs(run).items():
        for thr, points in by_threads.items():
            values = sorted(value for _, value in points)
            tenth = len(values) // 10
            moves.append(f"the {what} of {threads(thr)} {values[tenth]:.0f}–{values[-1 - tenth]:.0f} %")
    return text + (f"; eight tenths of the probes found {', '.join(moves)} of its median." if moves else ".")


def _course(run, found):
    strips = [(f"{what}, %".replace("bandwidth", "read"), _dots, by_threads) for what, by_threads in roofs(run).items()]
    for key, name in HEALTH.items():
        points = [(s.t, s.health[key]) for s in found if s.health.get(key)]
        if points:
            strips.append((name, _stems, points))
    ratios = (2.4, *[1] * len(strips))
    figure, axes = new_panel("samples over time", 1.75 + 0.75 * len(strips), 1 + len(strips), ratios)
    axes = list(axes) if strips else [axes]
    _samples(axes[0], found)
    for strip, (name, draw, data) in zip(axes[1:], strips):
        draw(strip, data)
        strip.set_ylabel(name)
    for each in axes:
        each.set_xlim(0, found[-1].t)
        each.tick_params(labelbottom=each is axes[-1])
    figure.align_ylabels(axes)
    axes[-1].set_xlabel("seconds since the run began")
    return Panel("run_chart", run.isas[0], "Samples and health of the machine over the run", figure)


def _samples(axes, found):
    width = found[-1].t / SLICES or 1
    slices = {}
    for sample in found:
        slices.setdefault(int(sample.t / width), []).append(100 * sample.ratio)
    xs = [(i + 0.5) * width for i in slices]
    ends = [quantiles(values, n=10)[::8] if len(values) > 1 else values * 2 for values in slices.values()]
    axes.fill_between(xs, *zip(*ends), color=LIGHT["ours"], alpha=0.25, linewidth=0)
    axes.plot(xs, [median(values) for values in slices.values()], color=LIGHT["ours"], linewidth=1)
    far = [(s.t, min(100 * s.ratio, 195)) for s in found if abs(s.ratio - 1) > 0.2]
    if far:
        axes.plot(*zip(*far[:: 1 + len(far) // 400]), ".", color=LIGHT["rival"], markersize=2)
    axes.axhline(100, color=LIGHT["ink"], linewidth=0.8)
    axes.set_ylim(60, 200)
    axes.set_ylabel("% of median")


def _dots(axes, by_threads):
    for colour, (thr, points) in zip(COLOURS, by_threads.items()):
        points = points[:: 1 + len(points) // 300]
        axes.plot(*zip(*points), ".", color=LIGHT[colour], markersize=1.8)
        axes.plot([], [], "s", color=LIGHT[colour], markersize=4, label=threads(thr))
    values = [value for points in by_threads.values() for _, value in points]
    axes.set_ylim(min([80, *values]) - 5, max([115, *values]) * 1.25)  # room for the names
    axes.legend(loc="upper right", ncol=3, borderaxespad=0.1, columnspacing=0.9, handletextpad=0.2)


def _stems(axes, points):
    axes.vlines([t for t, _ in points], 0, [value for _, value in points], color=LIGHT["rival"], linewidth=0.7)
    axes.set_ylim(bottom=0)


def _spread(run, found):
    figure, axes = new_panel("samples by distance", height=2.8)
    steps = [i / 80 for i in range(81)]
    for colour, thr in zip(COLOURS, sorted({s.thr for s in found})):
        off = sorted(100 * abs(s.ratio - 1) for s in found if s.thr == thr)
        axes.plot([off[int(q * (len(off) - 1))] for q in steps], [100 * q for q in steps], color=LIGHT[colour],
                  label=threads(thr))  # fmt: skip
    axes.set_xlim(0, 25)
    axes.set_ylim(0, 100)
    axes.set_xlabel("at most this far from their row's median, %")
    axes.set_ylabel("% of the samples")
    legend_below(axes)
    return Panel("run_chart_spread", run.isas[0], "Cumulative distribution of samples around their median", figure)
