"""summary.md: the report in the length of a pull-request comment."""

from report.model import shape_labels, threads


def render(content, run):
    """The whole summary of one report."""
    maps = [line for one in run.every for isa, thr in one.settings for line in _map(one, isa, thr, said=run.others)]
    return opening(content, maps)


def opening(content, maps=()):
    """Headlines, caveats, readings, then `maps`, then what the machine was."""
    lines = [f"## {content.heading}: {content.title}", ""]
    lines += ["| | value | interval | |", "|---|---:|---|---|"]
    for headline in content.headlines:
        if not headline.figures:
            lines.append(f"| {headline.title} | not measured | | {headline.note} |")
        for i, f in enumerate(headline.figures):
            digits = ".2f" if f.unit == "×" else ".1f"
            title = headline.title if i == 0 else ""
            note = headline.note if i == 0 else ""
            interval = f"[{f.low:{digits}}, {f.high:{digits}}]"
            lines.append(f"| {title} | **{f.value:{digits}} {f.unit}** {f.about} | {interval} | {note} |")
    lines += ["", "**Before you believe it**", ""]
    lines += [f"- {text}" for text in content.caveats] or ["- Nothing was flagged."]
    lines.append("")
    for plot in content.plots:
        if plot.pictures:
            lines += [f"**{plot.title}.** {plot.reading}", ""]
    missing = [plot for plot in content.plots if not plot.pictures]
    missing += [table for table in content.tables if not table.rows]
    absent = [f"- {part.title}: {part.reading} `{part.command}`" for part in missing]
    if absent:
        lines += ["<details><summary>Not in this file</summary>", "", *absent, "", "</details>", ""]
    lines += maps
    for heading, entries in content.facts:
        lines += [f"<details><summary>{heading}</summary>", ""]
        lines += [f"- {name}: `{value}`" for name, value in entries]
        lines += ["", "</details>", ""]
    if content.commands:
        lines += ["<details><summary>Commands</summary>", "", "```", *content.commands, "```", "", "</details>", ""]
    return "\n".join(lines)


def _map(run, isa, thr, said):
    """Speed-up, d_model x T; * = the 99 % interval contains 1; losses in bold. The activation is named if `said`."""
    points = {(s.row.d, s.row.h, s.row.T): s for s in run.against_strongest(isa=isa, thr=thr, group=run.main)}
    if not points:
        return []
    tokens = sorted({T for _, _, T in points})
    activation = f"{run.activation}, " if said else ""
    lines = [
        f"Speed-up over oneDNN's strongest form, {activation}{isa}, {threads(thr)} (\\* = the 99 % interval contains 1, "
        "**bold** = loss)",
        "",
        "| d_model | " + " | ".join(f"T={T}" for T in tokens) + " |",
        "|---|" + "---:|" * len(tokens),
    ]
    for shape, name in shape_labels((d, h) for d, h, _ in points).items():
        lines.append(f"| {name} | " + " | ".join(_cell(points.get((*shape, T))) for T in tokens) + " |")
    return [*lines, ""]


def _cell(speedup):
    if speedup is None:
        return "n/m"
    text = f"{speedup.ratio.ratio:.2f}"
    return {"win": text, "tie": text + "\\*", "loss": f"**{text}**"}[speedup.verdict]
