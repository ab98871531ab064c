"""A matplotlib figure as a file, and as inline SVG that follows the page's light or dark theme."""

import io
import re

from report.plots.style import PALETTE

# Dates and tool URLs would make equal data give unequal files.
NO_METADATA = {"Date": None, "Creator": None, "Format": None, "Type": None}


def file_text(figure):
    """A stand-alone SVG document in the light colours."""
    buffer = io.StringIO()
    figure.savefig(buffer, format="svg", metadata=NO_METADATA)
    return re.sub(r"<metadata>.*?</metadata>\s*", "", buffer.getvalue(), flags=re.S)


def inline(text, slug, alt):
    """The <svg> element of file_text() for use inside HTML: scales to its container, colours are CSS variables, ids
    carry the panel's name (several plots share one page)."""
    svg = text[text.index("<svg") :]
    head, body = svg.split(">", 1)
    box = re.search(r'viewBox="[^"]*"', head).group(0)
    body = re.sub(r'\bid="', f'id="{slug}-', body)
    body = body.replace("url(#", f"url(#{slug}-").replace('xlink:href="#', f'href="#{slug}-')
    body = re.sub(r"'DejaVu Sans'[^;\"]*", "system-ui, sans-serif", body)
    for role, (light, _) in PALETTE.items():
        body = body.replace(light, f"var(--{role})")
    return f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-label="{alt}">{body}'


def css_variables(theme):
    """The palette as CSS declarations; theme 0 = light, 1 = dark."""
    return "".join(f"--{role}:{colours[theme]};" for role, colours in PALETTE.items())


def png(figure):
    """The figure as PNG bytes, for places that do not show SVG."""
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", metadata={"Software": None})
    return buffer.getvalue()
