"""What a reader must know before believing the numbers. An empty list is itself a statement."""

from collections import Counter

from report.machine import virtual
from report.model import label, rows_text


def caveats(run):
    """Sentences, gravest first."""
    return [text for check in CHECKS for text in check(run)]


def _wrong(run):
    for row in run.every_gated_row:
        if row.status == "WRONG":
            yield f"WRONG RESULT, not timed: {label(row.impl)} at {row.where}: {row.skip_reason}"
    for name, why in run.failed:
        yield f"No time for {name}: {why}"
    for check in run.checks:
        if not check["ok"]:
            yield (
                f"FAILED CHECK on real weights: {check['impl']} ({check['isa']}) on {check['file']}: median error "
                f"{check['median_rel_err']:.2g}, limit {check['limit']:.2g}"
            )


def _targets(run):
    missed = [target for target in run.targets if target["verdict"] == "missed"]
    judged = sum(target["verdict"] in ("met", "missed") for target in run.targets)
    if missed:
        names = "; ".join(target["name"] for target in missed[:4]) + (" and more" if len(missed) > 4 else "")
        yield f"Targets missed: {len(missed)} of {judged}: {names}"


def _incomplete(run):
    if run.context.get("interrupted"):
        yield "The run was interrupted: points are missing."
    if not run.against_strongest():
        yield f"No comparison with oneDNN (oneDNN: {run.context['onednn_version']}): speed-ups are missing."


def _activations(run):
    if run.others:
        yield (
            f"Several activations ({', '.join(run.activations)}): each has headlines of its own, tables have all of "
            f"them, plots are of {run.activation} alone."
        )


def _not_cold(run):
    rows = [row for row in run.every_gated_row if row.ok and row.cache == "wei" and not row.cold]
    if rows:
        yield (
            "Not certified cold (weights came from a cache, or coldness could not be shown), so left out of the decode "
            f"headline: {rows_text(len(rows))}: {_examples(rows)}"
        )


def _impossible(run):
    rows = [row for row in run.every_gated_row if row.ok and row.pct_peak > 103]
    if rows:
        yield f"Above 103 % of the peak, which was then measured too low: {rows_text(len(rows))}: {_examples(rows)}"


def _tails(run):
    points = [s for one in run.every for s in one.against_strongest()]
    far = [s for s in points if max(s.ratio.ratio / s.of_medians, s.of_medians / s.ratio.ratio) > 1.05]
    if far:
        yield (
            "Speed-up from medians differs by more than 5 % from the one shown, from minima (one side has slow calls "
            f"in between) at {len(far)} of {len(points)} points: {_examples([s.row for s in far])}"
        )


def _flagged(run):
    # Coldness has a sentence of its own, judged from the numbers rather than the flag.
    every = run.every_gated_row
    measured = sum(row.ok for row in every)
    counts = Counter(f for row in every if row.ok for f in row.flags if f not in ("not_cold", "uncertified"))
    meaning = {
        "drift": "the clock or the bandwidth moved during the block",
        "few_rounds": "too few rounds for a narrow interval",
        "few_launches": "too few launches for a narrow interval",
        "unverified": "the result was not compared with the reference",
        "steal": "the hypervisor took time away",
        "busy_machine": "other processes ran at the same time",
        "spinning_threads": "threads of another implementation still ran: unset OMP_WAIT_POLICY and GOMP_SPINCOUNT",
    }
    for flag, count in counts.most_common():
        rows = [row for row in every if flag in row.flags]
        because = f" ({meaning[flag]})" if flag in meaning else ""
        which = f": {_examples(rows)}" if 2 * count <= measured else ""  # of most of them, examples say nothing
        yield f"Flagged '{flag}'{because}: {count} of {rows_text(measured)}{which}"


def _skipped(run):
    rows = [row for row in run.every_gated_row if row.status == "SKIPPED"]
    if rows:
        reasons = ", ".join(f"{reason} ({n})" for reason, n in Counter(row.skip_reason for row in rows).most_common(3))
        yield f"Skipped: {rows_text(len(rows))}: {reasons}"


def _isas(run):
    missing = [f"{item.get('isa')} ({item.get('reason')})" for item in run.machine.get("isa_not_measured", ())]
    if missing:
        yield f"Instruction sets not measured: {', '.join(missing)}"


def _setting(run):
    context, machine = run.context, run.machine
    if run.launches == 1:
        yield (
            "One launch: the intervals cover the rounds of one process. Another launch gets other memory pages and may "
            "differ by about 1–2 % in cold rows."
        )
    if context.get("git_dirty"):
        yield "The tree had uncommitted changes: the commit alone does not reproduce this."
    load, cpus = context.get("load_avg") or [0], context.get("num_cpus") or 1
    if load[0] > 0.5 * cpus:
        yield f"The machine was busy at the start: load {load[0]:.1f} on {cpus} CPUs."
    if virtual(machine):
        yield (
            f"Virtual machine (hypervisor: {virtual(machine)}): neighbours share caches, memory and clock; each block "
            "is compared with roofs measured beside it."
        )


def _examples(rows, count=2):
    shown = "; ".join(f"{label(row.impl)} at {row.where}" for row in rows[:count])
    return shown + (f" and {len(rows) - count} more" if len(rows) > count else "")


CHECKS = (
    _wrong, _targets, _incomplete, _activations, _not_cold, _impossible, _tails, _flagged, _skipped, _isas, _setting,
)  # fmt: skip
