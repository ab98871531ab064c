"""The measured run as the plots, tables and headlines see it."""

import math
from collections import Counter
from dataclasses import dataclass
from statistics import median

from lib import stats

PLAIN = "swiglu"  # the activation of rows that name none
ISA_ORDER = ("portable", "neon", "avx2", "avx512")
LABELS = {
    "native": "swiglu",
    "unfused": "unfused",
    "onednn-strongest": "oneDNN, strongest form",
    "onednn-wide": "oneDNN, wide",
    "onednn-post_ops": "oneDNN, post-ops",
    "onednn-plain": "oneDNN, plain",
    "openblas": "OpenBLAS",
    "eigen": "Eigen",
    "reference": "reference (double)",
    "ffn2": "two-matrix block",
    "ffn2-onednn": "two-matrix, oneDNN",
}


@dataclass(frozen=True)
class Row:
    """One implementation at one point. Times in seconds, rates base 1000, ci = 95 % interval of the median time."""

    name: str
    impl: str
    isa: str
    thr: int
    d: int
    h: int
    m: int
    T: int
    cache: str
    group: str
    model: str
    status: str
    skip_reason: str = ""
    t: float = math.nan
    ci: tuple = (math.nan, math.nan)
    ai: float = math.nan
    gflops: float = math.nan
    gbps: float = math.nan
    pct_peak: float = math.nan
    pct_bw: float = math.nan
    pct_roof: float = math.nan
    peak: float = math.nan
    read: float = math.nan
    tokens_per_s: float = math.nan
    create_ms: float = math.nan
    weight_bytes: float = math.nan
    phases: tuple = ()  # seconds of (gate-up, activation, down), where the program could tell them apart
    cold: bool = False
    flags: tuple = ()
    activation: str = PLAIN

    @property
    def ok(self):
        return self.status == "OK"

    @property
    def point(self):
        return (self.d, self.h, self.m, self.T, self.thr, self.isa, self.cache, self.activation)

    @property
    def where(self):
        name = f"{self.model}, " if self.model else ""
        activation = "" if self.activation == PLAIN else f", {self.activation}"
        return f"{name}d_model {self.d}, d_ff {self.h}, T = {self.T}, {self.isa}, {threads(self.thr)}{activation}"

    def interval(self, figure):
        """(value, low, high) of a figure that is proportional to 1/time: gflops, gbps, any pct_*."""
        value = getattr(self, figure)
        return value, value * self.t / self.ci[1], value * self.t / self.ci[0]


@dataclass(frozen=True)
class Speedup:
    """t(baseline) / t(row) at the row's point, `row` being ours: above 1, we are faster."""

    row: Row
    kind: str  # rival, peer, fusion or ffn2
    baseline: str
    form: str
    ratio: stats.Ratio
    of_medians: float  # the same from medians instead of minima: differs if one side has slow calls in between

    @property
    def verdict(self):
        if self.ratio.spans_one:
            return "tie"
        return "win" if self.ratio.ratio > 1 else "loss"


@dataclass(frozen=True)
class Run:
    """Everything measured, of one build on one machine. Rows and speed-ups are of one activation, since no mean is over
    several; those of further ones are Runs of their own."""

    sources: tuple  # what the input was made by: command, argv, date of each program run
    context: dict
    machine: dict
    calibration: dict
    rows: tuple
    two_matrix: tuple  # rows of the block with two matrices and as many parameters
    speedups: tuple
    samples: tuple  # raw, as the program wrote them; those of several launches follow each other
    elementwise: tuple
    failed: tuple  # (name, why) of elementwise rows that gave no time
    checks: tuple
    launches: int
    gates: tuple = ()  # documents of scripts/perf_gate
    targets: tuple = ()  # rows of `swiglu-bench targets`
    history: tuple = ()  # earlier Runs, oldest first
    activation: str = PLAIN
    others: tuple = ()  # Runs of the other activations

    def select(self, **wanted):
        """Rows that were measured (status OK) and whose fields equal `wanted`."""
        return [row for row in self.rows if row.ok and all(getattr(row, k) == v for k, v in wanted.items())]

    @property
    def every(self):
        """The Runs of all activations."""
        return (self, *self.others)

    @property
    def activations(self):
        return tuple(run.activation for run in self.every)

    @property
    def every_row(self):
        return tuple(row for run in self.every for row in (*run.rows, *run.two_matrix))

    @property
    def every_gated_row(self):
        return tuple(row for run in self.every for row in run.rows)

    @property
    def every_speedup(self):
        return tuple(s for run in self.every for s in run.speedups)

    def of(self, activation):
        """The Run of one activation; None if it has no measured row of native."""
        return next((run for run in self.every if run.activation == activation and run.isas), None)

    @property
    def main(self):
        """The set that the sweep over T is taken from: "main"; in a hand-made run without one, the largest."""
        groups = Counter(row.group for row in self.select(impl="native"))
        return "main" if "main" in groups else groups.most_common(1)[0][0]

    @property
    def isas(self):
        """ISAs with native rows, widest first."""
        found = {row.isa for row in self.select(impl="native")}
        return sorted(found, key=lambda isa: ISA_ORDER.index(isa) if isa in ISA_ORDER else -1, reverse=True)

    @property
    def settings(self):
        """(isa, threads) with native rows: widest ISA first, then few threads first. One plot panel each."""
        return [(isa, thr) for isa in self.isas for thr in self.thread_counts(isa)]

    def thread_counts(self, isa):
        return sorted({row.thr for row in self.select(impl="native", isa=isa)})

    def against_strongest(self, **wanted):
        return [
            s
            for s in self.speedups
            if s.baseline == "onednn-strongest" and all(getattr(s.row, k) == v for k, v in wanted.items())
        ]

    def rows_of(self, impl, **wanted):
        """Rows of one implementation, or of "onednn-strongest"."""
        return self.strongest_rows(**wanted) if impl == "onednn-strongest" else self.select(impl=impl, **wanted)

    def strongest_rows(self, **wanted):
        """oneDNN's rows, at each point the faster of its forms."""
        best = {}
        for row in self.rows:
            if row.ok and row.impl.startswith("onednn") and all(getattr(row, k) == v for k, v in wanted.items()):
                if row.point not in best or row.t < best[row.point].t:
                    best[row.point] = row
        return list(best.values())

    def ceiling(self, isa, thr):
        """(peak GFLOP/s, read GB/s) beside the rows of this setting: the medians of the blocks' own roofs."""
        rows = self.select(impl="native", isa=isa, thr=thr)
        return median(row.peak for row in rows), median(row.read for row in rows)


def shape_labels(shapes):
    """{(d, h): text}: d_model alone where it is enough, "d_model / d_ff" where two shapes share it."""
    shapes = sorted(set(shapes))
    counts = Counter(d for d, _ in shapes)
    return {(d, h): str(d) if counts[d] == 1 else f"{d} / {h}" for d, h in shapes}


def place(row):
    """Where a row was measured, for sentences."""
    return f"d_model {row.d}, T = {row.T}, {threads(row.thr)}"


def rows_text(count):
    return "1 row" if count == 1 else f"{count} rows"


def threads(count):
    return "1 thread" if count == 1 else f"{count} threads"


def label(impl):
    return LABELS.get(impl, impl)
