"""Pictures of pages as files: what a browser works out is worked out, nothing else changes."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from explorer.exports.colour_mix import mix
from explorer.exports.standalone import Margin, Sheet, standalone
from explorer.exports.svg_lengths import scaled_path

SVG = "{http://www.w3.org/2000/svg}"
PLAIN = Sheet(width=300, margin=Margin(10, 50, 20, 50))


def drawn(inner: str, sheet: Sheet = PLAIN, kind: str = "curves") -> ElementTree.Element:
    """Return the picture inside a file made of `inner`, 200 px wide, 100 px high."""
    markup = (
        f'<svg class="{kind}" width="100%" height="100" xmlns="http://www.w3.org/2000/svg">'
        f"{inner}</svg>"
    )
    file = ElementTree.fromstring(standalone(markup, sheet))
    found = file.find(f"{SVG}g/{SVG}svg")
    assert found is not None
    return found


def test_percentages_become_pixels_of_the_plot_area() -> None:
    line = drawn('<line class="grid" x1="0" x2="50%" y1="25%" y2="3"/>')[0]
    assert (line.get("x1"), line.get("x2"), line.get("y1")) == ("0", "100", "25")


def test_a_text_without_room_at_the_width_of_a_file_is_left_out() -> None:
    texts = "".join(
        f'<text {shown}>{said}</text>'
        for said, shown in (
            ("far", 'data-from="864"'), ("too far", 'data-from="900"'),
            ("near", 'data-to="900"'), ("too near", 'data-to="864"'),
        )
    )  # fmt: skip
    sheet = Sheet(width=960)
    assert sheet.across == 864
    assert [one.text for one in drawn(texts, sheet).iter(f"{SVG}text")] == ["far", "near"]


def test_a_stretched_part_is_drawn_in_pixels_so_that_strokes_keep_their_width() -> None:
    stretched = (
        '<svg viewBox="0 0 2000 1000" width="100%" height="100" preserveAspectRatio="none">'
        '<path class="line c-acc main" d="M0 1000l1000 -500h1000V0"/></svg>'
    )
    part = drawn(stretched, kind="chart")[0]
    assert part.get("viewBox") == "0 0 200 100"
    assert part[0].get("d") == "M0 100l100 -50h100V0"
    assert part[0].get("stroke-width") == "2"


def test_a_path_that_starts_with_a_relative_move_starts_from_the_origin() -> None:
    assert scaled_path("m10 10l5 5z", (2, 3), (5, 5)) == "m10 15l10 15z"


@pytest.mark.parametrize(("theme", "colour"), [("light", "#4e9072"), ("dark", "#78a890")])
def test_variables_are_resolved_for_the_theme(theme: str, colour: str) -> None:
    mark = '<g class="hw-b200"><g class="line s0"><line x1="0" x2="1" y1="0" y2="1"/></g></g>'
    sheet = Sheet(width=300, theme=theme, margin=PLAIN.margin)
    assert drawn(mark, sheet)[0][0][0].get("stroke") == colour


def test_a_shade_is_mixed_as_a_browser_mixes_it() -> None:
    # The right sides are Chromium's, read back from a canvas filled with the left ones.
    assert mix("color-mix(in oklab, #4e9072 62%, #1b1f24)") == "#3b6253"
    assert mix("color-mix(in oklab, #78a890 50%, #ff8a80)") == "#c39d89"
    assert mix("color-mix(in srgb, #1f5fd0 30%, #fff)") == "#bccff1"


def test_what_is_only_there_to_be_hit_is_left_out_and_marks_are_groups_without_a_host() -> None:
    mark = (
        '<a href="/points/x" data-point-id="x" class="mark on" aria-label="x">'
        '<circle class="hit" cx="5" cy="5" r="11"/><use class="shape" href="#m-circle"/></a>'
    )
    group = drawn(mark)[0]
    assert group.tag == f"{SVG}g"
    assert [child.tag for child in group] == [f"{SVG}use"]
    linked = drawn(mark, Sheet(width=300, margin=PLAIN.margin, base="https://host"))[0]
    assert (linked.tag, linked.get("href")) == (f"{SVG}a", "https://host/points/x")


def test_the_arc_of_a_ring_turns_around_its_own_middle() -> None:
    arc = drawn(
        '<circle class="tier-arc" cx="50%" cy="40" r="9" pathLength="100" '
        'stroke-dasharray="25 100"/>'
    )[0]
    assert arc.get("transform") == "rotate(-90 100 40)"
    assert arc.get("stroke-dasharray") == "14.14 56.55"
    assert "pathLength" not in arc.attrib


def test_a_file_names_no_class_no_variable_and_nothing_outside() -> None:
    markup = (
        '<svg class="curves" width="100%" height="100" xmlns="http://www.w3.org/2000/svg">'
        '<g class="hw-mi355x" data-x="1"><image href="https://elsewhere/x.png"/>'
        '<text class="lab s3" tabindex="0">A</text></g></svg>'
    )
    file = standalone(markup, PLAIN)
    for word in ("class=", "var(", "data-", "tabindex", "elsewhere", "color-mix", "%;"):
        assert word not in file, word


def test_title_and_note_are_escaped_and_make_the_file_taller() -> None:
    markup = '<svg class="curves" width="100%" height="100" xmlns="http://www.w3.org/2000/svg"/>'
    sheet = Sheet(width=300, margin=Margin(10, 10, 10, 10), title="a < b", note="snapshot & date")
    file = ElementTree.fromstring(standalone(markup, sheet))
    assert file.get("height") == "180"
    assert [text.text for text in file.findall(f"{SVG}text")] == ["a < b", "snapshot & date"]


def test_markup_that_is_no_svg_is_refused() -> None:
    with pytest.raises(ValueError, match="well-formed"):
        standalone("<svg><g></svg>")


def test_characters_that_xml_has_no_place_for_are_replaced() -> None:
    named = Sheet(width=300, title="a\x00\x01b\uffff", note="c\x1b")
    file = ElementTree.fromstring(standalone("<svg><text>d\x08</text></svg>", named))
    texts = ["".join(one.itertext()) for one in file.iter(f"{SVG}text")]
    assert texts == ["a\ufffd\ufffdb\ufffd", "c\ufffd", "d\ufffd"]
