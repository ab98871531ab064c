"""Two result files side by side. Only shares of each file's own roofs are set against each other, and ratios that were
paired inside one file: a time of one run divided by a time of another says more about the two hours than about the code
(the same kernel twice, in sequence: 0.5-1.6 % apart; interleaved: 0.06-0.2 %)."""

from dataclasses import dataclass, replace
from functools import cached_property

from report import content as report_content
from report import headline, machine
from report.load import InputError
from report.model import PLAIN, Run, rows_text
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
    """The two Runs of one activation, and what they have in common."""

    old: Run
    new: Run
    files: tuple = ()  # the Runs of all activations that these two were taken from

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

    @cached_property
    def shared(self):
        """(old, new): both Runs with nothing but what they have in common: their means are then of the same points."""
        compared = [{(s.row.name, s.baseline) for s in run.speedups} for run in (self.old, self.new)]
        pairs = compared[0] & compared[1]
        gated = [(old, new) for old, new in self.matched if new.name.startswith("ffn/")]
        cold = {new.name for old, new in gated if old.cold and new.cold}
        group = {new.name: new.group for _, new in gated}
        return tuple(
            replace(
                run,
                rows=tuple(replace(row, cold=row.name in cold, group=group[row.name]) for row in rows),
                speedups=tuple(s for s in run.speedups if (s.row.name, s.baseline) in pairs),
            )
            for run, rows in zip((self.old, self.new), zip(*gated))
        )

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


def in_common(old, new):
    """Both, of the first activation that has a row of native in both files. Raises InputError if none has."""
    for one in new.every:
        both = Both(old.of(one.activation), one, (old, new)) if old.of(one.activation) else None
        if both and any(row.impl == "native" for _, row in both.matched):
            return both
    raise InputError(
        "nothing to compare: no row of swiglu was measured in both files; old and new "
        f"{differences(old, new)}. Measure one of them again with the options of the other"
    )


ASPECTS = {
    "activation": lambda row: row.activation,
    "ISA": lambda row: row.isa,
    "threads": lambda row: row.thr,
    "weights": lambda row: {"wei": "cold", "none": "hot"}.get(row.cache, row.cache),
    "d_model/d_ff": lambda row: f"{row.d}/{row.h}",
    "T": lambda row: row.T,
}


def differences(old, new):
    """In what two Runs without a common row differ: "differ in ISA (avx512; avx2) and T (1, 2; 4)"."""
    said = []
    for name, aspect in ASPECTS.items():
        sides = [dict.fromkeys(aspect(row) for row in run.every_gated_row if row.ok and row.impl == "native")
                 for run in (old, new)]  # fmt: skip
        if not sides[0].keys() & sides[1].keys():
            said.append(f"{name} ({'; '.join(map(_some, sides))})")
    if not said:
        return "share every ISA, shape and T somewhere, but no combination of them"
    return f"differ in {' and '.join(said)}"


def _some(values):
    return ", ".join(map(str, list(values)[:4])) + (", …" if len(values) > 4 else "")


def content(both):
    """What the page and the summary say."""
    names = [f"{run.context['git_sha'][:12]} ({run.context['date'][:10]})" for run in (both.old, both.new)]
    activation = "" if both.new.activation == PLAIN else f"{both.new.activation} · "
    return report_content.Content(
        heading="swiglu benchmark: two runs side by side",
        title=f"{activation}old: {names[0]} · new: {names[1]} · {both.new.machine['cpu_model']}",
        headlines=tuple(_headlines(both)),
        caveats=tuple(_caveats(both)),
        facts=tuple(_facts(both)),
        commands=tuple(dict.fromkeys(source["argv"] for source in both.sources)),
        plots=tuple(report_content.plot(both, module) for module in PLOTS),
        tables=tuple(table for table in (make(both) for make in compared.ALL) if table.rows),
    )


def _headlines(both):
    """The three headlines over the common points, each figure said to be old or new."""
    for old, new in zip(*map(headline.headlines, both.shared)):
        named = [(f"{f.about}, {name}", f) for name, side in (("old", old), ("new", new)) for f in side.figures]
        named.sort(key=lambda item: item[0].rsplit(",", 1)[0])  # old and new of one thing beside each other
        figures = tuple(headline.Figure(about, f.value, f.low, f.high, f.unit) for about, f in named)
        note = new.note if new.note == old.note else f"old: {old.note} — new: {new.note}"
        yield headline.Headline(new.title, figures, f"common points only; {note}" if both.only else note)


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
    if any(run.others for run in both.files):
        listed = "; ".join(f"the {name} file has {', '.join(run.activations)}"
                           for name, run in zip(("old", "new"), both.files))  # fmt: skip
        yield f"Only {both.new.activation} is compared: {listed}."
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
    old, new = both.old.context.get("tuning"), both.new.context.get("tuning")
    if old != new and None not in (old, new):  # older files do not say
        yield f"Tuned differently: tuning: {old} → {new}."
    for name, run in (("old", both.old), ("new", both.new)):
        if run.context.get("git_dirty"):
            yield f"The tree of the {name} file had uncommitted changes."
        if run.context.get("interrupted"):
            yield f"The {name} run was interrupted."


def _facts(both):
    for name, run in (("old", both.old), ("new", both.new)):
        for heading, entries in machine.facts(run):
            yield f"{heading}, {name}", entries
