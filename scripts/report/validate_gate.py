"""What a verdict file of scripts/perf_gate must hold."""

from report.kinds import is_number, is_text, list_of
from report.load import InputError

NEEDS = {
    "points": (list_of(is_text), "a list of names"),
    "verdicts": (list_of(is_text), "a list of words"),
    "isa": (is_text, "a name"),
    "threads": (is_number, "a number"),
    "margin": (is_number, "a number"),
}


def validate_gate(document, path):
    """Raises InputError on the first thing that is missing or impossible."""
    for key, (is_right, what) in NEEDS.items():
        if not is_right(document.get(key)):
            raise InputError(f"{path}: {key} is {document.get(key)!r}, must be {what}")
    pairs, points = document.get("pairs_head_base_seconds"), document["points"]
    if not points or not isinstance(pairs, list) or not len(pairs) == len(points) == len(document["verdicts"]):
        raise InputError(f"{path}: points, verdicts and pairs_head_base_seconds must be lists of one length, above 0")
    for name, launches in zip(points, pairs):
        if not isinstance(launches, list) or len(launches) < 2 or not all(map(_is_launch, launches)):
            raise InputError(f"{path}: {name}: needs at least 2 launches of pairs of times above 0")


def _is_launch(launch):
    return isinstance(launch, list) and len(launch) > 0 and all(map(_is_pair, launch))


def _is_pair(pair):
    return list_of(is_number)(pair) and len(pair) == 2 and 0 < min(pair) <= max(pair) < 1e9
