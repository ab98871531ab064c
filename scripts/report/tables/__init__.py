"""The tables of the report, in the order of the page."""

from dataclasses import replace

from report.tables import comparisons, other, points

ALL = (
    other.targets, comparisons.losses, points.points, comparisons.speedups, comparisons.two_matrix, other.alignment,
    other.elementwise, other.checks, other.roofs, points.skipped,
)  # fmt: skip


# What the report says in place of a table without rows; one that is not named here is left out.
MISSING = {
    "targets": ("What the library promises itself was not judged.", "swiglu-bench targets --out targets.json"),
    "elementwise": (
        "silu and silu_mul on arrays were not measured.",
        "swiglu-bench run --preset report --filter '^elementwise/' --out run.json",
    ),
    "checks": ("The numbers were not checked on real weights.", "swiglu-bench check --out check.json"),
}


def tables(run):
    made = [make(run) for make in ALL]
    absent = {key: dict(reading=reading, command=command) for key, (reading, command) in MISSING.items()}
    return [table if table.rows else replace(table, **absent[table.key]) for table in made
            if table.rows or table.key in absent]  # fmt: skip
