"""Queries as a folder's script reads them are those that Python writes."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explorer.domain import view_state
from explorer.domain.view_state import ViewState
from explorer.publish import pick


def test_a_key_is_sorted_decoded_and_without_the_pin():
    state = view_state.parse("y=p90_ttft_s&hw=b200,a100&snap=abc&q=a%20b&ttft_max=1e-7")
    assert pick.key(state) == "hw=a100,b200&q=a b&ttft_max=1e-7&y=p90_ttft_s"


def test_words_of_a_frame_can_be_left_out():
    state = view_state.parse("model=x&title=Mine&theme=dark")
    assert pick.key(state, pick.WORDS) == "model=x&theme=dark"


@given(st.floats(min_value=1e-12, max_value=1e25, allow_nan=False))
def test_numbers_are_spelled_as_javascript_does(number: float):
    spelled = pick.key(ViewState({"ttft_max": number})).removeprefix("ttft_max=")
    assert float(spelled) == number
    assert "e-0" not in spelled
    assert "e+0" not in spelled
