"""The measuring half of scripts/perf_gate: two builds of one library take turns, and a verdict per point.

Rules (those that matter are in the project's notes on benchmarking):
- The launch of the processes is the outermost loop, because pages and placement are fixed for the life of a process.
- Inside a launch the arms alternate in random order, and a ratio is only formed inside such a pair.
- A sample is the fastest call of 15 ms: interference only ever adds time.
- SLOWER needs the 99 % lower bound of head/base above 1 + margin, twice, in independent sets of launches.
- A bound that is too wide for either verdict is INCONCLUSIVE after one extension, never a pass.
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
from statistics import median

from . import stats

PROTOCOL = "1"
CONFIDENCE = 0.99
EXTENDED_CONFIDENCE = 0.995  # an extension is a second look at the same data
ROOM = 0.03  # PASS needs the upper bound below 1 + margin + ROOM: 1.05 at the margin of 2 %
WARM_UP_ROUNDS = 2


class CouldNotMeasure(Exception):
    """Anything that leaves the question open. The message is one line for people."""


class Arm:
    """One running gate_arm process."""

    def __init__(self, name, command, cpu=None, padding=0):
        """Starts `command`. `padding` bytes of environment shift its stack, so that no launch repeats a lucky layout."""
        self.name = name
        environment = dict(os.environ, SWIGLU_GATE_PADDING="x" * padding)
        pin = (lambda: os.sched_setaffinity(0, {cpu})) if cpu is not None else None
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                bufsize=1, env=environment, preexec_fn=pin)
        except OSError as error:
            raise CouldNotMeasure(f"{name}: cannot start {command[0]}: {error.strerror}") from error

    def wait_ready(self):
        """Returns (ISA, threads) that the arm runs."""
        words = self._read().split()
        if len(words) != 4 or words[:2] != ["ready", PROTOCOL]:
            raise CouldNotMeasure(f"{self.name}: expected 'ready {PROTOCOL} ISA THREADS', got '{' '.join(words)}'")
        return words[2], words[3]

    def sample(self, point, seconds):
        """Seconds of the fastest call."""
        try:
            self.process.stdin.write(f"sample {point} {seconds}\n")
            self.process.stdin.flush()
        except OSError:
            pass  # it died; _read says why
        try:
            t_min, calls = self._read().split()
            t_min = float(t_min)
            if not (0 < t_min < math.inf and int(calls) >= 1):
                raise ValueError
        except ValueError:
            raise CouldNotMeasure(f"{self.name}: no time for point {point}") from None
        return t_min

    def stop(self):
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                pipe.close()
            except OSError:
                pass
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _read(self):
        line = self.process.stdout.readline()
        if not line:
            errors = self.process.stderr.read().strip().splitlines()
            raise CouldNotMeasure(f"{self.name}: {errors[-1] if errors else 'ended without a word'}")
        return line


def measure(commands, points, launches, rounds, seconds, rng, cpu=None, isa=None, say=lambda text: None):
    """Pairs per point and launch: result[i][launch] = [(t_head, t_base), …] for the indices `points`.

    `commands`: {"base": argv, "head": argv}. Raises CouldNotMeasure.
    """
    pairs = {i: [] for i in points}
    for launch in range(launches):
        arms, runs = [], {}
        try:
            for name in rng.sample(["base", "head"], 2):  # one after the other: both may want the memory bandwidth
                arms.append(Arm(name, commands[name], cpu, padding=rng.randrange(4096)))
                runs[name] = arms[-1].wait_ready()
                if isa is not None and runs[name][0] != isa:
                    raise CouldNotMeasure(f"{name}: runs {runs[name][0]}, not {isa}")
            if runs["base"] != runs["head"]:
                raise CouldNotMeasure(f"the arms differ in ISA or threads: {runs}")
            for i in points:
                pairs[i].append([])
            for round_index in range(-WARM_UP_ROUNDS, rounds):
                for i in rng.sample(list(points), len(points)):
                    rng.shuffle(arms)
                    times = {arm.name: arm.sample(i, seconds) for arm in arms}
                    if round_index >= 0:
                        pairs[i][-1].append((times["head"], times["base"]))
        finally:
            for arm in arms:
                arm.stop()
        say(f"launch {launch + 1} of {launches}")
    return pairs


def judge(ratio, margin):
    """"slower", "pass" or "inconclusive" for the bounds of head/base."""
    if ratio.lower > 1 + margin:
        return "slower"
    return "pass" if ratio.upper < 1 + margin + ROOM else "inconclusive"


def decide(look, points, margin):
    """The plan: one look at all points; those that did not pass are launched again, once.

    `look(points)` measures fresh launches. Returns {point: (verdict, Ratio, pairs)}.
    - slower: confirmed only if the fresh launches alone say slower again; then both looks are pooled for the report.
    - inconclusive: judged once more on both looks together, at a higher confidence.
    """
    pairs = look(points)
    result = {}
    for i in points:
        ratio = stats.paired_ratio(pairs[i], CONFIDENCE)
        result[i] = (judge(ratio, margin), ratio, pairs[i])
    again = [i for i in points if result[i][0] != "pass"]
    if not again:
        return result
    fresh = look(again)
    for i in again:
        verdict, _, first = result[i]
        both = first + fresh[i]
        ratio = stats.paired_ratio(both, EXTENDED_CONFIDENCE)
        second = judge(stats.paired_ratio(fresh[i], CONFIDENCE), margin)
        if verdict == "slower" and second != "slower":
            verdict = "pass" if second == "pass" else "inconclusive"  # not confirmed
        elif verdict == "inconclusive":
            verdict = judge(ratio, margin)
        result[i] = (verdict, ratio, both)
    return result


def report_line(name, verdict, ratio, pairs, margin):
    base = median(t for launch in pairs for _, t in launch)
    head = median(t for launch in pairs for t, _ in launch)
    detectable = stats.detectable_ratio(ratio.sd_launch, ratio.launches, 1 + margin, ratio.confidence)
    return (f"{name:>16} {base * 1e6:10.1f} {head * 1e6:10.1f}   {ratio.ratio:.4f}  [{ratio.lower:.4f}, {ratio.upper:.4f}]"
            f"  {100 * ratio.sd_launch:5.2f} %  {100 * (detectable - 1):6.2f} %   {verdict.upper()}")


def main():
    parser = argparse.ArgumentParser(prog="lib.gate", description="used by scripts/perf_gate; see its --help")
    for option in ("--base", "--head", "--isa", "--points", "--out"):
        parser.add_argument(option, required=True)
    for option in ("--launches", "--rounds", "--threads", "--seed"):
        parser.add_argument(option, type=int, required=True)
    parser.add_argument("--margin", type=float, required=True)
    parser.add_argument("--sample-ms", type=float, required=True)
    arguments = parser.parse_args()

    names = arguments.points.split(",")
    tail = [arguments.isa, str(arguments.threads), *names]
    commands = {"base": [arguments.base, *tail], "head": [arguments.head, *tail]}
    # One thread: both arms on one CPU, since they take turns; nothing else of ours runs there.
    cpu = max(os.sched_getaffinity(0)) if arguments.threads == 1 else None
    isa = None if arguments.isa == "automatic" else arguments.isa
    rng = random.Random(arguments.seed)

    def look(points):
        return measure(commands, points, arguments.launches, arguments.rounds, arguments.sample_ms / 1000, rng, cpu, isa,
                       say=lambda text: print(f"   {text} ({len(points)} points)", flush=True))

    try:
        result = decide(look, list(range(len(names))), arguments.margin)
    except CouldNotMeasure as error:
        print(f"perf_gate: error: could not measure: {error}", file=sys.stderr)
        return 2

    print(f"\n{'d_model/d_ff:T':>16} {'base us':>10} {'head us':>10}   head/base [bounds]         spread  detects   verdict")
    for i, name in enumerate(names):
        print(report_line(name, *result[i], arguments.margin))
    print("spread: standard deviation between launches. detects: the slowdown that would be found 95 times in 100.")
    with open(arguments.out, "w", encoding="utf-8") as out:
        json.dump({"schema": "swiglu-gate/1", "points": names, "isa": arguments.isa, "threads": arguments.threads,
                   "margin": arguments.margin, "verdicts": [result[i][0] for i in range(len(names))],
                   "pairs_head_base_seconds": [result[i][2] for i in range(len(names))]}, out)
    verdicts = [verdict for verdict, _, _ in result.values()]
    if "slower" in verdicts:
        print(f"SLOWER: by more than {100 * arguments.margin:g} % at {verdicts.count('slower')} of {len(names)} points")
        return 1
    if "inconclusive" in verdicts:
        print("perf_gate: error: could not measure: the machine is too noisy for a verdict (INCONCLUSIVE above)",
              file=sys.stderr)
        return 2
    print("PASS")
    return 0


if __name__ == "__main__":
    sys.exit(main())
