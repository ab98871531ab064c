"""Which machine, which build, which run. Unknown values say so, they are not hidden."""


def facts(run):
    """[(heading, [(name, value)])], texts."""
    return [("Machine", _machine(run)), ("Build", _build(run)), ("Run", _run(run))]


def _machine(run):
    m = run.machine
    smt = {"True": "on", "False": "off"}.get(str(m.get("smt")), m.get("smt"))
    return [
        ("CPU", _text(m.get("cpu_model"))),
        ("cores", f"{_text(m.get('cores'))}, SMT {_text(smt)}, NUMA nodes {_text(m.get('numa_nodes'))}"),
        ("ISAs measured", ", ".join(m.get("isa_measured") or run.isas)),
        ("memory", f"{_size(m.get('mem_total'))}, last-level cache taken as {_size(m.get('llc_used'))}"),
        ("clock", f"governor {_text(m.get('governor'))}, boost {_text(m.get('boost'))}"),
        ("pages", f"transparent huge pages {_text(m.get('thp'))}"),
        ("system", f"{_text(m.get('os'))}, kernel {_text(m.get('kernel'))}, virtualisation {_text(m.get('virt'))}"),
    ]


def _build(run):
    c = run.context
    commit = c["git_sha"][:12] + (" + uncommitted changes" if c.get("git_dirty") else "")
    return [
        ("swiglu", c["swiglu_version"]),
        ("commit", commit),
        ("compiler", f"{c['compiler']} {c.get('flags', '')}".strip()),
        ("oneDNN", c["onednn_version"]),
        ("xsimd", c["xsimd_version"]),
        ("Google Benchmark", _text(c.get("benchmark_version"))),
    ]


def _run(run):
    c = run.context
    ok = sum(row.ok for row in run.rows)
    seconds = c.get("wall_seconds")
    return [
        ("date", c["date"]),
        ("preset", f"{_text(c.get('preset'))}, seed {_text(c.get('seed'))}"),
        ("launches", str(run.launches)),
        ("rows", f"{ok} measured, {len(run.rows) - ok} not"),
        ("time taken", f"{seconds:.0f} s" if isinstance(seconds, (int, float)) else "unknown"),
        *[("command", line) for line in dict.fromkeys(source["argv"] for source in run.sources)],
    ]


def _text(value):
    return "unknown" if value in (None, "") else str(value)


def _size(value):
    if not isinstance(value, (int, float)) or value <= 0:
        return "unknown"
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1024:.3g} KiB"
