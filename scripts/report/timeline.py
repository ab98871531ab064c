"""Samples and roof probes of a run on one clock."""

from collections import defaultdict
from dataclasses import dataclass
from statistics import median

HEALTH = ("nivcsw", "steal", "psi_us")
ROOFS = {"bandwidth": "read_gbps", "peak": "peak_gflops"}


@dataclass(frozen=True)
class Sample:
    t: float  # seconds since the first launch began
    ratio: float  # its time over the median of its row in its launch
    thr: int
    health: dict


def samples(run):
    """All samples in time order; launches follow each other."""
    rows = defaultdict(list)
    for at, sample in _placed(run):
        rows[_launch(sample), sample["name"], sample.get("attempt")].append((at, sample))
    result = []
    for found in rows.values():
        middle = median(sample["t_median"] for _, sample in found)
        for at, sample in found:
            health = {name: sample[name] for name in HEALTH if name in sample}
            result.append(Sample(at, sample["t_median"] / middle, _threads(sample), health))
    return sorted(result, key=lambda sample: sample.t)


def roofs(run):
    """{"bandwidth" or "peak" (of the widest ISA): {threads: [(t, % of its median over the run)]}}"""
    series = {what: defaultdict(list) for what in ROOFS}
    for at, sample in _placed(run):
        for what, key in ROOFS.items():
            if key in sample and (what == "bandwidth" or f"/isa:{run.isas[0]}/" in sample["name"]):
                series[what][_threads(sample)].append((at, sample[key]))
    return {
        what: {thr: _in_percent(by_threads[thr]) for thr in sorted(by_threads)}
        for what, by_threads in series.items()
        if by_threads
    }


def _in_percent(points):
    middle = median(value for _, value in points)
    return [(t, 100 * value / middle) for t, value in sorted(points)]


def _placed(run):
    """(seconds since the first launch began, sample)"""
    ends = defaultdict(float)
    for sample in run.samples:
        ends[_launch(sample)] = max(ends[_launch(sample)], sample["t_begin"])
    offsets, end = {}, 0.0
    for launch in sorted(ends):
        offsets[launch] = end
        end += ends[launch]
    return [(offsets[_launch(sample)] + sample["t_begin"], sample) for sample in run.samples]


def _launch(sample):
    return sample.get("source", 0), sample.get("launch", 0)


def _threads(sample):
    """From the row's name, the one thing that every sample has."""
    parts = dict(part.split(":", 1) for part in sample["name"].split("/") if ":" in part)
    return int(parts["thr"]) if parts.get("thr", "").isdigit() else 1
