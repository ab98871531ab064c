"""What the compiler made of the kernels, read from the object files.

- Every inner loop of every tile function has exactly MR * vectors * panels multiply-adds per row of k and touches no
  stack: accumulators that the compiler did not keep in registers make a tile 3 to 10 times slower, silently.
- For every way to prefetch (Fetch in src/kernels/tile.hpp) it has a loop with just those prefetches per row of k.
- No instruction above its ISA in any object (hard case D-05), none above the baseline outside the kernels (D-01, D-07).
- Every return leaves clean upper register halves (D-14).
- No weak symbol that the linker could keep for everybody (D-01), no static initialiser in a kernel object (D-02), no
  IFUNC (D-12).

Run by CTest with the paths of the build; standard library and binutils (or llvm) only.
"""

import argparse
import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))

from lib.object_code import (  # noqa: E402
    FOUR_ROWS,
    ISAS,
    PREFETCHES,
    TALL_TILE,
    TILE,
    disassemble,
    multiply_adds,
    run,
)

OPTIONS = None  # command line


def symbols(path):
    """(type letter, demangled name) of every symbol."""
    table = []
    for line in run(OPTIONS.nm, "-C", str(path)).splitlines():
        match = re.match(r"^(?:[0-9a-f]+|\s+)\s([A-Za-z])\s(.*)$", line)
        if match:
            table.append((match[1], match[2]))
    return table


def kernel_objects():
    """ISA name → object file."""
    found = {}
    for path in OPTIONS.kernels:
        match = re.search(r"kernels_(\w+)\.cpp", path)
        if match:
            found[match[1]] = path
    return found


def is_x86():
    return "avx2" in kernel_objects()


class InnerLoops(unittest.TestCase):
    def test_every_tile_keeps_its_accumulators_in_registers(self):
        for isa, path in kernel_objects().items():
            if isa == "portable" and not is_x86():
                continue  # plain loops: whatever the compiler makes of them
            tiles = tall_tiles = 0
            for function in disassemble(OPTIONS.objdump, path):
                match = TILE.search(function.name)
                tall = TALL_TILE.search(function.name)
                if match:
                    tiles += 1
                    rows, panels = int(match["rows"]), int(match["panels"])
                    per_row = rows * ISAS[isa]["vectors"] * panels
                    fetches = self.fetches(isa, match["near"] == "true", rows, panels)
                elif tall:
                    tall_tiles += 1
                    rows, panels = int(tall["rows"]), 1
                    per_row = rows * ISAS[isa]["vectors"] // 2
                    fetches = self.fetches(isa, False, rows, panels)
                else:
                    continue
                with self.subTest(isa=isa, function=function.name):
                    self.assertEqual(self.check(function, isa, per_row, isa in FOUR_ROWS and panels == 1), fetches)
            self.assertGreaterEqual(tiles, 2, f"{isa}: no tile functions recognised in {path}")
            self.assertEqual(tall_tiles, 2 if isa == "avx2" else 0, f"{isa}: tall tiles in {path}")
            print(f"  {isa}: {tiles} tile functions, {tall_tiles} of tall tiles")

    def fetches(self, isa, near, rows, panels):
        """Prefetches per row of k into (L1, L2), by Fetch: none, alone, shared; sparse; far, shared_near."""
        x = 1 if rows > 8 else 0  # kFetchX
        sparse = {(x, 0.25)} if isa in FOUR_ROWS and panels == 1 else set()
        return {(0, 0), (2 * panels, 0), (x, panels)} | sparse | ({(2, 2), (2 + x, 1)} if near else set())

    def check(self, function, isa, per_row, four_rows):
        """Returns what the loops prefetch per row of k, as fetches() does."""
        loops = 0
        at_once = set()
        fetched = set()
        for code in function.innermost_loops():
            counts = multiply_adds(code, isa)
            if not any(counts):
                continue
            loops += 1
            where = f"loop at {min(i.address for i in code):#x} … {max(i.address for i in code):#x}"
            for count in counts:
                self.assertGreater(count, 0, where)
                self.assertEqual(count % per_row, 0, f"{where}: {count} multiply-adds, not a multiple of {per_row}")
            self.assertEqual(function.touches_stack(code), [], f"{where}: stack traffic")
            unrolled = counts[0] // per_row
            at_once.add(unrolled)
            fetched.add(tuple(sum(bool(re.match(m, i.text)) for i in code) / unrolled for m in PREFETCHES.values()))
        self.assertGreater(loops, 0, "no loop with multiply-adds found")
        if four_rows:
            self.assertIn(4, at_once, "no loop over four rows of k")
        return fetched


class Instructions(unittest.TestCase):
    def setUp(self):
        if not is_x86():
            self.skipTest("x86 only")

    def offenders(self, path, pattern):
        expression = re.compile(pattern)
        return [f"{f.name}: {i.text}" for f in disassemble(OPTIONS.objdump, path) for i in f.code if expression.search(i.text)][:5]

    def test_avx2_object_has_no_avx512(self):
        self.assertEqual(self.offenders(kernel_objects()["avx2"], r"%zmm|%[xy]mm(1[6-9]|2\d|3[01])|%k[0-7]\b"), [])

    def test_portable_object_has_no_avx(self):
        self.assertEqual(self.offenders(kernel_objects()["portable"], r"%[yz]mm|^v[a-z]|%k[0-7]\b"), [])

    def test_baseline_objects_have_no_avx(self):
        if OPTIONS.raised_baseline:
            self.skipTest("this build's own flags raise the baseline")
        self.assertGreater(len(OPTIONS.baseline), 5)
        for path in OPTIONS.baseline:
            with self.subTest(object=path):
                self.assertEqual(self.offenders(path, r"%[yz]mm|^v(?!err|erw)[a-z]|%k[0-7]\b"), [])

    def test_every_return_clears_the_upper_halves(self):
        """Without vzeroupper the caller's SSE code gets slow (hard case D-14). Table functions return void."""
        for isa in ("avx2", "avx512"):
            for function in disassemble(OPTIONS.objdump, kernel_objects()[isa]):
                if not function.name.startswith("void "):
                    continue
                for n, instruction in enumerate(function.code):
                    if instruction.mnemonic.startswith("ret"):
                        before = [i.mnemonic for i in function.code[max(0, n - 16) : n]]
                        self.assertIn("vzeroupper", before, f"{isa}: {function.name} at {instruction.address:#x}")

    def test_kernels_use_what_their_isa_has(self):
        for isa, register in (("avx2", "%ymm"), ("avx512", "%zmm")):
            with self.subTest(isa=isa):
                self.assertNotEqual(self.offenders(kernel_objects()[isa], rf"^vfmadd.*{register}"), [])


class Symbols(unittest.TestCase):
    def test_kernel_objects_share_nothing(self):
        """They define their table and otherwise only what nobody else can see, and call nothing but memcpy's kind."""
        self.assertGreaterEqual(len(kernel_objects()), 2)
        for isa, path in kernel_objects().items():
            own = re.compile(rf"\(anonymous namespace\)|\bkernels::{isa}::")
            with self.subTest(isa=isa):
                table = symbols(path)
                weak = [name for kind, name in table if kind in "WwVvu" and not own.search(name)]
                if not is_x86():
                    weak = []  # NEON is AArch64's baseline: whichever copy the linker keeps, it runs
                self.assertEqual(weak, [], "weak symbols: the linker may keep them for baseline code")
                shared = [name for kind, name in table if kind in "TDRBGS" and not own.search(name)]
                self.assertEqual(shared, [f"swiglu::kernels::kKernelSet_{isa}"])
                outside = {name for kind, name in table if kind == "U"}
                self.assertLessEqual(outside, {"memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_"})

    def test_kernel_objects_have_no_static_initialisers(self):
        for isa, path in kernel_objects().items():
            with self.subTest(isa=isa):
                sections = run(OPTIONS.objdump, "-h", str(path))
                self.assertNotRegex(sections, r"\.init_array|\.ctors|\.preinit_array")

    def test_no_ifunc(self):
        for path in OPTIONS.kernels + OPTIONS.baseline:
            with self.subTest(object=path):
                self.assertEqual([name for kind, name in symbols(path) if kind == "i"], [])


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--nm", default="nm")
    parser.add_argument("--kernels", nargs="+", required=True, help="object files named kernels_<isa>.cpp.*")
    parser.add_argument("--baseline", nargs="+", default=[], help="all other object files of the library")
    parser.add_argument("--raised-baseline", action="store_true", help="the build sets -march for everything")
    OPTIONS = parser.parse_args()
    missing = [p for p in OPTIONS.kernels + OPTIONS.baseline if not Path(p).exists()]
    if missing:
        print(f"disassembly_test: no such object: {missing[0]}", file=sys.stderr)
        return 2
    program = unittest.main(argv=[sys.argv[0]], exit=False, verbosity=1)
    return 0 if program.result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
