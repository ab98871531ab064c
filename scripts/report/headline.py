"""The three numbers the report opens with: decode, prefill, speed-up. Each for every thread count, each with its CI."""

from dataclasses import dataclass, replace

from lib import stats
from report.model import rows_text, threads


@dataclass(frozen=True)
class Figure:
    """One number: value in [low, high], and what it is about."""

    about: str
    value: float
    low: float
    high: float
    unit: str


@dataclass(frozen=True)
class Headline:
    title: str
    figures: tuple  # of Figure; empty = could not be measured, `note` says why
    note: str
    tally: tuple = ()  # (wins, ties, losses) of a comparison


def headlines(run, said=False):
    """The three of one activation, which the titles name if it is to be `said`."""
    three = (decode(run), prefill(run), speedup(run))
    return tuple(replace(h, title=f"{h.title}, {run.activation}") for h in three) if said else three


def decode(run):
    """% of read bandwidth at T = 1, geometric mean over d_model; only rows certified cold count."""
    isa = run.isas[0]
    figures, left_out = [], 0
    for thr in run.thread_counts(isa):
        rows = run.select(impl="native", isa=isa, thr=thr, T=1, cache="wei", group=run.main)
        cold = [row for row in rows if row.cold]
        left_out += len(rows) - len(cold)
        figures += _mean(cold, "pct_bw", threads(thr))
    note = f"one token (T = 1), cold weights, {isa}; geometric mean over d_model; 95 % interval"
    if left_out:
        note += f"; {rows_text(left_out)} left out as not certified cold"
    return Headline("Decode: share of read bandwidth", tuple(figures), note if figures else "no cold row at T = 1")


def prefill(run):
    """% of FMA peak at the largest T of the sweep, geometric mean over d_model."""
    isa = run.isas[0]
    rows = run.select(impl="native", isa=isa, group=run.main, cache="wei")
    largest = max((row.T for row in rows), default=0)
    figures = []
    for thr in run.thread_counts(isa):
        figures += _mean([row for row in rows if row.thr == thr and row.T == largest], "pct_peak", threads(thr))
    note = f"{largest} tokens at once, {isa}; geometric mean over d_model; 95 % interval"
    return Headline("Prefill: share of arithmetic peak", tuple(figures), note if figures else "no row of the sweep")


def speedup(run):
    """Geometric mean over every point against the faster oneDNN form, and the worst point."""
    title, isa = "Speed-up over oneDNN's strongest form", run.isas[0]
    points = run.against_strongest(isa=isa)
    if not points:
        return Headline(title, (), "oneDNN was not measured: this build or this run had none")
    figures = []
    for thr in run.thread_counts(isa):
        if beside := run.against_strongest(isa=isa, thr=thr):
            figures.append(Figure(threads(thr), *mean_ratio(beside), "×"))
    worst = min(points, key=lambda s: s.ratio.ratio)
    bounds = (worst.ratio.ratio, worst.ratio.lower, worst.ratio.upper)
    figures.append(Figure(f"worst point, a {worst.verdict}", *bounds, "×"))
    note = (
        f"against the faster oneDNN form at each point, {isa}; geometric mean over all {len(points)} points, "
        f"99 % bounds; {tally_text(points)}; worst at {worst.row.where}"
    )
    return Headline(title, tuple(figures), note, tally(points))


def mean_ratio(speedups):
    """(ratio, low, high): from the spread between launches if there were several, else from the rounds of one."""
    ratios = [s.ratio for s in speedups]
    if min(r.launches for r in ratios) > 1 and len({r.launches for r in ratios}) == 1:
        pooled = stats.geometric_mean_ratio(ratios)
        return pooled.ratio, pooled.lower, pooled.upper
    return stats.geometric_mean_interval((r.ratio, r.lower, r.upper) for r in ratios)


def tally(speedups):
    """(wins, ties, losses) by the 99 % interval against 1."""
    verdicts = [s.verdict for s in speedups]
    return tuple(verdicts.count(v) for v in ("win", "tie", "loss"))


def tally_text(speedups):
    parts = zip(tally(speedups), ("win", "tie", "loss"), ("wins", "ties", "losses"))
    return ", ".join(f"{n} {one if n == 1 else many}" for n, one, many in parts)


def _mean(rows, figure, about):
    if not rows:
        return []
    return [Figure(about, *stats.geometric_mean_interval(row.interval(figure) for row in rows), "%")]
