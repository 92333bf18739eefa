"""Pictures of pages as SVG files that need nothing: no stylesheet, no script, no page around.

What a browser works out on a page (styles, variables, percentages, stretched parts) is worked
out here, so that every program draws the same: viewers, editors, slides, and our own cards.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import cssselect2

from explorer.exports import stylesheet, svg_lengths
from explorer.exports.svg_lengths import number, short

Style = Mapping[str, str]
_DRAWN = (
    "fill", "fill-opacity", "stroke", "stroke-width", "stroke-opacity", "stroke-dasharray",
    "stroke-linecap", "stroke-linejoin", "opacity", "paint-order", "font-size", "font-weight",
    "font-style", "text-anchor", "letter-spacing", "color",
)  # fmt: skip
_KEPT = frozenset((
    "x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "ry", "dx", "dy", "width", "height",
    "d", "points", "viewBox", "preserveAspectRatio", "transform", "id", "overflow", "role",
    "orient", "patternUnits", "patternTransform", "refX", "refY", "markerWidth", "markerHeight",
    "marker-end", "marker-start", "clip-path", "stroke-dasharray", "text-anchor", "fill", "stroke",
    "aria-label", "aria-labelledby",
))  # fmt: skip
WIDTH = 960
_NOTHING = ("none", "transparent")
_ROTATED = "rotate("
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class Margin:
    """Room around a picture in px: ticks and names of axes hang outside its plot area."""

    top: float = 40
    right: float = 28
    bottom: float = 60
    left: float = 68


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a file is: its width in px, theme (light or dark), room, classes around the picture.

    `base` makes links whole (`https://host`); without it they are left out. `height` is the
    picture's own plus the margin unless given. `title` stands above the picture, `note` (source,
    snapshot, date) below; they make the file taller by a line each.
    """

    width: float = WIDTH
    height: float | None = None
    theme: str = "light"
    margin: Margin = Margin()
    around: str = "point conversation flame"
    base: str = ""
    title: str = ""
    note: str = ""

    @property
    def across(self) -> float:
        """Return the width of the plot area in px."""
        return self.width - self.margin.left - self.margin.right


_LINE = 30


def standalone(markup: str, sheet: Sheet | None = None) -> str:
    """Return a page's `<svg>` as a file of its own; ValueError when it is no well-formed SVG."""
    sheet = sheet or Sheet()
    picture, _, tall = part(markup, sheet)
    margin = sheet.margin
    top = margin.top + _LINE * bool(sheet.title)
    height = sheet.height or top + tall + margin.bottom + _LINE * bool(sheet.note)
    return xml(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{short(sheet.width)}" '
        f'height="{short(height)}" viewBox="0 0 {short(sheet.width)} {short(height)}" '
        f'font-family="{font_family()}">'
        f'<rect width="100%" height="100%" fill="{tokens(sheet.theme)["--paper"]}"/>'
        f"{_texts(sheet, height)}"
        f'<g transform="translate({short(margin.left)} {short(top)})">{picture}</g></svg>'
    )


def xml(text: str) -> str:
    """Return a text with U+FFFD for each character that XML has no place for (control ones)."""
    return _NO_XML.sub("\ufffd", text)


def _texts(sheet: Sheet, height: float) -> str:
    """Return the title and the note of a file."""
    known = tokens(sheet.theme)
    title = (
        f'<text x="14" y="28" font-size="17" font-weight="700" fill="{known["--ink"]}">'
        f"{escape(sheet.title)}</text>"
    )
    note = (
        f'<text x="14" y="{short(height - 12)}" font-size="12" fill="{known["--soft"]}">'
        f"{escape(sheet.note)}</text>"
    )
    return title * bool(sheet.title) + note * bool(sheet.note)


def part(markup: str, sheet: Sheet) -> tuple[str, float, float]:
    """Return a picture without a file around it, and its width and height in px.

    It stands at (0, 0) of its plot area; what hangs outside needs the sheet's margin.
    """
    root = _parsed(markup)
    width, height = sheet.across, number(root, "height", 420)
    if own := number(root, "width", 0):
        height = height * width / own
    _style(root, sheet)
    _size(root, width, height)
    return ElementTree.tostring(root, encoding="unicode"), width, height


def _parsed(markup: str) -> Element:
    try:
        root = ElementTree.fromstring(xml(markup))
    except ElementTree.ParseError as error:
        raise ValueError(f"The picture is no well-formed SVG: {error}.") from error
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return root


def _size(root: Element, width: float, height: float) -> None:
    """Give the picture its size; percentages become px, a fixed size becomes a scale."""
    root.set("width", short(width))
    root.set("height", short(height))
    root.set("overflow", "visible")
    if root.get("viewBox") and root.get("preserveAspectRatio") != "none":
        return
    svg_lengths.settle(root, width, height)
    for circle in root.iter("circle"):
        _circle(circle)


def _circle(circle: Element) -> None:
    """Write out what SVG renderers other than browsers lack: pathLength, turning in place."""
    if (whole := circle.attrib.pop("pathLength", None)) and "stroke-dasharray" in circle.attrib:
        scale = 2 * math.pi * number(circle, "r", 0) / float(whole)
        parts = circle.get("stroke-dasharray", "").split()
        circle.set("stroke-dasharray", " ".join(short(float(one) * scale) for one in parts))
    turned = circle.get("transform", "")
    if turned.startswith(_ROTATED):
        angle = turned.removeprefix(_ROTATED).rstrip(")").removesuffix("deg")
        circle.set("transform", f"rotate({angle} {circle.get('cx')} {circle.get('cy')})")


def tokens(theme: str) -> Style:
    """Return the custom properties of the product's root element in a theme."""
    return {name: text for name, text in _root(theme).items() if name.startswith("--")}


def colour(css: str, theme: str) -> str:
    """Return the colour that a class of series stands for (`c-s1`, `hw-b200`) in a theme."""
    page = Element("html", {"data-theme": theme})
    ElementTree.SubElement(page, "g", {"class": css})
    wrapper = next(iter(cssselect2.ElementWrapper.from_html_root(page).iter_children()))
    known = _own(stylesheet.declared(wrapper), tokens(theme))[1]
    return known.get("--k") or known.get("--c") or known["--ink"]


def font_family() -> str:
    """Return the product's fonts as an attribute's text."""
    return tokens("light")["--font"].replace('"', "'")


def _root(theme: str) -> dict[str, str]:
    page = cssselect2.ElementWrapper.from_html_root(Element("html", {"data-theme": theme}))
    return stylesheet.declared(page)


def _style(root: Element, sheet: Sheet) -> None:
    """Put what the stylesheets say on every element, and take off what only pages need."""
    page = Element("html", {"data-theme": sheet.theme})
    body = ElementTree.SubElement(page, "body", {"class": sheet.around})
    body.append(root)
    wrapper = next(iter(cssselect2.ElementWrapper.from_html_root(page).iter_children()))
    around = _own(stylesheet.declared(wrapper), tokens(sheet.theme))[1]
    for child in wrapper.iter_children():
        _walk(child, around, sheet)


def _own(declared: Style, known: Style) -> tuple[dict[str, str], Style]:
    """Return an element's properties worked out, and the custom ones its children inherit."""
    custom = {name: text for name, text in declared.items() if name.startswith("--")}
    known = {**known, **custom}
    known.update({name: stylesheet.resolved(text, known) for name, text in custom.items()})
    names = (name for name in declared if name in _DRAWN or name in ("display", "transform"))
    return {name: stylesheet.resolved(declared[name], known) for name in names}, known


def _walk(wrapper: cssselect2.ElementWrapper, known: Style, sheet: Sheet) -> None:
    element = wrapper.etree_element
    drawn, known = _own(stylesheet.declared(wrapper), known)
    for child in list(wrapper.iter_children()):
        _walk(child, known, sheet)
    for child in list(element):
        if child.get("hidden-part"):
            element.remove(child)
    _plain(element, drawn, sheet)


def _plain(element: Element, drawn: Style, sheet: Sheet) -> None:
    href = element.get("href", "")
    kept = {name: text for name, text in element.attrib.items() if name in _KEPT}
    if element.get("pathLength"):
        kept["pathLength"] = element.get("pathLength", "")
    styles = {name: text.removesuffix("px") for name, text in drawn.items() if text}
    if (weight := styles.get("font-weight", "")).isdigit():
        styles["font-weight"] = str(round(int(weight) / 100 + 0.01) * 100)  # 650 is no SVG 1.1
    hidden = styles.pop("display", "") == "none" or _unseen(element, styles)
    hidden = hidden or not _at_width(element, sheet.across)
    element.attrib.clear()
    element.attrib.update(kept | styles)
    if hidden:
        element.set("hidden-part", "1")
    if element.tag == "a":
        _link(element, href, sheet.base)
    elif href.startswith("#"):
        element.set("href", href)


def _at_width(element: Element, across: float) -> bool:
    """Tell whether an element is shown in a plot so many px across."""
    least, most = number(element, "data-from", 0), number(element, "data-to", math.inf)
    return least <= across < most


def _unseen(element: Element, styles: Style) -> bool:
    """Tell whether an element is only there to be hit by a pointer."""
    bare = styles.get("fill") in _NOTHING and styles.get("stroke") in _NOTHING
    return element.tag in ("circle", "rect", "path") and bare


def _link(element: Element, href: str, base: str) -> None:
    """Keep a link that leads somewhere from a file; elsewhere it is a group."""
    if base and href.startswith("/"):
        element.set("href", base + href)
    else:
        element.tag = "g"
