"""A live page as a static one: the same HTML without what needs a server.

Nothing is parsed into a tree and written anew: what stays is the page's own text, tag by tag.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape, unescape
from html.parser import HTMLParser

_VOID = frozenset(
    ("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr")
)
_HREF = re.compile(r'\s(href|action)="[^"]*"')
_ATTRIBUTE = re.compile(r'\s([\w:-]+)="([^"]*)"')
_ONLY_LINKS = re.compile(r'\s(aria-label|aria-current|data-nav|target|rel|download)="[^"]*"')
_LINK = re.compile(r"<a\s[^>]*>")
_CANONICAL = re.compile(r'<link rel="canonical"[^>]*>')
_CHARSET = re.compile(r'<meta charset="utf-8">')
_KEPT_SCRIPTS = ("page.js", "curves.js", "point.js", "flame.js")
"""What works without a server: read-outs, keys, saved pictures."""
_CONTROLS = frozenset(("act", "larger", "btn", "ghost", "option", "toggle"))
"""Classes of links that are controls: without a target they go, words and all."""
_PUBLIC_ONLY = ("share",)
_HEAD_LINKS = ("canonical", "stylesheet", "icon")
_ITSELF = "index.html"
"""How a page names itself: a menu whose only way leads there offers nothing."""
Attributes = dict[str, str]


@dataclass(slots=True)
class _Part:
    """An open menu, whose fate is decided at its end: `kept` links lead somewhere."""

    css: str = ""
    out: list[str] = field(default_factory=list)
    kept: int = 0
    summary: list[str] = field(default_factory=list)


class Page(HTMLParser):
    """Feeds a live page; `html()` is the static one.

    `to` gives a link's new address or None, `home` is the site's list; `public` is the server
    behind what the site lacks, or empty.
    """

    def __init__(
        self, to: Callable[[str], str | None], canonical: str, home: str, public: str
    ) -> None:
        super().__init__(convert_charrefs=False)
        self._to, self._canonical, self._home, self._public = to, canonical, home, public
        self._in_header = False
        self._parts: list[_Part] = [_Part()]
        self._skipped = 0
        self._menus: list[bool] = []
        self._inside_summary = False
        self.styles: list[str] = []
        self.scripts: list[str] = []
        self.title = ""
        self._in_title = False

    def html(self) -> str:
        """Return the page; stylesheets and scripts that it needs stand at its end."""
        text = "".join(self._parts[0].out)
        styles = "".join(f'<link rel="stylesheet" href="{escape(one)}">' for one in self.styles)
        scripts = "".join(f'<script src="{escape(one)}" defer></script>' for one in self.scripts)
        return text.replace("</body>", f"{scripts}</body>").replace("</head>", f"{styles}</head>")

    # ---- what the parser tells -------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, {name: value or "" for name, value in attrs}, tag in _VOID)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._start(tag, {name: value or "" for name, value in attrs}, True)

    def _start(self, tag: str, attributes: Attributes, closed: bool) -> None:
        if self._skipped:
            self._collect(tag, attributes)
            self._skipped += not closed
            return
        if self._dropped(tag, attributes):
            self._collect(tag, attributes)
            self._skipped = 0 if closed else 1
            return
        if tag == "details":
            self._menus.append("data-menu" in attributes)
            if self._menus[-1]:
                self._parts.append(_Part(attributes.get("class", "chip")))
        self._inside_summary = self._inside_summary or tag == "summary"
        self._in_header = self._in_header or tag == "header"
        self._in_title = self._in_title or (tag == "title" and not self.title)
        self._say(self._rewritten(tag, attributes))

    def handle_endtag(self, tag: str) -> None:
        if self._skipped:
            self._skipped -= 1
            return
        if tag == "summary":
            self._inside_summary = False
        if tag == "header":
            self._in_header = False
        if tag == "title":
            self._in_title = False
        self._say(f"</{tag}>")
        if tag == "details" and self._menus and self._menus.pop():
            self._close()

    def handle_data(self, data: str) -> None:
        if self._in_title and not self._skipped:
            self.title += data
        self._say(data)

    def handle_entityref(self, name: str) -> None:
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        self.handle_data(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        """Leave comments out."""

    def handle_decl(self, decl: str) -> None:
        self._say(f"<!{decl}>")

    # ---- what becomes of it ----------------------------------------------------------------------

    def _say(self, text: str) -> None:
        if not self._skipped:
            self._parts[-1].out.append(text)
            if self._inside_summary and len(self._parts) > 1:
                self._parts[-1].summary.append(text)

    def _close(self) -> None:
        """End a menu: one without a way left becomes a plain word for its setting."""
        part = self._parts.pop()
        text = "".join(part.out)
        if not part.kept:
            inner = re.sub(r"</?summary[^>]*>", "", "".join(part.summary))
            text = f'<span class="{escape(part.css)} still"><span>{inner}</span></span>'
        self._parts[-1].out.append(text)
        self._parts[-1].kept += part.kept

    def _dropped(self, tag: str, attributes: Attributes) -> bool:
        """Tell whether an element goes with all that it holds."""
        hook = attributes.get("data-testid", "")
        if tag in ("script", "template"):
            return True
        if attributes.get("id") == "react-entry-point" or attributes.get("class") == "scripts":
            return True
        if tag == "link":
            return not self._link_stays(attributes)
        if tag == "meta":
            return not self._public and attributes.get("property", "") in ("og:url", "og:image")
        if tag == "form" or hook in _PUBLIC_ONLY:
            return not self._public
        return tag == "a" and self._useless(attributes)

    def _useless(self, attributes: Attributes) -> bool:
        """Tell whether a link that leads nowhere is a control, and no words of a text."""
        css = attributes.get("class", "").split()
        if "brand" in css or ("snapshot" in css and "title" in attributes):
            return False
        if not (self._in_header or _CONTROLS.intersection(css)):
            return False
        target = self._to(attributes.get("href", ""))
        return target is None or ("snapshot" in css and target == _ITSELF)

    def _link_stays(self, attributes: Attributes) -> bool:
        kind = attributes.get("rel", "")
        if kind in ("modulepreload", "preload", "stylesheet"):
            return False
        return kind in _HEAD_LINKS or bool(self._public)

    def _collect(self, tag: str, attributes: Attributes) -> None:
        """Note stylesheets and scripts of what is left out."""
        if tag == "link" and attributes.get("rel") == "stylesheet":
            self._add(self.styles, attributes["href"])
        source = attributes.get("src", "").partition("?")[0]
        if tag == "script" and source.rpartition("/")[2] in _KEPT_SCRIPTS:
            self._add(self.scripts, attributes["src"])

    def _add(self, names: list[str], href: str) -> None:
        found = self._to(href)
        if found and found not in names:
            names.append(found)

    def _rewritten(self, tag: str, attributes: Attributes) -> str:
        """Return a start tag with its address as the site has it; `_dropped` went before."""
        text = self.get_starttag_text() or ""
        if tag == "link" and attributes.get("rel") == "icon":
            return '<link rel="icon" href="data:,">'  # else a browser asks for one
        if tag == "link" and attributes.get("rel") == "canonical":
            held = f'<link rel="canonical" href="{escape(self._canonical)}">'
            return held if self._canonical else ""
        name = next((one for one in ("href", "action") if one in attributes), "")
        if not name or tag not in ("a", "form", "link", "area"):
            return text
        if tag == "form":  # what it asks for is not known here: the server answers
            target: str | None = self._public + attributes[name]
        elif attributes.get("class") == "brand":
            target = self._home
        else:
            target = self._to(attributes[name])
        if target is None:
            return unlinked(text, attributes)
        self._parts[-1].kept += not self._inside_summary and target != _ITSELF
        return _HREF.sub(lambda _: f' {name}="{escape(target)}"', text, count=1)


def unlinked(text: str, attributes: Attributes) -> str:
    """Return a link's tag without its address; a named mark of a picture stays an image."""
    bare = _HREF.sub("", text, count=1)
    if "data-point-id" in attributes and "aria-label" in attributes:
        return bare.replace("<a ", '<a role="img" ', 1)
    return _ONLY_LINKS.sub("", bare)


def relinked(html: str, to: Callable[[str], str | None], canonical: str) -> str:
    """Return a document whose links lead where `to` says; all else stays as it is."""

    def link(found: re.Match[str]) -> str:
        text = found[0]
        attributes = {name: unescape(value) for name, value in _ATTRIBUTE.findall(text)}
        if "href" not in attributes:
            return text
        target = to(attributes["href"])
        if target is None:
            return unlinked(text, attributes)
        return _HREF.sub(lambda _: f' href="{escape(target)}"', text, count=1)

    said = f'<link rel="canonical" href="{escape(canonical)}">'
    return _CANONICAL.sub(lambda _: said, _LINK.sub(link, html), count=1)


def in_head(html: str, markup: str) -> str:
    """Return a document with more markup right after its character set."""
    return _CHARSET.sub(lambda found: found[0] + markup, html, count=1)
