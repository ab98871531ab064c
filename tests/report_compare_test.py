"""scripts/report: files of more than one run: joined again, side by side, over time, beside verdicts of the gate."""

import copy
import json
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

import synthetic_results as synthetic  # noqa: E402
from report_case import (  # noqa: E402
    HAVE_MATPLOTLIB, Folder, everything_but_drawing, needs_matplotlib, row, slow_down, small,
)  # fmt: skip
from visible_skips import main  # noqa: E402

from report import merge, validate  # noqa: E402

if HAVE_MATPLOTLIB:
    from report import build, compare
    from report.plots import compare_shares, fusion, hot_cold, run_chart, trend


def seeded(seed):
    return synthetic.results(seed=seed, suite={"d": (512,), "T": (1, 16), "thr": (1,)}, align=False, ladder=False)


class Joining(unittest.TestCase):
    def test_a_joined_file_can_be_joined_again(self):
        first = merge.merge([seeded(1), seeded(2), synthetic.check_results()], ["a", "b", "c"])
        again = merge.merge([first, seeded(3), synthetic.check_results()], ["joined", "d", "e"])
        for document in (first, again):
            validate.validate(document, "joined")
        self.assertEqual(len(again["benchmarks"]), 3 * len(seeded(1)["benchmarks"]))
        self.assertEqual(len(again["context"]["merged_from"]), 5)
        self.assertEqual(len({r["source"] for r in again["benchmarks"]}), 3)

    @needs_matplotlib
    def test_its_launches_are_counted(self):
        first = merge.merge([seeded(1), seeded(2)], ["a", "b"])
        self.assertEqual(build.build(merge.merge([first, first], ["a", "b"])).launches, 4)
        first["context"]["launches"] = 3  # of each file
        self.assertEqual(build.build(first).launches, 6)


@needs_matplotlib
class SideBySide(Folder):
    def both(self, old, new):
        return compare.Both(build.build(old), build.build(new))

    def compared(self, old, new, *options):
        return self.report("--compare", self.write(old, "old.json"), self.write(new, "new.json"), *options)

    def test_files(self):
        self.assertEqual(self.compared(small(), small(git_sha="1" * 40))[0], 0)
        names = {path.name for path in self.out.iterdir()}
        self.assertEqual(names, {"report.html", "summary.md", "old.json", "new.json", "plots"})
        self.assertIn("Times of two runs are never divided", (self.out / "summary.md").read_text())

    def test_a_move_is_in_points_of_the_own_roof(self):
        old, new = small(), small()
        for document, factor in ((old, 3.0), (new, 3.0 * 1.25)):  # three times as slow a machine, and then 25 % slower
            item = row(document, impl="native", isa="avx512", d=512, T=16)
            slow_down(item, factor)
        name = item["name"]
        moved = {n.name: points for _, n, points, apart in compare_shares.moves(self.both(old, new)) if apart}
        expected = row(new, name=name)["pct_roof"] - row(old, name=name)["pct_roof"]
        self.assertEqual(list(moved), [name])
        self.assertAlmostEqual(moved[name], expected)
        said = compare_shares.reading(self.both(old, new))
        self.assertIn("0 are closer to their roof in the new one, 1 are farther", said)

    def test_no_time_is_ever_divided_by_one_of_the_other_run(self):
        """The same shares from a machine that is ten times as fast must give the same page, but for the machine."""
        old, new = small(), small()
        fast = copy.deepcopy(new)
        for item in fast["benchmarks"]:
            for key in ("t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "real_time", "t_roof"):
                item[key] /= 10
            for key in ("gflops", "gbps", "weight_gbps", "peak_gflops", "read_gbps", "tokens_per_s"):
                item[key] *= 10
        said = [compare.content(self.both(old, document)) for document in (new, fast)]
        self.assertEqual(said[0].tables, said[1].tables)
        self.assertEqual([plot.reading for plot in said[0].plots], [plot.reading for plot in said[1].plots])

    def test_points_of_one_file_are_listed(self):
        old, new = small(), small()
        new["benchmarks"] = [r for r in new["benchmarks"] if r["T"] == 1]
        new["pairs"] = [p for p in new["pairs"] if p["T"] == 1]
        new["context"]["points_planned"] = len(new["benchmarks"])
        said = compare.content(self.both(old, new))
        (only,) = [table for table in said.tables if table.key == "only"]
        self.assertEqual(len(only.rows), len(old["benchmarks"]) - len(new["benchmarks"]))
        self.assertEqual({line[0] for line in only.rows}, {"old"})

    def test_different_machines_are_flagged(self):
        other = small()
        other["machine"]["cpu_model"] = "another"
        self.assertIn("DIFFERENT MACHINES (cpu_model", compare.content(self.both(small(), other)).caveats[0])
        self.assertNotIn("DIFFERENT", "".join(compare.content(self.both(small(), small())).caveats))

    def test_different_tunings_are_flagged(self):
        said = compare.content(self.both(small(), small(tuning="large_l1"))).caveats
        self.assertIn("Tuned differently: tuning: small_l1 → large_l1.", said)
        self.assertNotIn("Tuned", "".join(compare.content(self.both(small(tuning=None), small())).caveats))

    def test_nothing_in_common_is_an_error_that_names_the_difference(self):
        def suite(d, T, thr=1):
            return synthetic.results(suite={"d": (d,), "T": (T,), "thr": (thr,)}, align=False, ladder=False)

        def of(isa):
            document = suite(512, 1)
            for item in (*document["benchmarks"], *document["pairs"]):
                item.update(name=item["name"].replace("avx512", isa), isa=isa)
            return document

        hot = suite(512, 1)
        for item in (*hot["benchmarks"], *hot["pairs"]):
            item.update(name=item["name"].replace("cache:wei", "cache:none"), cache="none")
        crossed = copy.deepcopy(small())
        for key in ("benchmarks", "pairs"):
            crossed[key] = [item for item in crossed[key] if (item["d"], item["T"]) in ((512, 1), (1024, 16))]
        other = copy.deepcopy(small())
        for key in ("benchmarks", "pairs"):
            other[key] = [item for item in other[key] if (item["d"], item["T"]) in ((512, 16), (1024, 1))]
        for document in (crossed, other):
            document["context"]["points_planned"] = len(document["benchmarks"])
        for old, new, says in [
            (suite(512, 1), suite(2048, 2), r"differ in d_model/d_ff \(512/1280; 2048/5376\) and T \(1; 2\)\."),
            (suite(512, 1), suite(512, 1, 2), r"differ in threads \(1; 2\)\."),
            (of("avx512"), of("avx2"), r"differ in ISA \(avx512; avx2\)\."),
            (suite(512, 1), hot, r"differ in weights \(cold; hot\)\."),
            (suite(512, 1), synthetic.activated(suite(512, 1), "reglu"), r"differ in activation \(swiglu; reglu\)\."),
            (crossed, other, "share every ISA, shape and T somewhere, but no combination of them"),
        ]:
            with self.subTest(says):
                code, _, stderr = self.compared(old, new)
                self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)
                self.assertRegex(stderr, f"nothing to compare: .*{says}")
                self.assertFalse(self.out.exists())

    def test_headlines_are_of_common_points(self):
        """The old file has larger T and a d_model with other results, which no card may show beside the new one's."""
        old = synthetic.results(suite={"d": (512, 1024), "T": (1, 16, 256), "thr": (1,)}, align=False, ladder=False)
        new = copy.deepcopy(old)
        for item in old["benchmarks"]:
            if item["d"] == 1024 and item["impl"] == "native":
                slow_down(item, 2)
        for key in ("benchmarks", "pairs"):
            new[key] = [item for item in new[key] if item["d"] == 512 and item["T"] < 256]
        new["context"]["points_planned"] = len(new["benchmarks"])
        decode, prefill, faster = compare.content(self.both(old, new)).headlines
        for one in (decode, prefill, faster):
            figures = {f.about: (f.value, f.low, f.high) for f in one.figures}
            self.assertEqual(figures["1 thread, old"], figures["1 thread, new"], one.title)
            self.assertTrue(one.note.startswith("common points only; "))
        self.assertIn("16 tokens at once", prefill.note)
        self.assertIn("geometric mean over all 2 points", faster.note)

    def test_of_several_activations_the_common_one_is_compared(self):
        def mixed(activation):
            return merge.merge([small(), synthetic.activated(small(), activation)], ["a", "b"])

        both = compare.in_common(*map(build.build, (synthetic.activated(small(), "reglu"), mixed("reglu"))))
        said = compare.content(both)
        self.assertIn("Only reglu is compared: the old file has reglu; the new file has swiglu, reglu.", said.caveats)
        self.assertTrue(said.title.startswith("reglu · old: "))
        self.assertEqual(len(both.matched), len(small()["benchmarks"]))

    def test_bad_input(self):
        for old, new, says in [
            ("{}", small(), "old.json"),
            (small(), "[", "new.json"),
            (small(), small(interrupted=True), "interrupted"),
            (synthetic.gate_results(), small(), "not a result file"),
        ]:
            code, _, stderr = self.compared(old, new)
            self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)
            self.assertIn(says, stderr)
            self.assertFalse(self.out.exists())

    def test_usage(self):
        path = self.write(small())
        for arguments, says in [(["--compare", path], "expected 2 arguments"), ([], "give result files"),
                                ([path, "--compare", path, path], "give result files, or --compare"),
                                ([path, "--compares"], "unrecognized arguments: --compares"),
                                (["--compare", path, path, "--history", path], "--history belongs to")]:  # fmt: skip
            code, _, stderr = self.report(*arguments)
            self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)
            self.assertTrue(stderr.startswith("report: "), stderr)
            self.assertIn(says, stderr)
            self.assertFalse(self.out.exists())


@needs_matplotlib
class Trend(unittest.TestCase):
    def run_of(self, levels):
        runs = []
        for i, level in enumerate(levels):
            document = seeded(7)
            document["context"].update(date=f"2000-01-{i + 1:02d}T00:00:00+00:00", git_sha=f"{i:040d}")
            for item in document["benchmarks"]:
                item["pct_roof"] *= level
            runs.append(document)
        *old, last = runs
        return build.build(last, history=[build.build(document) for document in old])

    def test_a_step_is_marked_where_it_is(self):
        self.assertEqual(trend.changes([90, 90.5, 89.8, 84, 84.2, 83.9]), [3])
        self.assertEqual(trend.changes([90, 90.5, 89.8, 90.2, 89.9, 90.4]), [])
        self.assertEqual(trend.changes([90]), [])

    def test_the_sentence(self):
        said = trend.reading(self.run_of([1, 1, 1, 0.9, 0.9, 0.9]))
        self.assertIn("over 6 files", said)
        self.assertIn(f"change at {3:040d}"[:19], said)

    def test_other_machines_are_left_out(self):
        run = self.run_of([1, 1, 1])
        run.history[0].machine["cpu_model"] = "another"
        self.assertIn("over 2 files", trend.reading(run))
        self.assertIn("Left out: 1 file of another CPU model.", trend.reading(run))

    def test_other_tunings_are_left_out(self):
        run = self.run_of([1, 0.5, 1, 1])
        run.history[1].context["tuning"] = "large_l1"
        said = trend.reading(run)
        self.assertIn("over 3 files", said)
        self.assertTrue(said.endswith(" Left out: 1 file of another tuning."), said)
        (isa, thr), *_ = trend.places(run)
        (line, *_) = trend.panel(run, isa, thr).figure.axes[0].lines
        self.assertEqual(len(line.get_xdata()), 3)
        run.history[0].machine["cpu_model"] = "another"
        self.assertIn("Left out: 1 file of another CPU model; 1 file of another tuning.", trend.reading(run))
        run.history[2].context["tuning"] = "large_l1"
        self.assertEqual(trend.places(run), [])

    def test_files_that_do_not_say_their_tuning_are_drawn_and_named(self):
        run = self.run_of([1, 1, 1])
        self.assertNotIn("tuning", trend.reading(run))
        run.history[0].context["tuning"] = None
        self.assertIn("over 3 files", trend.reading(run))
        self.assertIn("The tuning of 1 file is not known.", trend.reading(run))


@needs_matplotlib
class BesideTheBlock(unittest.TestCase):
    """Plots of rows that only some files have."""

    def setUp(self):
        document = synthetic.everything()
        validate.validate(document, "file")
        self.run_ = build.build(document)

    def test_fusion_saves_what_the_pairs_say(self):
        self.assertIn("pay at 4 of 4 points; it saves 16.7 % of the unfused time at best", fusion.reading(self.run_))

    def test_what_fusion_can_save_by_the_bytes(self):
        (one,) = [s.row for s in fusion._points(self.run_) if (s.row.d, s.row.T) == (4096, 1)]
        weights, x_and_y, extra = 3 * 4 * 4096 * 11008, 2 * 4 * 4096, 6 * 4 * 11008
        self.assertAlmostEqual(fusion._limit(one), 100 * (weights + x_and_y) / (weights + x_and_y + extra))

    def test_hot_against_cold(self):
        self.assertIn("1.67 × the time of a hot call", hot_cold.reading(self.run_))

    def test_samples_against_their_median(self):
        said = run_chart.reading(self.run_)
        self.assertIn("of the 1000 samples", said)
        self.assertIn("200 are more than 20 % slow", said)

    def test_without_their_rows_the_command_is_said(self):
        from report import content

        said = content.content(build.build(small()))
        absent = {plot.key: plot for plot in said.plots if not plot.pictures}
        for key in ("fusion", "two_matrix", "hot_cold", "scaling", "run_chart", "gate", "trend", "alignment"):
            self.assertRegex(absent[key].command, "swiglu-bench|scripts/", key)
        tables = {table.key: table for table in said.tables}
        self.assertEqual(tables["targets"].command, "swiglu-bench targets --out targets.json")
        _, summary = everything_but_drawing(small())
        for absent in ("Thread scaling", "Verdicts of the gate", "Targets", "Elementwise functions", "Numbers on real"):
            self.assertIn(f"\n- {absent}", summary.split("Not in this file")[1])


@needs_matplotlib
class Gate(Folder):
    def test_its_verdicts_are_shown(self):
        code, _, stderr = self.report(self.write(small()), self.write(synthetic.gate_results(), "gate.json"))
        self.assertEqual((code, stderr), (0, ""))
        self.assertIn("2 points: 1 slower, 1 pass, 0 inconclusive", (self.out / "report.html").read_text())

    def test_bad_verdict_files(self):
        results = self.write(small())
        for change, says in [
            (lambda g: g.pop("points"), "points is None"),
            (lambda g: g["verdicts"].pop(), "lists of one length"),
            (lambda g: g["pairs_head_base_seconds"][0].clear(), "at least 2 launches"),
            (lambda g: g["pairs_head_base_seconds"][1][0].append([0, 1]), "times above 0"),
            (lambda g: g.update(margin="2 %"), "margin is '2 %'"),
        ]:
            gate = json.loads(json.dumps(synthetic.gate_results()))
            change(gate)
            code, _, stderr = self.report(results, self.write(gate, "gate.json"))
            self.assertEqual((code, stderr.count("\n")), (2, 1), stderr)
            self.assertIn(says, stderr)
            self.assertFalse(self.out.exists())

    def test_it_needs_results_beside_it(self):
        self.assertEqual(self.report(self.write(synthetic.gate_results()))[0], 2)


if __name__ == "__main__":
    main()
