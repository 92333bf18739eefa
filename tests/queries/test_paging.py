"""Cursors come back as they went, and foreign ones are refused."""

from __future__ import annotations

import base64
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.columns import Column
from explorer.errors import UsageError
from explorer.queries import paging
from explorer.queries.paging import Order, Position

TIE = Column("point_id", "str", "")
plain = (
    st.none()
    | st.booleans()
    | st.integers(-(2**62), 2**62)
    | st.floats(allow_nan=False)
    | st.text()
)


@given(st.text(), st.text(), plain, st.text())
def test_a_cursor_decodes_to_its_position(snap, asked, value, tie):
    position = Position(snap, asked, value, tie)
    assert paging.decode(paging.encode(position)) == position


@given(st.text() | st.binary().map(lambda raw: base64.urlsafe_b64encode(raw).decode()))
def test_anything_else_is_refused_as_a_wrong_call(text):
    try:
        paging.decode(text)
    except UsageError:
        return
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    assert isinstance(json.loads(raw), list)


@pytest.mark.parametrize(("value", "tie"), [("text", "id"), (1.5, 7), ([1], "id"), (True, "id")])
def test_a_cursor_of_the_wrong_type_never_reaches_sql(value, tie):
    order = Order(TIE, "p90_ttft_s", "float")
    if value is True:
        order = Order(TIE, "hw", "str")
    with pytest.raises(UsageError):
        paging.start(paging.encode(Position("s", "q", value, tie)), order, "q")
