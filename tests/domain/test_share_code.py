"""Share codes: an address and its code are one; what is no code is said to be none, and why."""

from __future__ import annotations

import base64
import zlib
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain import addresses, share_code, view_state
from explorer.domain.share_code import (
    LONGEST_ADDRESS,
    LONGEST_CODE,
    BrokenCodeError,
    decode,
    encode,
)
from explorer.domain.view_state import KEYS, ViewState
from tests.domain.test_view_state import STATES, random_values

PATHS = ("/", "/points/pfbzjgrc77km", "/points/zfrerhlzyib3/timeline", "/compare", "/datasets/ü x")


def code_of(packed: bytes) -> str:
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def broken(code: str) -> str:
    with pytest.raises(BrokenCodeError) as raised:
        decode(code)
    return raised.value.code


@given(STATES, st.sampled_from(PATHS))
def test_any_state_of_any_page_survives_its_code(state: ViewState, path: str) -> None:
    address = addresses.page(path, state)
    if len(address) > LONGEST_ADDRESS:
        return
    again = decode(encode(address))
    assert again == address
    assert view_state.parse(again.partition("?")[2]) == state


def test_ten_thousand_random_states_survive_their_codes() -> None:
    random = Random(11)
    seen: dict[str, str] = {}
    for _ in range(10_000):
        keys = random.sample(KEYS, random.randint(0, 6))
        state = ViewState().having(**random_values(keys, random))
        address = addresses.page(random.choice(PATHS), state)
        code = encode(address)
        assert decode(code) == address
        assert seen.setdefault(code, address) == address, "a code is of one address"


def test_a_long_address_has_a_code_shorter_than_itself() -> None:
    address = (
        "/?model=kimik2.5&hw=b200,mi355x&engine=vllm&x=p90_ttft_s&ttft_max=5&price=own@2026-07"
        "&snap=1a826506f9a24c49&lang=zh"
    )
    assert len(encode(address)) < 0.7 * len(address)


@given(STATES)
def test_a_code_is_never_much_longer_than_its_address(state: ViewState) -> None:
    address = addresses.page("/", state)
    if len(address) <= LONGEST_ADDRESS:
        assert len(encode(address)) <= len(address) * 4 / 3 * 9 / 8 + 8


@pytest.mark.parametrize(
    "address",
    ["", "x", "//elsewhere.example/", "/\\elsewhere.example", "/a b", "/a\nb", "/ü", "https://x/"],
)
def test_what_is_no_address_of_ours_has_no_code(address: str) -> None:
    with pytest.raises(BrokenCodeError, match="address"):
        encode(address)
    if address.isascii():
        packed = share_code.deflate(address.encode(), share_code._DICTIONARY_1)
        assert broken(code_of(b"\x01" + packed)) == "address"


def test_an_address_beyond_the_bound_has_no_code() -> None:
    with pytest.raises(BrokenCodeError, match="long"):
        encode("/?q=" + "x" * LONGEST_ADDRESS)


def test_every_way_to_break_a_code_is_named() -> None:
    code = encode("/points/pfbzjgrc77km?snap=1a826506f9a24c49")
    assert broken("") == "form"
    assert broken("a") == "form"
    assert broken(code + "!") == "form"
    assert broken(code[:-3] + "ü==") == "form"
    assert broken(code_of(b"\x02" + b"abc")) == "version"
    assert broken(code_of(b"\x01")) == "damaged"
    assert broken(code[: len(code) // 2 // 4 * 4]) == "damaged"
    assert broken("A" * (LONGEST_CODE + 1)) == "long"


def test_a_code_has_one_spelling() -> None:
    code = encode("/points/pfbzjgrc77km")
    spare = [letter for letter in "ABCDEFGH" if letter != code[-1]]
    for letter in spare:
        try:
            assert decode(code[:-1] + letter) != "/points/pfbzjgrc77km"
        except BrokenCodeError:
            continue


def test_a_bomb_is_refused_without_being_unfolded() -> None:
    bomb = zlib.compressobj(9, zlib.DEFLATED, -15, 9, zdict=share_code._DICTIONARY_1)
    packed = bomb.compress(b"/?q=" + b"a" * 4_000_000) + bomb.flush()
    code = code_of(b"\x01" + packed)
    assert len(code) <= LONGEST_CODE
    assert broken(code) == "long"


@given(st.text(alphabet="ABCDEFabcdef0123456789-_", max_size=80))
def test_random_letters_are_an_address_or_named_as_broken(code: str) -> None:
    try:
        found = decode(code)
    except BrokenCodeError as error:
        found = error.code
    assert found.startswith("/") or found in {"form", "version", "damaged", "long", "address"}
