"""swiglu-certify against mpmath: another implementation, in another language, with 200 bits.

The errors that accuracy.json reports must be the true ones, at the worst inputs that it names and at random ones, and the
double references must be good for what functions.cpp says of them. Usage: mpmath_test.py CERTIFY (the program's path).
"""

import json
import math
import random
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import mpmath
from mpmath import mpf

CERTIFY = ""
RANDOM_INPUTS = 3000

mpmath.mp.prec = 200


def sigmoid(x):
    return 1 / (1 + mpmath.exp(-x))


def silu_slope(x):
    # σ(x)·(1 + x·σ(-x)) cancels next to its zero, by 2^-53 at the most for floats: 200 bits leave enough.
    return sigmoid(x) * (1 + x * sigmoid(-x))


# Each from its textbook formula, not from the form that the C++ uses.
FUNCTIONS = {
    "silu": lambda x: x * sigmoid(x),
    "silu_slope": silu_slope,
    "sigmoid": sigmoid,
    "gelu_tanh": lambda x: x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpf("0.044715") * x**3))),
    "gelu_erf": lambda x: x / 2 * mpmath.erfc(-x / mpmath.sqrt(2)),
    "gelu_quick": lambda x: x * sigmoid(mpf("1.702") * x),
    "tanh": mpmath.tanh,
    "exp": mpmath.exp,
}
# 1 + tanh cancels: by e^-2z, at most 2^-330 while the result is not below 2^-149.
PRECISION = {"gelu_tanh": 600}


def exact(function, x):
    with mpmath.workprec(PRECISION.get(function, 200)):
        return FUNCTIONS[function](mpf(x))


def number(text):
    return float(text) if text in ("nan", "inf", "-inf") else float.fromhex(text)


def spacing(value):
    """Of f32 at an mpf."""
    if value == 0:
        return mpf(2) ** -149
    exponent = int(mpmath.floor(mpmath.log(abs(value), 2)))
    return mpf(2) ** (min(max(exponent, -126), 127) - 23)


def ulp_error(value, true):
    if math.isinf(value):
        value = math.copysign(2.0**128, value)
        if abs(true) > 2.0**128:
            return mpf(0)
    return abs(mpf(value) - true) / spacing(true)


def random_floats(count, seed):
    """All exponents, and as many again where the functions curve."""
    rng = random.Random(seed)
    floats = []
    while len(floats) < count:
        bits = struct.unpack("<f", struct.pack("<I", rng.getrandbits(32)))[0]
        near = struct.unpack("<f", struct.pack("<f", rng.choice((1, 10, 104)) * rng.uniform(-1, 1)))[0]
        floats += [x for x in (bits, near) if math.isfinite(x)]
    return floats


def run(*arguments, numbers=None):
    text = None if numbers is None else "".join(x.hex() + "\n" for x in numbers)
    return subprocess.run([CERTIFY, *arguments], input=text, capture_output=True, text=True, check=False)


def evaluate(function, isa, inputs):
    result = run("--eval", function, "--isa", isa, numbers=inputs)
    assert result.returncode == 0, result.stderr
    pairs = [line.split() for line in result.stdout.splitlines()]
    assert [number(a) for a, _ in pairs] == inputs
    return [number(b) for _, b in pairs]


def listed():
    """{function: whether the library has a kernel}"""
    lines = [line.split(maxsplit=1) for line in run("--list").stdout.splitlines()]
    return {words[0]: len(words) == 1 for words in lines}


class References(unittest.TestCase):
    def test_every_function_is_known_here(self):
        self.assertEqual(set(listed()), set(FUNCTIONS))

    def test_within_2_to_the_minus_44(self):
        for function in FUNCTIONS:
            inputs = random_floats(RANDOM_INPUTS, function)
            if function == "silu_slope":  # the floats next to its zero
                start = struct.unpack("<I", struct.pack("<f", -1.2784645))[0]
                inputs += [struct.unpack("<f", struct.pack("<I", start + i))[0] for i in range(-50, 50)]
            for x, y in zip(inputs, evaluate(function, "reference", inputs)):
                true = exact(function, x)
                if not 2.0**-160 < abs(true) < 2.0**128:  # zero or infinite in f32, whatever the digits
                    continue
                self.assertLessEqual(abs(mpf(y) - true), abs(true) * mpf(2) ** -44, f"{function} at {x.hex()}")


class Kernels(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = Path(cls.folder.name) / "accuracy.json"
        # A thin sample: whether the errors are small is for other tests, here it is whether they are told truly.
        result = run("--sample", "9973", "--out", str(cls.file))
        assert result.returncode in (0, 1), result.stderr
        cls.entries = json.loads(cls.file.read_text())["entries"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_kernel_is_certified(self):
        self.assertEqual({e["function"] for e in self.entries}, {f for f, kernel in listed().items() if kernel})

    def test_the_worst_errors_are_what_the_certificate_says(self):
        for entry in self.entries:
            for kind in ("worst_normal", "worst_subnormal"):
                worst = entry[kind]
                if worst["ulp"] == 0:
                    continue
                x, y = number(worst["input"]), number(worst["output"])
                with self.subTest(function=entry["function"], isa=entry["isa"], x=worst["input"]):
                    self.assertEqual(evaluate(entry["function"], entry["isa"], [x]), [y])
                    self.assertAlmostEqual(float(ulp_error(y, exact(entry["function"], x))), worst["ulp"], delta=1e-5)
                    self.assertLessEqual(worst["ulp"], entry["promised_ulp"])

    def test_random_inputs_keep_the_promise(self):
        for entry in self.entries:
            function, isa = entry["function"], entry["isa"]
            inputs = random_floats(RANDOM_INPUTS, function)
            for x, y in zip(inputs, evaluate(function, isa, inputs)):
                error = ulp_error(y, exact(function, x))
                self.assertLessEqual(error, entry["promised_ulp"], f"{function}/{isa} at {x.hex()}: {y.hex()}")


class CommandLine(unittest.TestCase):
    def test_what_cannot_be_done_is_one_line_and_exit_code_2(self):
        for arguments in (
            ["--sample", "2"], ["--sample", "0"], ["--sample", "x"], ["--isa", "AVX2"], ["--isa", "reference"],
            ["--functions", "relu"], ["--functions", ""], ["--threads", "0"], ["--range", "1"], ["--range", "2:1"],
            ["--range", "nan:1"], ["--format", "html"], ["--expect", "/nonexistent/file"], ["--bogus"], ["--out"],
            ["--out", "/nonexistent/file"], ["--list=1"], ["stray"],
        ):  # fmt: skip
            result = run(*arguments)
            self.assertEqual(result.returncode, 2, arguments)
            self.assertRegex(result.stderr, r"\Aswiglu-certify: [^\n]+\n\Z", arguments)
            self.assertEqual(result.stdout, "")

    def test_help_and_version(self):
        self.assertIn("--expect FILE", run("--help").stdout)
        self.assertRegex(run("--version").stdout, r"\Aswiglu-certify \d+\.\d+\.\d+\n\Z")

    def test_expect(self):
        with tempfile.TemporaryDirectory() as folder:
            file, again = Path(folder) / "a.json", Path(folder) / "b.json"
            sample = ["--sample", "600011", "--functions", "silu"]
            first = run(*sample, "--out", str(file))
            self.assertEqual(run(*sample, "--expect", str(file), "--out", str(again)).returncode, first.returncode)
            self.assertEqual(file.read_text(), again.read_text())
            document = json.loads(file.read_text())
            for entry in document["entries"]:
                entry["hash"] = "0123456789abcdef"
            file.write_text(json.dumps(document))
            different = run(*sample, "--expect", str(file), "--out", str(again))
            if any(e["isa"] != "portable" for e in document["entries"]):
                self.assertEqual(different.returncode, 1)
                self.assertIn("DIFFERENT BITS: silu", different.stderr)
            other = run("--sample", "600013", "--expect", str(file), "--out", str(again))
            self.assertEqual(other.returncode, 2, "another stream")
            file.write_text("{")
            self.assertEqual(run("--expect", str(file), "--out", str(again)).returncode, 2)

    def test_interrupt_writes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            out = Path(folder) / "accuracy.json"
            out.write_text("old")
            process = subprocess.Popen([CERTIFY, "--out", str(out)], stderr=subprocess.PIPE, text=True)
            while not (Path(folder) / "accuracy.json.part").exists():
                self.assertIsNone(process.poll())
            process.terminate()
            error = process.communicate(timeout=60)[1]
            self.assertEqual((process.returncode, out.read_text()), (2, "old"), error)
            self.assertEqual([p.name for p in Path(folder).iterdir()], ["accuracy.json"])

    def test_table(self):
        with tempfile.TemporaryDirectory() as folder:
            result = run("--sample", "600011", "--format", "md", "--out", str(Path(folder) / "a.json"))
            lines = result.stdout.splitlines()
            self.assertTrue(lines[0].startswith("| function | ISA | max ulp |"))
            self.assertTrue(all(line.count("|") == lines[0].count("|") for line in lines))
            self.assertTrue(any(line.startswith("| `silu` |") for line in lines[2:]))


if __name__ == "__main__":
    CERTIFY = sys.argv.pop(1)
    unittest.main()
