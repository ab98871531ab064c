"""Colours, fonts and sizes of every plot, and the panel type they all return.

A panel is as wide as a phone: 3.4 in is 245 units of 1/72 in, which a screen of 375 px shows 1.4 times enlarged, so the
smallest text below (SMALL) is never under 10 px. The page sets several panels side by side. Each colour is used for one
role only, because svg.py turns the colours of an inline plot into CSS variables, so that dark mode can change them.
"""

import math
from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")  # no display on a server; must precede pyplot

import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.transforms import ScaledTranslation  # noqa: E402

WIDTH, HEIGHT = 3.4, 2.8  # inches
SMALL = 7.5  # points; nothing is written smaller

# role: (light, dark)
PALETTE = {
    "surface": ("#fcfcfb", "#1a1a19"),
    "ink": ("#0b0b0b", "#fafafa"),
    "muted": ("#5f5e5a", "#b3b1aa"),
    "grid": ("#e3e2dc", "#33332f"),
    "axis": ("#b9b8b0", "#55544f"),
    "ours": ("#1f6fd0", "#4b9af5"),
    "rival": ("#c84a15", "#f07f4a"),
    "rival2": ("#8a5a00", "#c9962e"),
    "unfused": ("#7a3fb8", "#b48cf0"),
    "peer": ("#1a7f4e", "#4cc38a"),
    "peer2": ("#0e7c86", "#3fb8c4"),
    "other": ("#767570", "#9a9992"),
    "win1": ("#cfe0f7", "#1d3553"),
    "win2": ("#86b6ef", "#27588f"),
    "win3": ("#256abf", "#6aaaf3"),
    "even": ("#efeee9", "#36362f"),
    "loss1": ("#f8d3c4", "#55291c"),
    "loss2": ("#ee9b7a", "#96472a"),
    "loss3": ("#c2410c", "#f2865a"),
    "cell": ("#0b0b0c", "#f5f5f5"),  # text on weak and middle cells
    "cell-strong": ("#fffffe", "#0c0b0b"),  # text on the strongest cells
    "hatch": ("#7a7973", "#8f8e87"),
}
LIGHT = {role: colours[0] for role, colours in PALETTE.items()}
BACKEND = {
    "native": dict(color=LIGHT["ours"], marker="o", linestyle="-"),
    "unfused": dict(color=LIGHT["unfused"], marker="D", linestyle="--"),
    "onednn-strongest": dict(color=LIGHT["rival"], marker="s", linestyle="-"),
    "onednn-wide": dict(color=LIGHT["rival"], marker="s", linestyle="-"),
    "onednn-post_ops": dict(color=LIGHT["rival2"], marker="^", linestyle="--"),
    "onednn-plain": dict(color=LIGHT["other"], marker="*", linestyle="-."),
    "openblas": dict(color=LIGHT["peer"], marker="v", linestyle="-."),
    "eigen": dict(color=LIGHT["peer2"], marker="P", linestyle=":"),
    "reference": dict(color=LIGHT["other"], marker="x", linestyle=":"),
}
UNKNOWN_BACKEND = dict(color=LIGHT["other"], marker=".", linestyle="-.")

plt.rcParams.update(
    {
        "figure.figsize": (WIDTH, HEIGHT),
        "figure.facecolor": LIGHT["surface"],
        "figure.constrained_layout.use": True,
        "savefig.facecolor": LIGHT["surface"],
        "savefig.dpi": 220,
        "svg.fonttype": "none",  # text stays text: small, searchable, takes the page's font
        "svg.hashsalt": "swiglu",  # same data, same file
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 8,
        "text.color": LIGHT["ink"],
        "axes.facecolor": LIGHT["surface"],
        "axes.edgecolor": LIGHT["axis"],
        "axes.labelcolor": LIGHT["muted"],
        "axes.labelsize": 8,
        "axes.titlecolor": LIGHT["ink"],
        "axes.titlesize": 8.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": LIGHT["grid"],
        "grid.linewidth": 0.6,
        "xtick.color": LIGHT["axis"],
        "ytick.color": LIGHT["axis"],
        "xtick.labelcolor": LIGHT["muted"],
        "ytick.labelcolor": LIGHT["muted"],
        "xtick.labelsize": SMALL,
        "ytick.labelsize": SMALL,
        "lines.linewidth": 1.5,
        "lines.markersize": 3.8,
        "legend.frameon": False,
        "legend.fontsize": SMALL,
        "legend.handlelength": 1.6,
        "legend.labelspacing": 0.25,
        "hatch.color": LIGHT["hatch"],
        "hatch.linewidth": 0.6,
    }
)


@dataclass(frozen=True)
class Panel:
    """One picture: file name without extension, the ISA it shows, text for those who cannot see it, the figure."""

    slug: str
    isa: str
    alt: str
    figure: plt.Figure


def new_panel(title, height=HEIGHT, rows=1, ratios=(1,)):
    """(figure, axes) of one panel with its title; `axes` is an array if there are several rows above each other."""
    figure, axes = plt.subplots(rows, 1, figsize=(WIDTH, height), gridspec_kw={"height_ratios": ratios})
    (axes if rows == 1 else axes[0]).set_title(title)
    return figure, axes


def look(impl):
    """Colour, marker and line of an implementation."""
    return BACKEND.get(impl, UNKNOWN_BACKEND)


def impl_order(impls):
    """Implementations as legends list them: ours first, unknown ones last."""
    known = list(BACKEND)
    return sorted(impls, key=lambda impl: (known.index(impl) if impl in known else len(known), impl))


def legend_below(axes, columns=2, below=26, **options):
    """The legend under the x axis' name, `below` points under the axis, where it can cover nothing."""
    place = axes.transAxes + ScaledTranslation(0, -below / 72, axes.figure.dpi_scale_trans)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(
            loc="upper center", bbox_to_anchor=(0.5, 0), bbox_transform=place, ncol=columns, columnspacing=1.2,
            borderaxespad=0, **options,
        )  # fmt: skip


def hundred(axes, along="y"):
    """The line that nothing can be above: 100 % of a roof."""
    (axes.axhline if along == "y" else axes.axvline)(100, color=LIGHT["ink"], linewidth=1)


def bare(axes):
    """No ticks, grid or frame: for maps and keys."""
    axes.tick_params(length=0)
    axes.grid(False)
    for spine in axes.spines.values():
        spine.set_visible(False)


def token_axis(axes, tokens):
    """Logarithmic T axis whose ticks are the measured T. Labels thin out where they would touch."""
    log_axis(axes, tokens, "T (tokens per call)")


def log_axis(axes, values, name):
    axes.set_xscale("log", base=2)
    axes.set_xlabel(name)
    values = sorted(set(values))
    span = math.log2(values[-1] / values[0]) or 1
    shown, last = [], -math.inf
    for value in values:
        keep = math.log2(value) - last >= span / 10.5
        shown.append(str(value) if keep else "")
        last = math.log2(value) if keep else last
    axes.set_xticks(values, shown)
    axes.minorticks_off()
