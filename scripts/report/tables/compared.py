"""Tables of two files side by side: shares and paired ratios, never times."""

from report.model import label
from report.plots.compare_speedups import shared
from report.tables.base import Table, command

POINT = ("backend", "ISA", "threads", "d_model", "d_ff", "T")


def shares(both):
    rows = []
    for old, new in both.matched:
        (before, old_low, old_high), (after, new_low, new_high) = (row.interval("pct_roof") for row in (old, new))
        apart = old_high < new_low or new_high < old_low
        verdict = "not told apart" if not apart else "closer" if after > before else "farther"
        interval = (f"[{old_low:.1f}, {old_high:.1f}]", f"[{new_low:.1f}, {new_high:.1f}]")
        shown = (round(before, 1), interval[0], round(after, 1), interval[1], round(after - before, 1), verdict)
        rows.append((*_point(new), *shown))
    return Table(
        "shares", "Share of each file's own roofline",
        "95 % intervals; the difference is in points. “Closer”, “farther”: the intervals do not overlap.",
        command(both, "paired"), (*POINT, "old, %", "old interval", "new, %", "new interval", "points", "verdict"),
        tuple(rows), open=True,
    )  # fmt: skip


def speedups(both):
    return Table(
        "speedups", "Speed-up over oneDNN's strongest form in each file",
        "Paired inside each run; 99 % bounds.",
        command(both, "paired"), (*POINT, "old", "old bounds", "new", "new bounds", "verdict old", "verdict new"),
        tuple(
            (*_point(new.row), round(old.ratio.ratio, 3), _bounds(old), round(new.ratio.ratio, 3), _bounds(new),
             old.verdict, new.verdict)
            for old, new in shared(both)
        ),
    )  # fmt: skip


def only_in_one(both):
    return Table(
        "only", "Only in one file", "Rows without a partner of the same name.", command(both, "paired"),
        ("file", *POINT, "name"), tuple((name, *_point(row), row.name) for name, row in both.only), open=True,
        minor=("name",),
    )  # fmt: skip


def _point(row):
    return (label(row.impl), row.isa, row.thr, row.d, row.h, row.T)


def _bounds(speedup):
    return f"[{speedup.ratio.lower:.3f}, {speedup.ratio.upper:.3f}]"


ALL = (shares, speedups, only_in_one)
