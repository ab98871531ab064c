"""Every row of the file: its time, or why there is none."""

from report.model import label
from report.tables.base import Table, activation, command, figures


def points(run):
    rows = sorted((r for r in run.every_row if r.ok), key=lambda r: (r.isa, r.thr, r.d, r.h, r.T, r.name))
    column, cell = activation(run)
    return Table(
        "points", "Every measured point",
        "Time per call: median of the samples and its 95 % interval. Shares are of this block's own roofs.",
        command(run, "paired"),
        ("backend", *column, "ISA", "threads", "d_model", "d_ff", "T", "model", "time, µs", "95 % from", "to",
         "GFLOP/s", "GB/s", "% peak", "% bandwidth", "% roof", "tokens/s", "create, ms", "weights", "flags"),
        tuple(
            (label(r.impl), *cell(r), r.isa, r.thr, r.d, r.h, r.T, r.model, figures(1e6 * r.t), figures(1e6 * r.ci[0]),
             figures(1e6 * r.ci[1]), figures(r.gflops), figures(r.gbps), figures(r.pct_peak), figures(r.pct_bw),
             figures(r.pct_roof), figures(r.tokens_per_s), figures(r.create_ms),
             "cold" if r.cold else "hot" if r.cache == "none" else "not cold", ", ".join(r.flags))
            for r in rows
        ),
        minor=("model", "GB/s", "tokens/s", "create, ms", "% peak", "% bandwidth"),
    )  # fmt: skip


def skipped(run):
    rows = [r for r in run.every_row if not r.ok]
    column, cell = activation(run)
    return Table(
        "skipped", "Not measured", "Points that were planned and have no time, with the reason.",
        command(run, "paired"), ("backend", *column, "ISA", "threads", "d_model", "d_ff", "T", "status", "reason"),
        tuple((label(r.impl), *cell(r), r.isa, r.thr, r.d, r.h, r.T, r.status, r.skip_reason) for r in rows),
    )  # fmt: skip
