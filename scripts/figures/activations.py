#!/usr/bin/python3
"""Usage: scripts/figures/activations.py CERTIFY [--out FILE] [--check] [--help]

Draws SiLU, GELU and their gradients from the library's own numbers: CERTIFY is a build's tests/swiglu-certify, whose
--eval prints them. Writes activations.svg beside this script, or FILE; with --check it writes nothing and says whether
that file is what it would write. The README shows the result.
SiLU, its slope and GELU are the kernels' f32 results; the slope of GELU, for which there is no function of its own, is
the central difference of the reference in double over 2 · 2^-5 (its error, 1.3e-4, is a fiftieth of a pixel).
Exit code: 0 written (or equal), 1 different, 2 wrong usage or it could not be done.
"""

import argparse
import pathlib
import subprocess
import sys

STEP = 2.0**-5  # every x is a multiple, so a float
LEFT, RIGHT = -6.0, 4.0

# The page decides between light and dark by what the reader's system asks for; the picture brings its own background,
# so that it can be read where a page does not follow.
STYLE = """
svg { --surface: #fcfcfb; --ink: #0b0b0b; --muted: #5f5e5a; --grid: #e3e2dc; --silu: #1f6fd0; --gelu: #c84a15; }
@media (prefers-color-scheme: dark) {
  svg { --surface: #1a1a19; --ink: #fafafa; --muted: #b3b1aa; --grid: #33332f; --silu: #4b9af5; --gelu: #f07f4a; }
}
text { font: 13px system-ui, "DejaVu Sans", sans-serif; fill: var(--muted); }
.title { font-size: 15px; font-weight: 600; fill: var(--ink); }
.grid { stroke: var(--grid); } .axis { stroke: var(--muted); }
.silu { stroke: var(--silu); } .gelu { stroke: var(--gelu); stroke-dasharray: 7 4; }
path { fill: none; stroke-width: 2; } circle { fill: var(--silu); }
text.silu { fill: var(--silu); stroke: none; } text.gelu { fill: var(--gelu); stroke: none; }
"""


def evaluate(certify, function, xs, isa=None):
    """f(x) for every x, as the library computes it."""
    command = [certify, "--eval", function] + (["--isa", isa] if isa else [])
    lines = "".join(f"{x!r}\n" for x in xs)
    done = subprocess.run(command, input=lines, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip() or f"{certify} failed with {done.returncode}")
    values = [float.fromhex(line.split()[1]) for line in done.stdout.splitlines()]
    if len(values) != len(xs):
        raise RuntimeError(f"{certify} gave {len(values)} values for {len(xs)}: is it swiglu-certify?")
    return values


class Panel:
    """One coordinate system, 400 × 270 inside its margins, at `left` of the picture."""

    TOP, WIDTH, HEIGHT = 50, 400, 270

    def __init__(self, left, low, high, title):
        self.left, self.low, self.high = left, low, high
        self.parts = [f'<text class="title" x="{left}" y="{self.TOP - 22}">{title}</text>']

    def x(self, x):
        return self.left + (x - LEFT) / (RIGHT - LEFT) * self.WIDTH

    def y(self, y):
        return self.TOP + (self.high - y) / (self.high - self.low) * self.HEIGHT

    def line(self, kind, x0, y0, x1, y1):
        ends = f'x1="{self.x(x0):.1f}" y1="{self.y(y0):.1f}" x2="{self.x(x1):.1f}" y2="{self.y(y1):.1f}"'
        self.parts.append(f'<line class="{kind}" {ends}/>')

    def text(self, x, y, text, anchor="start", kind=""):
        self.parts.append(f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>')

    def axes(self, y_ticks):
        for x in range(int(LEFT), int(RIGHT) + 1, 2):
            self.line("axis" if x == 0 else "grid", x, self.low, x, self.high)
            self.text(self.x(x), self.TOP + self.HEIGHT + 18, str(x).replace("-", "−"), "middle")
        for y in y_ticks:
            self.line("axis" if y == 0 else "grid", LEFT, y, RIGHT, y)
            self.text(self.left - 7, self.y(y) + 4, f"{y:g}".replace("-", "−"), "end")

    def curve(self, kind, xs, ys):
        points = " ".join(f"{self.x(x):.2f},{self.y(y):.2f}" for x, y in zip(xs, ys))
        self.parts.append(f'<path class="{kind}" d="M{points}"/>')

    def mark(self, x, text, y, dx, dy, anchor="start"):
        self.parts.append(f'<circle cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="3.5"/>')
        self.text(self.x(x) + dx, self.y(y) + dy, text, anchor)


def number(value, digits):
    return f"{value:.{digits}f}".replace("-", "−")


def draw(certify):
    count = round((RIGHT - LEFT) / STEP)
    xs = [LEFT + i * STEP for i in range(count + 1)]
    silu = evaluate(certify, "silu", xs)
    slope = evaluate(certify, "silu_slope", xs)
    gelu = evaluate(certify, "gelu_erf", xs)
    exact = evaluate(certify, "gelu_erf", [xs[0] - STEP] + xs + [xs[-1] + STEP], "reference")
    gelu_slope = [(after - before) / (2 * STEP) for before, after in zip(exact, exact[2:])]

    values = Panel(50, -1, 4, "silu(x) = x·σ(x) and gelu(x) = x·Φ(x)")
    values.axes([-1, 0, 1, 2, 3, 4])
    values.curve("gelu", xs, gelu)
    values.curve("silu", xs, silu)
    lowest = min(range(len(xs)), key=silu.__getitem__)
    where = f"{number(silu[lowest], 4)} at {number(xs[lowest], 2)}"
    values.mark(xs[lowest], f"minimum {where}", silu[lowest], 40, 26, "end")

    slopes = Panel(540, -0.5, 1.25, "their gradients")
    slopes.axes([-0.5, 0, 0.5, 1])
    slopes.curve("gelu", xs, gelu_slope)
    slopes.curve("silu", xs, slope)
    for extreme, dy in ((max(slope), -12), (min(slope), 26)):
        x = xs[slope.index(extreme)]
        slopes.mark(x, f"{number(extreme, 4)} at {number(x, 1)}", extreme, 0, dy, "middle")
    slopes.mark(0, "½ at 0", slope[xs.index(0.0)], 12, 18)

    for panel in (values, slopes):
        for row, (kind, name) in enumerate((("silu", "SiLU"), ("gelu", "GELU"))):
            y = panel.TOP + 22 + 21 * row
            panel.parts.append(f'<path class="{kind}" d="M{panel.left + 14},{y - 4} h34"/>')
            panel.text(panel.left + 56, y, name, kind=kind)
    body = "\n".join(values.parts + slopes.parts)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" width="960" height="360" viewBox="0 0 960 360" role="img">\n'
        "<title>SiLU and GELU, and their gradients</title>\n"
        f"<style>{STYLE}</style>\n"
        '<rect width="960" height="360" rx="8" style="fill: var(--surface)"/>\n'
        f"{body}\n</svg>\n"
    )


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[0].removeprefix("Usage: "), add_help=False)
    parser.add_argument("certify")
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).with_name("activations.svg"))
    parser.add_argument("--check", action="store_true")
    if "--help" in sys.argv[1:] or "-h" in sys.argv[1:]:
        print(__doc__, end="")
        return 0
    options = parser.parse_args()
    try:
        picture = draw(options.certify)  # whole before anything is written
        if options.check:
            if options.out.read_text(encoding="utf-8") == picture:
                return 0
            print(f"activations.py: {options.out} is not what {options.certify} gives: draw it anew", file=sys.stderr)
            return 1
        options.out.write_text(picture, encoding="utf-8")
    except (OSError, RuntimeError, ValueError) as error:
        print(f"activations.py: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
