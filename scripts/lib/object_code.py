"""Machine code of the kernels as objdump prints it: functions, their innermost loops, and what a tile function is."""

import re
import subprocess
from dataclasses import dataclass, field

# Vectors per row of a panel (32 columns) and what a multiply-add looks like: groups of mnemonics of equal count.
ISAS = {
    "portable": {"vectors": 8, "multiply_add": [r"mulps", r"addps"]},
    "avx2": {"vectors": 4, "multiply_add": [r"vfn?madd\d*ps"]},
    "avx512": {"vectors": 2, "multiply_add": [r"vfn?madd\d*ps"]},
    "neon": {"vectors": 8, "multiply_add": [r"fmla"]},
}
FOUR_ROWS = ("portable", "avx2", "neon")  # Accumulators::kFourRows: their loops take four rows of k at once
TILE = re.compile(
    r"\btile<.*?, (?P<near>true|false), .*?(?P<epilogue>GateUp|Down)Epilogue, (?P<rows>\d+), (?P<panels>\d+)>"
)
TALL_TILE = re.compile(r"\btall_tile<.*?(?P<epilogue>GateUp|Down)Epilogue, (?P<rows>\d+)>")  # 16 columns at a time
PREFETCHES = {"L1": r"prefetcht0\b|prfm\s+pldl1keep\b", "L2": r"prefetcht1\b|prfm\s+pldl2keep\b"}
BRANCH = re.compile(r"^(j\w+|b|b\.\w+|cbn?z|tbn?z)\s+(?:[^<]*,\s*)?(?:0x)?([0-9a-f]+)\s*(?:<|$)")
ENDS_FLOW = re.compile(r"^(jmp|ret|ud2|b|br)\b(?!\.)")  # nothing follows by falling through
ENDS_BLOCK = re.compile(r"^(j\w+|ret|ud2|b|br|b\.\w+|cbn?z|tbn?z)\b")
STACK = re.compile(r"%rsp|\bsp\b|\[x29")
COMMENT = re.compile(r"\s+(# |// ?).*$")  # AArch64 has numbers like #16
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


def multiply_adds(code, isa):
    """How many instructions of each group of ISAS[isa]["multiply_add"] there are."""
    return [sum(bool(re.fullmatch(m, i.mnemonic)) for i in code) for m in ISAS[isa]["multiply_add"]]


def run(tool, *arguments):
    """What the command printed."""
    return subprocess.run([tool, *arguments], check=True, capture_output=True, text=True).stdout


def disassemble(objdump, path):
    """The functions of an object file."""
    functions = []
    for line in run(objdump, "-d", "-C", "--no-show-raw-insn", str(path)).splitlines():
        head = re.match(r"^[0-9a-f]+ <(.*)>:$", line)
        if head:
            functions.append(Function(head[1]))
            continue
        code = re.match(r"^\s*([0-9a-f]+):\s+(\S.*)$", line)
        if code and functions:
            functions[-1].code.append(Instruction(int(code[1], 16), COMMENT.sub("", code[2])))
    return [f for f in functions if f.code]
