"""One module per plot: KEY, TITLE, HOW (how to read it), panels(run), reading(run) (what it says, in one sentence).

To add a plot, write such a module and name it here.
"""

from report.plots import alignment, percent_roof, roofline, speedup

ALL = (roofline, percent_roof, speedup, alignment)
