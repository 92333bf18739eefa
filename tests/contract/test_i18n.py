"""One catalogue, two languages: the same keys, the same places, no string left behind."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from explorer import i18n
from explorer.domain import metrics
from explorer.domain.view_state import FILTERS

PACKAGE = Path(i18n.__file__).resolve().parent.parent


def places(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(text) if name is not None}


def test_languages_have_the_same_keys():
    en, zh = (set(i18n.catalogue(lang)) for lang in ("en", "zh"))
    assert en - zh == set()
    assert zh - en == set()


@pytest.mark.parametrize("key", sorted(i18n.catalogue("en")))
def test_places_are_the_same_in_both_languages(key):
    assert places(i18n.text("en", key)) == places(i18n.text("zh", key))


def test_every_metric_has_a_name():
    missing = [q for q in metrics.quantities() if not i18n.has("en", f"metric.{q}")]
    assert missing == []


def test_every_filter_has_a_name():
    assert [name for name in FILTERS if not i18n.has("en", f"curves.filter.{name}")] == []


def test_keys_spelled_in_the_code_exist():
    spelled = set()
    for path in PACKAGE.rglob("*.py"):
        spelled |= set(
            re.findall(r"""words\(\s*"([a-z_]+\.[a-z0-9_.]+)"[,)\s]""", path.read_text())
        )
    assert [key for key in sorted(spelled) if not i18n.has("en", key)] == []
