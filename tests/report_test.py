"""scripts/report: from benchmark JSON to page. What must not become a page is in report_input_test.py.

The input is synthetic (tests/support/synthetic_results.py), so the right answers are known.
"""

import copy
import html.parser
import io
import json
import math
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree
from contextlib import redirect_stdout
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

import synthetic_results as synthetic  # noqa: E402
from report_case import (  # noqa: E402
    HAVE_MATPLOTLIB, SCRIPTS, SMALL, Folder, everything_but_drawing, needs_matplotlib, row, slow_down, small,
)  # fmt: skip
from visible_skips import main  # noqa: E402

from report import cli, load, merge, validate  # noqa: E402

if HAVE_MATPLOTLIB:
    from report import blocks, build, caveats, headline, machine, model, svg
    from report.plots import alignment, heatmap, roofline, scaling, speedup
    from report.plots.style import LIGHT, PALETTE

ZERO = "ffn/d:512/h:1280/m:256/T:1/impl:native/isa:avx512/dt:f32/thr:1/cache:wei"


class PageCheck(html.parser.HTMLParser):
    """Collects what a page must not have: open tags, repeated ids, anything loaded from elsewhere."""

    VOID = {"meta", "link", "input", "br"}

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.loads, self.references = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        if tag not in self.VOID:
            self.open.append(tag)
        for key, value in attributes:
            if key == "id":
                self.ids.append(value)
            if key in ("src", "href", "xlink:href") and not value.startswith(("#", "data:")):
                self.loads.append(value)
            if key in ("href", "xlink:href") and value.startswith("#"):
                self.references.append(value[1:])

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()


@needs_matplotlib
class Written(unittest.TestCase):
    """One report of two ISAs with the alignment sweep, looked at from all sides."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        folder = Path(cls.temporary.name)
        cls.out = folder / "report"
        cls.document = synthetic.results(suite={"d": (1024, 4096), "T": (1, 16, 256), "thr": (1,)})
        cls.document["machine"]["cpu_model"] = "SYNTHETIC </script><b>&amp;\u2028"
        (folder / "in.json").write_text(json.dumps(cls.document), encoding="utf-8")
        with redirect_stdout(io.StringIO()):
            assert cli.main([str(folder / "in.json"), "--out", str(cls.out)]) == 0
        cls.source = (folder / "in.json").read_bytes()
        cls.page = (cls.out / "report.html").read_text(encoding="utf-8")
        cls.run_ = build.build(cls.document)
        cls.summary = (cls.out / "summary.md").read_text(encoding="utf-8")

    def test_files(self):
        self.assertEqual(
            {p.name for p in self.out.iterdir()}, {"report.html", "summary.md", "results.json", "plots"}
        )
        self.assertEqual((self.out / "results.json").read_bytes(), self.source)
        names = {p.name for p in (self.out / "plots").iterdir()}
        for kind in ("roofline", "percent_roof", "speedup", "decode", "prefill", "peers"):
            for ending in ("svg", "png"):
                self.assertIn(f"{kind}_avx512_1t.{ending}", names)
        self.assertIn("alignment_avx512_1t_T1.svg", names)
        for path in (self.out / "plots").glob("*.svg"):
            ElementTree.parse(path)
        for path in (self.out / "plots").glob("*.png"):
            self.assertTrue(path.read_bytes().startswith(b"\x89PNG"))

    def test_page_is_whole_and_alone(self):
        page = PageCheck(self.page)
        self.assertEqual(page.open, [])
        self.assertEqual(page.loads, [])
        self.assertEqual(len(page.ids), len(set(page.ids)))
        self.assertEqual(set(page.references) - set(page.ids), set())
        self.assertIn("default-src 'none'", self.page)
        self.assertNotIn("@import", self.page)
        for url in set(word for word in self.page.split('"') if word.startswith(("http:", "https:"))):
            self.assertIn(url, ("http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"))

    def test_text_from_the_file_is_escaped(self):
        self.assertNotIn("</script><b>", self.page)
        self.assertIn("SYNTHETIC &lt;/script&gt;&lt;b&gt;&amp;amp;", self.page)

    def test_embedded_data_is_the_input(self):
        data = self.page.split('class="results" data-name="results.json">')[1].split("</script>")[0]
        self.assertEqual(json.loads(data), self.document)

    def test_plots_follow_the_theme(self):
        inline = "".join(part.split("</figure>")[0] for part in self.page.split("<figure>")[1:])
        self.assertIn("var(--ours)", inline)
        for light, dark in PALETTE.values():
            self.assertNotIn(light, inline)
            self.assertIn(dark, self.page)  # the dark block defines it

    def test_opening_names_machine_versions_commit(self):
        opening = self.page.split("class='cards'")[0]
        for text in ("SYNTHETIC", "swiglu 0.0.0", "0" * 12, "oneDNN 3.2.0"):
            self.assertIn(text, opening)

    def test_commands_and_every_point(self):
        self.assertIn(self.document["context"]["argv"], self.page)
        self.assertIn(f"Every measured point ({len(self.document['benchmarks'])} rows)", self.page)

    def test_losses_are_shown(self):
        self.assertIn("Where a rival is faster (", self.page)
        self.assertRegex(self.page, r"worst 0\.\d\d× at d_model 4096, T = 256, 1 thread \(a loss\)")
        for name, count in zip(("win", "tie", "loss"), headline.tally(self.run_.against_strongest(isa="avx512"))):
            self.assertIn(f"<i class='{name}' style='flex-grow:{count}'>{count}</i>", self.page)
        self.assertRegex(self.summary, r"\| 4096 \|.*\*\*0\.\d\d\*\* \|")
        self.assertRegex(self.summary, r"\d+ wins?, \d+ ties?, \d+ loss")

    def test_same_input_same_page(self):
        again = self.out.parent / "again"
        with redirect_stdout(io.StringIO()):
            cli.main([str(self.out / "results.json"), "--out", str(again)])
        self.assertEqual((again / "report.html").read_bytes(), (self.out / "report.html").read_bytes())


@needs_matplotlib
class Publishing(Folder):
    def test_an_old_report_survives_a_failure(self):
        good = self.write(small())
        self.assertEqual(self.report(good)[0], 0)
        (self.out / "kept.json").write_text("{}")
        before = {p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}
        bad = self.write(small(interrupted=True), "bad.json")
        self.assertEqual(self.report(bad)[0], 2)
        with mock.patch.object(Path, "write_bytes", side_effect=full_disk_after(3)):
            code, _, stderr = self.report(good)
        self.assertEqual((code, stderr.count("\n")), (2, 1))
        self.assertEqual({p: p.read_bytes() for p in self.out.rglob("*") if p.is_file()}, before)

    def test_stale_plots_go_and_other_files_stay(self):
        self.assertEqual(self.report(self.write(small()))[0], 0)
        (self.out / "plots" / "old.svg").write_text("<svg/>")
        (self.out / "kept.json").write_text("{}")
        self.assertEqual(self.report(self.out / "results.json")[0], 0)  # the input may lie in the folder itself
        self.assertFalse((self.out / "plots" / "old.svg").exists())
        self.assertTrue((self.out / "kept.json").exists())
        self.assertEqual([p for p in self.out.iterdir() if p.name.startswith(".")], [])

    def test_out_cannot_be_written(self):
        self.out.write_text("mine")
        code, _, stderr = self.report(self.write(small()))
        self.assertEqual((code, stderr.count("\n")), (2, 1))
        self.assertIn(f"cannot write to {self.out}", stderr)
        self.assertEqual(self.out.read_text(), "mine")

    def test_a_full_disk_leaves_no_new_folder(self):
        with mock.patch.object(Path, "write_bytes", side_effect=full_disk_after(3)):
            code, _, stderr = self.report(self.write(small()))
        self.assertEqual((code, stderr), (2, f"report: cannot write to {self.out}: No space left on device\n"))
        self.assertFalse(self.out.exists())

    def test_partial_is_said_on_the_page(self):
        document = small(interrupted=True)
        document["benchmarks"].remove(row(document, impl="onednn-wide", d=1024, T=16))
        document["pairs"] = [p for p in document["pairs"] if p["d"] != 1024]
        self.assertEqual(self.report(self.write(document), "--partial")[0], 0)
        self.assertIn("was interrupted: points are missing", (self.out / "report.html").read_text())

    def test_help_and_version(self):
        for option, says in (("--help", "exit code"), ("--version", "swiglu-bench/1")):
            code, stdout, _ = self.report(option)
            self.assertEqual(code, 0)
            self.assertIn(says, stdout)

    def test_run_as_a_program(self):
        done = subprocess.run(
            [sys.executable, str(SCRIPTS / "report"), str(self.write(small())), "--out", str(self.out)],
            capture_output=True, text=True, cwd=self.folder,
        )  # fmt: skip
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertTrue((self.out / "report.html").exists())


def full_disk_after(count):
    written = []

    def write_bytes(data):
        written.append(data)
        if len(written) > count:
            raise OSError(28, "No space left on device")
        return len(data)

    return write_bytes


@needs_matplotlib
class Numbers(unittest.TestCase):
    def built(self, document):
        validate.validate(document, "file")
        return build.build(document)

    def test_decode_headline_by_hand(self):
        document = small()
        rows = [r for r in document["benchmarks"] if r["impl"] == "native" and r["isa"] == "avx512" and r["T"] == 1]
        expected = math.exp(sum(math.log(r["pct_bw"]) for r in rows) / len(rows))
        (figure,) = headline.decode(self.built(document)).figures
        self.assertAlmostEqual(figure.value, expected)
        self.assertAlmostEqual(figure.low, expected / 1.008, places=6)
        self.assertAlmostEqual(figure.high, expected / 0.993, places=6)

    def test_warm_rows_are_left_out_of_decode(self):
        document = small()
        warm = row(document, impl="native", isa="avx512", d=512, T=1)
        slow_down(warm, 0.5)  # 74 GB/s from a 40 GB/s memory: a cache, whatever cold_ok claims
        run = self.built(document)
        (figure,) = headline.decode(run).figures
        self.assertLess(figure.value, 100)
        self.assertIn("1 row left out", headline.decode(run).note)
        self.assertTrue(any("Not certified cold" in text for text in caveats.caveats(run)))
        self.assertFalse(any("Not certified cold" in text for text in caveats.caveats(self.built(small()))))

    def test_rows_with_too_few_windows_are_left_out_of_decode(self):
        document = small()
        for item in document["benchmarks"]:
            if item["d"] == 512:
                item["flags"] = ["uncertified"]
        (figure,) = headline.decode(self.built(document)).figures
        self.assertAlmostEqual(figure.value, row(document, impl="native", d=1024, T=1)["pct_bw"])

    def test_prefill_takes_the_largest_T(self):
        document = small()
        expected = [r["pct_peak"] for r in document["benchmarks"]
                    if r["impl"] == "native" and r["isa"] == "avx512" and r["T"] == 16]  # fmt: skip
        (figure,) = headline.prefill(self.built(document)).figures
        self.assertAlmostEqual(figure.value, math.sqrt(expected[0] * expected[1]))

    def test_speedup_headline_and_worst(self):
        document = small()
        strongest = [p for p in document["pairs"] if p["baseline"] == "onednn-strongest" and p["isa"] == "avx512"]
        strongest[2].update(ratio=0.5, lcb99=0.49, ucb99=0.51)
        mean, worst = headline.speedup(self.built(document)).figures
        self.assertAlmostEqual(mean.value, math.prod(p["ratio"] for p in strongest) ** 0.25)
        self.assertEqual((worst.value, worst.low, worst.high), (0.5, 0.49, 0.51))
        self.assertIn("1 loss;", headline.speedup(self.built(document)).note)

    def test_tally_by_the_interval(self):
        document = small()
        strongest = [p for p in document["pairs"] if p["baseline"] == "onednn-strongest" and p["isa"] == "avx512"]
        for pair, (low, ratio, high) in zip(
            strongest, [(0.99, 1.2, 1.4), (1.01, 1.02, 1.03), (0.97, 0.98, 0.99), (0.9, 0.99, 1.0)]
        ):
            pair.update(lcb99=low, ratio=ratio, ucb99=high)
        self.assertEqual(headline.tally(self.built(document).against_strongest(isa="avx512")), (1, 2, 1))

    def test_without_onednn(self):
        document = small(onednn_version="none")
        document["benchmarks"] = [r for r in document["benchmarks"] if r["impl"] == "native"]
        document["context"]["points_planned"] = len(document["benchmarks"])
        document["pairs"] = []
        run = self.built(document)
        self.assertEqual(headline.speedup(run).figures, ())
        self.assertTrue(any("No comparison with oneDNN" in text for text in caveats.caveats(run)))
        self.assertEqual(speedup.places(run), [])
        everything_but_drawing(document)

    def test_strongest_is_the_faster_form(self):
        document = small()
        rival = row(document, impl="onednn-post_ops", isa="avx512", d=512, T=1)
        slow_down(rival, 0.8)
        rows = self.built(document).strongest_rows(isa="avx512", d=512, T=1)
        self.assertEqual([r.impl for r in rows], ["onednn-post_ops"])

    def test_alignment_penalty_by_hand(self):
        document = synthetic.results(suite={"d": (1024,), "T": (1, 16), "thr": (1,)})
        odd = row(document, set="align", impl="native", m=1, T=1)
        even = row(document, set="align", impl="native", m=256, T=1)
        slow_down(odd, 1.5)
        expected = 100 * (odd["t_median"] / odd["h"] / (even["t_median"] / even["h"]) - 1)
        run = self.built(document)
        penalty, found = alignment.penalties(run)["avx512", 1, 1][1536, "native"]["m", 1]
        self.assertAlmostEqual(penalty, expected)
        self.assertEqual(found.h, odd["h"])
        self.assertIn(f"swiglu at most {expected:+.1f} %", alignment.reading(run))

    def test_alignment_takes_the_shared_point_from_the_main_sweep(self):
        document = synthetic.results(suite={"d": (1024,), "T": (1, 16), "thr": (1,)})
        before = alignment.reading(self.built(document))
        for item in document["benchmarks"] + document["pairs"]:
            if item["set"] == "align" and item["m"] == 256:
                item["set"] = "main"
        self.assertEqual(alignment.reading(self.built(document)), before)
        self.assertIn("d_ff", before)

    def test_colours_are_symmetric(self):
        for ratio in (1.01, 1.04, 1.2, 1.5, 3):
            better, worse = (heatmap.role_of(r, speedup.STEPS) for r in (ratio, 1 / ratio))
            self.assertEqual(better.replace("win", ""), worse.replace("loss", ""))
        self.assertEqual([heatmap.role_of(r, speedup.STEPS) for r in (0.5, 1, 2)], ["loss3", "even", "win3"])

    def test_two_shapes_of_one_width_get_two_rows(self):
        self.assertEqual(
            model.shape_labels([(512, 1), (512, 1), (1024, 2), (1024, 3)]),
            {(512, 1): "512", (1024, 2): "1024 / 2", (1024, 3): "1024 / 3"},
        )

    def test_a_hand_made_run_without_a_main_sweep(self):
        document = small()
        for item in document["benchmarks"] + document["pairs"]:
            item["set"] = "align"
        self.assertTrue(headline.decode(self.built(document)).figures)

    def test_the_tally_counts_in_english(self):
        for tally, words in (((2, 1, 0), "2 faster, 1 tie, 0 slower"), ((1, 0, 3), "1 faster, 0 ties, 3 slower")):
            self.assertIn(f"<div class='tally-key'>{words}</div>", blocks._tally(tally))

    def test_losses_are_framed(self):
        document = small()
        strongest = [p for p in document["pairs"] if p["baseline"] == "onednn-strongest" and p["isa"] == "avx512"]
        frames = []
        for lost in (0, 2):
            for pair in strongest[:lost]:
                pair.update(lcb99=0.97, ratio=0.98, ucb99=0.99)
            picture = svg.file_text(speedup.panel(self.built(document), "avx512", 1).figure)
            frames.append(picture.count(f"stroke: {LIGHT['ink']}; stroke-width: 1.4"))
        self.assertEqual(frames, [0, 2])

    def test_a_large_ratio_fits_into_its_cell(self):
        for ratio, text in ((0.5, "0.50"), (9.99, "9.99"), (9.996, "10.0"), (17.48, "17.5"), (99.96, "100")):
            document = small()
            document["pairs"][0].update(lcb99=ratio, ratio=ratio, ucb99=ratio)
            self.assertEqual(speedup.cell(self.built(document).speedups[0]).text, text)

    def test_no_rival_is_below_the_roofline_plot(self):
        document = small()
        slow_down(row(document, impl="onednn-wide", isa="avx512", d=512, T=1), 40)
        slow_down(row(document, impl="onednn-post_ops", isa="avx512", d=512, T=1), 40)
        slowest = min(r["gflops"] for r in document["benchmarks"])
        bottom, _ = roofline.panel(self.built(document), "avx512", 1).figure.axes[0].get_ylim()
        self.assertLess(bottom, slowest)

    def test_roofs_are_those_beside_the_blocks(self):
        document = small()
        for item in document["calibration"]["peak_gflops"] + document["calibration"]["read_gbps"]:
            item["median"] /= 2  # the machine had something else to do when the run began
        roofs = dict(dict(machine.facts(self.built(document)))["Roofs measured"])
        self.assertEqual(roofs["avx512, 1 thr"], "240 GFLOP/s; at the start 120")
        self.assertEqual(roofs["avx512, 2 thr"], "240 GFLOP/s, at the start")
        self.assertEqual(roofs["reading, 1 thr"], "40.0 GB/s; at the start 20.0")
        roofs = dict(dict(machine.facts(self.built(small())))["Roofs measured"])
        self.assertEqual(roofs["avx512, 1 thr"], "240 GFLOP/s")

    def test_thread_scaling_has_the_bandwidth_of_the_run(self):
        document = synthetic.everything()
        before = scaling.reading(self.built(document))
        for item in document["calibration"]["read_gbps"]:
            item["median"] = 1.0
        self.assertEqual(scaling.reading(self.built(document)), before)
        self.assertIn("their read bandwidth is 1.50× that of one beside the blocks of T = 1.", before)
        for item in document["benchmarks"]:  # the host was kinder to two threads while these were measured
            if item["thr"] == 2 and item["T"] == 1 and item["set"] == "main":
                item["read_gbps"] *= 1.2
        self.assertIn("their read bandwidth is 1.80× that of one", scaling.reading(self.built(document)))

    def test_time_taken(self):
        for seconds, text in ((299.7, "5 min 0 s"), (59.4, "0 min 59 s"), (398.2, "6 min 38 s")):
            run = self.built(small(wall_seconds=seconds))
            self.assertEqual(dict(dict(machine.facts(run))["Run"])["time taken"], text)

    def test_ties_are_hatched(self):
        document = small()
        with_tie = copy.deepcopy(document)
        for pair in with_tie["pairs"]:
            pair.update(lcb99=0.5, ucb99=5.0)
        self.assertNotIn("tie", {s.verdict for s in self.built(document).against_strongest()})
        figures = [speedup.panel(self.built(d), "avx512", 1).figure for d in (document, with_tie)]
        hatched = ["<pattern" in svg.file_text(figure) for figure in figures]
        self.assertEqual(hatched, [False, True])


@needs_matplotlib
class Activations(unittest.TestCase):
    """No number is over several activations."""

    def setUp(self):
        self.plain = small()
        self.other = synthetic.activated(synthetic.results(seed=5, suite=SMALL, align=False, ladder=False), "reglu")
        for item in self.other["pairs"]:
            item.update(ratio=2.0, lcb99=1.9, ucb99=2.1)
        document = merge.merge([self.plain, self.other], ["a", "b"])
        validate.validate(document, "file")
        self.run_ = build.build(document)

    def test_each_has_the_headlines_that_its_file_alone_has(self):
        said, summary = everything_but_drawing(merge.merge([self.plain, self.other], ["a", "b"]))
        for first, name, document in ((0, "swiglu", self.plain), (3, "reglu", self.other)):
            alone = headline.headlines(build.build(document))
            three = said.headlines[first : first + 3]
            self.assertEqual([h.title for h in three], [f"{h.title}, {name}" for h in alone])
            self.assertEqual([h.figures for h in three], [h.figures for h in alone])
        self.assertIn("Several activations (swiglu, reglu)", said.caveats[0])
        for line in ("strongest form, swiglu, avx512, 1 thread (", "strongest form, reglu, avx512, 1 thread ("):
            self.assertIn(line, summary)
        self.assertIn(("activation", "swiglu, reglu"), dict(said.facts)["Run"])

    def test_plots_are_of_the_first(self):
        alone = build.build(self.plain)
        self.assertEqual(speedup.reading(self.run_), speedup.reading(alone))
        self.assertEqual(self.run_.strongest_rows(), alone.strongest_rows())

    def test_tables_tell_them_apart(self):
        said, _ = everything_but_drawing(merge.merge([self.plain, self.other], ["a", "b"]))
        tables = {table.key: table for table in said.tables}
        for key, rows in (("points", "benchmarks"), ("speedups", "pairs")):
            at = tables[key].columns.index("activation")
            found = [line[at] for line in tables[key].rows]
            self.assertEqual(found.count("swiglu"), len(self.plain[rows]))
            self.assertEqual(found.count("reglu"), len(self.other[rows]))
        one, _ = everything_but_drawing(small())
        self.assertFalse(any("activation" in table.columns for table in one.tables))

    def test_a_file_of_another_activation_says_so(self):
        said, _ = everything_but_drawing(self.other)
        self.assertIn(" · reglu · ", said.title)
        self.assertEqual(len(said.headlines), 3)

    def test_one_that_only_others_ran_is_in_the_tables(self):
        document = merge.merge([self.plain, self.other], ["a", "b"])
        row(document, impl="native", T=1, activation="reglu").update(status="WRONG", skip_reason="off by 1")
        for item in document["benchmarks"]:
            if item.get("activation") == "reglu" and item["impl"] == "native" and item["status"] == "OK":
                item.update(status="SKIPPED", skip_reason="no time")
        document["pairs"] = [item for item in document["pairs"] if "activation" not in item]
        said, _ = everything_but_drawing(document)
        self.assertEqual(len(said.headlines), 3)
        self.assertRegex(said.caveats[0], "WRONG RESULT.*, reglu: off by 1")

    def test_one_without_rivals_is_no_hole_in_the_other(self):
        """As a --batch of two lines measures them, one of its points being in both."""
        document = small()
        other = synthetic.results(suite={"d": (512, 2048), "T": (1,), "thr": (1,)}, align=False, ladder=False)
        other = synthetic.activated(other, "reglu")
        document["benchmarks"] += [item for item in other["benchmarks"] if item["impl"] == "native"]
        document["context"]["points_planned"] = len(document["benchmarks"])
        validate.validate(document, "file")
        everything_but_drawing(document)

    def test_the_name_must_say_the_same(self):
        row(self.other, impl="native", T=1)["activation"] = "relu2"
        with self.assertRaisesRegex(load.InputError, "the activation is 'relu2', the name says 'reglu'"):
            validate.validate(self.other, "file")


@needs_matplotlib
class Launches(unittest.TestCase):
    def joined(self, count):
        documents = [synthetic.results(seed=seed, suite=SMALL, align=False, ladder=False) for seed in range(count)]
        for document in documents:
            validate.validate(document, "file")
        merged = merge.merge(documents, ["file"] * count)
        validate.validate(merged, "merged")  # what we write, we can read
        return documents, build.build(merged)

    def test_the_interval_comes_from_the_spread_between_launches(self):
        documents, run = self.joined(4)
        self.assertEqual(run.launches, 4)
        name = run.against_strongest(isa="avx512")[0].row.name
        logs = [math.log(p["ratio"]) for d in documents for p in d["pairs"]
                if p["name"] == name and p["baseline"] == "onednn-strongest"]  # fmt: skip
        ratio = run.against_strongest(isa="avx512")[0].ratio
        self.assertEqual(ratio.by_launch, tuple(logs))
        self.assertAlmostEqual(ratio.ratio, math.exp(sum(logs) / 4))
        self.assertFalse(any("One launch" in text for text in caveats.caveats(run)))

    def test_rows_take_the_median_launch_and_cover_all_intervals(self):
        documents, run = self.joined(3)
        times = sorted(row(d, name=ZERO)["t_median"] for d in documents)
        merged = next(r for r in run.rows if r.name == ZERO)
        self.assertEqual(merged.t, times[1])
        self.assertEqual(merged.ci[0], min(row(d, name=ZERO)["ci95_lo"] for d in documents))
        self.assertEqual(merged.ci[1], max(row(d, name=ZERO)["ci95_hi"] for d in documents))

    def test_ffn_rows_of_the_unpaired_command_are_dropped(self):
        unpaired = small(command="run")
        unpaired["benchmarks"] = [{"name": ZERO, "family": "ffn", "real_time": 1.0}]
        unpaired["pairs"] = []
        for order in ([small(), unpaired], [unpaired, small()]):
            for document in order:
                validate.validate(document, "file")
            merged = merge.merge(order, ["a", "b"])
            validate.validate(merged, "merged")
            self.assertEqual(len(merged["benchmarks"]), len(small()["benchmarks"]))
            self.assertEqual(build.build(merged).launches, 1)

    def test_one_launch_is_said(self):
        _, run = self.joined(1)
        self.assertTrue(any("One launch" in text for text in caveats.caveats(run)))


@needs_matplotlib
class Caveats(unittest.TestCase):
    def said(self, document):
        validate.validate(document, "file")
        return "\n".join(caveats.caveats(build.build(document)))

    def test_wrong_results_come_first(self):
        document = small()
        wrong = row(document, impl="onednn-wide", isa="avx512", d=512, T=16)
        wrong.update(status="WRONG", skip_reason="max error 0.3")
        self.assertTrue(self.said(document).startswith("WRONG RESULT, not timed: oneDNN, wide at d_model 512"))

    def test_failed_check(self):
        document = merge.merge([small(), synthetic.check_results()], ["a", "b"])
        self.assertNotIn("FAILED", self.said(document))
        document["checks"][0]["ok"] = False
        self.assertIn("FAILED CHECK on real weights: native", self.said(document))

    def test_flags_skips_isas_tree_load(self):
        document = small(git_dirty=True, load_avg=[1.9, 1, 1])
        row(document, impl="native", T=16)["flags"] = ["drift"]
        row(document, impl="onednn-wide", T=16).update(status="SKIPPED", skip_reason="too slow")
        said = self.said(document)
        for text in ("during the block): 1 of 11 rows: swiglu", "Skipped: 1 row: too slow",
                     "Instruction sets not measured: neon (this machine is x86-64)",
                     "uncommitted", "busy", "Virtual machine (hypervisor: kvm)"):  # fmt: skip
            self.assertIn(text, said)

    def test_virtual_machine_by_what_the_program_writes(self):
        for virt, name in [("Amazon EC2 (hypervisor)", "Amazon EC2"), (" (hypervisor)", "unknown"), ("none seen", "")]:
            document = small()
            document["machine"]["virt"] = virt
            said = self.said(document)
            self.assertEqual(f"Virtual machine (hypervisor: {name})" in said, bool(name), said)
            self.assertEqual("Virtual machine" in said, bool(name), said)

    def test_examples_only_of_few(self):
        document = small()
        for item in document["benchmarks"]:
            item["flags"] = ["drift"]
        self.assertRegex(self.said(document), r"Flagged 'drift' \([^)]*\): 12 of 12 rows\n")

    def test_slow_calls_in_between(self):
        document = small()
        document["pairs"][0]["ratio_of_medians"] = document["pairs"][0]["ratio"] * 0.9
        self.assertRegex(self.said(document), "Speed-up from medians differs .* at 1 of 4 points")
        self.assertNotIn("from medians", self.said(small()))

    def test_an_elementwise_row_without_a_time(self):
        document = small()
        document["benchmarks"].append({"name": "elementwise/op:silu/n:8", "family": "elementwise", "status": "WRONG",
                                       "skip_reason": "relative error 1"})  # fmt: skip
        self.assertIn("No time for elementwise/op:silu/n:8: WRONG: relative error 1", self.said(document))

    def test_faster_than_the_peak(self):
        document = small()
        slow_down(row(document, impl="native", isa="avx512", T=16, d=512), 0.8)
        self.assertIn("Above 103 % of the peak", self.said(document))


if __name__ == "__main__":
    main()
