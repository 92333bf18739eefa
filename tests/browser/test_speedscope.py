"""The speedscope export through speedscope's own importer, and out again with equal totals."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Playwright

from explorer.exports.speedscope import speedscope
from explorer.queries import conversations
from explorer.store.lake import open_lake
from tests.turns import Rows, conversation

APP = Path(__file__).parents[1] / "js/node_modules/speedscope/dist/release/index.html"
WEBGL = ("--headless", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
         "--ignore-gpu-blocklist", "--disable-quic", "--disable-background-networking")  # fmt: skip
ROWS: Rows = [
    (None, 0, 1_000),
    ("agent_001", 2_000, 4_000),
    ("agent_001", 3_000, 9_000),
    ("aux:000", 2_500, 2_600),
    (None, 9_500, 11_000),
]

pytestmark = pytest.mark.skipif(
    not APP.exists(), reason=f"no {APP.parents[2].name} package: npm ci --prefix tests/js"
)


@pytest.fixture(scope="module")
def app(playwright: Playwright) -> Iterator[Page]:
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=WEBGL)
    yield chromium.new_page()
    chromium.close()


def imported(app: Page, document: dict[str, Any]) -> dict[str, Any]:
    """Return the document as speedscope read it: imported, then saved by its own hand."""
    app.goto(APP.as_uri())
    app.wait_for_selector("input[type=file]", state="attached")
    file = {"name": "x.speedscope.json", "mimeType": "application/json",
            "buffer": json.dumps(document).encode()}  # fmt: skip
    with app.expect_console_message(lambda message: message.text.startswith("import:")):
        app.set_input_files("input[type=file]", file)
    app.wait_for_selector("text=Sandwich")
    with app.expect_download() as saved:
        app.keyboard.press("Control+s")
    return json.loads(saved.value.path().read_text())


def total(profile: dict[str, Any]) -> float:
    """Return a profile's own time or tokens: what no frame covers left out."""
    if profile["type"] == "sampled":
        return sum(profile["weights"])
    depth, since, covered = 0, 0.0, 0.0
    for event in profile["events"]:
        if event["type"] == "O":
            since = event["at"] if depth == 0 else since
            depth += 1
        else:
            depth -= 1
            covered += event["at"] - since if depth == 0 else 0.0
    return covered


def check(app: Page, document: dict[str, Any], tokens: int) -> None:
    read = imported(app, document)
    ours, theirs = document["profiles"], read["profiles"]
    assert [one["name"] for one in theirs] == [one["name"] for one in ours]
    assert [total(one) for one in theirs] == pytest.approx([total(one) for one in ours])
    assert total(theirs[0]) == tokens
    names = {frame["name"] for frame in document["shared"]["frames"]}
    assert {frame["name"] for frame in read["shared"]["frames"]} == names


def test_a_small_conversation_keeps_its_totals(app: Page):
    turns = conversation(ROWS)
    check(app, speedscope("small", turns), sum(turn.tokens for turn in turns))


@pytest.mark.real_data
@pytest.mark.parametrize("id_", ["trace_0014", "trace_0254", "trace_0277"])
def test_real_conversations_keep_their_totals(app: Page, real_lake: Path, id_: str):
    found = conversations.one(open_lake(real_lake), "weka", id_)
    tokens = found.row["isl_tokens"] + found.row["osl_tokens"]
    check(app, speedscope(id_, found.turns), tokens)
