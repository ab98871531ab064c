"""The tables of the report as data: title, what it shows, columns, rows. Nothing here knows HTML."""

import math
from dataclasses import dataclass

from report.model import label
from report.plots.alignment import penalties


@dataclass(frozen=True)
class Table:
    key: str
    title: str
    note: str
    command: str  # the exact command that measured it
    columns: tuple
    rows: tuple  # of tuples; a cell is text or a number (None = not measured)


def tables(run):
    every = (_losses, _points, _speedups, _alignment, _elementwise, _checks, _roofs, _skipped)
    return [table for table in (make(run) for make in every) if table.rows]


def _points(run):
    rows = sorted((r for r in run.rows if r.ok), key=lambda r: (r.isa, r.thr, r.d, r.h, r.T, r.impl))
    return Table(
        "points", "Every measured point",
        "Time per call: median of the samples and its 95 % interval. Shares are of this block's own roofs.",
        command(run, "paired"),
        ("backend", "ISA", "threads", "d_model", "d_ff", "T", "model", "time, µs", "95 % from", "to", "GFLOP/s", "GB/s",
         "% peak", "% bandwidth", "% roof", "tokens/s", "create, ms", "weights", "flags"),
        tuple(
            (label(r.impl), r.isa, r.thr, r.d, r.h, r.T, r.model, _figures(1e6 * r.t), _figures(1e6 * r.ci[0]),
             _figures(1e6 * r.ci[1]), _figures(r.gflops), _figures(r.gbps), _figures(r.pct_peak), _figures(r.pct_bw),
             _figures(r.pct_roof), _figures(r.tokens_per_s), _figures(r.create_ms),
             "cold" if r.cold else "hot" if r.cache == "none" else "not cold", ", ".join(r.flags))
            for r in rows
        ),
    )  # fmt: skip


SPEEDUP_COLUMNS = (
    "ISA", "threads", "d_model", "d_ff", "T", "model", "against", "form", "speed-up", "lower", "upper", "from medians",
    "verdict",
)  # fmt: skip


def _losses(run):
    lost = [s for s in run.against_strongest() if s.verdict == "loss"]
    return Table(
        "losses", "Where oneDNN is faster",
        "Every point whose whole 99 % interval is below 1, worst first.",
        command(run, "paired"), SPEEDUP_COLUMNS, tuple(map(_speedup, sorted(lost, key=lambda s: s.ratio.ratio))),
    )  # fmt: skip


def _speedups(run):
    ordered = sorted(run.speedups, key=lambda s: (s.row.isa, s.row.thr, s.row.d, s.row.h, s.row.T, s.baseline))
    return Table(
        "speedups", "Speed-up over oneDNN, point by point",
        "Time of oneDNN / time of swiglu, paired; bounds 99 % each. “Strongest” is the faster of the two forms.",
        command(run, "paired"), SPEEDUP_COLUMNS, tuple(map(_speedup, ordered)),
    )  # fmt: skip


def _speedup(s):
    bounds = (round(s.ratio.ratio, 3), round(s.ratio.lower, 3), round(s.ratio.upper, 3))
    shape = (s.row.isa, s.row.thr, s.row.d, s.row.h, s.row.T, s.row.model)
    return (*shape, label(s.baseline), label(s.form), *bounds, round(s.of_medians, 3), s.verdict)


def _alignment(run):
    rows = []
    for (isa, thr, T, d), impls in penalties(run).items():
        for impl, by_m in impls.items():
            rows += [
                (label(impl), isa, thr, d, T, m, row.h, _figures(1e6 * row.t), round(penalty, 2))
                for m, (penalty, row) in by_m.items()
            ]
    return Table(
        "alignment", "Cost of an unaligned d_ff",
        "Penalty = time per hidden unit against the point with m = 256.",
        command(run, "paired"),
        ("backend", "ISA", "threads", "d_model", "T", "m", "d_ff", "time, µs", "penalty, %"),
        tuple(rows),
    )  # fmt: skip


def _elementwise(run):
    rows = []
    for name, item in run.elementwise:
        parts = dict(part.split(":", 1) for part in name.split("/") if ":" in part)
        micro = item["real_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[item.get("time_unit", "ns")]
        numbers = [_figures(item[key]) if key in item else None for key in ("gbps", "pct_rw")]
        size = parts.get("n", "")
        rows.append(
            (parts.get("op", name), parts.get("isa", ""), parts.get("level", ""), int(size) if size.isdigit() else None,
             int(item.get("thr", item.get("threads", 1))), _figures(micro), *numbers)
        )  # fmt: skip
    return Table(
        "elementwise", "Elementwise functions",
        "Bytes read plus bytes written, per second; the share is of a loop that only reads and writes as much.",
        command(run, "run"),
        ("function", "ISA", "level", "elements", "threads", "time, µs", "GB/s", "% of plain read and write"),
        tuple(rows),
    )  # fmt: skip


def _checks(run):
    return Table(
        "checks", "Numbers on real weights",
        "Relative error per token against the reference in double precision, before anything was timed.",
        command(run, "check"),
        ("file", "backend", "ISA", "threads", "tokens", "median error", "largest error", "limit", "result"),
        tuple(
            (c["file"], label(c["impl"]), c["isa"], c.get("threads"), c.get("tokens"),
             float(f"{c['median_rel_err']:.2e}"), float(f"{c['max_rel_err']:.2e}"), c["limit"],
             "ok" if c["ok"] else "FAILED")
            for c in run.checks
        ),
    )  # fmt: skip


def _roofs(run):
    peaks = [("peak, GFLOP/s", p.get("isa", ""), p.get("threads"), _figures(p["median"]), _figures(p.get("max")))
             for p in run.calibration.get("peak_gflops", ())]  # fmt: skip
    reads = [("read bandwidth (own kernel), GB/s", "", p.get("threads"), _figures(p["median"]), _figures(p.get("max")))
             for p in run.calibration.get("read_gbps", ())]  # fmt: skip
    trips = [(f"core-to-core round trip {p.get('a')}–{p.get('b')}, ns", "", None, _figures(p.get("median")), None)
             for p in run.calibration.get("round_trip_ns", ())]  # fmt: skip
    return Table(
        "roofs", "Roofs of this machine", "Measured at the start of the run; each block measures its own again.",
        command(run, "paired"), ("what", "ISA", "threads", "median", "largest"), tuple(peaks + reads + trips),
    )  # fmt: skip


def _skipped(run):
    rows = [r for r in run.rows if not r.ok]
    return Table(
        "skipped", "Not measured", "Points that were planned and have no time, with the reason.",
        command(run, "paired"), ("backend", "ISA", "threads", "d_model", "d_ff", "T", "status", "reason"),
        tuple((label(r.impl), r.isa, r.thr, r.d, r.h, r.T, r.status, r.skip_reason) for r in rows),
    )  # fmt: skip


def command(run, command):
    """The command line(s) of this subcommand that made the input, as the program recorded them."""
    lines = [source["argv"] for source in run.sources if source["command"] == command]
    return "\n".join(dict.fromkeys(lines)) or run.context["argv"]


def _figures(value, digits=4):
    """Rounded to 4 figures: more would be noise, and a table of noise is hard to read."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) >= 1000 else rounded
