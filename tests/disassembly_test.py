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
import subprocess
import sys
import unittest
from dataclasses import dataclass, field
from pathlib import Path

OPTIONS = None  # command line

# Vectors per row of a panel (32 columns) and what a multiply-add looks like: groups of mnemonics of equal count.
ISAS = {
    "portable": {"vectors": 8, "multiply_add": [r"mulps", r"addps"]},
    "avx2": {"vectors": 4, "multiply_add": [r"vfn?madd\d*ps"]},
    "avx512": {"vectors": 2, "multiply_add": [r"vfn?madd\d*ps"]},
    "neon": {"vectors": 8, "multiply_add": [r"fmla"]},
}
FOUR_ROWS = ("portable", "avx2", "neon")  # Accumulators::kFourRows: their loops take four rows of k at once
TILE = re.compile(r"\btile<.*?, (?P<near>true|false), .*?(?P<epilogue>GateUp|Down)Epilogue, (?P<rows>\d+), (?P<panels>\d+)>")
TALL_TILE = re.compile(r"\btall_tile<.*?(?P<epilogue>GateUp|Down)Epilogue, (?P<rows>\d+)>")  # 16 columns at a time
PREFETCHES = {"L1": r"prefetcht0\b|prfm\s+pldl1keep\b", "L2": r"prefetcht1\b|prfm\s+pldl2keep\b"}
BRANCH = re.compile(r"^(j\w+|b|b\.\w+|cbn?z|tbn?z)\s+(?:[^<]*,\s*)?(?:0x)?([0-9a-f]+)\s*(?:<|$)")
ENDS_FLOW = re.compile(r"^(jmp|ret|ud2|b|br)\b(?!\.)")  # nothing follows by falling through
ENDS_BLOCK = re.compile(r"^(j\w+|ret|ud2|b|br|b\.\w+|cbn?z|tbn?z)\b")
STACK = re.compile(r"%rsp|\bsp\b|\[x29")
FRAME_POINTER = re.compile(r"mov\s+%rsp,%rbp")


@dataclass
class Instruction:
    address: int
    text: str

    @property
    def mnemonic(self):
        return self.text.split(None, 1)[0]


@dataclass
class Function:
    name: str
    code: list = field(default_factory=list)

    def innermost_loops(self):
        """Instruction lists of the natural loops that contain no other loop."""
        blocks, successors = self.flow_graph()
        dominators = dominators_of(successors)
        bodies = {}  # header → blocks of its loop
        for block, targets in enumerate(successors):
            for header in targets:
                if dominators[block] >> header & 1:
                    bodies.setdefault(header, set()).update(natural_loop(successors, header, block))
        innermost = [body for header, body in bodies.items() if not any(h != header and h in body for h in bodies)]
        return [[i for block in sorted(body) for i in blocks[block]] for body in innermost]

    def flow_graph(self):
        """Basic blocks, and for each the numbers of those that may follow."""
        inside = {i.address for i in self.code}
        branches = {i.address: int(m[2], 16) for i in self.code if (m := BRANCH.match(i.text))}
        targets = {source: target for source, target in branches.items() if target in inside}
        leaders = set(targets.values()) | {self.code[0].address}
        blocks = []
        previous = None
        for i in self.code:
            if i.address in leaders or previous is None or ENDS_BLOCK.match(previous.text):
                blocks.append([])
            blocks[-1].append(i)
            previous = i
        number = {block[0].address: n for n, block in enumerate(blocks)}
        successors = []
        for n, block in enumerate(blocks):
            last = block[-1]
            following = {number[targets[last.address]]} if last.address in targets else set()
            if not ENDS_FLOW.match(last.text) and n + 1 < len(blocks):
                following.add(n + 1)
            successors.append(following)
        return blocks, successors

    def touches_stack(self, code):
        has_frame = any(FRAME_POINTER.search(i.text) for i in self.code)
        return [i.text for i in code if STACK.search(i.text) or (has_frame and "%rbp" in i.text)]


def dominators_of(successors):
    """For every block the set (as bits) of blocks on each path to it from block 0."""
    everything = (1 << len(successors)) - 1
    predecessors = [[] for _ in successors]
    for block, targets in enumerate(successors):
        for target in targets:
            predecessors[target].append(block)
    dominators = [1] + [everything] * (len(successors) - 1)
    changed = True
    while changed:
        changed = False
        for block in range(1, len(successors)):
            common = everything
            for predecessor in predecessors[block]:
                common &= dominators[predecessor]
            common |= 1 << block
            if common != dominators[block]:
                dominators[block], changed = common, True
    return dominators


def natural_loop(successors, header, latch):
    """The blocks from which `latch` can be reached without passing `header`, and the header."""
    body, todo = {header, latch}, [latch] if latch != header else []
    while todo:
        block = todo.pop()
        for predecessor, targets in enumerate(successors):
            if block in targets and predecessor not in body:
                body.add(predecessor)
                todo.append(predecessor)
    return body


def run(tool, *arguments):
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def disassemble(path):
    functions = []
    for line in run(OPTIONS.objdump, "-d", "-C", "--no-show-raw-insn", str(path)).splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head:
            functions.append(Function(head[1]))
            continue
        code = re.match(r"^\s*([0-9a-f]+):\s+(\S.*)$", line)
        if code and functions:
            functions[-1].code.append(Instruction(int(code[1], 16), code[2].split("#")[0].strip()))
    return [f for f in functions if f.code]


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
            for function in disassemble(path):
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
            counts = [sum(bool(re.fullmatch(m, i.mnemonic)) for i in code) for m in ISAS[isa]["multiply_add"]]
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
        return [f"{f.name}: {i.text}" for f in disassemble(path) for i in f.code if expression.search(i.text)][:5]

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
            for function in disassemble(kernel_objects()[isa]):
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
