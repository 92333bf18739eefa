"""Cards: 1200 × 630 pictures that stand for a view where its address is posted.

Drawn on a sheet of 857 × 450 and enlarged, so that text is read at the size cards are shown.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from explorer.exports.standalone import Margin, Sheet, colour, font_family, part, tokens, xml
from explorer.exports.svg_lengths import short
from explorer.figures.text_width import width_of

WIDTH, HEIGHT = 1200, 630
ZOOM = 1.4
_W, _H = WIDTH / ZOOM, HEIGHT / ZOOM
_LEFT, _FOOT, _LONE = 28.0, 40.0, 120.0
_TITLE, _SUB, _VALUE = 23.0, 13.5, 24.0
_LINES = 2


@dataclass(frozen=True, slots=True)
class Picture:
    """A page's `<svg>`, the room around its plot in px, and what stands over it.

    `legend` names series by their CSS class.

    `around` are the classes of what stands around it on its page.
    """

    markup: str
    margin: Margin
    title: str = ""
    around: str = "point conversation flame"
    legend: Sequence[tuple[str, str]] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """What a card says: a title, a line below, numbers, pictures, its source.

    Numbers are (label, value, unit). Several pictures stand above one another, of equal height.
    """

    title: str
    subtitle: str = ""
    figures: Sequence[tuple[str, str, str]] = ()
    pictures: Sequence[Picture] = ()
    source: str = ""
    name: str = ""
    theme: str = "light"


def room(title: str, subtitle: str, figures: int = 0) -> tuple[float, float]:
    """Return the width and height in px that a card leaves for a picture, margins included."""
    return _W - 2 * _LEFT, _H - _FOOT - _top(title, subtitle, figures)


def _top(title: str, subtitle: str, figures: int) -> float:
    lines = len(wrapped(title, _TITLE, _W - 2 * _LEFT, _LINES))
    below = len(wrapped(subtitle, _SUB, _W - 2 * _LEFT, _LINES)) if subtitle else 0
    return 34 + 29 * lines + 19 * below + (66 if figures else 0)


def card(one: Card) -> str:
    """Return a card as a standalone SVG of WIDTH × HEIGHT."""
    known = tokens(one.theme)
    return xml(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{HEIGHT}" '
        f'viewBox="0 0 {short(_W)} {short(_H)}" font-family="{font_family()}">'
        f'<rect width="100%" height="100%" fill="{known["--paper"]}"/>'
        f"{_heading(one, known['--ink'], known['--soft'])}{_drawn(one)}"
        f"{_foot(one, known['--soft'], known['--line'])}</svg>"
    )


def _heading(one: Card, ink: str, soft: str) -> str:
    wide, parts = _W - 2 * _LEFT, []
    y = 22.0 if one.pictures else _LONE  # words alone stand in the middle
    for line in wrapped(one.title, _TITLE, wide, _LINES):
        y += 29
        parts.append(_text(line, _LEFT, y, _TITLE, ink, bold=True))
    y += 5
    for line in wrapped(one.subtitle, _SUB, wide, _LINES) if one.subtitle else ():
        y += 19
        parts.append(_text(line, _LEFT, y, _SUB, soft))
    step = wide / max(len(one.figures), 1)
    for at, figure in enumerate(one.figures):
        parts.append(_figure(figure, (_LEFT + at * step, y), step - 10, (ink, soft)))
    return "".join(parts)


def _figure(
    figure: tuple[str, str, str], at: tuple[float, float], wide: float, inks: tuple[str, str]
) -> str:
    (label, value, unit), (x, y), (ink, soft) = figure, at, inks
    after = x + width_of(value, _VALUE) + 6
    return (
        _text(_fitting(label, 12.5, wide), x, y + 28, 12.5, soft)
        + _text(_fitting(value, _VALUE, wide), x, y + 56, _VALUE, ink, bold=True)
        + _text(_fitting(unit, 12.5, x + wide - after), after, y + 56, 12.5, soft)
    )


def _drawn(one: Card) -> str:
    wide, high = room(one.title, one.subtitle, len(one.figures))
    top = _top(one.title, one.subtitle, len(one.figures))
    each = high / max(len(one.pictures), 1)
    return "".join(
        _picture(picture, one.theme, (wide, each), top + at * each)
        for at, picture in enumerate(one.pictures)
    )


def _picture(picture: Picture, theme: str, size: tuple[float, float], top: float) -> str:
    """Return a picture with its title in its place; what is too high for it is cut off."""
    (wide, high), margin = size, picture.margin
    sheet = Sheet(wide, theme=theme, margin=margin, around=picture.around)
    drawn, _, tall = part(picture.markup, sheet)
    room_down = high - margin.top - margin.bottom
    clip, cut = "", ""
    if tall > room_down + 1:
        clip, cut = _clip(room_down + margin.bottom), ' clip-path="url(#card-room)"'
    place = f"translate({short(_LEFT + margin.left)} {short(top + margin.top)})"
    ink = tokens(theme)["--ink"]
    name = _text(picture.title, -margin.left, 14 - margin.top, 13, ink, bold=True)
    name += _legend(picture, theme)
    return f'{clip}<g transform="{place}">{name}<g{cut}>{drawn}</g></g>'


def _legend(picture: Picture, theme: str) -> str:
    """Return the names of series beside the picture's title, each in its colour."""
    x = width_of(picture.title, 13) + 18 - picture.margin.left
    parts = []
    for css, text in picture.legend:
        parts.append(_text(text, x, 14 - picture.margin.top, 12.5, colour(css, theme), bold=True))
        x += width_of(text, 12.5) + 18
    return "".join(parts)


def _clip(down: float) -> str:
    """Return what cuts a picture off at the foot of its room."""
    box = f'<rect x="-200" y="-200" width="2000" height="{short(200 + down)}"/>'
    return f'<clipPath id="card-room">{box}</clipPath>'


def _foot(one: Card, soft: str, line: str) -> str:
    y = _H - 16
    return (
        f'<line x1="{_LEFT}" x2="{short(_W - _LEFT)}" y1="{short(_H - 36)}" y2="{short(_H - 36)}" '
        f'stroke="{line}"/>{_text(_fitting(one.source, 12, _W - 200), _LEFT, y, 12, soft)}'
        f"{_text(one.name, _W - _LEFT, y, 12.5, soft, bold=True, end=True)}"
    )


def _text(
    text: str, x: float, y: float, size: float, fill: str, bold: bool = False, end: bool = False
) -> str:
    weight = ' font-weight="700"' if bold else ""
    anchor = ' text-anchor="end"' if end else ""
    place = f'x="{short(x)}" y="{short(y)}" font-size="{short(size)}"'
    return f'<text {place} fill="{fill}"{weight}{anchor}>{escape(text)}</text>'


def _fitting(text: str, size: float, room_across: float) -> str:
    return wrapped(text, size, room_across, 1)[0] if text else ""


def wrapped(text: str, size: float, room_across: float, lines: int) -> list[str]:
    """Return a text in at most so many lines; what does not fit ends in an ellipsis.

    Latin breaks at spaces, Chinese after any character.
    """
    found, line = [], ""
    for word in _words(text):
        if line and width_of((line + word).rstrip(), size) > room_across:
            found.append(line.rstrip())
            line = ""
        line += word if line else word.lstrip()
    found.append(line.rstrip())
    if len(found) == 1 or len(found) <= lines:
        return [_cut(line, size, room_across) for line in found]
    last = " ".join(found[lines - 1 :])
    return [*found[: lines - 1], _cut(last, size, room_across)]


def _words(text: str) -> list[str]:
    words: list[str] = []
    for letter in text:
        wide = unicodedata.east_asian_width(letter) in "WF"
        before = words[-1][-1] if words else " "
        if not words or before == " " or wide or unicodedata.east_asian_width(before) in "WF":
            stop = words and letter in "，。、；：！？）」』”"
            if stop:
                words[-1] += letter
            else:
                words.append(letter)
        else:
            words[-1] += letter
    return words


def _cut(line: str, size: float, room_across: float) -> str:
    if width_of(line, size) <= room_across:
        return line
    while line and width_of(line + "…", size) > room_across:
        line = line[:-1]
    return line.rstrip() + "…"
