"""Command line: results in, report folder out."""

import argparse
import json
import sys
from pathlib import Path

from report.load import SCHEMA, InputError, load
from report.merge import merge
from report.validate import validate

VERSION = "1"
HELP = """\
Makes a report of what swiglu-bench measured: OUT/report.html (one file, no network), summary.md, results.json and
plots/*.svg, *.png. Several files of one build on one machine are joined; several with the same points count as launches
of one measurement, and the intervals then come from the spread between launches.

exit code: 0 written; 2 usage, or the input cannot be reported on (one line says why, nothing is written)
"""


def main(argv=None):
    parser = argparse.ArgumentParser(
        prog="report", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="+", type=Path, help="JSON written by swiglu-bench --out")
    parser.add_argument("--out", type=Path, default=Path("report"), help="folder to write into (default: report)")
    parser.add_argument("--partial", action="store_true", help="accept an interrupted run or missing points")
    parser.add_argument("--version", action="version", version=f"report {VERSION} (reads {SCHEMA})")
    arguments = parser.parse_args(argv)
    try:
        run(arguments.results, arguments.out, arguments.partial)
    except (InputError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    print(f"report: wrote {arguments.out / 'report.html'}, summary.md, results.json, plots/")
    return 0


def run(paths, out, partial=False):
    """Reads, checks and joins `paths`, then writes the report into `out`. Raises InputError or OSError."""
    documents = [load(path) for path in paths]
    for path, document in zip(paths, documents):
        validate(document, path, partial)
    document = merge(documents, paths)
    raw = paths[0].read_bytes() if len(paths) == 1 else json.dumps(document, indent=1, ensure_ascii=False).encode()
    # Late: drawing needs matplotlib, and bad input should be told apart from a missing package at once.
    try:
        from report import page, publish, summary
        from report.build import build
        from report.content import content
    except ModuleNotFoundError as error:
        if error.name != "matplotlib":
            raise
        raise InputError("Python's matplotlib is missing: install the package python3-matplotlib") from None
    measured = build(document)
    said = content(measured)
    files = {}
    for picture in (picture for plot in said.plots for picture in plot.pictures):
        files[f"plots/{picture.slug}.svg"] = picture.text.encode()
        files[f"plots/{picture.slug}.png"] = picture.png
    files["results.json"] = raw
    files["summary.md"] = summary.render(said, measured).encode()
    files["report.html"] = page.render(said, document).encode()
    publish.publish(files, out)
