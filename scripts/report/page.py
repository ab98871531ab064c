"""report.html: one file that needs nothing else, not even a network (its own policy forbids one)."""

import json
from html import escape
from pathlib import Path

from report import blocks, svg

ASSETS = Path(__file__).parent / "assets"
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def render(content, downloads):
    """The page as text. `content` is the Content of the report, `downloads` {file name: JSON document} to offer."""
    data = "".join(
        f'<script type="application/json" class="results" data-name="{escape(name, quote=True)}">'
        f"{_embedded(document)}</script>"
        for name, document in downloads.items()
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{escape(f"{content.heading}, {content.title}")}</title>
<style>
:root{{{svg.css_variables(0)}}}
@media screen and (prefers-color-scheme:dark){{:root{{{svg.css_variables(1)}}}}}
{(ASSETS / "page.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<main>
{blocks.body(content, downloads)}
</main>
{data}
<script>
{(ASSETS / "page.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def _embedded(document):
    """JSON that cannot end the script element it stands in."""
    return json.dumps(document, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
