"""What the report says, independent of its form: page.py and summary.py only lay it out."""

from dataclasses import dataclass

import matplotlib.pyplot as plt

from report import caveats, headline, machine, plots, svg, tables


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
    reading: str
    command: str
    pictures: tuple


@dataclass(frozen=True)
class Content:
    title: str
    headlines: tuple
    caveats: tuple
    facts: tuple
    plots: tuple
    tables: tuple


def content(run):
    c = run.context
    commit = c["git_sha"][:12] + (" + uncommitted changes" if c.get("git_dirty") else "")
    versions = f"swiglu {c['swiglu_version']}, commit {commit} · oneDNN {c['onednn_version']}"
    return Content(
        title=f"{run.machine['cpu_model']} · {versions} · {c['date']}",
        headlines=headline.headlines(run),
        caveats=tuple(caveats.caveats(run)),
        facts=tuple(machine.facts(run)),
        plots=tuple(_plot(run, module) for module in plots.ALL),
        tables=tuple(tables.tables(run)),
    )


def _plot(run, module):
    pictures = tuple(_picture(run, panel) for panel in module.panels(run))
    return Plot(module.KEY, module.TITLE, module.HOW, module.reading(run), tables.command(run, "paired"), pictures)


def _picture(run, panel):
    picture = Picture(
        panel.slug, panel.alt, svg.file_text(panel.figure), svg.png(panel.figure), panel.isa == run.isas[0]
    )
    plt.close(panel.figure)
    return picture
