"""Whether everything that was planned is there: a hole in a sweep must never look like a small sweep."""

from collections import defaultdict

from report.load import InputError


def complete(document, ffn, block_rows):
    """Raises InputError if the run was cut short, or a point, an implementation or a pair is missing."""
    context = document["context"]
    if context.get("interrupted"):
        raise InputError("the run was interrupted (context.interrupted): run it again, or pass --partial")
    planned = context.get("points_planned")
    if context["command"] == "paired" and planned is not None and planned != block_rows:
        raise InputError(f"{planned} rows were planned, {block_rows} are here: points are missing")
    _no_holes(ffn)
    compared = {pair["name"] for pair in document["pairs"] if pair["baseline"] == "onednn-strongest"}
    rivals = {_point(row) for row in ffn if row["impl"].startswith("onednn") and row["status"] == "OK"}
    for row in ffn:
        if row["impl"] == "native" and row["status"] == "OK" and _point(row) in rivals:
            if row["name"] not in compared:
                raise InputError(f"{row['name']}: measured beside oneDNN, but there is no pair for it")


def _no_holes(ffn):
    """Every implementation of a sweep must have a row, if only a SKIPPED one, at each of the sweep's points."""
    impls, points = defaultdict(set), defaultdict(lambda: defaultdict(set))
    for row in ffn:
        if row["impl"] == "reference":  # too slow for the large points: an optional extra
            continue
        sweep = (row["set"], row["isa"], row["thr"], row["cache"], row.get("activation"))
        impls[sweep].add(row["impl"])
        points[sweep][(row["d"], row["h"], row["m"], row["T"])].add(row["impl"])
    for sweep, expected in impls.items():
        for (d, h, m, T), found in points[sweep].items():
            if expected != found:
                raise InputError(
                    f"missing point: no row for {', '.join(sorted(expected - found))} at d:{d}/h:{h}/m:{m}/T:{T}, "
                    f"isa {sweep[1]}, {sweep[2]} threads"
                )


def _point(row):
    """Everything that names a measured situation, apart from who computes."""
    return tuple(row.get(key) for key in ("d", "h", "m", "T", "thr", "isa", "cache", "activation"))
