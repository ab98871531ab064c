"""A table of the report as data. Nothing here knows HTML."""

import math
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    key: str
    title: str
    note: str
    command: str  # that measured it; without rows, the one that would
    columns: tuple
    rows: tuple  # of tuples; a cell is text or a number (None = not measured)
    minor: tuple = ()  # columns that paper has no room for
    open: bool = False
    reading: str = ""  # without rows: what was not measured


def command(run, command):
    """The command line(s) of this subcommand that made the input, as the program recorded them."""
    lines = [source["argv"] for source in run.sources if source["command"] == command]
    return "\n".join(dict.fromkeys(lines)) or run.context["argv"]


def activation(run):
    """(columns, cells of a row) that tell activations apart; none where there is only one."""
    return (("activation",), lambda row: (row.activation,)) if run.others else ((), lambda row: ())


def figures(value, digits=4):
    """Rounded to 4 figures: more would be noise, and a table of noise is hard to read."""
    if value is None or not math.isfinite(value):
        return None
    rounded = float(f"{value:.{digits}g}")
    return int(rounded) if rounded.is_integer() and abs(rounded) >= 1000 else rounded
