"""A map of coloured cells, shared by the plots whose cells are good, even or bad."""

import math
from dataclasses import dataclass

import matplotlib.pyplot as plt
from matplotlib.patches import Rectangle

from report.plots.style import LIGHT, SMALL, WIDTH, bare

ROLES = ("loss3", "loss2", "loss1", "even", "win1", "win2", "win3")


@dataclass(frozen=True)
class Cell:
    """`ratio` above 1 is good (blue), below 1 bad (orange), equally dark for 1.5 times better and 1.5 times worse."""

    text: str
    ratio: float
    tie: bool = False  # hatched: the interval contains "no difference"
    loss: bool = False  # framed: surely worse


def role_of(ratio, steps):
    """The cell's colour: "even", or win/loss 1..3. `steps` are three ratios above 1."""
    strength = sum(abs(math.log(ratio)) > math.log(step) for step in steps)
    return "even" if strength == 0 else f"{'win' if ratio > 1 else 'loss'}{strength}"


def heatmap(title, columns, rows, cells, steps, key_labels, row_height=0.24):
    """(figure, axes): `columns` and `rows` are labels by key, first row on top; `cells` is {(row, column): Cell}."""
    lines = 1 + title.count("\n") + max((label.count("\n") for label in columns.values()), default=0)
    height = 0.92 + 0.14 * lines + row_height * len(rows)
    figure, (axes, key) = plt.subplots(
        2, 1, figsize=(WIDTH, height), gridspec_kw={"height_ratios": [row_height * len(rows), 0.14]}
    )
    axes.set_title(title, linespacing=1.3)
    for y, row in enumerate(rows):
        for x, column in enumerate(columns):
            _draw(axes, x, len(rows) - 1 - y, cells.get((row, column)), steps)
    axes.set_xlim(0, len(columns))
    axes.set_ylim(0, len(rows))
    axes.set_xticks([x + 0.5 for x in range(len(columns))], list(columns.values()))
    axes.set_yticks([len(rows) - y - 0.5 for y in range(len(rows))], list(rows.values()))
    bare(axes)
    _key(key, key_labels)
    return figure, axes


def _draw(axes, x, y, cell, steps):
    box = dict(xy=(x + 0.02, y + 0.03), width=0.96, height=0.94, linewidth=0)
    middle = dict(x=x + 0.5, y=y + 0.5, ha="center", va="center", fontsize=SMALL, linespacing=0.95)
    if cell is None:
        axes.add_patch(Rectangle(**{**box, "linewidth": 0.8}, facecolor="none", edgecolor=LIGHT["grid"]))
        axes.text(**middle, s="–", color=LIGHT["muted"])
        return
    role = role_of(cell.ratio, steps)
    axes.add_patch(Rectangle(**box, facecolor=LIGHT[role]))
    if cell.tie:
        axes.add_patch(Rectangle(**box, facecolor="none", edgecolor=LIGHT["hatch"], hatch="////"))
    if cell.loss:
        frame = dict(xy=(x + 0.06, y + 0.09), width=0.88, height=0.82, linewidth=1.4)
        axes.add_patch(Rectangle(**frame, facecolor="none", edgecolor=LIGHT["ink"]))
    ink = LIGHT["cell-strong"] if role.endswith("3") else LIGHT["cell"]
    plate = dict(boxstyle="square,pad=0.12", facecolor=LIGHT[role], linewidth=0) if cell.tie else None
    axes.text(**middle, s=cell.text, color=ink, bbox=plate)


def _key(axes, labels):
    """The colour scale, a strip of its own below the map. `labels`: at both ends' borders and the middle, then the
    words beside the ends."""
    first, middle, last, worse, better = labels
    for x, role in enumerate(ROLES):
        axes.add_patch(Rectangle((x, 0), 1, 1, facecolor=LIGHT[role], linewidth=0))
    axes.set_xlim(-1.9, len(ROLES) + 1.9)  # room for the words at the ends
    axes.set_ylim(0, 1)
    axes.set_xticks([1, 3.5, 6], [first, middle, last])
    axes.set_yticks([])
    axes.text(-0.15, 0.5, worse, ha="right", va="center", fontsize=SMALL, color=LIGHT["muted"])
    axes.text(len(ROLES) + 0.15, 0.5, better, ha="left", va="center", fontsize=SMALL, color=LIGHT["muted"])
    bare(axes)
