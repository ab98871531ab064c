"""From the document to the Run: launches of one row are merged, and it is decided which rows count as cold."""

import math
from collections import Counter, defaultdict
from dataclasses import replace

from lib import stats
from report.load import InputError
from report.merge import sources
from report.model import PLAIN, Row, Run, Speedup
from report.validate import BLOCKS, block_rows

PHASES = ("t_gate_up", "t_activation", "t_down")
COLD_LIMIT = 1.10  # a row that streams faster than this times the DRAM roof was served by a cache


def build(document, gates=(), history=()):
    """The Run of a validated document. Rows of the same name are launches of one measurement. The rest is what the
    command line brings beside it: gate verdicts, earlier Runs."""
    merged, launches = _merged([_row(item) for item in block_rows(document)])
    two_matrix, _ = _merged([_row(item) for item in block_rows(document, "ffn2")])
    pairs = defaultdict(list)
    for pair in document["pairs"]:
        pairs[pair["name"], pair["baseline"]].append(pair)
    return _by_activation(Run(
        sources=tuple(sources(document)),
        context=document["context"],
        machine=document["machine"],
        calibration=document["calibration"],
        rows=tuple(merged.values()),
        two_matrix=tuple(two_matrix.values()),
        speedups=tuple(
            _speedup(merged[name], baseline, found) for (name, baseline), found in pairs.items() if name in merged
        ),
        samples=tuple(document.get("samples", ())),
        elementwise=tuple(_elementwise(document)),
        failed=tuple(_failed(document)),
        checks=tuple(document["checks"]),
        launches=launches * document["context"].get("launches", 1),  # files times the launches of each
        gates=tuple(gates),
        targets=tuple(document.get("targets", ())),
        history=tuple(history),
    ))


def _by_activation(run):
    """The Run of the activation to show first, swiglu or the one with most measured rows, with the others beside it."""
    measured = Counter(row.activation for row in run.rows if row.ok and row.impl == "native")
    if not measured:
        raise InputError("no measured ffn row of native (from `swiglu-bench paired`) in the input: nothing to report")
    first = PLAIN if PLAIN in measured else measured.most_common(1)[0][0]
    others = dict.fromkeys(row.activation for row in (*run.rows, *run.two_matrix) if row.activation != first)
    return replace(_of(run, first), others=tuple(_of(run, activation) for activation in others))


def _of(run, activation):
    return replace(
        run,
        activation=activation,
        rows=tuple(row for row in run.rows if row.activation == activation),
        two_matrix=tuple(row for row in run.two_matrix if row.activation == activation),
        speedups=tuple(s for s in run.speedups if s.row.activation == activation),
    )


def _row(item):
    names = {key: item[key] for key in ("name", "impl", "isa", "thr", "d", "h", "m", "T", "cache", "model", "status")}
    names["activation"] = item.get("activation", PLAIN)
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
        weight_bytes=item.get("weight_gbps", math.nan) * item["t_median"] * 1e9,
        phases=tuple(item[key] for key in PHASES) if all(key in item for key in PHASES) else (),
        cold=_is_cold(item),
        flags=tuple(item.get("flags", ())),
    )


def _is_cold(item):
    """The program's certificate, and the numbers again: too few windows or too many bytes per second is not cold."""
    certified = item["cache"] == "wei" and item["cold_ok"] == 1 and "uncertified" not in item.get("flags", ())
    return certified and item["gbps"] <= COLD_LIMIT * item["read_gbps"]


def _merged(rows):
    """({name: row}, the largest number of launches of one name)"""
    by_name = defaultdict(list)
    for row in rows:
        by_name[row.name].append(row)
    merged = {name: _merge(launches) for name, launches in by_name.items()}
    return merged, max(map(len, by_name.values()), default=0)


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
    kind = launches[0].get("kind", "rival")
    return Speedup(row, kind, baseline, " / ".join(forms), ratio, of_medians)


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
        if item.get("family") not in BLOCKS and item.get("status", "OK") != "OK":
            yield item["name"], f"{item['status']}: {item.get('skip_reason', 'no reason given')}"
