"""scripts/report: everything that must not become a report. The input is synthetic (tests/support)."""

import copy
import json
import random
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "support"))

import synthetic_results as synthetic  # noqa: E402
from report_case import SCRIPTS, Folder, everything_but_drawing, needs_matplotlib, row, small  # noqa: E402
from visible_skips import main  # noqa: E402

from report import load, merge, validate  # noqa: E402


class Refused(Folder):
    """Each of these must give exit 2, one line that says what is wrong, and no file."""

    def refused(self, document, says, *arguments):
        code, _, stderr = self.report(self.write(document), *arguments)
        self.assertEqual(code, 2, stderr)
        self.assertEqual(stderr.count("\n"), 1, stderr)
        self.assertRegex(stderr, says)
        self.assertNotIn("Traceback", stderr)
        self.assertFalse(self.out.exists())

    def test_not_json(self):
        whole = json.dumps(small())
        self.refused(whole[: len(whole) // 2], "not JSON|truncated")
        self.refused(whole[:-1], "truncated")
        self.refused("", "not JSON.*truncated")
        self.refused("hello", "not JSON")
        self.refused(whole + "}", "not JSON")
        self.refused("[" * 100_000, "recursion|not JSON")

    def test_not_ours(self):
        for foreign in ["[]", "3", "null", "{}", '{"context": 3}', '{"context": {"ffn_schema": "other/1"}}',
                        json.dumps({"context": {"json_schema_version": 1}, "benchmarks": []})]:
            self.refused(foreign, "ffn_schema")
        self.refused(small(ffn_schema="swiglu-bench/2"), "'swiglu-bench/2'.*reads 'swiglu-bench/1'")

    def test_missing_file_and_bytes_that_are_no_text(self):
        code, _, stderr = self.report(self.folder / "absent.json")
        self.assertEqual((code, stderr.count("\n")), (2, 1))
        self.assertIn("absent.json", stderr)
        (self.folder / "bytes.json").write_bytes(b"\xff\xfe\x00")
        self.assertEqual(self.report(self.folder / "bytes.json")[0], 2)

    def test_numbers_that_are_none(self):
        for token in ("NaN", "Infinity", "-Infinity", "1e999"):
            text = json.dumps(small()).replace('"rounds": 15', f'"rounds": {token}', 1)
            self.refused(text, token)

    def test_duplicate_key(self):
        self.refused(json.dumps(small()).replace('"T": 1,', '"T": 1, "T": 1,', 1), "duplicate key 'T' in ffn/")

    def test_nothing_measured(self):
        document = small(points_planned=0)
        document["benchmarks"] = document["pairs"] = []
        self.refused(document, "nothing to report|no measured ffn row")
        document = small()
        del document["context"]["points_planned"]
        document["benchmarks"] = [r for r in document["benchmarks"] if r["impl"] != "native"]
        document["pairs"] = []
        self.refused(document, "no measured ffn row of native")

    def test_missing_points(self):
        for count in (0, 1):
            document = small()
            if count:
                del document["context"]["points_planned"]  # then the hole itself must be noticed
            lost = row(document, impl="onednn-wide", d=1024, T=16)
            document["benchmarks"].remove(lost)
            self.refused(document, "points are missing|missing point: no row for onednn-wide at d:1024")
        document = small()
        document["pairs"] = [p for p in document["pairs"] if not (p["d"] == 1024 and p["T"] == 16)]
        self.refused(document, "there is no pair for it")

    def test_interrupted(self):
        self.refused(small(interrupted=True), "interrupted")

    def test_rows_that_contradict_themselves(self):
        def with_row(change):
            document = small()
            change(row(document, impl="native", T=16))
            return document

        for change, says in [
            (lambda r: r.update(flops=r["flops"] * 2), "flops"),
            (lambda r: r.update(bytes_min=r["bytes_min"] // 2), "gbps|bytes_min"),
            (lambda r: r.update({k: r[k] * 1000 for k in ("t_min", "t_median", "t_p90")}), "gflops"),
            (lambda r: r.update(pct_roof=0.93), "pct_roof"),
            (lambda r: r.update(t_min=r["t_p90"]), "t_min .* above t_median"),
            (lambda r: r.update(ci95_lo=r["ci95_hi"]), "ci95_lo"),
            (lambda r: r.update(T=15), "the name says '16'"),
            (lambda r: r.update(isa="avx2"), "the name says 'avx512'"),
            (lambda r: r.update(t_median=-1), "t_median is -1"),
            (lambda r: r.update(t_median=None), "t_median is None"),
            (lambda r: r.update(rounds=True), "rounds is True"),
            (lambda r: r.update(status="FINE"), "'FINE'"),
            (lambda r: r.update(status="SKIPPED"), "skip_reason"),
            (lambda r: r.update(cold_ok=2), "cold_ok is 2"),
            (lambda r: r.update(d=0), "d is 0"),
            (lambda r: r.pop("read_gbps"), "read_gbps is None"),
        ]:
            self.refused(with_row(change), says)

    def test_pairs_that_contradict_themselves(self):
        for change, says in [
            (lambda p: p.update(name="ffn/none"), "without its row"),
            (lambda p: p.update(ratio=p["ucb99"] * 2), "outside"),
            (lambda p: p.update(lcb99=0), "lcb99 is 0"),
        ]:
            document = small()
            change(document["pairs"][0])
            self.refused(document, says)

    def test_the_same_row_twice(self):
        document = small()
        document["context"]["points_planned"] += 1
        document["benchmarks"].append(document["benchmarks"][0])
        self.refused(document, "appears twice")

    def test_a_row_the_benchmark_itself_calls_invalid(self):
        document = small()
        row(document, impl="native", T=16).update(status="INVALID", skip_reason="gbps is not a finite number")
        self.refused(document, "T:16.*gbps is not a finite number")

    def test_rows_of_the_unpaired_command(self):
        self.refused(small(command="run"), "no measured ffn row.*`swiglu-bench paired`")

    def test_files_of_different_builds(self):
        for key, value in (("git_sha", "1" * 40), ("tuning", "large_l1")):
            first, second = self.write(small(), "a.json"), self.write(small(**{key: value}), "b.json")
            code, _, stderr = self.report(first, second)
            self.assertEqual((code, stderr.count("\n")), (2, 1))
            self.assertIn(key, stderr)
            self.assertFalse(self.out.exists())

    def test_usage(self):
        for arguments in [(), ("--no-such-option", "x.json")]:
            self.assertEqual(self.report(*arguments)[0], 2)

    def test_matplotlib_missing(self):
        program = (
            f"import sys; sys.modules['matplotlib'] = None; sys.path.insert(0, {str(SCRIPTS)!r})\n"
            f"from report.cli import main; sys.exit(main([{str(self.write(small()))!r}, '--out', {str(self.out)!r}]))"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("python3-matplotlib", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1)

    @needs_matplotlib
    def test_whatever_is_in_the_file_there_is_no_traceback(self):
        whole = one_of_each(merge.merge([synthetic.everything(), synthetic.check_results()], ["a", "b"]))
        rng = random.Random(5)
        places = list(leaves(whole))
        survived, crashed = 0, []
        for path in places:
            document = copy.deepcopy(whole)
            parent = document
            for key in path[:-1]:
                parent = parent[key]
            parent[path[-1]] = rng.choice([None, "x", "", [], {}, [3], {"a": 1}, -1, 0, True, 1e300, 1 << 70])
            try:
                validate.validate(document, "file")
                everything_but_drawing(document)
                survived += 1
            except load.InputError as error:
                self.assertEqual(str(error).count("\n"), 0)
            except Exception as error:
                crashed.append(f"{path} = {parent[path[-1]]!r}: {error!r}")
        self.assertEqual(crashed, [])
        self.assertTrue(0 < survived < len(places))


def one_of_each(document):
    """A small part of the document that still has every kind of row, pair and sample."""
    kept = {}
    for row in document["benchmarks"]:
        kept.setdefault((row["family"], row["impl"], row["set"], row["thr"]), row)
    document["benchmarks"] = list(kept.values())
    names = {row["name"] for row in document["benchmarks"]}
    pairs = {}
    for pair in document["pairs"]:
        if pair["name"] in names:
            pairs.setdefault((pair["baseline"], pair["set"], pair["thr"]), pair)
    document["pairs"] = list(pairs.values())
    document["samples"] = document["samples"][:7]
    del document["context"]["points_planned"]
    return document


def leaves(value, path=()):
    """Paths of everything inside a JSON value."""
    children = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in children:
        yield (*path, key)
        yield from leaves(child, (*path, key))


if __name__ == "__main__":
    main()
