"""The measured run as the plots, tables and headlines see it: rows, speed-ups, and one place that says what is cold."""

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, replace
from statistics import median

from lib import stats
from report.load import InputError
from report.merge import sources
from report.validate import ffn_rows

ISA_ORDER = ("portable", "neon", "avx2", "avx512")
COLD_LIMIT = 1.10  # a row that streams faster than this times the DRAM roof was served by a cache
LABELS = {
    "native": "swiglu",
    "onednn-strongest": "oneDNN, strongest form",
    "onednn-wide": "oneDNN, wide",
    "onednn-post_ops": "oneDNN, post-ops",
    "reference": "reference (double)",
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
    cold: bool = False
    flags: tuple = ()

    @property
    def ok(self):
        return self.status == "OK"

    @property
    def point(self):
        return (self.d, self.h, self.m, self.T, self.thr, self.isa, self.cache)

    @property
    def where(self):
        name = f"{self.model}, " if self.model else ""
        return f"{name}d_model {self.d}, d_ff {self.h}, T = {self.T}, {self.isa}, {threads(self.thr)}"

    def interval(self, figure):
        """(value, low, high) of a figure that is proportional to 1/time: gflops, gbps, any pct_*."""
        value = getattr(self, figure)
        return value, value * self.t / self.ci[1], value * self.t / self.ci[0]


@dataclass(frozen=True)
class Speedup:
    """t(baseline) / t(native) at the native row's point: above 1, we are faster."""

    row: Row
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
    """Everything measured, of one build on one machine."""

    sources: tuple  # what the input was made by: command, argv, date of each program run
    context: dict
    machine: dict
    calibration: dict
    rows: tuple
    speedups: tuple
    elementwise: tuple
    failed: tuple  # (name, why) of elementwise rows that gave no time
    checks: tuple
    launches: int

    def select(self, **wanted):
        """Rows that were measured (status OK) and whose fields equal `wanted`."""
        return [row for row in self.rows if row.ok and all(getattr(row, k) == v for k, v in wanted.items())]

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


def threads(count):
    return "1 thread" if count == 1 else f"{count} threads"


def label(impl):
    return LABELS.get(impl, impl)


def build(document):
    """The Run of a validated document. Rows of the same name are launches of one measurement."""
    rows = [_row(item) for item in ffn_rows(document)]
    if not any(row.ok and row.impl == "native" for row in rows):
        raise InputError("no measured ffn row of the native implementation in the input: nothing to report")
    by_name = defaultdict(list)
    for row in rows:
        by_name[row.name].append(row)
    merged = {name: _merge(launches) for name, launches in by_name.items()}
    pairs = defaultdict(list)
    for pair in document["pairs"]:
        pairs[pair["name"], pair["baseline"]].append(pair)
    return Run(
        sources=tuple(sources(document)),
        context=document["context"],
        machine=document["machine"],
        calibration=document["calibration"],
        rows=tuple(merged.values()),
        speedups=tuple(_speedup(merged[name], baseline, launches) for (name, baseline), launches in pairs.items()),
        elementwise=tuple(_elementwise(document)),
        failed=tuple(_failed(document)),
        checks=tuple(document["checks"]),
        launches=max(len(launches) for launches in by_name.values()),
    )


def _row(item):
    names = {key: item[key] for key in ("name", "impl", "isa", "thr", "d", "h", "m", "T", "cache", "model", "status")}
    if item["status"] != "OK":
        return Row(**names, group=item["set"], skip_reason=item["skip_reason"])
    return Row(
        **names,
        group=item["set"],
        t=item["t_median"],
        ci=(item["ci95_lo"], item["ci95_hi"]),
        **{key: item[key] for key in ("ai", "gflops", "gbps", "pct_peak", "pct_bw", "pct_roof")},
        peak=item["peak_gflops"],
        read=item["read_gbps"],
        tokens_per_s=item["T"] / item["t_median"],
        create_ms=item.get("create_ms", math.nan),
        cold=_is_cold(item),
        flags=tuple(item.get("flags", ())),
    )


def _is_cold(item):
    """The program's certificate, and again from the numbers: too few windows or too many bytes per second is not cold."""
    certified = item["cache"] == "wei" and item["cold_ok"] == 1 and "uncertified" not in item.get("flags", ())
    return certified and item["gbps"] <= COLD_LIMIT * item["read_gbps"]


def _merge(launches):
    """One row of several launches: the launch with the median time, and an interval that covers them all."""
    measured = sorted((row for row in launches if row.ok), key=lambda row: row.t)
    if len(measured) < len(launches) or len(launches) == 1:
        return next((row for row in launches if not row.ok), launches[0])
    return replace(
        measured[len(measured) // 2],
        ci=(min(row.ci[0] for row in measured), max(row.ci[1] for row in measured)),
        cold=all(row.cold for row in measured),
        flags=tuple(sorted({flag for row in measured for flag in row.flags})),
    )


def _speedup(row, baseline, launches):
    logs = tuple(math.log(pair["ratio"]) for pair in launches)
    if len(logs) > 1:
        ratio = stats.ratio_from_logs(logs)
    else:
        pair = launches[0]
        ratio = stats.Ratio(pair["ratio"], pair["lcb99"], pair["ucb99"], 0.99, math.nan, logs)
    forms = sorted({pair.get("baseline_form", baseline) for pair in launches})
    of_medians = stats.geometric_mean(pair["ratio_of_medians"] for pair in launches)
    return Speedup(row, baseline, " / ".join(forms), ratio, of_medians)


def _elementwise(document):
    """(name, row) of the elementwise family, one per name: of the repetitions the one with the median time."""
    groups = defaultdict(list)
    for item in document["benchmarks"]:
        is_time = item.get("run_type") != "aggregate" and item.get("status", "OK") == "OK"
        if item.get("family") == "elementwise" and is_time:
            groups[item.get("run_name", item["name"])].append(item)
    for name, items in groups.items():
        yield name, sorted(items, key=lambda item: item["real_time"])[len(items) // 2]


def _failed(document):
    for item in document["benchmarks"]:
        if item.get("family") != "ffn" and item.get("status", "OK") != "OK":
            yield item["name"], f"{item['status']}: {item.get('skip_reason', 'no reason given')}"
