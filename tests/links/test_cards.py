"""Cards: one picture for each view, drawn once, kept under its snapshot, refused when broken."""

from __future__ import annotations

from threading import Thread

import pytest

from explorer.app import create_app
from explorer.domain.share_code import encode
from explorer.exports import cards
from explorer.exports.cards import Card, card, wrapped
from explorer.figures.text_width import width_of
from explorer.links import cards as routes
from explorer.settings import Settings
from explorer.store.writer import publish
from tests.forget import forget_all
from tests.lake_fixture import PRICE_VERSION, Sample


def address(path: str) -> str:
    return f"/cards/v1/{encode(path)}.png"


@pytest.mark.parametrize(
    "path",
    [
        "/?lang=zh", "/?theme=dark&bands=1", "/?view=history&at=20", "/?hw=nothing",
        "/?model=%00%01",
        "/points/gdtjz6auvfsw", "/points/t3fvom5xync4?lang=zh", "/points/nfz5yjprumi3",
        "/points/gdtjz6auvfsw/timeline", "/compare", "/compare?a=gdtjz6auvfsw&b=t3fvom5xync4",
        "/datasets", "/datasets/sample-set?lang=zh", "/datasets/sample-set/conversations/conv-0",
        "/snapshots", "/compare/timelines?a=gdtjz6auvfsw&b=t3fvom5xync4",
        "/compare/conversations?a=sample-set/conv-0&b=sample-set/conv-1&lang=zh&theme=dark",
        "/compare/timelines", "/compare/conversations?a=no/thing",
    ],
)  # fmt: skip
def test_every_view_has_a_card(client, path: str) -> None:
    answer = client.get(address(path))
    assert answer.status_code == 200
    assert answer.data[:4] == b"\x89PNG"
    assert len(answer.data) < 300_000


def test_a_card_of_a_snapshot_never_changes_and_one_without_is_fresh(client) -> None:
    pinned = client.get(address("/") + "?snap=first")
    assert "immutable" in pinned.headers["Cache-Control"]
    assert client.get(address("/?snap=first")).data == pinned.data
    fresh = client.get(address("/"))
    assert "max-age=300" in fresh.headers["Cache-Control"]
    assert fresh.data != pinned.data
    tag = {"If-None-Match": pinned.headers["ETag"]}
    assert client.get(address("/") + "?snap=first", headers=tag).status_code == 304


def test_a_pinned_card_is_the_same_bytes_after_the_data_changed(own: Sample) -> None:
    path = address(f"/?snap={own.newest}")

    def drawn(path: str) -> bytes:
        forget_all()
        return create_app(Settings(lake=own.folder)).test_client().get(path).data

    before, newest = drawn(path), drawn(address("/"))
    publish(own.folder, remove=[own.ids["high"]], price_version=PRICE_VERSION)
    assert drawn(path) == before
    assert drawn(address("/")) != newest


def test_who_asks_at_the_same_time_waits_for_one_drawing(sample_lake, monkeypatch) -> None:
    drawn: list[str] = []
    real = routes.png

    def counted(svg: str, zoom: float) -> bytes:
        drawn.append(svg)
        return real(svg, zoom)

    monkeypatch.setattr(routes, "png", counted)
    app = create_app(Settings(lake=sample_lake.folder))
    answers: list[bytes] = []
    threads = [
        Thread(target=lambda: answers.append(app.test_client().get(address("/datasets")).data))
        for _ in range(5)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 1
    assert len(set(answers)) == 1


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/cards/v1/xxxx.png", 400),
        (address("/nothing"), 404),
        (address("/points/aaaaaaaaaaaa"), 404),
        (address("/") + "?snap=0123456789abcdef", 404),
        (address("/") + "?w=9999", 400),
    ],
)
def test_what_has_no_card_is_refused(client, path: str, status: int) -> None:
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.mimetype == "text/plain"
    assert answer.headers["Cache-Control"] == "no-store"


def test_a_long_title_is_cut_to_two_lines_that_fit() -> None:
    for text in ("word " * 60, "每张显卡的吞吐量" * 20, "x" * 400):
        lines = wrapped(text, 23, 800, 2)
        assert len(lines) <= 2
        assert lines[-1].endswith("…")
        assert all(width_of(line, 23) <= 800 for line in lines)
    assert wrapped("short", 23, 800, 2) == ["short"]
    assert not any(line.startswith("，") for line in wrapped("字" * 34 + "，后", 23, 800, 2))


def test_a_card_escapes_what_it_says() -> None:
    drawn = card(Card("<b>&", "a < b", (("<l>", "1", "<u>"),), source="<s>"))
    assert "<b>" not in drawn
    assert "&lt;b&gt;&amp;" in drawn
    assert f'width="{cards.WIDTH}" height="{cards.HEIGHT}"' in drawn
