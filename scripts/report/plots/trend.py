"""Share of the in-run roof over several result files in time: slow drift across commits."""

from collections import Counter
from datetime import datetime
from statistics import fmean, stdev

from lib.stats import geometric_mean
from report.model import threads
from report.plots.style import LIGHT, Panel, legend_below, new_panel

KEY = "trend"
TITLE = "Trend over commits"
HOW = (
    "Geometric mean over d_model of the share of each file's own roof, one mark per file in order of its date; only "
    "files of the same CPU model, tuning and activation. Shares, not times: machines differ from day to day. A vertical "
    "line marks a change: the means of up to five files before and after it differ by more than 2 points and by three "
    "times their spread."
)
MISSING = "No earlier file of the same CPU model, tuning and activation, with a T in common, was given: there is no trend."
MEASURE = "/usr/bin/python3 scripts/report NEW.json --history OLDEST.json … OLD.json"
LOOKS = (("o", "-"), ("s", "--"), ("^", ":"))
WINDOW = 5


def places(run):
    runs = _runs(run)
    return [setting for setting in run.settings if _tokens(runs, *setting)] if len(runs) > 1 else []


def reading(run):
    runs = _runs(run)
    isa, thr = places(run)[0]
    said = []
    for T in _tokens(runs, isa, thr):
        series = _series(runs, isa, thr, T)
        where = [runs[i].context["git_sha"][:9] for i in changes(series)]
        change = f", change at {', '.join(where)}" if where else ""
        said.append(f"T = {T}: {series[0]:.0f} → {series[-1]:.0f} %{change}")
    return f"With {isa} and {threads(thr)}, over {len(runs)} files: {'; '.join(said)}.{_left_out(run)}{_untold(runs)}"


def changes(series):
    """Indices where a new level begins."""
    found = []
    for i in range(2, len(series) - 1):
        before, after = series[max(0, i - WINDOW) : i], series[i : i + WINDOW]
        noise = max(stdev(part) if len(part) > 1 else 0.0 for part in (before, after))
        step = abs(fmean(after) - fmean(before))
        sharp = abs(series[i] - series[i - 1]) > step / 2  # the step itself, not its neighbours
        if step > max(2.0, 3 * noise) and sharp:
            found.append(i)
    return found


def _runs(run):
    """This one and those of the history that may stand in a line with it, by date."""
    same = [old.of(run.activation) for old in run.history if not _other(old, run)]
    return sorted([*same, run], key=lambda r: r.context["date"])


def _other(old, run):
    """What a file has another one of: "CPU model", "tuning" or "activation"; None if nothing."""
    if old.machine["cpu_model"] != run.machine["cpu_model"]:
        return "CPU model"
    if _tuning(old) not in (_tuning(run), None):
        return "tuning"
    return None if old.of(run.activation) else "activation"


def _tuning(run):
    """None in files from before there were several."""
    return run.context.get("tuning")


def _left_out(run):
    counts = Counter(filter(None, (_other(old, run) for old in run.history)))
    return f" Left out: {'; '.join(f'{_files(n)} of another {what}' for what, n in counts.items())}." if counts else ""


def _untold(runs):
    untold = sum(_tuning(run) is None for run in runs)
    return f" The tuning of {_files(untold)} is not known." if 0 < untold < len(runs) else ""


def _files(count):
    return "1 file" if count == 1 else f"{count} files"


def _tokens(runs, isa, thr):
    shared = set.intersection(*({r.T for r in _rows(run, isa, thr)} for run in runs))
    shared = sorted(shared)
    return sorted({shared[0], shared[len(shared) // 2], shared[-1]}) if shared else []


def _rows(run, isa, thr):
    return run.select(impl="native", isa=isa, thr=thr, group=run.main, cache="wei")


def _series(runs, isa, thr, T):
    return [geometric_mean(r.pct_roof for r in _rows(run, isa, thr) if r.T == T) for run in runs]


def panel(run, isa, thr):
    runs = _runs(run)
    figure, axes = new_panel(f"{isa}, {threads(thr)}", height=3.0)
    for (marker, line), T in zip(LOOKS, _tokens(runs, isa, thr)):
        series = _series(runs, isa, thr, T)
        axes.plot(range(len(runs)), series, color=LIGHT["ours"], marker=marker, linestyle=line, label=f"T = {T}")
        for i in changes(series):
            axes.axvline(i - 0.5, color=LIGHT["rival"], linewidth=1)
    every = 1 + len(runs) // 7
    shown = {i: _name(runs[i]) for i in range(0, len(runs), every)}
    axes.set_xticks(list(shown), list(shown.values()))
    axes.set_xlim(-0.4, len(runs) - 0.6)
    axes.set_ylim(bottom=0)
    axes.set_ylabel("% of the roofline")
    legend_below(axes, columns=3, below=30)
    alt = f"Share of roof over {len(runs)} files, {isa}, {threads(thr)}"
    return Panel(f"trend_{isa}_{thr}t", run.isas[0], alt, figure)


def _name(run):
    """Day and commit."""
    try:
        day = datetime.fromisoformat(run.context["date"]).strftime("%d %b")
    except ValueError:
        day = run.context["date"][:10]
    return f"{day}\n{run.context['git_sha'][:6]}"
