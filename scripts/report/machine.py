"""Which machine, which build, which run. Unknown values say so, they are not hidden."""

from statistics import median


def facts(run):
    """[(heading, [(name, value)])], texts."""
    return [("Machine", _machine(run)), ("Roofs measured", _roofs(run)), ("Build", _build(run)), ("Run", _run(run))]


def _machine(run):
    m = run.machine
    smt = {"True": "on", "False": "off"}.get(str(m.get("smt")), m.get("smt"))
    return [
        ("CPU", _text(m.get("cpu_model"))),
        ("model", _listed(m, family="family", model="model", microcode="microcode")),
        ("cores", f"{_text(m.get('cores'))}, SMT {_text(smt)}, NUMA nodes {_text(m.get('numa_nodes'))}"),
        ("ISAs measured", ", ".join(m.get("isa_measured") or run.isas)),
        ("ISAs there", ", ".join(m.get("isa_available") or ()) or "unknown"),
        ("memory", _size(m.get("mem_total"))),
        ("last-level cache", f"{_size(m.get('llc_used'))}; by the bandwidth curve {_size(m.get('llc_knee_measured'))}"),
        ("clock", _listed(m, governor="governor", boost="boost", source="clocksource")),
        ("pages", f"transparent huge pages: {_text(m.get('thp'))}"),
        ("system", f"{_text(m.get('os'))}, kernel {_text(m.get('kernel'))}"),
        ("virtualisation", f"hypervisor: {virtual(m)}" if virtual(m) else _text(m.get("virt"))),
    ]


def _roofs(run):
    """Arithmetic peak of each ISA, bandwidth and distance of the cores: medians of the probes beside the blocks, of
    those at the start where no block was measured. The machine may have been another one in that first second."""
    c = run.calibration
    lines = []
    for item in c.get("peak_gflops", ()):
        isa, thr = item.get("isa"), item.get("threads")
        lines.append((f"{isa}, {thr} thr", _measured(peak_beside(run, isa, thr), item["median"], ".0f", "GFLOP/s")))
    for item in c.get("read_gbps", ()):
        thr = item.get("threads")
        lines.append((f"reading, {thr} thr", _measured(read_beside(run, thr), item["median"], ".1f", "GB/s")))
    for item in c.get("round_trip_ns", ()):
        lines.append((f"cores {item.get('a')} ↔ {item.get('b')}", f"{item['median']:.0f} ns round trip"))
    return lines or [("none", "the file holds no calibration")]


def peak_beside(run, isa, thr):
    """GFLOP/s, median over the blocks' own roofs; None without blocks."""
    peaks = [row.peak for row in run.every_gated_row if row.ok and (row.isa, row.thr) == (isa, thr)]
    return median(peaks) if peaks else None


def read_beside(run, thr):
    """GB/s, likewise."""
    reads = [row.read for row in run.every_gated_row if row.ok and row.thr == thr]
    return median(reads) if reads else None


def _measured(beside, start, digits, unit):
    if beside is None:
        return f"{start:{digits}} {unit}, at the start"
    first = "" if 0.95 < start / beside < 1.05 else f"; at the start {start:{digits}}"
    return f"{beside:{digits}} {unit}{first}"


def virtual(machine):
    """Who makes the hypervisor, "unknown" if it does not say; empty on bare metal."""
    text = str(machine.get("virt") or "").strip()
    if text in ("", "none", "none seen", "unknown"):
        return ""
    return text.removesuffix("(hypervisor)").strip() or "unknown"


def _build(run):
    c = run.context
    commit = c["git_sha"][:12] + (" + uncommitted changes" if c.get("git_dirty") else "")
    return [
        ("swiglu", c["swiglu_version"]),
        ("commit", commit),
        ("compiler", f"{c['compiler']} {c.get('flags', '')}".strip()),
        ("tuning", _text(c.get("tuning"))),
        ("oneDNN", c["onednn_version"]),
        ("xsimd", c["xsimd_version"]),
        ("Google Benchmark", _text(c.get("benchmark_version"))),
    ]


def _run(run):
    c = run.context
    rows = run.every_gated_row
    ok = sum(row.ok for row in rows)
    seconds = c.get("wall_seconds")
    return [
        ("date", c["date"]),
        ("preset", f"{_text(c.get('preset'))}, seed {_text(c.get('seed'))}"),
        ("activation", ", ".join(run.activations)),
        ("launches", str(run.launches)),
        ("rows", f"{ok} measured, {len(rows) - ok} not"),
        ("time taken", _time(seconds) if isinstance(seconds, (int, float)) else "unknown"),
    ]


def _time(seconds):
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds} s"


def _listed(machine, **fields):
    """"name value, name value"."""
    return ", ".join(f"{name} {_text(machine.get(key))}" for name, key in fields.items())


def _text(value):
    return "unknown" if value in (None, "") else str(value)


def _size(value):
    if not isinstance(value, (int, float)) or value <= 0:
        return "unknown"
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1024:.3g} KiB"
