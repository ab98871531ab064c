"""SYNTHETIC benchmark results for tests of the report: made up by a formula, measured nowhere.

The file it makes says so itself (CPU model "SYNTHETIC", host "synthetic"), so it can never pass for a measurement.
    /usr/bin/python3 tests/support/synthetic_results.py > results.json
"""

import json
import math
import random

PEAK = {"avx512": 240.0, "avx2": 120.0, "portable": 30.0}  # GFLOP/s of one thread
READ = {1: 40.0, 2: 60.0}  # GB/s
SUITE = {"d": (512, 1024, 2048, 4096), "T": (1, 4, 16, 64, 256), "thr": (1, 2)}
LADDER = {"isa": ("avx2", "portable"), "d": 2048, "T": (1, 16, 128)}
ALIGN = {"d": 1536, "T": (1, 16), "m": (1, 2, 4, 8, 16, 32, 64, 128, 256)}
IMPLS = ("native", "onednn-wide", "onednn-post_ops")
PEERS = ("unfused", "openblas", "eigen")  # ours without fusion, and two libraries
EXTRA = {"d": (1024, 4096), "T": (1, 64)}  # points of the peers, of hot weights and of the two-matrix block


def odd_multiple(d, m):
    """The odd multiple of m nearest to 8d/3."""
    return max(1, 2 * round((8 * d / 3 / m - 1) / 2) + 1) * m


def ffn_row(rng, impl, isa, thr, d, T, m, group):
    h = odd_multiple(d, m)
    flops, size = 6 * T * d * h, 12 * d * h + 8 * T * d
    peak, read = PEAK[isa] * thr, READ[thr]
    compute, memory = flops / peak / 1e9, size / read / 1e9
    ragged = 0.0 if h % 32 == 0 else 0.03
    if impl == "native":
        t = max(compute, memory) / 0.93
        t *= 1.12 if (d, T) == (4096, 256) else 1.0  # a loss, so that the report has one to show
    else:
        t = (compute + memory) / (0.97 if impl == "onednn-wide" else 0.94) * (1 + ragged)
    t *= math.exp(rng.gauss(0, 0.01)) * (1 + ragged / 3)
    roof = max(compute, memory)
    name = f"ffn/d:{d}/h:{h}/m:{m}/T:{T}/impl:{impl}/isa:{isa}/dt:f32/thr:{thr}/cache:wei"
    return {
        "name": name, "run_name": name, "run_type": "iteration", "repetitions": 1, "repetition_index": 0,
        "threads": thr, "iterations": 100, "real_time": t * 1e9, "cpu_time": t * 1e9, "time_unit": "ns",
        "family": "ffn", "d": d, "h": h, "m": m, "T": T, "impl": impl, "isa": isa, "dtype": "f32", "thr": thr,
        "cache": "wei", "model": "", "set": group, "windows": 9, "status": "OK", "flops": flops, "bytes_min": size,
        "ai": flops / size, "t_min": t * 0.98, "t_median": t, "t_p90": t * 1.04, "ci95_lo": t * 0.993,
        "ci95_hi": t * 1.008, "gflops": flops / t / 1e9, "gbps": size / t / 1e9, "weight_gbps": 12 * d * h / t / 1e9,
        "pct_peak": 100 * compute / t, "pct_bw": 100 * memory / t, "pct_roof": 100 * roof / t,
        "pct_roof_min": 100 * roof / t / 0.98, "t_roof": roof, "tokens_per_s": T / t, "peak_gflops": peak,
        "read_gbps": read, "cold_ok": 1, "rounds": 15, "max_rel_err": 3e-7, "create_ms": 12.0,
        "packed_bytes": 12 * d * h, "impl_detail": f"synthetic {impl}", "flags": [],
    }  # fmt: skip


def slowed(row, impl, factor, **changes):
    """The row of another implementation that takes `factor` times as long."""
    other = {**row, "impl": impl, "name": row["name"].replace("/impl:native/", f"/impl:{impl}/"), **changes}
    for key in ("t_min", "t_median", "t_p90", "ci95_lo", "ci95_hi", "real_time"):
        other[key] *= factor
    for key in ("gflops", "gbps", "weight_gbps", "pct_peak", "pct_bw", "pct_roof", "pct_roof_min", "tokens_per_s"):
        other[key] /= factor
    return {**other, "run_name": other["name"]}


def peers(native):
    """The rows of the others at the point of `native`; the unfused one knows its phases."""
    t = native["t_median"] * 1.2
    phases = dict(t_gate_up=0.55 * t, t_activation=0.1 * t, t_down=0.3 * t)
    return [
        slowed(native, impl, factor, set="peers", **(phases if impl == "unfused" else {}))
        for impl, factor in zip(PEERS, (1.2, 1.3, 0.9))
    ]


def hot(native):
    """The same block with weights that a cache serves."""
    name = native["name"].replace("/cache:wei", "/cache:none")
    return slowed({**native, "name": name}, "native", 0.6, set="hot", cache="none", cold_ok=0)


def two_matrix(native):
    """The block of two matrices with d_ff = 4 d, near enough to the gated one's parameters."""
    d, T = native["d"], native["T"]
    h, name = 4 * d, native["name"].replace("ffn/", "ffn2/").replace(f"/h:{native['h']}/", f"/h:{4 * d}/")
    row = slowed({**native, "name": name.replace(":native/", ":ffn2/")}, "ffn2", 1.05, family="ffn2", set="ffn2", h=h)
    row.update(flops=4 * T * d * h, bytes_min=8 * d * h + 8 * T * d)
    row.update(ai=row["flops"] / row["bytes_min"], gflops=row["flops"] / row["t_median"] / 1e9,
               gbps=row["bytes_min"] / row["t_median"] / 1e9)  # fmt: skip
    return row


def beside_power(native, h):
    """The row at d_ff = h: 8 % slower per hidden unit at the power of two itself."""
    m = h & -h
    name = native["name"].replace(f"/h:{native['h']}/m:16/", f"/h:{h}/m:{m}/")
    factor = h / native["h"]
    row = slowed({**native, "name": name}, "native", factor * (1.08 if h == m else 1), set="pow2", h=h, m=m)
    row["flops"] *= factor
    row["bytes_min"] = 12 * row["d"] * h + 8 * row["T"] * row["d"]
    row["t_roof"] *= factor
    row.update(ai=row["flops"] / row["bytes_min"], gflops=row["flops"] / row["t_median"] / 1e9,
               gbps=row["bytes_min"] / row["t_median"] / 1e9)  # fmt: skip
    return row


def samples(rows):
    """Five rounds of every row, the third one disturbed."""
    found = []
    for row in rows:
        for i in range(5):
            t = row["t_median"] * (1.5 if i == 2 else 1 + 0.004 * i)
            found.append({
                "name": row["name"], "launch": 0, "round": i, "order": 0, "t_min": t * 0.99, "t_median": t, "n": 9,
                "t_begin": 1 + 0.1 * len(found), "peak_gflops": row["peak_gflops"], "read_gbps": row["read_gbps"],
                "nivcsw": 40 * (i == 2), "steal": int(i == 2), "psi_us": 10 * (i == 2),
            })  # fmt: skip
    return found


def everything(seed=1, thr=(1, 2)):
    """A document in which every plot and every table of the report has something to show."""
    document = results(seed=seed, suite={"d": (512, 1024, 4096), "T": (1, 4, 16, 64, 256), "thr": thr})
    rows, pairs = document["benchmarks"], document["pairs"]
    for native in [r for r in rows if r["impl"] == "native" and r["set"] == "main" and r["thr"] == 1]:
        if native["d"] in EXTRA["d"] and native["T"] in EXTRA["T"]:
            others = peers(native)
            block = two_matrix(native)
            rows += [*others, hot(native), block]
            kinds = ("fusion", "peer", "peer", "ffn2")
            pairs += [
                {**pair(native, other, other["impl"]), "kind": kind}
                for other, kind in zip((*others, block), kinds)
            ]
    for native in [r for r in rows if r["impl"] == "native" and r["set"] == "align" and r["m"] == 16]:
        for off in (-16, 0, 16):
            rows.append(beside_power(native, 8192 + off))
    document["samples"] = samples(rows[:200])
    document["context"]["points_planned"] = len(rows)
    document["targets"] = [
        {"group": "roofline", "name": "decode", "unit": "%", "target": "≥ 90", "value": 96.5, "verdict": "met"},
        {"group": "overhead", "name": "a tiny call", "unit": "%", "target": "≤ 5", "value": 7.25, "verdict": "missed",
         "detail": "d 64"},
        {"group": "idle", "name": "idle", "unit": "", "target": "", "verdict": "not measured", "detail": "no clock"},
    ]  # fmt: skip
    return document


def gate_results():
    """A verdict file of scripts/perf_gate: one point passed, one slower."""
    rng = random.Random(3)
    pairs = [[[[s * rng.gauss(1, 0.004), 1.0] for _ in range(9)] for _ in range(6)] for s in (1.0, 1.08)]
    return {"schema": "swiglu-gate/1", "points": ["1024/2816:1", "1024/2816:16"], "isa": "avx512", "threads": 1,
            "margin": 0.02, "verdicts": ["pass", "slower"], "pairs_head_base_seconds": pairs}  # fmt: skip


def pair(row, rival, baseline):
    ratio = rival["t_median"] / row["t_median"]
    low, high = ratio * 0.99, ratio * 1.01
    verdict = "win" if low > 1 else "loss" if high < 1 else "tie"
    shape = {k: row[k] for k in ("name", "d", "h", "m", "T", "isa", "thr", "cache", "model", "set")}
    return {
        **shape, "contender": "native", "baseline": baseline, "baseline_form": rival["impl"], "ratio": ratio,
        "lcb99": low, "ucb99": high, "ratio_of_medians": ratio, "launches": 1, "rounds": 15, "trimmed": 0.2,
        "sd_ln": 0.012, "verdict": verdict,
    }  # fmt: skip


def results(seed=1, suite=None, align=True, ladder=True):
    """A complete `swiglu-bench paired` document as a dict; the same seed gives the same numbers."""
    rng = random.Random(seed)
    suite = suite or SUITE
    points = [("main", d, T, 256) for d in suite["d"] for T in suite["T"]]
    if align:
        points += [("align", ALIGN["d"], T, m) for T in ALIGN["T"] for m in ALIGN["m"]]
    rows, pairs = [], []
    for thr in suite["thr"]:
        for group, d, T, m in points:
            arms = {impl: ffn_row(rng, impl, "avx512", thr, d, T, m, group) for impl in IMPLS}
            rows += arms.values()
            rivals = [arms[impl] for impl in IMPLS[1:]]
            pairs.append(pair(arms["native"], min(rivals, key=lambda r: r["t_median"]), "onednn-strongest"))
            pairs += [pair(arms["native"], rival, rival["impl"]) for rival in rivals]
    if ladder:  # oneDNN picks its ISA once per process: no rival on the other ISAs
        rungs = [(isa, T) for isa in LADDER["isa"] for T in LADDER["T"]]
        rows += [ffn_row(rng, "native", isa, 1, LADDER["d"], T, 256, "ladder") for isa, T in rungs]
    command = "swiglu-bench paired --preset report --out report/paired.json"
    return {
        "context": {
            "date": "2000-01-01T00:00:00+00:00", "host_name": "synthetic", "executable": "swiglu-bench", "num_cpus": 2,
            "mhz_per_cpu": 0, "cpu_scaling_enabled": False, "caches": [], "load_avg": [0.1, 0.1, 0.1],
            "library_build_type": "release", "json_schema_version": 1, "ffn_schema": "swiglu-bench/1",
            "command": "paired", "preset": "report", "seed": seed, "argv": command, "interrupted": False,
            "wall_seconds": 200.0, "points_planned": len(rows), "git_sha": "0" * 40, "git_dirty": False,
            "compiler": "synthetic", "flags": "-O2", "tuning": "small_l1", "swiglu_version": "0.0.0",
            "onednn_version": "3.2.0", "xsimd_version": "14.1.0", "benchmark_version": "1.7.1",
        },
        "machine": {
            "cpu_model": "SYNTHETIC (made up by tests/support/synthetic_results.py)", "vendor": "none", "family": 0,
            "model": 0, "stepping": 0, "microcode": "0", "isa_available": ["portable", "avx2", "avx512"],
            "isa_measured": ["portable", "avx2", "avx512"],
            "isa_not_measured": [{"isa": "neon", "reason": "this machine is x86-64"}], "cores": 2,
            "cpus_allowed": [0, 1], "smt": False, "numa_nodes": 1, "mem_total": 25 << 30, "mem_available": 20 << 30,
            "caches_reported": {"sysfs": 0, "cpuid": 0, "sysconf": 0}, "llc_used": 32 << 20,
            "llc_knee_measured": 32 << 20, "thp": "madvise", "governor": "unknown", "boost": "unknown", "virt": "kvm",
            "clocksource": "tsc", "pmu": False, "cgroup_cpu_quota": 0, "os": "Synthetic OS", "kernel": "0.0",
        },
        "calibration": {
            "peak_gflops": [{"isa": isa, "threads": n, "median": p * n, "max": p * n} for isa, p in PEAK.items()
                            for n in READ],
            "read_gbps": [{"threads": n, "median": b, "max": b} for n, b in READ.items()],
            "round_trip_ns": [{"a": 0, "b": 1, "median": 100.0}], "bw_curve": [[32768, 200.0], [1 << 28, 40.0]],
            "anchors": [],
        },
        "benchmarks": rows, "pairs": pairs, "samples": [], "checks": [],
    }  # fmt: skip


def activated(document, activation):
    """The document as if another activation had been measured."""
    for section in ("benchmarks", "pairs"):
        for item in document[section]:
            item.update(name=item["name"].replace("/T:", f"/act:{activation}/T:"), activation=activation)
    return document


def check_results():
    """A `swiglu-bench check` document that belongs to results()."""
    document = results(suite={"d": (), "T": (), "thr": ()}, align=False, ladder=False)
    document["context"].update(command="check", argv="swiglu-bench check", points_planned=0)
    document["checks"] = [
        {"file": "tests/data/synthetic.safetensors", "layer": 0, "impl": impl, "isa": "avx512", "threads": 1,
         "tokens": 64, "median_rel_err": 2e-7, "max_rel_err": 9e-7, "limit": 1e-6, "ok": True}
        for impl in ("native", "onednn-wide")
    ]  # fmt: skip
    return document


if __name__ == "__main__":
    print(json.dumps(results(), indent=1))
