"""What a results document must hold before a single number of it is shown."""

import math

from report.complete import complete
from report.kinds import is_count, is_number, is_object, is_point, is_text, list_of, optional, positive, text
from report.load import InputError

CONTEXT_TEXT = ("command", "date", "argv", "git_sha", "compiler", "swiglu_version", "onednn_version", "xsimd_version")
ROW_TEXT = ("impl", "isa", "dtype", "cache", "set", "model")
ROW_SHAPE = ("d", "h", "m", "T", "thr")
ROW_POSITIVE = (
    "flops", "bytes_min", "ai", "t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "gflops", "gbps", "pct_peak",
    "pct_bw", "pct_roof", "t_roof", "peak_gflops", "read_gbps", "rounds",
)  # fmt: skip
PAIR_POSITIVE = ("ratio", "lcb99", "ucb99", "ratio_of_medians", "rounds")
OPTIONAL_POSITIVE = ("weight_gbps", "create_ms", "t_gate_up", "t_activation", "t_down")
BLOCKS = ("ffn", "ffn2")  # the gated block; the block of two matrices with as many parameters
TIME_UNITS = ("ns", "us", "ms", "s")
STATUSES = ("OK", "SKIPPED", "WRONG")
TOLERANCE = 0.01  # derived figures are recomputed; they may differ by rounding, not by meaning


def validate(document, path, partial=False):
    """Raises InputError on the first thing that is missing, impossible or inconsistent. `partial` accepts an
    interrupted run and holes in the sweep (the page then says so)."""
    try:
        _context(document)
        rows = _section(document, "benchmarks")
        for row in rows:
            _row(row)
        for row in every_block_row(document):
            _block_row(row)
        names = _unique_names(rows)
        for pair in _section(document, "pairs"):
            _pair(pair, names)
        for sample in _section(document, "samples", required=False):
            _sample(sample)
        for target in _section(document, "targets", required=False):
            _target(target)
        for check in _section(document, "checks"):
            _check(check)
        if not partial:
            complete(document, block_rows(document), len(every_block_row(document)))
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def block_rows(document, family="ffn"):
    """Rows of a block measured with all rivals in turn. Those of `swiglu-bench run` have neither roofs of their own
    nor rivals beside them; they are no part of the report."""
    if document["context"]["command"] != "paired":
        return []
    return [row for row in document["benchmarks"] if row.get("family") == family]


def every_block_row(document):
    return [row for family in BLOCKS for row in block_rows(document, family)]


def _section(document, key, required=True):
    value = document.get(key, None if required else [])
    if not list_of(is_object)(value):
        raise InputError(f"{key!r} must be a list of objects")
    return value


def _context(document):
    for section in ("context", "machine", "calibration"):
        if not isinstance(document.get(section), dict):
            raise InputError(f"{section!r} must be an object")
    context, machine, calibration = document["context"], document["machine"], document["calibration"]
    for key in CONTEXT_TEXT:
        text(context, key, "context")
    for key in ("num_cpus", "wall_seconds", "points_planned"):
        optional(context, key, "context", is_number, "a number")
    optional(context, "load_avg", "context", list_of(is_number), "a list of numbers")
    for source in optional(context, "merged_from", "context", list_of(is_object), "a list of objects") or ():
        text(source, "command", "context.merged_from")
        text(source, "argv", "context.merged_from")
    text(machine, "cpu_model", "machine")
    for key in ("isa_measured", "isa_available"):
        optional(machine, key, "machine", list_of(is_text), "a list of names")
    optional(machine, "isa_not_measured", "machine", list_of(is_object), "a list of objects")
    optional(context, "launches", "context", is_count, "a whole number above 0")
    optional(calibration, "bw_curve", "calibration", list_of(is_point), "a list of [bytes, GB/s]")
    for key in ("peak_gflops", "read_gbps", "round_trip_ns"):
        for item in optional(calibration, key, "calibration", list_of(is_object), "a list of objects") or ():
            positive(item, "median", f"calibration.{key}")
            optional(item, "threads", f"calibration.{key}", is_count, "a whole number above 0")
            optional(item, "max", f"calibration.{key}", is_number, "a number")


def _row(row):
    name = text(row, "name", "a row of benchmarks")
    if row.get("status") == "INVALID":  # the program's own word for a figure that came out as NaN or infinite
        raise InputError(f"{name}: {row.get('skip_reason')}")
    if row.get("family") in BLOCKS:
        return
    optional(row, "run_name", name, is_text, "text")
    if row.get("run_type") != "aggregate" and row.get("status", "OK") == "OK":
        positive(row, "real_time", name)
        if row.get("time_unit", "ns") not in TIME_UNITS:
            raise InputError(f"{name}: time_unit is {row['time_unit']!r}, must be one of {', '.join(TIME_UNITS)}")
        for key in ("thr", "threads", "gbps", "pct_rw"):
            optional(row, key, name, is_number, "a number")


def _block_row(row):
    name = row["name"]
    for key in ROW_TEXT:
        text(row, key, name, may_be_empty=key == "model")
    for key in ROW_SHAPE:
        if not is_count(row.get(key)):
            raise InputError(f"{name}: {key} is {row.get(key)!r}, must be an integer >= 1")
    optional(row, "activation", name, is_text, "text")
    _name_matches(name, row)
    if row.get("status") not in STATUSES:
        raise InputError(f"{name}: status is {row.get('status')!r}, must be one of {', '.join(STATUSES)}")
    if row["status"] != "OK":
        text(row, "skip_reason", name)
        return
    for key in ROW_POSITIVE:
        positive(row, key, name)
    if row.get("cold_ok") not in (0, 1):
        raise InputError(f"{name}: cold_ok is {row.get('cold_ok')!r}, must be 0 or 1")
    for key in OPTIONAL_POSITIVE:
        if key in row:
            positive(row, key, name)
    optional(row, "flags", name, list_of(is_text), "a list of words")
    _arithmetic(name, row)


def _name_matches(name, row):
    parts = dict(part.split(":", 1) for part in name.split("/") if ":" in part)
    for key in (*ROW_SHAPE, "impl", "isa", "cache"):
        if parts.get(key) != str(row[key]):
            raise InputError(f"{name}: the field {key} is {row[key]!r}, the name says {parts.get(key)!r}")
    if parts.get("act") != row.get("activation"):
        raise InputError(f"{name}: the activation is {row.get('activation')!r}, the name says {parts.get('act')!r}")


def _arithmetic(name, row):
    """The definitions of the figures, so that a mislabelled unit or a warm clock cannot hide."""
    matrices = 3 if row["family"] == "ffn" else 2
    expected = {
        "flops": 2 * matrices * row["T"] * row["d"] * row["h"],
        "gflops": row["flops"] / row["t_median"] / 1e9,
        "gbps": row["bytes_min"] / row["t_median"] / 1e9,
        "ai": row["flops"] / row["bytes_min"],
    }
    if row["dtype"] == "f32":
        expected["bytes_min"] = 4 * matrices * row["d"] * row["h"] + 8 * row["T"] * row["d"]
    for key, value in expected.items():
        if not math.isclose(row[key], value, rel_tol=TOLERANCE):
            raise InputError(f"{name}: {key} is {row[key]:g}, from the other fields it must be {value:g}")
    # Shares are medians over the rounds, each against its own roofs, which move (by 4x on a busy machine): only the
    # unit can be checked.
    if not 0.1 < row["pct_roof"] / (100 * row["t_roof"] / row["t_median"]) < 10:
        raise InputError(f"{name}: pct_roof is {row['pct_roof']:g}, but 100 * t_roof / t_median is far from it")
    for low, high in (("t_min", "t_median"), ("t_median", "t_p90"), ("ci95_lo", "t_median"), ("t_median", "ci95_hi")):
        if row[low] > row[high] * (1 + 1e-9):
            raise InputError(f"{name}: {low} ({row[low]:g}) is above {high} ({row[high]:g})")


def _unique_names(rows):
    names = set()
    for row in rows:
        # Google Benchmark repeats a name once per repetition and aggregate, merge.py once per file.
        key = (row["name"], *(str(row.get(key)) for key in ("repetition_index", "aggregate_name", "source")))
        # One two-matrix block is measured beside several gated ones that differ in d_ff only.
        if key in names and row.get("family") != "ffn2":
            raise InputError(f"{row['name']}: appears twice")
        names.add(key)
    return {name for name, *_ in names}


def _pair(pair, names):
    name = text(pair, "name", "a pair")
    if name not in names:
        raise InputError(f"{name}: a pair without its row in benchmarks")
    text(pair, "baseline", name)
    optional(pair, "baseline_form", name, is_text, "text")
    optional(pair, "kind", name, is_text, "text")
    for key in PAIR_POSITIVE:
        positive(pair, key, f"pair {name}")
    if not pair["lcb99"] <= pair["ratio"] <= pair["ucb99"]:
        raise InputError(f"pair {name}: ratio {pair['ratio']:g} is outside [{pair['lcb99']:g}, {pair['ucb99']:g}]")


def _sample(sample):
    where = f"a sample of {text(sample, 'name', 'a sample')}"
    for key in ("t_median", "t_min", "t_begin"):
        positive(sample, key, where)
    for key in ("peak_gflops", "read_gbps"):
        if key in sample:
            positive(sample, key, where)
    for key in ("source", "launch", "attempt", "steal", "psi_us", "nivcsw"):
        optional(sample, key, where, is_number, "a number")


def _target(target):
    where = f"target {text(target, 'name', 'a target')}"
    for key in ("unit", "target", "verdict"):
        text(target, key, where, may_be_empty=True)
    for key in ("group", "detail"):
        optional(target, key, where, is_text, "text")
    optional(target, "value", where, is_number, "a number")


def _check(check):
    for key in ("file", "impl", "isa"):
        text(check, key, "a check")
    for key in ("median_rel_err", "max_rel_err", "limit"):
        if not is_number(check.get(key)) or check[key] < 0:
            raise InputError(f"check of {check['file']}: {key} is {check.get(key)!r}, must be a number >= 0")
    if not isinstance(check.get("ok"), bool):
        raise InputError(f"check of {check['file']}: ok is {check.get('ok')!r}, must be true or false")
