"""A timeline as one HTML file that needs no server and no network."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Mapping
from html import escape
from typing import Any

from explorer import i18n
from explorer.exports.scripts import ASSETS, bundle

_STYLES = ("tokens.css", "timeline.css")
_START = """
const element = document.querySelector("[data-testid=timeline]");
explorerTimeline.mount(element).then(() => (document.documentElement.dataset.ready = "true"));
"""
_PAGE = """<!doctype html>
<html lang="{lang}" data-theme="{theme}">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>{style}
body {{ margin: 0 auto; padding: 16px 20px 40px; max-width: 1600px; }}
h1 {{ font-size: 20px; margin: 0 0 4px; }}
.said {{ color: var(--soft); margin: 0 0 14px; }}</style>
</head>
<body>
<main>
<h1>{title}</h1>
<p class="said">{summary}</p>
<div data-testid="timeline" data-src="#packed" data-series="#series" data-strings="{strings}"></div>
<noscript><p>{no_script}</p></noscript>
</main>
<script type="application/octet-stream" id="packed">{packed}</script>
<script type="application/json" id="series">{series}</script>
<script>{script}</script>
</body>
</html>
"""


def offline(
    title: str,
    summary: str,
    packed: bytes,
    series: Iterable[Mapping[str, Any]] = (),
    *,
    lang: str = "en",
    theme: str = "auto",
) -> bytes:
    """Return a page that draws a packed timeline from file://, by its own policy without network.

    `series`: rows {name, engine, unit, t_s, value} of the strip above the lanes. Request ids and
    links to datasets are not in it; the details show what the packed file holds.
    """
    script = bundle() + _START
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = (
        f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
        "img-src data: blob:"
    )
    page = _PAGE.format(
        lang=lang,
        theme=theme,
        policy=policy,
        title=escape(title),
        summary=escape(summary),
        style="".join((ASSETS / name).read_text(encoding="utf-8") for name in _STYLES),
        strings=escape(json.dumps(strings(lang), ensure_ascii=False)),
        no_script=escape(i18n.text(lang, "timeline_page.offline_no_script")),
        packed=base64.b64encode(packed).decode(),
        series=json.dumps({"data": list(series)}).replace("<", "\\u003c"),
        script=script,
    )
    return page.encode()


def strings(lang: str) -> dict[str, str]:
    """Return what the canvas says, as its data-strings wants it."""
    prefix = "timeline."
    texts = i18n.catalogue(lang).items()
    return {key.removeprefix(prefix): text for key, text in texts if key.startswith(prefix)}
