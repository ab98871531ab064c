"""Command line: results in, report folder out."""

import argparse
import json
import sys
from pathlib import Path

from report.load import KINDS, InputError, load
from report.merge import merge
from report.publish import publish
from report.validate import validate
from report.validate_gate import validate_gate

VERSION = "2"
HELP = """\
Makes a report of what swiglu-bench measured: OUT/report.html (one file, no network), summary.md, results.json and
plots/*.svg, *.png. Several files of one build on one machine are joined; several with the same points count as launches
of one measurement, and the intervals then come from the spread between launches. Activations are never mixed: each has
headlines of its own. A verdict file of scripts/perf_gate (build/perf_gate/result.json) may stand among them.

--compare OLD NEW instead sets two result files side by side: shares of each file's own roofs, never times. Files without
a common point are an error that says in what they differ.

exit code: 0 written; 2 usage, or the input cannot be reported on (one line says why, nothing is written)
"""


class Parser(argparse.ArgumentParser):
    def error(self, message):
        """In one line, as every other error; argparse puts its usage before it."""
        self.exit(2, f"{self.prog}: {message} (see {self.prog} --help)\n")


def main(argv=None):
    parser = Parser(
        prog="report", description=HELP, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("results", nargs="*", type=Path, help="JSON written by swiglu-bench --out")
    parser.add_argument("--history", nargs="+", type=Path, default=[], metavar="FILE",
                        help="results of earlier commits, for the trend")  # fmt: skip
    parser.add_argument("--compare", nargs="+", type=Path, metavar=("OLD", "NEW"), help="two results side by side")
    parser.add_argument("--out", type=Path, default=Path("report"), help="folder to write into (default: report)")
    parser.add_argument("--partial", action="store_true", help="accept an interrupted run or missing points")
    parser.add_argument("--version", action="version", version=f"report {VERSION} (reads {', '.join(KINDS)})")
    arguments = parser.parse_args(argv)
    if arguments.compare is not None and len(arguments.compare) != 2:  # nargs=2 takes "--out" for the second (Python 3.13.5)
        parser.error("argument --compare: expected 2 arguments")
    if bool(arguments.results) == bool(arguments.compare):
        parser.error("give result files, or --compare OLD NEW")
    if arguments.compare and arguments.history:
        parser.error("--history belongs to a report of result files, not to --compare")
    try:
        files = _compare(*arguments.compare, arguments.partial) if arguments.compare else _report(
            arguments.results, arguments.history, arguments.partial
        )  # fmt: skip
    except (InputError, OSError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    try:
        publish(files, arguments.out)
    except OSError as error:
        print(f"report: cannot write to {arguments.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    beside = [name for name in files if "/" not in name and name != "report.html"]
    print(f"report: wrote {arguments.out / 'report.html'}, {', '.join(beside)}, plots/")
    return 0


def _report(paths, history, partial):
    """The report's files, {relative path: bytes}. Raises InputError or OSError."""
    loaded = [(path, *load(path)) for path in paths]
    gates = [document for path, kind, document in loaded if kind == "gate"]
    for path, kind, document in loaded:
        if kind == "gate":
            validate_gate(document, path)
    results = [(path, document) for path, kind, document in loaded if kind == "results"]
    if not results:
        raise InputError(f"{paths[0]}: a verdict of the gate needs a result file beside it")
    for path, document in results:
        validate(document, path, partial)
    document = merge([document for _, document in results], [path for path, _ in results])
    raw = results[0][0].read_bytes() if len(results) == 1 else _pretty(document)
    earlier = [_results(path, partial=True) for path in history]
    build, content, page, summary = _drawing("build", "content", "page", "summary")
    run = build.build(document, gates, [build.build(old) for old in earlier])
    said = content.content(run)
    return {
        **_pictures(said),
        "results.json": raw,
        "summary.md": summary.render(said, run).encode(),
        "report.html": page.render(said, {"results.json": document}).encode(),
    }


def _compare(old, new, partial):
    """Likewise for the comparison of two files."""
    documents = [_results(path, partial) for path in (old, new)]
    build, compare, page, summary = _drawing("build", "compare", "page", "summary")
    both = compare.in_common(*map(build.build, documents))
    said = compare.content(both)
    return {
        **_pictures(said),
        "old.json": old.read_bytes(),
        "new.json": new.read_bytes(),
        "summary.md": summary.opening(said).encode(),
        "report.html": page.render(said, dict(zip(("old.json", "new.json"), documents))).encode(),
    }


def _results(path, partial):
    kind, document = load(path)
    if kind != "results":
        raise InputError(f"{path}: not a result file of swiglu-bench")
    validate(document, path, partial)
    return document


def _drawing(*names):
    """Modules of this package that draw. Late: bad input should be told apart from a missing matplotlib at once."""
    try:
        return [__import__(f"report.{name}", fromlist=[name]) for name in names]
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "matplotlib":
            raise
        raise InputError("Python's matplotlib is missing: install the package python3-matplotlib") from None


def _pictures(said):
    files = {}
    for picture in (picture for plot in said.plots for picture in plot.pictures):
        files[f"plots/{picture.slug}.svg"] = picture.text.encode()
        files[f"plots/{picture.slug}.png"] = picture.png
    return files


def _pretty(document):
    return json.dumps(document, indent=1, ensure_ascii=False).encode()
