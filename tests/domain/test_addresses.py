"""Conversations have names in addresses that hold any id."""

from __future__ import annotations

from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain import addresses, view_state
from explorer.domain.addresses import conversation_key, embed_of, named_conversation
from explorer.domain.view_state import ViewState

IDS = st.text(st.characters(blacklist_categories=("Cs", "Cc")), min_size=1)
POINTS = st.one_of(st.none(), st.from_regex("[a-z0-9]{12}", fullmatch=True))


@given(IDS, POINTS)
def test_any_conversation_survives_its_name(conversation, point):
    key = conversation_key("traces", conversation, point)
    assert named_conversation(key) == ("traces", conversation, point)
    state = ViewState().having(a=key)
    assert view_state.parse(view_state.format(state)) == state


@pytest.mark.parametrize("conversation", ["user@host", "a/b", "50%40", "x@", "日本/1"])
def test_awkward_conversations_keep_their_point(conversation):
    key = conversation_key("traces", conversation, "abc123def456")
    assert named_conversation(key) == ("traces", conversation, "abc123def456")


@given(IDS)
def test_any_conversation_is_one_segment_that_reads_back(conversation):
    path = unquote(addresses.conversation("traces", conversation))
    assert path.count("/") == 4
    assert (slug_and_id := addresses.conversation_of(path)) is not None
    assert conversation in addresses.conversation_ids(slug_and_id[1])


def test_an_older_name_reads_as_it_did():
    assert named_conversation("traces/conv-1@abc") == ("traces", "conv-1", "abc")


def test_a_conversations_page_has_a_flame_graph_of_its_point():
    state = ViewState().having(point="abc", turn="3")
    address = embed_of("/datasets/traces/conversations/user@host", state)
    assert address == "/e/v1/flame?a=traces/user%2540host@abc&turn=3"


def test_a_comparison_of_one_point_has_no_embed():
    assert embed_of("/compare", ViewState({"a": "x"})) is None
    assert embed_of("/compare", ViewState({"a": "x", "b": "y"})) == "/e/v1/compare?a=x&b=y"
