"""Older spellings of an address, and the one of today."""

from __future__ import annotations

import pytest

from explorer.domain.addresses import respelled


@pytest.mark.parametrize(
    ("path", "query", "today"),
    [
        ("/", "", None),
        ("/points/x", "snap=a&colour=red", None),
        ("/", "hw=b200%2Cmi355x", None),
        ("/datasets/", "", "/datasets"),
        ("/points/x//", "phase=all", "/points/x?phase=all"),
        ("/", "search=a%20b&x=p90_ttft_s", "/?q=a%20b&x=p90_ttft_s"),
        ("/datasets/ü x/", "", "/datasets/%C3%BC%20x"),
        ("/datasets/s/conversations/a/b", "turn=1", "/datasets/s/conversations/a%252Fb?turn=1"),
        ("/datasets/s/conversations//a", "", "/datasets/s/conversations/%252Fa"),
        ("/datasets/s/conversations/a%2Fb", "", None),
        ("/datasets/s/conversations/50%", "", None),
        ("//elsewhere.example/", "", "/elsewhere.example"),
    ],
)
def test_an_older_spelling_has_one_of_today(path: str, query: str, today: str | None) -> None:
    assert respelled(path, query) == today


def test_todays_spelling_is_not_spelled_again() -> None:
    today = respelled("/points/x/", "search=a&search=b")
    assert today == "/points/x?q=a&q=b"
    path, _, query = today.partition("?")
    assert respelled(path, query) is None
