"""Everything beside the block itself: targets, alignment, elementwise functions, checks, roofs."""

from report.machine import peak_beside, read_beside
from report.model import label
from report.plots.alignment import penalties
from report.tables.base import Table, command, figures


def targets(run):
    return Table(
        "targets", "Targets",
        "What the project promises, what was measured, and whether it is met.",
        command(run, "targets"), ("group", "target", "measured", "unit", "wanted", "verdict", "detail"),
        tuple((t.get("group", ""), t["name"], figures(t.get("value")), t["unit"], t["target"], t["verdict"],
               t.get("detail", "")) for t in run.targets),
        open=True, minor=("group", "detail"),
    )  # fmt: skip


def alignment(run):
    rows = []
    for (isa, thr, T), columns in penalties(run).items():
        for (d, impl), by_m in columns.items():
            rows += [
                (label(impl), isa, thr, d, T, row.m, row.h, figures(1e6 * row.t), round(penalty, 2))
                for penalty, row in by_m.values()
            ]
    return Table(
        "alignment", "Cost of an unaligned d_ff",
        "Penalty = time per hidden unit against the point with m = 256.",
        command(run, "paired"),
        ("backend", "ISA", "threads", "d_model", "T", "m", "d_ff", "time, µs", "penalty, %"),
        tuple(rows),
    )  # fmt: skip


def elementwise(run):
    rows = []
    for name, item in run.elementwise:
        parts = dict(part.split(":", 1) for part in name.split("/") if ":" in part)
        micro = item["real_time"] * {"ns": 1e-3, "us": 1, "ms": 1e3, "s": 1e6}[item.get("time_unit", "ns")]
        numbers = [figures(item[key]) if key in item else None for key in ("gbps", "pct_rw")]
        size = parts.get("n", "")
        rows.append(
            (parts.get("op", name), parts.get("isa", ""), parts.get("level", ""), int(size) if size.isdigit() else None,
             int(item.get("thr", item.get("threads", 1))), figures(micro), *numbers)
        )  # fmt: skip
    return Table(
        "elementwise", "Elementwise functions",
        "Bytes read plus bytes written, per second; the share is of a loop that only reads and writes as much.",
        command(run, "run"),
        ("function", "ISA", "level", "elements", "threads", "time, µs", "GB/s", "% of plain read and write"),
        tuple(rows),
    )  # fmt: skip


def checks(run):
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


def roofs(run):
    peaks = [("peak, GFLOP/s", p.get("isa", ""), p.get("threads"), figures(p["median"]), figures(p.get("max")),
              figures(peak_beside(run, p.get("isa"), p.get("threads"))))
             for p in run.calibration.get("peak_gflops", ())]  # fmt: skip
    reads = [("read bandwidth (own kernel), GB/s", "", p.get("threads"), figures(p["median"]), figures(p.get("max")),
              figures(read_beside(run, p.get("threads"))))
             for p in run.calibration.get("read_gbps", ())]  # fmt: skip
    trips = [(f"core-to-core round trip {p.get('a')}–{p.get('b')}, ns", "", None, figures(p.get("median")), None, None)
             for p in run.calibration.get("round_trip_ns", ())]  # fmt: skip
    return Table(
        "roofs", "Roofs of this machine",
        "Median and largest of the probes at the start; then the median of those beside the blocks, which are what "
        "every share is of.",
        command(run, "paired"), ("what", "ISA", "threads", "median", "largest", "beside the blocks"),
        tuple(peaks + reads + trips),
    )  # fmt: skip
