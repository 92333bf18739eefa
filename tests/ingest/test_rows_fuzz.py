"""Rows with any value anywhere: a reader answers or refuses, it does not fall over."""

from __future__ import annotations

import json
from contextlib import suppress

from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.errors import InputError
from explorer.ingest.evaluations import Evaluations
from explorer.ingest.inferencex_api import ApiRows
from explorer.ingest.inferencex_rows import row_draft
from explorer.ingest.site_csv import csv_draft
from tests.ingest.row_samples import API, CSV, FIXED, FLAT, NESTED, drafts

JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(),
    st.text(max_size=8),
    st.lists(st.integers(), max_size=2),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)


def _spots(value, at=()):
    """Yield the place of every value inside a document."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            yield from _spots(inner, (*at, key))


def _spoilt(row, data):
    document = json.loads(json.dumps(row))
    for _ in range(data.draw(st.integers(1, 4))):
        *path, last = data.draw(st.sampled_from(list(_spots(row))))
        home = document
        for key in path:
            home = home.get(key) if isinstance(home, dict) else None
        if isinstance(home, dict):
            home[last] = data.draw(JUNK)
    return document


ROWS = [json.loads(path.read_text()) for path in (FLAT, NESTED, FIXED)]


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(ROWS), st.data())
def test_any_value_in_a_row_gives_a_draft_of_numbers_and_nulls(row, data):
    made = row_draft(_spoilt(row, data))
    assert all(value is None or isinstance(value, float) for value in made.metrics.values())
    assert json.dumps(made.identity)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_value_in_an_api_row_gives_a_draft_or_a_reason(tmp_path_factory, data):
    rows = json.loads((API / "benchmarks.json").read_text())
    path = tmp_path_factory.mktemp("api") / "b.json"
    path.write_text(json.dumps([_spoilt(row, data) for row in rows]))
    for reader in (ApiRows(), Evaluations()):
        with suppress(InputError):
            drafts(path, reader)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_text_in_a_csv_cell_gives_a_draft(data):
    lines = [line for line in (CSV / "seconds.csv").read_text().splitlines() if line[0] != "#"]
    header = lines[0].split(",")
    row = dict(zip(header, lines[1].split(","), strict=True))
    row[data.draw(st.sampled_from(header))] = data.draw(st.text(max_size=6))
    csv_draft(row, 1e-3)
