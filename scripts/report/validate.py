"""What a results document must hold before a single number of it is shown."""

import math
from collections import defaultdict

from report.load import InputError

CONTEXT_TEXT = ("command", "date", "argv", "git_sha", "compiler", "swiglu_version", "onednn_version", "xsimd_version")
ROW_TEXT = ("impl", "isa", "dtype", "cache", "set", "model")
ROW_SHAPE = ("d", "h", "m", "T", "thr")
ROW_POSITIVE = (
    "flops", "bytes_min", "ai", "t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "gflops", "gbps", "pct_peak",
    "pct_bw", "pct_roof", "t_roof", "peak_gflops", "read_gbps", "rounds",
)  # fmt: skip
PAIR_POSITIVE = ("ratio", "lcb99", "ucb99", "ratio_of_medians", "rounds")
TIME_UNITS = ("ns", "us", "ms", "s")
STATUSES = ("OK", "SKIPPED", "WRONG")
TOLERANCE = 0.01  # derived figures are recomputed; they may differ by rounding, not by meaning


def validate(document, path, partial=False):
    """Raises InputError on the first thing that is missing, impossible or inconsistent. `partial` accepts an
    interrupted run and holes in the sweep (the page then says so)."""
    try:
        _context(document)
        rows = _section(document, "benchmarks")
        command = document["context"]["command"]
        if command != "paired" and any(row.get("family") == "ffn" for row in rows):
            raise InputError(f"ffn rows made by `swiglu-bench {command}`: the report needs those of `paired`")
        for row in rows:
            _row(row)
        names = _unique_names(rows)
        for pair in _section(document, "pairs"):
            _pair(pair, names)
        for check in _section(document, "checks"):
            _check(check)
        if not partial:
            _complete(document, rows)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def ffn_rows(document):
    return [row for row in document["benchmarks"] if row.get("family") == "ffn"]


def point_of(row):
    """Everything that names a measured situation, apart from who computes."""
    return tuple(row[key] for key in (*ROW_SHAPE, "isa", "cache"))


def _section(document, key):
    value = document.get(key)
    if not _list_of(_object)(value):
        raise InputError(f"{key!r} must be a list of objects")
    return value


def _context(document):
    for section in ("context", "machine", "calibration"):
        if not isinstance(document.get(section), dict):
            raise InputError(f"{section!r} must be an object")
    context, machine, calibration = document["context"], document["machine"], document["calibration"]
    for key in CONTEXT_TEXT:
        _text(context, key, "context")
    for key in ("num_cpus", "wall_seconds", "points_planned"):
        _optional(context, key, "context", _number, "a number")
    _optional(context, "load_avg", "context", _list_of(_number), "a list of numbers")
    for source in _optional(context, "merged_from", "context", _list_of(_object), "a list of objects") or ():
        _text(source, "command", "context.merged_from")
        _text(source, "argv", "context.merged_from")
    _text(machine, "cpu_model", "machine")
    _optional(machine, "isa_measured", "machine", _list_of(_is_text), "a list of names")
    _optional(machine, "isa_not_measured", "machine", _list_of(_object), "a list of objects")
    for key in ("peak_gflops", "read_gbps", "round_trip_ns"):
        for item in _optional(calibration, key, "calibration", _list_of(_object), "a list of objects") or ():
            _positive(item, "median", f"calibration.{key}")
            _optional(item, "max", f"calibration.{key}", _number, "a number")


def _row(row):
    name = _text(row, "name", "a row of benchmarks")
    if row.get("status") == "INVALID":  # the program's own word for a figure that came out as NaN or infinite
        raise InputError(f"{name}: {row.get('skip_reason')}")
    if row.get("family") == "ffn":
        _ffn_row(name, row)
        return
    _optional(row, "run_name", name, _is_text, "text")
    if row.get("run_type") != "aggregate" and row.get("status", "OK") == "OK":
        _positive(row, "real_time", name)
        if row.get("time_unit", "ns") not in TIME_UNITS:
            raise InputError(f"{name}: time_unit is {row['time_unit']!r}, must be one of {', '.join(TIME_UNITS)}")
        for key in ("thr", "threads", "gbps", "pct_rw"):
            _optional(row, key, name, _number, "a number")


def _ffn_row(name, row):
    for key in ROW_TEXT:
        _text(row, key, name, may_be_empty=key == "model")
    for key in ROW_SHAPE:
        if not isinstance(row.get(key), int) or isinstance(row[key], bool) or row[key] < 1:
            raise InputError(f"{name}: {key} is {row.get(key)!r}, must be an integer >= 1")
    _name_matches(name, row)
    if row.get("status") not in STATUSES:
        raise InputError(f"{name}: status is {row.get('status')!r}, must be one of {', '.join(STATUSES)}")
    if row["status"] != "OK":
        _text(row, "skip_reason", name)
        return
    for key in ROW_POSITIVE:
        _positive(row, key, name)
    if row.get("cold_ok") not in (0, 1):
        raise InputError(f"{name}: cold_ok is {row.get('cold_ok')!r}, must be 0 or 1")
    _optional(row, "create_ms", name, _number, "a number")
    _optional(row, "flags", name, _list_of(_is_text), "a list of words")
    _arithmetic(name, row)


def _name_matches(name, row):
    parts = dict(part.split(":", 1) for part in name.split("/") if ":" in part)
    for key in (*ROW_SHAPE, "impl", "isa", "cache"):
        if parts.get(key) != str(row[key]):
            raise InputError(f"{name}: the field {key} is {row[key]!r}, the name says {parts.get(key)!r}")


def _arithmetic(name, row):
    """The definitions of benchmarking.md section 3, so that a mislabelled unit or a warm clock cannot hide."""
    expected = {
        "flops": 6 * row["T"] * row["d"] * row["h"],
        "gflops": row["flops"] / row["t_median"] / 1e9,
        "gbps": row["bytes_min"] / row["t_median"] / 1e9,
        "ai": row["flops"] / row["bytes_min"],
    }
    if row["dtype"] == "f32":
        expected["bytes_min"] = 12 * row["d"] * row["h"] + 8 * row["T"] * row["d"]
    for key, value in expected.items():
        if not math.isclose(row[key], value, rel_tol=TOLERANCE):
            raise InputError(f"{name}: {key} is {row[key]:g}, from the other fields it must be {value:g}")
    # Shares are medians over the rounds, each against its own roofs, which move: only the unit can be checked.
    if not math.isclose(row["pct_roof"], 100 * row["t_roof"] / row["t_median"], rel_tol=0.5):
        raise InputError(f"{name}: pct_roof is {row['pct_roof']:g}, but 100 * t_roof / t_median is far from it")
    for low, high in (("t_min", "t_median"), ("t_median", "t_p90"), ("ci95_lo", "t_median"), ("t_median", "ci95_hi")):
        if row[low] > row[high] * (1 + 1e-9):
            raise InputError(f"{name}: {low} ({row[low]:g}) is above {high} ({row[high]:g})")


def _unique_names(rows):
    names = set()
    for row in rows:
        # Google Benchmark repeats a name once per repetition and aggregate, merge.py once per launch.
        key = (row["name"], *(str(row.get(key)) for key in ("repetition_index", "aggregate_name", "launch")))
        if key in names:
            raise InputError(f"{row['name']}: appears twice")
        names.add(key)
    return {name for name, *_ in names}


def _pair(pair, names):
    name = _text(pair, "name", "a pair")
    if name not in names:
        raise InputError(f"{name}: a pair without its row in benchmarks")
    _text(pair, "baseline", name)
    _optional(pair, "baseline_form", name, _is_text, "text")
    for key in PAIR_POSITIVE:
        _positive(pair, key, f"pair {name}")
    if not pair["lcb99"] <= pair["ratio"] <= pair["ucb99"]:
        raise InputError(f"pair {name}: ratio {pair['ratio']:g} is outside [{pair['lcb99']:g}, {pair['ucb99']:g}]")


def _check(check):
    for key in ("file", "impl", "isa"):
        _text(check, key, "a check")
    for key in ("median_rel_err", "max_rel_err", "limit"):
        if not _number(check.get(key)) or check[key] < 0:
            raise InputError(f"check of {check['file']}: {key} is {check.get(key)!r}, must be a number >= 0")
    if not isinstance(check.get("ok"), bool):
        raise InputError(f"check of {check['file']}: ok is {check.get('ok')!r}, must be true or false")


def _complete(document, rows):
    context = document["context"]
    if context.get("interrupted"):
        raise InputError("the run was interrupted (context.interrupted): run it again, or pass --partial")
    ffn = [row for row in rows if row.get("family") == "ffn"]
    planned = context.get("points_planned")
    if planned is not None and planned != len(ffn):
        raise InputError(f"{planned} ffn rows were planned, {len(ffn)} are here: points are missing")
    _no_holes(ffn)
    compared = {pair["name"] for pair in document["pairs"] if pair["baseline"] == "onednn-strongest"}
    rivals = {point_of(row) for row in ffn if row["impl"].startswith("onednn") and row["status"] == "OK"}
    for row in ffn:
        if row["impl"] == "native" and row["status"] == "OK" and point_of(row) in rivals:
            if row["name"] not in compared:
                raise InputError(f"{row['name']}: measured beside oneDNN, but there is no pair for it")


def _no_holes(ffn):
    """Every implementation of a sweep must have a row, if only a SKIPPED one, at each of the sweep's points."""
    impls, points = defaultdict(set), defaultdict(lambda: defaultdict(set))
    for row in ffn:
        if row["impl"] == "reference":  # too slow for the large points: an optional extra
            continue
        sweep = (row["set"], row["isa"], row["thr"], row["cache"])
        impls[sweep].add(row["impl"])
        points[sweep][(row["d"], row["h"], row["m"], row["T"])].add(row["impl"])
    for sweep, expected in impls.items():
        for (d, h, m, T), found in points[sweep].items():
            if expected != found:
                raise InputError(
                    f"missing point: no row for {', '.join(sorted(expected - found))} at d:{d}/h:{h}/m:{m}/T:{T}, "
                    f"isa {sweep[1]}, {sweep[2]} threads"
                )


def _text(item, key, where, may_be_empty=False):
    value = item.get(key)
    if not isinstance(value, str) or not (value or may_be_empty):
        raise InputError(f"{where}: {key} is {value!r}, must be text")
    return value


def _positive(item, key, where):
    value = item.get(key)
    if not _number(value) or value <= 0:
        raise InputError(f"{where}: {key} is {value!r}, must be a number above 0")


def _optional(item, key, where, is_right, what):
    """The value of `key`, None if it is absent; refuses one of the wrong kind."""
    if key in item and not is_right(item[key]):
        raise InputError(f"{where}: {key} is {item[key]!r}, must be {what}")
    return item.get(key)


def _number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _is_text(value):
    return isinstance(value, str)


def _object(value):
    return isinstance(value, dict)


def _list_of(is_right):
    return lambda value: isinstance(value, list) and all(map(is_right, value))
