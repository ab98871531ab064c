"""Paired comparisons, point by point."""

from report.model import label
from report.tables.base import Table, activation, command

COLUMNS = (
    "ISA", "threads", "d_model", "d_ff", "T", "model", "against", "form", "speed-up", "lower", "upper", "from medians",
    "verdict",
)  # fmt: skip
MINOR = ("model", "from medians")


def losses(run):
    lost = [s for s in run.every_speedup if s.verdict == "loss" and s.kind != "ffn2"]
    return Table(
        "losses", "Where a rival is faster",
        "Every comparison whose whole 99 % interval is below 1, worst first.",
        command(run, "paired"), _columns(run), _lines(run, sorted(lost, key=lambda s: s.ratio.ratio)),
        minor=MINOR, open=True,
    )  # fmt: skip


def speedups(run):
    return Table(
        "speedups", "Speed-up over each rival, point by point",
        "Time of the rival / time of swiglu, paired; bounds 99 % each. “Strongest” is the fastest of oneDNN's forms.",
        command(run, "paired"), _columns(run), _lines(run, _chosen(run, ffn2=False)), minor=MINOR,
    )  # fmt: skip


def two_matrix(run):
    return Table(
        "two-matrix", "Beside a block of two matrices with as many parameters",
        "Time of y = silu(x·W1)·W2 with d_ff = 4 · d_model / time of the gated block, paired; bounds 99 % each. Both "
        "read as many weights and do as much arithmetic.",
        command(run, "paired"), _columns(run), _lines(run, _chosen(run, ffn2=True)), minor=(*MINOR, "form"),
    )  # fmt: skip


def _columns(run):
    return (*activation(run)[0], *COLUMNS)


def _chosen(run, ffn2):
    chosen = [s for s in run.every_speedup if (s.kind == "ffn2") == ffn2]
    return sorted(chosen, key=lambda s: (s.row.isa, s.row.thr, s.row.d, s.row.h, s.row.T, s.baseline))


def _lines(run, speedups):
    _, cell = activation(run)
    return tuple((*cell(s.row), *_line(s)) for s in speedups)


def _line(s):
    bounds = (round(s.ratio.ratio, 3), round(s.ratio.lower, 3), round(s.ratio.upper, 3))
    shape = (s.row.isa, s.row.thr, s.row.d, s.row.h, s.row.T, s.row.model)
    return (*shape, label(s.baseline), label(s.form), *bounds, round(s.of_medians, 3), s.verdict)
