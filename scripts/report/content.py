"""What the report says, independent of its form: page.py and summary.py only lay it out."""

from dataclasses import dataclass

import matplotlib.pyplot as plt

from report import caveats, headline, machine, plots, svg
from report.model import PLAIN
from report.tables import tables
from report.tables.base import command


@dataclass(frozen=True)
class Picture:
    slug: str
    alt: str
    text: str  # stand-alone SVG
    png: bytes
    main: bool  # of the widest ISA: shown at once, the others on demand


@dataclass(frozen=True)
class Plot:
    key: str
    title: str
    how: str
    reading: str  # what it shows; without pictures, what was not measured
    command: str  # what measured it; without pictures, what would
    pictures: tuple


@dataclass(frozen=True)
class Content:
    heading: str
    title: str
    headlines: tuple
    caveats: tuple
    facts: tuple
    commands: tuple  # that made the input
    plots: tuple
    tables: tuple


def content(run):
    c = run.context
    commit = c["git_sha"][:12] + (" + uncommitted changes" if c.get("git_dirty") else "")
    activation = "" if run.others or run.activation == PLAIN else f"{run.activation} · "
    versions = f"{activation}swiglu {c['swiglu_version']}, commit {commit} · oneDNN {c['onednn_version']}"
    return Content(
        heading="swiglu benchmark",
        title=f"{run.machine['cpu_model']} · {versions} · {c['date']}",
        headlines=tuple(h for one in run.every if one.isas for h in headline.headlines(one, said=bool(run.others))),
        caveats=tuple(caveats.caveats(run)),
        facts=tuple(machine.facts(run)),
        commands=tuple(dict.fromkeys(source["argv"] for source in run.sources)),
        plots=tuple(plot(run, module) for module in plots.ALL),
        tables=tuple(tables(run)),
    )


def plot(run, module):
    """What a module of plots/ says and shows about `run`."""
    places = module.places(run)
    if not places:
        return Plot(module.KEY, module.TITLE, module.HOW, module.MISSING, module.MEASURE, ())
    pictures = tuple(_picture(run, module.panel(run, *place)) for place in places)
    measured_by = getattr(module, "MEASURED_BY", None) or command(run, "paired")
    return Plot(module.KEY, module.TITLE, module.HOW, module.reading(run), measured_by, pictures)


def _picture(run, panel):
    main = panel.isa == run.isas[0]
    picture = Picture(panel.slug, panel.alt, svg.file_text(panel.figure), svg.png(panel.figure), main)
    plt.close(panel.figure)
    return picture
