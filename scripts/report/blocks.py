"""The parts of the page, as HTML."""

from html import escape

from report import svg


def body(content, downloads):
    shown = [plot for plot in content.plots if plot.pictures]
    absent = [plot for plot in content.plots if not plot.pictures]
    filled = [table for table in content.tables if table.rows]
    absent += [table for table in content.tables if not table.rows]
    return "".join(
        [
            f"<header><h1>{escape(content.heading)}</h1><p class='sub'>{escape(content.title)}</p></header>",
            f"<div class='cards'>{''.join(map(_card, content.headlines))}</div>",
            _caveats(content),
            _facts(content),
            _contents(shown, filled),
            *map(_plot, shown),
            _absent(absent),
            "<h2 id='tables'>Tables</h2><p class='how'>A click on a column's name sorts by it, a second one turns the "
            "order around.</p>" if filled else "",
            *map(_table, filled),
            _raw(downloads),
        ]
    )


def _card(headline):
    figures = "".join(map(_figure, headline.figures)) or "<p class='value none'>not measured</p>"
    tally = _tally(headline.tally) if any(headline.tally) else ""
    return (
        f"<section class='card'><h2>{escape(headline.title)}</h2>{figures}{tally}"
        f"<p>{escape(headline.note)}</p></section>"
    )


def _figure(f):
    digits = ".2f" if f.unit == "×" else ".1f"
    gauge = ""
    if f.unit == "%":
        left, right = (max(0.0, min(100.0, end)) for end in (f.low, f.high))
        gauge = (
            f"<span class='gauge' aria-hidden='true'><i style='width:{min(100.0, f.value):.1f}%'></i>"
            f"<b style='left:{left:.1f}%;width:{max(0.6, right - left):.1f}%'></b></span>"
        )
    return (
        f"<div class='figure'><span class='value'>{f.value:{digits}}<small> {f.unit}</small></span>"
        f"<span class='about'>{escape(f.about)}<br>[{f.low:{digits}}, {f.high:{digits}}]</span>{gauge}</div>"
    )


def _tally(tally):
    """Wins, ties and losses as one bar: a loss is as wide as a win."""
    parts = "".join(
        f"<i class='{name}' style='flex-grow:{count}'>{count}</i>"
        for name, count in zip(("win", "tie", "loss"), tally)
        if count
    )
    faster, ties, slower = tally
    words = f"{faster} faster, {ties} {'tie' if ties == 1 else 'ties'}, {slower} slower"
    return f"<div class='tally' role='img' aria-label='{words}'>{parts}</div><div class='tally-key'>{words}</div>"


def _caveats(content):
    items = "".join(f"<li>{escape(text)}</li>" for text in content.caveats) or "<li>Nothing was flagged.</li>"
    return f"<section class='caveats'><h2>Before you believe it</h2><ul>{items}</ul></section>"


def _facts(content):
    sections = "".join(
        f"<section><h3>{escape(heading)}</h3><dl>"
        + "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in entries)
        + "</dl></section>"
        for heading, entries in content.facts
    )
    commands = "".join(map(_code, content.commands))
    return (
        f"<div class='facts'>{sections}</div><section class='commands'><h3>Commands</h3>{commands}</section>"
        if commands
        else f"<div class='facts'>{sections}</div>"
    )


def _contents(plots, tables):
    links = [(plot.key, plot.title) for plot in plots]
    links += [("tables", "Tables")] * bool(tables) + [("raw", "Raw data")]
    return (
        "<nav aria-label='contents'>"
        + "".join(f"<a href='#{key}'>{escape(title)}</a>" for key, title in links)
        + "</nav>"
    )


def _plot(plot):
    shown = [picture for picture in plot.pictures if picture.main] or plot.pictures
    rest = [picture for picture in plot.pictures if picture not in shown]
    more = ""
    if rest:
        more = f"<details><summary>Other ISAs: {len(rest)} more</summary>{_pictures(rest)}</details>"
    return (
        f"<section class='plot' id='{plot.key}'><div class='say'><h2>{escape(plot.title)}</h2>"
        f"<p class='reading'>{escape(plot.reading)}</p></div><div class='shown'>{_pictures(shown)}{more}</div>"
        f"<div class='more'><p class='how'>{escape(plot.how)}</p>{_measured_by(plot.command)}</div></section>"
    )


def _pictures(pictures):
    inline = (svg.inline(picture.text, picture.slug, escape(picture.alt, quote=True)) for picture in pictures)
    return "<div class='panels'>" + "".join(f"<figure>{text}</figure>" for text in inline) + "</div>"


def _absent(missing):
    """Plots and tables that the file has no data for."""
    if not missing:
        return ""
    items = "".join(
        f"<li id='{part.key}'><b>{escape(part.title)}.</b> {escape(part.reading)} "
        f"To measure it: {_code(part.command)}</li>"
        for part in missing
    )
    return f"<section class='absent'><h2>Not in this file</h2><ul>{items}</ul></section>"


def _measured_by(command):
    return f"<p class='command'>Measured by {''.join(map(_code, command.split(chr(10))))}</p>"


def _code(line):
    """A command line that breaks between its words only, never at a hyphen."""
    return f"<code>{' '.join(f'<span>{escape(word)}</span>' for word in line.split(' '))}</code>"


def _table(table):
    numeric = [all(not isinstance(row[i], str) for row in table.rows) for i in range(len(table.columns))]
    kinds = [" ".join(["n"] * n + ["minor"] * (name in table.minor)) for name, n in zip(table.columns, numeric)]
    kinds = [f" class='{kind}'" if kind else "" for kind in kinds]
    head = "".join(
        f"<th scope='col'{kind}><button type='button'>{escape(column)}</button></th>"
        for column, kind in zip(table.columns, kinds)
    )
    lines = "".join(
        "<tr>" + "".join(f"<td{kind}>{_cell(cell)}</td>" for cell, kind in zip(row, kinds)) + "</tr>"
        for row in table.rows
    )
    return (
        f"<details{' open' if table.open else ''} id='table-{table.key}'><summary>{escape(table.title)} "
        f"({len(table.rows)} rows)</summary><p class='how'>{escape(table.note)}</p>"
        f"{_measured_by(table.command)}"
        "<input type='search' placeholder='show rows that contain …' aria-label='filter rows'>"
        f"<div class='scroll' tabindex='0' role='region' aria-label='{escape(table.title, quote=True)}'>"
        f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table></div></details>"
    )


def _cell(value):
    return "–" if value is None else escape(str(value))


def _raw(downloads):
    names = [escape(name, quote=True) for name in downloads]
    buttons = " ".join(
        f"<button type='button' class='download' data-name='{name}'>Download {name}</button>" for name in names
    )
    return f"<h2 id='raw'>Raw data</h2><p>Everything this page was made of. {buttons}</p>"
