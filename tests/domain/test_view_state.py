"""Address and state are one: round trips over random states, old and bad words."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.domain.view_state import KEYS, ViewState, format, parse

WORD = st.text(
    st.characters(blacklist_categories=("Cs", "Cc"), blacklist_characters=","),
    min_size=1,
    max_size=12,
)
NUMBER = st.floats(-1e15, 1e15)
HARDWARE = st.sampled_from(["b200", "mi355x", "h100"])

WHERE = ["isl_tokens:1000..20000", "osl_tokens:..9;ttft_s:1e-05..", "interactivity_tps:0.5..80.25"]
RANGES = ["0..1", "-12.5..1e-05", "a:1..2;b:-3..4.25"]


SPANS = (("x_from", "x_to"), ("y_from", "y_to"), ("from", "to"))


def in_order(values):
    """Return values whose ranges end after they begin: others are none."""
    tidy = dict(values)
    for begin, end in SPANS:
        if begin in tidy and end in tidy:
            tidy[begin], tidy[end] = sorted((tidy[begin], tidy[end]))
            if tidy[begin] == tidy[end]:
                del tidy[end]
    return tidy


def values_of(key):
    if key.kind == "many":
        item = st.sampled_from(sorted(key.choices)) if key.choices else WORD
        return st.lists(item, max_size=3).map(tuple)
    if key.kind == "number":
        return NUMBER
    if key.kind == "flag":
        return st.booleans()
    if key.name == "price":
        return st.sampled_from(["own", "rental", "neocloud@2026-07"])
    if key.name == "date":
        return st.dates().map(str)
    if key.name == "range":
        return st.sampled_from(RANGES)
    if key.name == "where":
        return st.sampled_from(WHERE)
    return st.sampled_from(sorted(key.choices)) if key.choices else WORD


STATES = st.fixed_dictionaries(
    {},
    optional={
        **{key.name: values_of(key) for key in KEYS},
        "rate": st.dictionaries(HARDWARE, NUMBER, max_size=2),
        "kw": st.dictionaries(HARDWARE, NUMBER, max_size=2),
    },
).map(lambda values: ViewState().having(**in_order(values)))


def survives(state):
    again = parse(format(state))
    assert again == state
    assert again.problems == ()
    assert format(again) == format(state)


@settings(max_examples=200, deadline=None)
@given(STATES)
def test_state_survives_the_address(state):
    survives(state)


def random_value(key, random):
    if key.kind == "number":
        return random.choice(
            [random.uniform(-1e9, 1e9), random.randint(0, 99), 10.0 ** random.randint(-9, 15)]
        )
    if key.kind == "flag":
        return random.random() < 0.5
    if key.name == "price":
        return random.choice(["own", "rental", "neocloud@2026-07"])
    if key.name == "date":
        return f"2026-{random.randint(1, 12):02}-{random.randint(1, 28):02}"
    if key.name == "range":
        return random.choice(RANGES)
    if key.name == "where":
        return random.choice(WHERE)
    words = sorted(key.choices) or ["a b", "ü/&=+%", "qwen3.5", "0.5", "日本", "x::sa:1"]
    if key.kind == "many":
        return tuple(random.sample(words, random.randint(0, min(3, len(words)))))
    return random.choice(words)


def random_values(keys, random):
    return in_order({key.name: random_value(key, random) for key in keys})


def test_ten_thousand_random_states_survive_the_address():
    random = Random(7)
    for _ in range(10_000):
        keys = random.sample(KEYS, random.randint(0, 8))
        own = {"rate": {"b200": random.random()}} if random.random() < 0.2 else {}
        survives(ViewState().having(**random_values(keys, random), **own))


def test_defaults_and_order_leave_no_trace():
    assert format(parse("?stat=p90&x=interactivity_tps&hw=mi355x,b200")) == "hw=b200,mi355x"


def test_encoded_commas_separate_too():
    assert parse("hw=b200%2Cmi355x")["hw"] == ("b200", "mi355x")


def test_unknown_keys_and_bad_values_are_reported_and_harmless():
    state = parse("colour=red&ttft_max=fast&x=nothing&hw=b200")
    assert state["hw"] == ("b200",)
    assert state["x"] == "interactivity_tps"
    assert [(p.code, p.key) for p in state.problems] == [
        ("unknown_key", "colour"),
        ("bad_value", "ttft_max"),
        ("bad_value", "x"),
    ]


def test_toggling_twice_is_nothing():
    state = parse("hw=b200")
    assert state.toggled("hw", "mi355x").toggled("hw", "mi355x") == state


def test_a_range_that_is_none_is_reported():
    for text in ("5", "2..1", "1..1", "1..", "x..y", "1..2;3", "nan..2"):
        state = parse(f"range={text}")
        assert state["range"] is None
        assert [problem.key for problem in state.problems] == ["range"]


@pytest.mark.parametrize(("begin", "end"), SPANS)
def test_a_range_that_ends_before_it_begins_is_reported_and_leaves_all(begin, end):
    for text in ("2..1", "1..1", "-0.5..-1"):
        low, high = text.split("..")
        state = parse(f"{end}={high}&hw=b200&{begin}={low}")
        assert state == parse("hw=b200")
        assert [(p.code, p.key, p.value) for p in state.problems] == [("bad_range", end, text)]
    assert parse(f"{begin}=1&{end}=1.5").problems == ()
    assert parse(f"{begin}=3").problems == ()


def test_lanes_by_conversation_can_be_asked_for_where_they_are_not_the_timelines_own():
    assert parse("")["by"] is None
    assert format(parse("by=conversation")) == "by=conversation"


def test_ranges_of_request_quantities_are_checked_and_kept_as_written():
    state = parse("where=ttft_s:0.5..5;isl_tokens:1000..")
    assert state["where"] == "ttft_s:0.5..5;isl_tokens:1000.."
    for text in ("ttft_s", "ttft_s:5..1", "ttft_s:..", "nothing:1..2", "ttft_s:1..2;ttft_s:3..4"):
        state = parse(f"where={text}")
        assert state["where"] is None
        assert [problem.key for problem in state.problems] == ["where"]
