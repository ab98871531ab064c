"""scripts/lib/gate.py and scripts/perf_gate: verdicts on simulated machines, the conversation with the arms, exit codes.

Nothing is timed here: times come from seeded random numbers, directly or through arms that are small scripts.
"""

import contextlib
import io
import json
import math
import random
import shutil
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "scripts"))
sys.dont_write_bytecode = True

from lib import gate, stats  # noqa: E402

MARGIN = 0.02

# argv: behaviour ISA THREADS POINT…; a behaviour is a factor on the times, or a way to misbehave.
FAKE_ARM = """
    import random, sys
    behaviour, isa, threads = sys.argv[1:4]
    if behaviour == "refuses":
        sys.exit("gate_arm: this CPU lacks " + isa)
    if behaviour == "lies":
        isa = "portable"
    print("ready", 2 if behaviour == "future" else 1, "avx2" if isa == "automatic" else isa, threads, flush=True)
    factor = float(behaviour) if behaviour[0].isdigit() else 1.0
    offset = random.gauss(0, 0.002)
    for line in sys.stdin:
        if behaviour == "dies":
            sys.exit("gate_arm: row 3 of 16 is off by 0.5 of its norm")
        word, point, seconds = line.split()
        t = 1e-3 * (1 + int(point)) * factor * (1 + offset + abs(random.gauss(0, 0.003)))
        print("nan 1" if behaviour == "nan" else f"{t:.9g} 5", flush=True)
"""


def simulated_look(truth, rng, launches=10, rounds=15, sd_launch=0.007, sd_round=0.01):
    """A look() for decide(): `truth[i]` is the true ratio of point i, or a function of the number of the look."""
    looks = [0]

    def look(points):
        looks[0] += 1
        result = {}
        for i in points:
            true_ratio = truth[i](looks[0]) if callable(truth[i]) else truth[i]
            result[i] = []
            for _ in range(launches):
                offset = rng.gauss(math.log(true_ratio), sd_launch)
                result[i].append([(math.exp(offset + rng.gauss(0, sd_round)), 1.0) for _ in range(rounds)])
        return result

    look.count = looks
    return look


class Judge(unittest.TestCase):
    def verdict(self, lower, upper):
        return gate.judge(stats.Ratio(math.sqrt(lower * upper), lower, upper, 0.99, 0.01, (0.0, 0.0)), MARGIN)

    def test_table(self):
        for lower, upper, verdict in (
            (0.99, 1.01, "pass"),
            (0.80, 0.85, "pass"),  # faster
            (1.01, 1.045, "pass"),  # slower for certain, but not by more than the margin, nor ever by 5 %
            (1.019, 1.06, "inconclusive"),
            (0.90, 1.10, "inconclusive"),  # too wide for anything
            (1.021, 1.03, "slower"),
            (1.08, 1.12, "slower"),
        ):
            self.assertEqual(self.verdict(lower, upper), verdict, (lower, upper))


class Decide(unittest.TestCase):
    def test_equal_builds_pass_in_one_look(self):
        look = simulated_look([1.0] * 4, random.Random(1))
        result = gate.decide(look, [0, 1, 2, 3], MARGIN)
        self.assertEqual([result[i][0] for i in range(4)], ["pass"] * 4)
        self.assertEqual(look.count, [1])

    def test_only_the_slow_point_fails_and_only_after_a_second_look(self):
        look = simulated_look([1.0, 1.08], random.Random(2))
        result = gate.decide(look, [0, 1], MARGIN)
        self.assertEqual(result[0][0], "pass")
        self.assertEqual(result[1][0], "slower")
        self.assertEqual(look.count, [2])
        self.assertEqual((len(result[0][2]), len(result[1][2])), (10, 20))  # the passing point is not measured again

    def test_a_failure_that_fresh_launches_do_not_show_is_not_a_failure(self):
        look = simulated_look([lambda n: 1.08 if n == 1 else 1.0], random.Random(3))
        self.assertEqual(gate.decide(look, [0], MARGIN)[0][0], "pass")

    def test_noise_is_neither_pass_nor_failure(self):
        look = simulated_look([1.0], random.Random(4), launches=3, sd_launch=0.1)
        self.assertEqual(gate.decide(look, [0], MARGIN)[0][0], "inconclusive")

    def test_false_alarms_and_power(self):
        """Launch spreads at the upper end of what shared machines showed (0.7 to 1.7 %)."""
        rng = random.Random(5)
        verdicts = {1.0: [], 1.02: [], 1.06: []}
        for true_ratio, seen in verdicts.items():
            for _ in range(100):
                look = simulated_look([true_ratio], rng, sd_launch=0.012)
                seen.append(gate.decide(look, [0], MARGIN)[0][0])
        self.assertEqual(verdicts[1.0].count("slower"), 0)
        self.assertLessEqual(verdicts[1.02].count("slower"), 2)  # exactly the margin: at most about 1 in 100
        self.assertGreaterEqual(verdicts[1.06].count("slower"), 90)


class Arms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.script = self.folder / "arm.py"
        self.script.write_text(textwrap.dedent(FAKE_ARM))

    def commands(self, base, head, isa="avx2", threads="1"):
        return {
            name: [sys.executable, str(self.script), behaviour, isa, threads]
            for name, behaviour in (("base", base), ("head", head))
        }

    def measure(self, base, head, isa=None):
        return gate.measure(self.commands(base, head), [0, 1], 2, 5, 0.001, random.Random(1), isa=isa)

    def test_pairs_are_head_then_base(self):
        pairs = self.measure("1.0", "2.0")
        for point in (0, 1):
            self.assertEqual([len(launch) for launch in pairs[point]], [5, 5])
            for head, base in pairs[point][0]:
                self.assertAlmostEqual(head / base, 2.0, delta=0.2)
                self.assertAlmostEqual(base, 1e-3 * (1 + point), delta=1e-4)

    def test_what_cannot_be_measured_is_said_in_one_line(self):
        for base, head, words in (
            ("1.0", "refuses", "head: gate_arm: this CPU lacks avx2"),
            ("refuses", "1.0", "base: gate_arm: this CPU lacks avx2"),
            ("dies", "1.0", "base: gate_arm: row 3 of 16"),
            ("1.0", "nan", "head: no time for point"),
            ("1.0", "lies", "runs portable"),
            ("1.0", "future", "head: expected 'ready 1"),
        ):
            with self.subTest(base=base, head=head):
                with self.assertRaises(gate.CouldNotMeasure) as caught:
                    self.measure(base, head, isa="avx2")
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("\n", str(caught.exception))

    def test_arms_that_differ_are_not_compared(self):
        with self.assertRaises(gate.CouldNotMeasure) as caught:
            self.measure("1.0", "lies")
        self.assertIn("differ", str(caught.exception))

    def test_a_missing_program(self):
        with self.assertRaises(gate.CouldNotMeasure):
            gate.measure({"base": ["/nonexistent/arm"], "head": ["/nonexistent/arm"]}, [0], 2, 5, 0.001,
                         random.Random(1))

    def run_main(self, base, head):
        """Exit code, stdout, stderr and the result file of the whole program; a wrapper script stands for each arm."""
        out = self.folder / "result.json"
        arguments = ["gate"]
        for name, behaviour in (("base", base), ("head", head)):
            wrapper = self.folder / name
            wrapper.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{self.script}" {behaviour} "$@"\n')
            wrapper.chmod(0o755)
            arguments += [f"--{name}", str(wrapper)]
        arguments += ["--isa", "automatic", "--points", "64/96:1,64/96:2", "--out", str(out), "--launches", "4",
                      "--rounds", "5", "--threads", "2", "--seed", "1", "--margin", "0.02", "--sample-ms", "1"]
        stdout, stderr = io.StringIO(), io.StringIO()
        before = sys.argv
        try:
            sys.argv = arguments
            with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
                status = gate.main()
        finally:
            sys.argv = before
        return status, stdout.getvalue(), stderr.getvalue(), json.loads(out.read_text()) if out.exists() else None

    def test_exit_codes(self):
        status, stdout, _, result = self.run_main("1.0", "1.0")
        self.assertEqual(status, 0, stdout)
        self.assertEqual(result["verdicts"], ["pass", "pass"])
        self.assertEqual(len(result["pairs_head_base_seconds"][0]), 4)

        status, stdout, _, result = self.run_main("1.0", "1.2")
        self.assertEqual(status, 1, stdout)
        self.assertEqual(result["verdicts"], ["slower", "slower"])
        self.assertIn("SLOWER", stdout)

        self.assertEqual(self.run_main("1.2", "1.0")[0], 0)  # swapped arms would make this 1

        status, _, stderr, _ = self.run_main("1.0", "dies")
        self.assertEqual(status, 2)
        self.assertEqual(stderr.count("\n"), 1, stderr)


class CommandLine(unittest.TestCase):
    def perf_gate(self, *arguments, root=ROOT):
        return subprocess.run([str(root / "scripts" / "perf_gate"), *arguments], capture_output=True, text=True,
                              timeout=300)

    def test_wrong_usage(self):
        for arguments, words in (
            ((), "two revisions"),
            (("HEAD",), "two revisions"),
            (("--isa", "sse", "HEAD", "HEAD"), "'sse'"),
            (("--points", "1024:1", "HEAD", "HEAD"), "'1024:1'"),
            (("--launches", "2", "HEAD", "HEAD"), "'2'"),
            (("--margin", "much", "HEAD", "HEAD"), "'much'"),
            (("--nonsense",), "--nonsense"),
        ):
            result = self.perf_gate(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertIn(words, result.stderr)
            self.assertEqual(result.stderr.count("\n"), 1, result.stderr)

    def repository(self):
        """A copy of what the gate needs, as a repository of its own: one commit whose library does not configure."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        root = Path(folder.name)
        for part in ("scripts", "bench"):
            shutil.copytree(ROOT / part, root / part, ignore=shutil.ignore_patterns("__pycache__"))
        if (ROOT / ".deps").exists():
            (root / ".deps").symlink_to(ROOT / ".deps")
        (root / "CMakeLists.txt").write_text('message(FATAL_ERROR "broken on purpose")\n')
        git = ["git", "-C", str(root), "-c", "user.name=test", "-c", "user.email=test@localhost"]
        for command in (["init", "--quiet"], ["add", "CMakeLists.txt"], ["commit", "--quiet", "-m", "broken"]):
            subprocess.run(git + command, check=True, capture_output=True)
        return root

    @unittest.skipUnless(shutil.which("git"), "git is missing")
    def test_unknown_revision(self):
        root = self.repository()
        for revisions in (("no-such-revision", "HEAD"), ("HEAD", "no-such-revision")):
            result = self.perf_gate(*revisions, root=root)
            self.assertEqual(result.returncode, 2)
            self.assertEqual(result.stderr, "perf_gate: error: 'no-such-revision' is not a revision of this repository\n")

    @unittest.skipUnless(shutil.which("git"), "git is missing")
    def test_build_error(self):
        if subprocess.run([str(ROOT / "scripts" / "setup"), "build", "--no-install"], capture_output=True).returncode != 0:
            self.skipTest("scripts/setup build says that something is missing")
        root = self.repository()
        result = self.perf_gate("--no-install", "HEAD", "HEAD", root=root)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("base", result.stderr)
        self.assertRegex(result.stderr, "does not build: CMake Error.*broken on purpose")
        self.assertEqual(result.stderr.count("\n"), 1, result.stderr)
        self.assertEqual([p.name for p in (root / "build" / "perf_gate").iterdir()], ["base-build.log"])  # tidied up
        self.assertIn("broken on purpose", (root / "build" / "perf_gate" / "base-build.log").read_text())


if __name__ == "__main__":
    unittest.main()
