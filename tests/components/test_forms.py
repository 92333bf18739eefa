"""Forms carry the rest of an address along, whatever is in it."""

from __future__ import annotations

import re
from html import unescape
from urllib.parse import urlencode

from explorer.components.forms import hidden, search_form
from explorer.components.markup import to_html
from explorer.domain import view_state

STATE = view_state.parse("q=%22%3Cb%3E&hw=b200,mi355x&where=ttft_s:1..&lang=zh&rate.b200=3.5")
FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def test_what_a_form_sends_is_the_state():
    pairs = [(unescape(key), unescape(value)) for key, value in FIELD.findall(hidden(STATE))]
    assert view_state.parse(urlencode(pairs)) == STATE


def test_a_search_shows_what_was_searched_and_may_be_emptied():
    form = to_html(search_form("/points/x?", STATE, "q", ("Find <it>", "Go"), '"<b>'))
    assert 'role="search"' in form
    assert 'name="q" value="&quot;&lt;b&gt;" aria-label="Find &lt;it&gt;"' in form
    assert "required" not in form


def test_a_field_that_names_one_more_must_be_filled():
    form = to_html(search_form("/compare", STATE, "c", ("Id", "Add")))
    assert 'placeholder="Id" required>' in form
    assert 'role="search"' not in form
