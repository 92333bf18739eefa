"""Our deflate: read back by zlib, short, the same bytes on every machine."""

from __future__ import annotations

import zlib

from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.deflate import deflate


def inflated(packed: bytes, dictionary: bytes = b"") -> bytes:
    reader = zlib.decompressobj(-15, zdict=dictionary)
    data = reader.decompress(packed)
    assert reader.eof
    assert not reader.unused_data
    return data


@given(st.binary(max_size=600), st.binary(max_size=300))
def test_zlib_reads_what_was_written(data: bytes, dictionary: bytes) -> None:
    assert inflated(deflate(data, dictionary), dictionary) == data


@given(st.text(alphabet="ab&=", max_size=900), st.text(alphabet="ab&=", min_size=3, max_size=200))
def test_texts_full_of_repeats_are_read_back(data: str, dictionary: str) -> None:
    known = dictionary.encode()
    assert inflated(deflate(data.encode(), known), known) == data.encode()


def test_every_length_and_far_distance_is_written_right() -> None:
    for length in (3, 4, 10, 11, 18, 19, 66, 114, 115, 130, 227, 256, 257, 258, 259, 600):
        for gap in (0, 1, 4, 30, 250, 1_500, 6_000, 20_000):
            known = bytes(range(256)) * 2 + bytes((7 * i) % 251 for i in range(gap))
            data = (bytes(range(200, 256)) * 12)[:length]
            assert inflated(deflate(data, known), known) == data, (length, gap)


def test_a_text_of_the_dictionary_is_a_few_bytes() -> None:
    known = b"model=kimik2.5&hw=b200&lang=zh"
    assert len(deflate(known, known)) <= 5


def test_the_same_text_is_the_same_bytes_for_ever() -> None:
    assert deflate(b"").hex() == "0300"
    assert deflate(b"hello hello hello").hex() == FROZEN["hello hello hello"]
    assert deflate(b"hw=b200&hw=h200", b"&hw=").hex() == FROZEN["hw=b200&hw=h200"]


FROZEN = {
    "hello hello hello": "cb48cdc9c957402201",
    "hw=b200&hw=h200": "03a2242303033013480300",
}
