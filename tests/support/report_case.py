"""What the tests of the report share: small synthetic documents, and the command line run inside this process."""

import importlib.util
import io
import json
import sys
import tempfile
import unittest
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
sys.path.insert(0, str(SCRIPTS))

import synthetic_results as synthetic  # noqa: E402
from report import cli  # noqa: E402

HAVE_MATPLOTLIB = importlib.util.find_spec("matplotlib") is not None
needs_matplotlib = unittest.skipUnless(HAVE_MATPLOTLIB, "python3-matplotlib is not installed")

SMALL = {"d": (512, 1024), "T": (1, 16), "thr": (1,)}


def small(**changes):
    document = synthetic.results(suite=SMALL, align=False, ladder=False)
    document["context"].update(changes)
    return document


def row(document, **wanted):
    return next(r for r in document["benchmarks"] if all(r.get(k) == v for k, v in wanted.items()))


def slow_down(item, factor):
    """The row as if it had taken `factor` times as long, consistent in all its figures."""
    for key in ("t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "real_time"):
        item[key] *= factor
    for key in ("gflops", "gbps", "pct_peak", "pct_bw", "pct_roof"):
        item[key] /= factor


class Folder(unittest.TestCase):
    """A temporary folder, and the command line run inside this process."""

    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.out = self.folder / "report"

    def write(self, document, name="results.json"):
        path = self.folder / name
        path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")
        return path

    def report(self, *arguments):
        """(exit code, stdout, stderr)"""
        stdout, stderr = io.StringIO(), io.StringIO()
        with redirect_stdout(stdout), redirect_stderr(stderr):
            try:
                code = cli.main([*map(str, arguments), "--out", str(self.out)])
            except SystemExit as stop:
                code = stop.code
        return code, stdout.getvalue(), stderr.getvalue()


def everything_but_drawing(document):
    """All that the report says about the document, without the plots (they take most of the time)."""
    from report import build, content, plots, summary

    run = build.build(document)
    silent = [SimpleNamespace(**{**vars(module), "panel": lambda *_: None}) for module in plots.ALL]
    with mock.patch.object(plots, "ALL", silent), mock.patch.object(content, "_picture"):
        said = content.content(run)
    return said, summary.render(said, run)
