"""swiglu-bench as a program: errors in one line, results whole or not at all, an interrupted run that goes on.

    cli_test.py PATH-OF-SWIGLU-BENCH [unittest options]
"""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

BENCH = ""
# Tiny blocks, short samples: nothing here judges a time.
POINTS = ["--d-model", "64,96", "--tokens", "1,4,8", "--impl", "native,unfused", "--rounds", "5", "--sample-ms", "1",
          "--arena-bytes", "64M"]  # fmt: skip
ROWS = 12


def used(document):
    """Samples that rows are made of: of a point that was measured again because the machine changed, one attempt."""
    return [sample for sample in document["samples"] if sample.get("used", 1)]


def run(*arguments, **settings):
    return subprocess.run([BENCH, *arguments], capture_output=True, text=True, timeout=120, **settings)


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def paired(self, *arguments, out="results.json"):
        done = run("paired", *POINTS, "--out", str(self.path / out), *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.path / out).read_text())

    def refused(self, *arguments, says, code=2):
        done = run(*arguments)
        self.assertEqual(done.returncode, code, done.stderr)
        lines = done.stderr.strip().splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("swiglu-bench: "), lines[0])
        self.assertIn(says, lines[0])


class BadInput(Folder):
    def test_one_line_and_exit_code_2(self):
        for arguments, says in [
            (["pair"], "did you mean 'paired'?"),
            (["paired", "--presett", "smoke"], "did you mean --preset?"),
            (["paired", "--preset", "smokey"], "did you mean 'smoke'?"),
            (["paired", "--isa", "avx1024"], "--isa: 'avx1024' is not one of"),
            (["paired", "--activation", "gelu"], "--activation: "),
            (["paired", "--tokens", "x"], "--tokens: 'x' is not a positive integer"),
            (["paired", "--d-model", "1000000000000000", "--list"], "--d-model: 1000000000000000 is too large"),
            (["paired", "--arena-bytes", "1000000G"], "bytes of free memory"),
            (["run", "--llc-bytes", "1000000G"], "bytes of free memory"),
            (["paired", "--models", "all,LLaMA-7B"], "'all' goes alone"),
            (["paired", "--cpus", "4095"], "--cpus: this process may not run on CPU 4095"),
            (["paired", "--threads", "4096"], "--threads: 4096 threads asked for"),
            (["run", "--threads", "4096"], "--threads: 4096 threads asked for"),
            (["paired", "--out", "/nonexistent/x.json"], "--out: cannot write /nonexistent/x.json: No such file"),
            (["paired", "--filter", "no such row"], "no points: no name matches --filter 'no such row'; --list"),
            (["paired", "--resume", "/nonexistent.json"], "--resume: cannot read"),
            (["paired", "--resume", "/"], "--resume: cannot write /"),
            (["run", "--filter", "no such row"], "no benchmarks"),
            (["run", "--benchmark_filter=no such row"], "no name matches --benchmark_filter=no such row"),
            (["run", "--benchmark_foo"], "Google Benchmark does not know --benchmark_foo"),
            (["run", "--benchmark_repetitons=3"], "did you mean --benchmark_repetitions?"),
            (["run", "--benchmark_repetitions"], "--benchmark_repetitions needs a value"),
            (["run", "--benchmark_repetitions=x"], "--benchmark_repetitions: 'x' is not a positive integer"),
            (["run", "--benchmark_filter=("], "not a valid regular expression"),
            (["run", "--benchmark_out_format=xml"], "'xml' is not one of json, console, csv"),
            (["run", "--benchmark_time_unit=min"], "'min' is not one of ns, us, ms, s"),
            (["run", "--benchmark_out=/nonexistent/x"], "--benchmark_out: cannot write /nonexistent/x: No such file"),
            (["run", "--benchmark_list_tests"], "--list prints the names"),
            (["machine", "--isa", "portable,avx512,neon"], "--isa: this machine or this build cannot run "),
            (["check", "--isa", "portable,avx512,neon"], "--isa: this machine or this build cannot run "),
            (["check", "--impl", "ffn2"], "--impl: no ffn2: the layers to check are gated blocks"),
            (["check", "/nonexistent"], "/nonexistent: cannot be opened: No such file"),
            (["check", "/"], "/: cannot be read"),
            (["check", __file__], "no safetensors file"),
        ]:
            with self.subTest(arguments):
                self.refused(*arguments, says=says)

    def test_no_wrong_command_line_leaves_a_file(self):
        run("paired", "--out", "results.json", "--filter", "no such row", cwd=self.path)
        run("run", "--benchmark_out=google.json", "--filter", "no such row", cwd=self.path)
        self.assertEqual(os.listdir(self.path), [])

    def test_check_says_how_to_give_it_the_other_layers(self):
        done = run("check", "--impl", "native", env=dict(os.environ, SWIGLU_DATA_DIR=str(self.path)))
        self.assertEqual(done.returncode, 0, done.stderr)
        (line,) = done.stderr.splitlines()
        self.assertIn(f"layer_00.safetensors, layer_28.safetensors not in {self.path}/smollm2", line)
        self.assertIn("set SWIGLU_DATA_DIR to the folder above", line)

    def test_google_benchmarks_build_type_is_no_warning(self):
        done = run("run", "--filter", "^machine/read/thr:1$", "--arena-bytes", "64M", "--benchmark_min_time=0.001")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Running swiglu-bench", done.stderr)
        self.assertNotIn("DEBUG", done.stderr)

    def test_more_rows_of_x_than_there_is_memory_for(self):
        done = run("paired", "--d-model", "2048", "--tokens", "16777216", "--impl", "native", "--mode", "C",
                   "--max-point-seconds", "1e9", "--arena-bytes", "64M")  # fmt: skip
        self.assertRegex(done.stderr, r"SKIPPED .*calls of 16777216 rows need 2061584302080 bytes; \d+ are available")

    def test_an_activation_is_measured_where_there_is_one_and_else_skipped(self):
        out = self.path / "act.json"
        done = run("paired", "--d-model", "64", "--tokens", "1,3", "--activation", "reglu", "--rounds", "5", "--sample-ms",
                   "1", "--impl", "native,unfused,reference,ffn2,ffn2-onednn", "--arena-bytes", "64M", "--out", str(out))  # fmt: skip
        if "no ffn2-onednn" in done.stderr:
            self.skipTest("built without oneDNN")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in json.loads(out.read_text())["benchmarks"]:
            self.assertIn("/act:reglu/", row["name"])
            self.assertEqual(row["activation"], "reglu")
            self.assertEqual(row["status"], "SKIPPED" if row["impl"] == "ffn2-onednn" else "OK", row)

    def test_a_shape_that_does_not_fit_is_skipped_with_the_reason(self):
        out = self.path / "big.json"
        done = run("paired", "--d-model", "200000", "--tokens", "1", "--impl", "native", "--max-point-seconds", "1e6",
                   "--arena-bytes", "64M", "--out", str(out))  # fmt: skip
        self.assertEqual(done.returncode, 2, done.stderr)
        (row,) = json.loads(out.read_text())["benchmarks"]
        self.assertEqual(row["status"], "SKIPPED")
        self.assertRegex(row["skip_reason"], r"^its weights need 1279795200000 bytes; \d+ are available \(a quarter of "
                         r"the free memory, shared by 1 implementation\)$")  # fmt: skip

    def test_run_says_that_of_a_family_nothing_could_be_measured(self):
        quick = ["--tokens", "1", "--impl", "native", "--arena-bytes", "64M", "--benchmark_min_time=0.001"]
        filters = ["--filter", "^(ffn/|machine/read/thr:1$)"]
        done = run("run", "--d-model", "200000", *quick, *filters)
        self.assertEqual(done.returncode, 2, done.stderr)
        said = [line for line in done.stderr.splitlines() if line.startswith("swiglu-bench: ")]
        self.assertEqual(len(said), 1, done.stderr)
        self.assertRegex(said[0], "no row of family ffn could be measured; the first one: skipped: its weights need ")
        done = run("run", "--d-model", "64,200000", *quick, *filters)  # one row is skipped, and one is there
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("ERROR OCCURRED: 'its weights need ", done.stdout)
        self.assertNotIn("swiglu-bench: ", done.stderr)

    def test_a_point_that_takes_too_long_is_skipped_with_the_reason(self):
        out = self.path / "long.json"
        run("paired", *POINTS, "--max-point-seconds", "1e-6", "--out", str(out))
        document = json.loads(out.read_text())
        self.assertEqual({row["status"] for row in document["benchmarks"]}, {"SKIPPED"})
        self.assertEqual(len(document["benchmarks"]), document["context"]["points_planned"])


class Results(Folder):
    def test_everything_that_was_planned_is_there(self):
        document = self.paired()
        self.assertEqual(document["context"]["points_planned"], ROWS)
        self.assertEqual([row["status"] for row in document["benchmarks"]], ["OK"] * ROWS)
        self.assertEqual(len(used(document)), ROWS * 5)
        self.assertFalse(document["context"]["interrupted"])
        self.assertEqual(sorted(os.listdir(self.path)), ["results.json"])

    def test_no_number_is_missing_from_a_row(self):
        for row in self.paired()["benchmarks"]:
            for key in ("t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "pct_peak", "pct_bw", "pct_roof", "gflops",
                        "peak_before", "peak_after", "read_before", "read_after", "create_ms", "first_call_us"):  # fmt: skip
                self.assertGreater(row[key], 0, key)
            self.assertLess(row["max_rel_err"], 2e-5)
            self.assertEqual(row["windows"] * 12 * row["d"] * row["h"], row["rotation_bytes"])
            if row["impl"] == "unfused":
                for phase in ("t_gate_up", "t_activation", "t_down"):
                    self.assertGreater(row[phase], 0)

    def test_the_tuning_that_ran_is_in_the_context(self):
        out = self.path / "results.json"
        arguments = ["paired", *POINTS, "--filter", "d:64/.*T:1/", "--out", str(out)]
        for tuning in ("large_l1", "small_l1"):
            done = run(*arguments, env=dict(os.environ, SWIGLU_TUNING=tuning))
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(out.read_text())["context"]["tuning"], tuning)
        done = run(*arguments, env=dict(os.environ, SWIGLU_TUNING="bogus"))
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^swiglu-bench: SWIGLU_TUNING = \"bogus\": must be one of [^\n]*\n$")

    def test_formats(self):
        done = run("paired", *POINTS, "--format", "csv", "--filter", "T:4/")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = list(csv.DictReader(io.StringIO(done.stdout)))
        self.assertEqual(len(rows), 4)
        self.assertEqual({row["T"] for row in rows}, {"4"})
        lines = run("paired", *POINTS, "--format", "jsonl", "--filter", "T:4/").stdout.splitlines()
        self.assertEqual(len([json.loads(line) for line in lines]), 4 + 2)
        self.assertIn("| name | status |", run("paired", *POINTS, "--format", "md", "--filter", "T:4/").stdout)
        self.paired("--out-format", "json", "--filter", "T:1/")

    def test_list_and_dry_run_measure_nothing(self):
        self.assertEqual(len(run("paired", *POINTS, "--list").stdout.splitlines()), ROWS)
        done = run("paired", *POINTS, "--dry-run")
        self.assertRegex(done.stdout.splitlines()[-1], r"^6 points, 1 launch, about \d+:\d\d$")

    def test_mode_c_compares_and_times_nothing(self):
        done = run("paired", *POINTS, "--mode", "C")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("right ffn/"), ROWS)

    def test_mode_p_is_flagged(self):
        for row in self.paired("--mode", "P", "--filter", "T:1/")["benchmarks"]:
            self.assertIn("unverified", row["flags"])

    def test_everything_cold_and_everything_hot(self):
        rows = self.paired("--cold-cache", "all", "--filter", "d:64/")["benchmarks"]
        self.assertEqual([(row["cache"], row["status"]) for row in rows], [("all", "OK")] * 6)
        self.assertTrue(all(row["windows"] > 1 for row in rows))
        (row, _) = self.paired("--cold-cache", "none", "--filter", "d:64/.*T:4/")["benchmarks"]
        self.assertEqual((row["windows"], row["cold_ok"]), (1, 0))

    def test_launches_are_processes_whose_spread_is_in_the_interval(self):
        document = self.paired("--launches", "3", "--filter", "T:4/")
        self.assertEqual({sample["launch"] for sample in document["samples"]}, {0, 1, 2})
        for pair in document["pairs"]:
            self.assertEqual((pair["launches"], pair["rounds"], pair["estimator"]), (3, 15, "t-launches"))
            self.assertGreater(pair["sd_launch"], 0)
        self.assertEqual(sorted(os.listdir(self.path)), ["results.json"])

    def test_batch(self):
        batch = self.path / "batch.txt"
        batch.write_text("--d-model 64 --tokens 1 --impl native\n--d-model 96 --tokens 2 --impl native # second\n")
        done = run("paired", "--batch", str(batch), "--list")
        self.assertEqual([line.split("/")[1] for line in done.stdout.splitlines()], ["d:64", "d:96"])


class Interrupted(Folder):
    # Samples long enough that the first signal comes when some points are measured and others are not.
    SLOW = ["--sample-ms", "20"]

    def interrupt(self, *arguments, how=signal.SIGINT):
        """Starts a run and interrupts it once a point is in its file."""
        out = self.path / "results.json"
        process = subprocess.Popen([BENCH, "paired", *POINTS, *self.SLOW, "--out", str(out), *arguments],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)  # fmt: skip
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and process.poll() is None:
            if out.exists() and out.stat().st_size > 0 and json.loads(out.read_text())["benchmarks"]:
                break
            time.sleep(0.02)
        process.send_signal(how)
        _, errors = process.communicate(timeout=60)
        return process.returncode, errors, json.loads(out.read_text())

    def test_what_was_measured_is_kept_and_the_run_goes_on(self):
        for how in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(how):
                code, errors, document = self.interrupt(how=how)
                self.assertEqual(code, 130, errors)
                self.assertIn("interrupted: ", errors)
                self.assertTrue(document["context"]["interrupted"])
                before = {row["name"]: row for row in document["benchmarks"]}
                self.assertGreater(len(before), 0)
                self.assertLess(len(before), ROWS)

                resumed = self.paired(*self.SLOW, "--resume", str(self.path / "results.json"))
                self.assertFalse(resumed["context"]["interrupted"])
                after = {row["name"]: row for row in resumed["benchmarks"]}
                self.assertEqual(len(after), ROWS)
                self.assertEqual(len(used(resumed)), ROWS * 5)
                for name, row in before.items():  # measured once, not again
                    self.assertEqual(after[name]["t_median"], row["t_median"])
                (self.path / "results.json").unlink()

    def test_between_launches(self):
        code, errors, document = self.interrupt("--launches", "2")
        self.assertEqual(code, 130, errors)
        self.assertEqual({sample["launch"] for sample in document["samples"]}, {0})
        self.assertTrue(all("few_launches" in row["flags"] for row in document["benchmarks"]))
        resumed = self.paired(*self.SLOW, "--launches", "2", "--resume", str(self.path / "results.json"))
        self.assertEqual(len(used(resumed)), 2 * ROWS * 5)
        first = {(s["name"], s["round"]): s["t_min"] for s in used(document)}
        again = {(s["name"], s["round"]): s["t_min"] for s in used(resumed) if s["launch"] == 0}
        for key, t in first.items():
            self.assertEqual(again[key], t)

    def test_a_complete_run_has_nothing_left(self):
        document = self.paired()
        again = self.paired("--resume", str(self.path / "results.json"))
        self.assertEqual(again["samples"], document["samples"])


class Resume(Folder):
    def test_refuses_what_is_not_the_same_run(self):
        document = self.paired()
        path = self.path / "other.json"

        def refused(says, *arguments, **changes):
            changed = json.loads(json.dumps(document))
            for key, value in changes.items():
                changed["machine" if key in changed["machine"] else "context"][key] = value
            path.write_text(json.dumps(changed))
            self.refused("paired", *POINTS, *arguments, "--resume", str(path), says=says)
            self.assertEqual(json.loads(path.read_text()), changed, "and the file is as it was")

        refused("another machine", cpu_model="another CPU")
        refused("another machine", host_name="elsewhere")
        refused("another revision", git_sha="0" * 40)
        refused("another tuning", tuning="medium_l1")
        refused("another preset or command line", "--seed", "2")
        refused("another preset or command line", "--tokens", "1,4")
        refused("not written by 'swiglu-bench paired'", command="run")
        path.write_text(json.dumps(document)[:2000])
        self.refused("paired", *POINTS, "--resume", str(path), says="not valid JSON")
        document["samples"] = document["samples"][:-7]
        path.write_text(json.dumps(document))
        self.refused("paired", *POINTS, "--resume", str(path), says="samples")


class Report(Folder):
    def test_hands_over(self):
        self.assertIn("usage: report", run("report", "--help").stdout)
        self.assertEqual(run("report", "/nonexistent.json").returncode, 2)


if __name__ == "__main__":
    BENCH = os.path.abspath(sys.argv.pop(1))
    unittest.main()
