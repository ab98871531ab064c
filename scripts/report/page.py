"""report.html: one file that needs nothing else, not even a network (its own policy forbids one)."""

import json
from html import escape
from pathlib import Path

from report import svg

ASSETS = Path(__file__).parent / "assets"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def render(content, document):
    """The page as text. `content` is the Content of the report, `document` the JSON offered for download."""
    parts = [
        _top(content),
        *[_plot(plot) for plot in content.plots],
        "<h2 id='tables'>Tables</h2><p>Click a column to sort by it.</p>",
        *[_table(table) for table in content.tables],
        "<h2>Raw data</h2><p>Everything this page was made of. <button type='button' id='download'>Download "
        "results.json</button></p>",
    ]
    data = json.dumps(document, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    title = escape(f"swiglu benchmark, {content.title}")
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
:root{{{svg.css_variables(0)}}}
@media screen and (prefers-color-scheme:dark){{:root{{{svg.css_variables(1)}}}}}
{(ASSETS / "page.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<main>
{"".join(parts)}
</main>
<script type="application/json" id="results">{data}</script>
<script>
{(ASSETS / "page.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def _top(content):
    cards = "".join(_card(headline) for headline in content.headlines)
    caveats = "".join(f"<li>{escape(text)}</li>" for text in content.caveats)
    facts = "".join(
        f"<section><h3>{heading}</h3><dl>"
        + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
        + "</dl></section>"
        for heading, entries in content.facts
    )
    return (
        f"<h1>swiglu benchmark</h1><p class='sub'>{escape(content.title)}</p>"
        f"<div class='cards'>{cards}</div>"
        f"<section class='caveats'><h2>Before you believe it</h2><ul>{caveats or '<li>Nothing was flagged.</li>'}</ul>"
        f"</section><div class='facts'>{facts}</div>"
    )


def _card(headline):
    figures = "".join(
        f"<div class='figure'><span class='value'>{f.value:{_format(f)}}<small> {f.unit}</small></span>"
        f"<span class='about'>{escape(f.about)}<br>[{f.low:{_format(f)}}, {f.high:{_format(f)}}]</span></div>"
        for f in headline.figures
    )
    return (
        f"<section class='card'><h2>{escape(headline.title)}</h2>{figures or '<div class=figure>not measured</div>'}"
        f"<p>{escape(headline.note)}</p></section>"
    )


def _format(figure):
    return ".2f" if figure.unit == "×" else ".1f"


def _plot(plot):
    shown = [picture for picture in plot.pictures if picture.main]
    rest = [picture for picture in plot.pictures if not picture.main]
    more = ""
    if rest:
        more = f"<details><summary>Other ISAs: {len(rest)} more</summary>{_pictures(rest)}</details>"
    return (
        f"<section class='plot' id='{plot.key}'><h2>{escape(plot.title)}</h2>"
        f"<p class='reading'>{escape(plot.reading)}</p><p class='how'>{escape(plot.how)}</p>{_pictures(shown)}{more}"
        f"<p class='command'>Measured by <code>{escape(plot.command)}</code></p></section>"
    )


def _pictures(pictures):
    inline = (svg.inline(picture.text, picture.slug, escape(picture.alt, quote=True)) for picture in pictures)
    return "<div class='panels'>" + "".join(f"<figure>{text}</figure>" for text in inline) + "</div>"


def _table(table):
    numeric = [all(not isinstance(row[i], str) for row in table.rows) for i in range(len(table.columns))]
    head = "".join(
        f"<th scope='col'{' class=n' if n else ''}><button type='button'>{escape(column)}</button></th>"
        for column, n in zip(table.columns, numeric)
    )
    body = "".join(
        "<tr>" + "".join(f"<td{' class=n' if n else ''}>{_cell(cell)}</td>" for cell, n in zip(row, numeric)) + "</tr>"
        for row in table.rows
    )
    return (
        f"<details{' open' if table.key == 'losses' else ''} id='table-{table.key}'><summary>{escape(table.title)} "
        f"({len(table.rows)} rows)</summary><p class='how'>{escape(table.note)}</p>"
        f"<p class='command'>Measured by <code>{escape(table.command)}</code></p>"
        "<input type='search' placeholder='show rows that contain …' aria-label='filter rows'>"
        f"<div class='scroll'><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div></details>"
    )


def _cell(value):
    return "–" if value is None else escape(str(value))
