"""What exists is written down: every metric, key, verb and page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from explorer.cli import parser
from explorer.domain import metrics
from explorer.domain.view_state import KEYS, OWN_NUMBERS
from explorer.pages.registry import PAGES

DOCS = Path(__file__).resolve().parents[2] / "docs"


def words(name):
    return set(re.findall(r"`([^`]+)`", (DOCS / name).read_text()))


def test_every_quantity_is_in_the_metrics_page():
    assert set(metrics.quantities()) - words("metrics.md") == set()


def test_every_query_key_is_in_the_addresses_page():
    said = words("addresses.md")
    assert {key.name for key in KEYS} - said == set()
    assert {f"{name}.<hw>" for name in OWN_NUMBERS} - said == set()


def test_every_verb_is_in_the_addresses_page():
    verbs = parser()._subparsers._group_actions[0].choices
    said = (DOCS / "addresses.md").read_text()
    assert [verb for verb in verbs if f"`explorer {verb}" not in said] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_page_is_in_the_addresses_page(page):
    plain = re.sub(r"\(\?P<[^>]+>[^)]*\)", "<>", page.pattern.pattern)
    said = re.sub(r"<[^>]+>", "<>", (DOCS / "addresses.md").read_text())
    assert f"`{plain}`" in said, plain
