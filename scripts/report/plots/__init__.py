"""One module per plot:

    KEY, TITLE, HOW       how to read it
    places(run)           arguments of each of its panels; none if the file lacks the data
    panel(run, *place)    one Panel
    reading(run)          what it says, in one computed sentence; only asked if there are places
    MISSING, MEASURE      shown if there are none: what was not measured, and the command that measures it

To add a plot, write such a module and name it here.
"""

from report.plots import (
    alignment, alignment_speedup, decode, fusion, gate, hot_cold, ladder, peers, percent_roof, prefill, roofline,
    run_chart, scaling, speedup, trend, two_matrix,
)  # fmt: skip

ALL = (
    speedup, percent_roof, roofline, decode, prefill, peers, fusion, two_matrix, alignment, alignment_speedup, hot_cold,
    scaling, ladder, run_chart, gate, trend,
)  # fmt: skip
