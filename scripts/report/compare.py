"""Two result files side by side. Only shares of each file's own roofs are set against each other, and ratios that were
paired inside one file: a time of one run divided by a time of another says more about the two hours than about the code
(the same kernel twice, in sequence: 0.5-1.6 % apart; interleaved: 0.06-0.2 %)."""

from dataclasses import dataclass
from functools import cached_property

from report import content as report_content
from report import headline, machine
from report.model import Run, rows_text
from report.plots import compare_shares, compare_speedups, compare_tokens
from report.tables import compared

PLOTS = (compare_shares, compare_tokens, compare_speedups)
SAME_MACHINE = ("cpu_model", "vendor", "family", "model", "stepping", "isa_available", "cores", "smt", "llc_used")
WHY = (
    "Times of two runs are never divided: clock, pages and neighbours differ from run to run by more than most "
    "changes. Below are shares of each file's own roofs, and speed-ups that were paired inside each file. For a "
    "verdict on a change, interleave the two builds: scripts/perf_gate OLD NEW."
)


@dataclass(frozen=True)
class Both:
    """The two Runs, and what they have in common."""

    old: Run
    new: Run

    @cached_property
    def matched(self):
        """[(old row, new row)]: same name, measured in both, in the order of the new file."""
        old = {row.name: row for row in _every(self.old) if row.ok}
        return [(old[row.name], row) for row in _every(self.new) if row.ok and row.name in old]

    @cached_property
    def only(self):
        """[(“old” or “new”, row)] of rows measured in one file alone."""
        both = {row.name for _, row in self.matched}
        return [(name, row) for name, run in (("old", self.old), ("new", self.new)) for row in _every(run)
                if row.ok and row.name not in both]  # fmt: skip

    @property
    def isas(self):
        return self.new.isas

    @property
    def context(self):
        return self.new.context

    @property
    def sources(self):
        return (*self.old.sources, *self.new.sources)


def _every(run):
    return (*run.rows, *run.two_matrix)


def content(both):
    """What the page and the summary say."""
    names = [f"{run.context['git_sha'][:12]} ({run.context['date'][:10]})" for run in (both.old, both.new)]
    return report_content.Content(
        heading="swiglu benchmark: two runs side by side",
        title=f"old: {names[0]} · new: {names[1]} · {both.new.machine['cpu_model']}",
        headlines=tuple(_headlines(both)),
        caveats=tuple(_caveats(both)),
        facts=tuple(_facts(both)),
        commands=tuple(dict.fromkeys(source["argv"] for source in both.sources)),
        plots=tuple(report_content.plot(both, module) for module in PLOTS),
        tables=tuple(table for table in (make(both) for make in compared.ALL) if table.rows),
    )


def _headlines(both):
    """The three headlines of both files, each figure said to be old or new."""
    for old, new in zip(headline.headlines(both.old), headline.headlines(both.new)):
        named = [(f"{f.about}, {name}", f) for name, side in (("old", old), ("new", new)) for f in side.figures]
        named.sort(key=lambda item: item[0].rsplit(",", 1)[0])  # old and new of one thing beside each other
        figures = tuple(headline.Figure(about, f.value, f.low, f.high, f.unit) for about, f in named)
        yield headline.Headline(new.title, figures, new.note)


def _caveats(both):
    differing = [key for key in SAME_MACHINE if both.old.machine.get(key) != both.new.machine.get(key)]
    if differing:
        said = "; ".join(f"{key}: {both.old.machine.get(key)} → {both.new.machine.get(key)}" for key in differing)
        yield f"DIFFERENT MACHINES ({said}): even shares of roofs can then only be compared with care."
    yield WHY
    if min(both.old.launches, both.new.launches) == 1:
        yield (
            "One launch at least in one file: its intervals do not know what another launch would give (1–2 % in cold "
            "rows, more on a busy machine), so “closer” and “farther” below are hints."
        )
    if both.only:
        counts = [sum(name == which for name, _ in both.only) for which in ("old", "new")]
        yield (
            f"{rows_text(len(both.matched))} in both files; only in the old one: {counts[0]}, only in the new one: "
            f"{counts[1]} (listed below)."
        )
    for key in ("compiler", "flags", "onednn_version"):
        old, new = both.old.context.get(key), both.new.context.get(key)
        if old != new:
            yield f"Built differently: {key}: {old} → {new}."
    for name, run in (("old", both.old), ("new", both.new)):
        if run.context.get("git_dirty"):
            yield f"The tree of the {name} file had uncommitted changes."
        if run.context.get("interrupted"):
            yield f"The {name} run was interrupted."


def _facts(both):
    for name, run in (("old", both.old), ("new", both.new)):
        for heading, entries in machine.facts(run):
            yield f"{heading}, {name}", entries
