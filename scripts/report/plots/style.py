"""Colours, fonts and sizes of every plot, and the panel type they all return.

A panel is small (readable on a phone at full width); the page sets several side by side. Each colour below is used for
one role only, because svg.py turns the colours of an inline plot into CSS variables, so that dark mode can change them.
"""

from dataclasses import dataclass

import matplotlib

matplotlib.use("Agg")  # no display on a server; must precede pyplot

import matplotlib.pyplot as plt  # noqa: E402

# role: (light, dark)
PALETTE = {
    "surface": ("#fcfcfb", "#1a1a19"),
    "ink": ("#0b0b0b", "#fafafa"),
    "muted": ("#5f5e5a", "#b3b1aa"),
    "grid": ("#e3e2dc", "#33332f"),
    "axis": ("#b9b8b0", "#55544f"),
    "ours": ("#1f6fd0", "#4b9af5"),
    "rival": ("#d9541e", "#f07f4a"),
    "rival2": ("#8a5a00", "#c9962e"),
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
    "onednn-strongest": dict(color=LIGHT["rival"], marker="s", linestyle="-"),
    "onednn-wide": dict(color=LIGHT["rival"], marker="s", linestyle="-"),
    "onednn-post_ops": dict(color=LIGHT["rival2"], marker="^", linestyle="--"),
    "reference": dict(color=LIGHT["other"], marker="x", linestyle=":"),
}

plt.rcParams.update(
    {
        "figure.figsize": (4.9, 3.7),
        "figure.facecolor": LIGHT["surface"],
        "figure.constrained_layout.use": True,
        "savefig.facecolor": LIGHT["surface"],
        "savefig.dpi": 160,
        "svg.fonttype": "none",  # text stays text: small, searchable, takes the page's font
        "svg.hashsalt": "swiglu",  # same data, same file
        "font.family": "sans-serif",
        "font.sans-serif": ["DejaVu Sans"],
        "font.size": 9,
        "text.color": LIGHT["ink"],
        "axes.facecolor": LIGHT["surface"],
        "axes.edgecolor": LIGHT["axis"],
        "axes.labelcolor": LIGHT["muted"],
        "axes.titlecolor": LIGHT["ink"],
        "axes.titlesize": 9.5,
        "axes.titleweight": "bold",
        "axes.titlelocation": "left",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.axisbelow": True,
        "grid.color": LIGHT["grid"],
        "grid.linewidth": 0.7,
        "xtick.color": LIGHT["axis"],
        "ytick.color": LIGHT["axis"],
        "xtick.labelcolor": LIGHT["muted"],
        "ytick.labelcolor": LIGHT["muted"],
        "lines.linewidth": 1.8,
        "lines.markersize": 5,
        "legend.frameon": False,
        "legend.fontsize": 8.5,
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


def new_panel(title):
    """(figure, axes) with the panel's title."""
    figure, axes = plt.subplots()
    axes.set_title(title)
    return figure, axes


def token_axis(axes, tokens):
    """Logarithmic T axis whose ticks are the measured T. Labels thin out where they would touch."""
    import math

    axes.set_xscale("log", base=2)
    axes.set_xlabel("T (tokens per call)")
    tokens = sorted(set(tokens))
    axes.set_xticks(tokens, [""] * len(tokens))
    span = math.log2(tokens[-1] / tokens[0]) or 1
    shown, last = [], -math.inf
    for T in tokens:
        keep = math.log2(T) - last >= span / 13
        shown.append(str(T) if keep else "")
        last = math.log2(T) if keep else last
    axes.set_xticks(tokens, shown)
    axes.minorticks_off()
