"""Our results are a superset of Google Benchmark's format: its own compare.py reads them, and so does anything that
relies on the fields it reads.

    compare_test.py PATH-OF-SWIGLU-BENCH [unittest options]
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

BENCH = ""
COMPARE = Path("/usr/share/benchmark/compare.py")  # Debian's libbenchmark-tools
POINTS = ["--d-model", "64", "--tokens", "1,4", "--impl", "native,unfused", "--arena-bytes", "64M"]


def measured(folder, name, command, *arguments):
    path = Path(folder) / name
    done = subprocess.run([BENCH, command, *POINTS, "--out", str(path), *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return path


class Compare(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        paired = ["--rounds", "5", "--sample-ms", "1"]
        run = ["--min-time", "0.01", "--repetitions", "3", "--filter", "^ffn/"]
        cls.files = {
            "paired": [measured(cls.folder.name, f"paired{i}.json", "paired", *paired) for i in range(2)],
            "run": [measured(cls.folder.name, f"run{i}.json", "run", *run) for i in range(2)],
        }

    def test_every_field_that_compare_reads(self):
        """gbench/report.py and util.py of 1.7 to 1.9."""
        for command, (path, _) in self.files.items():
            document = json.loads(path.read_text())
            for key in ("date", "num_cpus", "mhz_per_cpu", "cpu_scaling_enabled", "library_build_type", "executable",
                        "host_name", "caches", "load_avg"):  # fmt: skip
                self.assertIn(key, document["context"])
            self.assertEqual(document["context"]["json_schema_version"], 1)
            for row in document["benchmarks"]:
                with self.subTest(command, row=row["name"]):
                    self.assertIsInstance(row["name"], str)
                    self.assertIsInstance(row["run_name"], str)
                    self.assertIn(row["run_type"], ("iteration", "aggregate"))
                    if row["run_type"] == "aggregate":
                        self.assertIsInstance(row["aggregate_name"], str)
                        self.assertIn(row["aggregate_unit"], ("time", "percentage"))
                    self.assertIn(row["time_unit"], ("s", "ms", "us", "ns"))
                    for key in ("real_time", "cpu_time"):
                        self.assertIsInstance(row[key], (int, float))
                    for key in ("iterations", "repetitions", "threads", "family_index", "per_family_instance_index"):
                        self.assertIsInstance(row[key], int)

    def test_google_benchmarks_compare_reads_them(self):
        if not COMPARE.exists():
            self.skipTest(f"no {COMPARE} (Debian: libbenchmark-tools)")
        try:
            import numpy  # noqa: F401
            import scipy  # noqa: F401
        except ImportError:
            self.skipTest("compare.py needs numpy and scipy")
        for command, files in self.files.items():
            with self.subTest(command):
                done = subprocess.run([sys.executable, COMPARE, "--no-color", "benchmarks", *files],
                                      capture_output=True, text=True, timeout=60)  # fmt: skip
                self.assertEqual(done.returncode, 0, done.stderr)
                for T in (1, 4):
                    self.assertIn(f"/T:{T}/impl:native/", done.stdout)
                    self.assertIn(f"/T:{T}/impl:unfused/", done.stdout)
                self.assertIn("OVERALL_GEOMEAN", done.stdout)


if __name__ == "__main__":
    BENCH = sys.argv.pop(1)
    unittest.main()
