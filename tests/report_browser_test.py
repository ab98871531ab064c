"""scripts/report: the page in a real browser. Without Chromium (scripts/setup test installs it) this is skipped."""

import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

import synthetic_results as synthetic  # noqa: E402
from browser import PROGRAM, Browser  # noqa: E402
from report_case import HAVE_MATPLOTLIB  # noqa: E402
from visible_skips import main  # noqa: E402

from report import cli  # noqa: E402

PHONE, DESKTOP = 375, 1280
SMALLEST = 10  # px, in pictures on a phone
CONTRAST = 4.5  # WCAG AA, normal text
PLOTS = {
    "roofline", "decode", "prefill", "alignment", "alignment_speedup", "speedup", "fusion", "hot_cold", "scaling",
    "run_chart", "ladder", "gate", "trend", "percent_roof", "peers", "two_matrix",
}  # fmt: skip
PROBE = (Path(__file__).resolve().parent / "support" / "page_probe.js").read_text(encoding="utf-8")


@unittest.skipUnless(PROGRAM, "chromium is not installed")
class Start(unittest.TestCase):
    def test_whatever_descriptors_are_open(self):
        """CTest leaves some open: the pipes to the browser then have numbers of two digits."""
        for _ in range(12):
            self.enterContext(open(os.devnull, encoding="utf-8"))
        browser = Browser()
        self.addCleanup(browser.close)
        self.assertEqual(browser.run("1 + 1"), 2)


@unittest.skipUnless(PROGRAM, "chromium is not installed")
@unittest.skipUnless(HAVE_MATPLOTLIB, "python3-matplotlib is not installed")
class Page(unittest.TestCase):
    """A report in which every plot has something to show."""

    @classmethod
    def setUpClass(cls):
        cls.folder = Path(cls.enterClassContext(tempfile.TemporaryDirectory()))
        cls.document = synthetic.everything()
        cls.page = cls.make("new", cls.document, "--history", *cls.history(), also=[synthetic.gate_results()])
        cls.browser = Browser()
        cls.addClassCleanup(cls.browser.close)

    @classmethod
    def make(cls, name, document, *options, also=()):
        paths = []
        for i, content in enumerate((document, *also)):
            paths.append(cls.folder / f"{name}{i}.json")
            paths[-1].write_text(json.dumps(content), encoding="utf-8")
        with redirect_stdout(io.StringIO()):
            assert cli.main([*map(str, (*paths, *options)), "--out", str(cls.folder / name)]) == 0
        return cls.folder / name / "report.html"

    @classmethod
    def history(cls):
        """Six earlier files, the first three at a lower share of the roof."""
        paths = [cls.folder / f"history{i}.json" for i in range(6)]
        for i, path in enumerate(paths):
            document = synthetic.everything(seed=i)
            document["context"].update(date=f"1999-12-0{i + 1}T00:00:00+00:00", git_sha=f"{i}" * 40)
            for row in document["benchmarks"]:
                row["pct_roof"] *= 0.9 if i < 3 else 1
            path.write_text(json.dumps(document), encoding="utf-8")
        return paths

    def show(self, width, dark=False, page=None):
        self.browser.messages.clear()
        self.browser.requests.clear()
        self.browser.show(page or self.page, width, dark=dark)
        self.browser.run(f"void (globalThis.probe = (() => {{ {PROBE}; return probe; }})())")
        self.browser.run("document.querySelectorAll('details').forEach((part) => { part.open = true; })")

    def findings(self, call):
        return self.browser.run(f"probe.{call}")

    def test_silent_and_alone(self):
        for width, dark in ((DESKTOP, False), (DESKTOP, True), (PHONE, False)):
            self.show(width, dark)
            self.assertEqual(self.browser.messages, [])
            self.assertEqual(self.browser.requests, [self.page.resolve().as_uri()])

    def test_every_plot_is_there(self):
        self.show(DESKTOP)
        pictures = self.findings("pictures()")
        self.assertEqual({key for key, count in pictures.items() if count}, PLOTS)
        absent = self.browser.run("[...document.querySelectorAll('.absent li')].map((item) => item.id)")
        self.assertEqual(absent, ["elementwise", "checks"])  # tables of other commands

    def test_text_is_large_enough(self):
        self.show(PHONE)
        self.assertEqual(self.findings(f"smallText({SMALLEST})"), [])
        self.show(DESKTOP)
        self.assertEqual(self.findings(f"smallText({SMALLEST})"), [])

    def test_text_can_be_told_from_what_is_behind_it(self):
        for dark in (False, True):
            self.show(DESKTOP, dark)
            self.assertEqual(self.findings(f"faintText({CONTRAST})"), [])

    def test_labels_neither_touch_nor_leave_their_picture(self):
        for width in (PHONE, DESKTOP):
            self.show(width)
            self.assertEqual(self.findings("collisions()"), [])

    def test_nothing_is_wider_than_a_phone(self):
        self.show(PHONE)
        self.assertEqual(self.findings(f"overflow({PHONE})"), [])

    def test_dark_and_light_differ(self):
        colours = []
        for dark in (False, True):
            self.show(DESKTOP, dark)
            colours.append(self.browser.run("getComputedStyle(document.body).backgroundColor"))
        self.assertEqual(colours, ["rgb(252, 252, 251)", "rgb(26, 26, 25)"])

    def test_tables_sort_by_mouse(self):
        self.show(DESKTOP)
        head = "document.querySelectorAll('#table-points th')[7]"
        self.browser.run(f"{head}.querySelector('button').click()")
        times = [float(text) for text in self.findings("column('points', 7)")]
        self.assertEqual(times, sorted(times))
        self.assertEqual(self.browser.run(f"{head}.getAttribute('aria-sort')"), "ascending")
        self.browser.run(f"{head}.querySelector('button').click()")
        self.assertEqual([float(t) for t in self.findings("column('points', 7)")], sorted(times, reverse=True))

    def test_tables_sort_by_keyboard(self):
        self.show(DESKTOP)
        self.browser.run("document.querySelector('#table-points th button').focus()")
        self.browser.press("Tab", 9)
        self.browser.press("Enter", 13)
        names = self.findings("column('points', 1)")
        self.assertEqual(names, sorted(names))
        self.assertEqual(
            self.browser.run("document.querySelectorAll('#table-points th')[1].getAttribute('aria-sort')"), "ascending"
        )

    def test_a_word_filters_rows(self):
        self.show(DESKTOP)
        self.browser.run(
            "(() => { const box = document.querySelector('#table-points input'); box.value = 'eigen';"
            "box.dispatchEvent(new Event('input')); })()"
        )
        self.assertEqual(set(self.findings("column('points', 0)")), {"Eigen"})

    def test_the_raw_data_is_in_the_page(self):
        self.show(DESKTOP)
        text = self.browser.run("document.querySelector('script.results[data-name=\"results.json\"]').textContent")
        self.assertEqual(json.loads(text), self.document)
        self.assertEqual(self.browser.run("document.querySelectorAll('button.download').length"), 1)

    @unittest.skipUnless(shutil.which("pdftotext"), "pdftotext (poppler-utils) is not installed")
    def test_on_paper_each_page_of_a_table_has_its_header(self):
        self.browser.show(self.page, DESKTOP)
        self.browser.pdf(self.folder / "page.pdf")
        text = subprocess.run(["pdftotext", "-layout", self.folder / "page.pdf", "-"], capture_output=True, text=True)
        pages = [page for page in text.stdout.split("\f") if page.count("oneDNN, post-ops  ") > 8]
        self.assertGreater(len(pages), 2)  # the two long tables
        for page in pages:
            self.assertRegex(page, r"(?m)^ *(backend|ISA) .*threads .*d_model")

    def test_the_comparison_of_two_files(self):
        old, new = self.folder / "new0.json", self.folder / "history0.json"
        with redirect_stdout(io.StringIO()):
            assert cli.main(["--compare", str(old), str(new), "--out", str(self.folder / "both")]) == 0
        page = self.folder / "both" / "report.html"
        for width, dark in ((PHONE, False), (DESKTOP, True)):
            self.show(width, dark, page)
            self.assertEqual(self.browser.messages, [])
            self.assertEqual(self.browser.requests, [page.resolve().as_uri()])
            for call in (f"smallText({SMALLEST})", f"faintText({CONTRAST})", "collisions()", f"overflow({width})"):
                self.assertEqual(self.findings(call), [], call)
        self.assertEqual(set(self.findings("pictures()")), {"shares", "tokens", "speedups"})


if __name__ == "__main__":
    main()
