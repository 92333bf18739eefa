"""The share dialog's texts: every one leads back, pinned or not; nothing breaks out of them."""

from __future__ import annotations

import re
from html import unescape

import pytest

from explorer.app import create_app
from explorer.components.markup import to_html
from explorer.components.share import share
from explorer.components.share_texts import Shared, bibtex, embeds, markdown, tex
from explorer.components.view import View, Words
from explorer.domain import view_state
from explorer.domain.view_state import ViewState
from explorer.settings import Settings
from tests.lake_fixture import Sample

BASE = "https://bench.example"
VIEWS = (
    "/", "/?x=p90_ttft_s&lang=zh", "/points/<low>", "/points/<low>/timeline?by=worker",
    "/compare?a=<low>&b=<high>", "/datasets", "/datasets/sample-set/conversations/conv-0",
    "/snapshots",
)  # fmt: skip


@pytest.fixture(scope="module")
def client(sample_lake):
    settings = Settings(lake=sample_lake.folder, public_url=BASE)
    return create_app(settings).test_client()


def fields(html: str) -> dict[str, str]:
    """Return the texts of a page's dialog by side and name."""
    found = re.findall(r'<textarea id="share-([\w-]+)"[^>]*>(.*?)</textarea>', html, re.S)
    return {name: unescape(text) for name, text in found}


def shared(sample: Sample, title: str = "T", query: str = "", path: str = "/") -> Shared:
    state = view_state.parse(query)
    snapshot = sample.lake.snapshot(sample.newest)
    return Shared(title, path, state, snapshot, BASE, Words(state))


@pytest.mark.parametrize("view", VIEWS)
def test_every_link_of_the_dialog_leads_back_to_the_view(client, sample_lake, view: str) -> None:
    for name, point_id in sample_lake.ids.items():
        view = view.replace(f"<{name}>", point_id)
    found = fields(client.get(view).text)
    pin = f"snap={sample_lake.newest}"
    for side in ("pinned", "newest"):
        whole = found[f"{side}-address"].removeprefix(BASE)
        short = client.get(found[f"{side}-short"].removeprefix(BASE))
        assert short.headers["Location"] == whole
        assert client.get(whole).status_code == 200
        assert (pin in whole) == (side == "pinned")
        for name in ("embed", "embed_table"):
            if f"{side}-{name}" in found:
                source = unescape(re.search(r'src="([^"]+)"', found[f"{side}-{name}"])[1])
                assert client.get(source.removeprefix(BASE)).status_code == 200
                assert (pin in source) == (side == "pinned")
        picture = found[f"{side}-picture"].removeprefix(BASE)
        assert picture in found[f"{side}-markdown"]
        assert client.head(picture).mimetype == "image/png"
    assert ("pinned-embed" in found) == (view not in ("/datasets", "/snapshots"))


def test_a_page_already_pinned_keeps_its_pin_and_offers_the_newest(client) -> None:
    found = fields(client.get("/?snap=first").text)
    assert found["pinned-address"] == f"{BASE}/?snap=first"
    assert found["newest-address"] == f"{BASE}/"


def test_a_citation_names_snapshot_date_and_address_and_is_safe_in_tex(sample_lake) -> None:
    entry = bibtex(shared(sample_lake, "50% of H200_SXM & #1 {x}~^\\"))
    assert entry.startswith("@misc{explorer-")
    assert sample_lake.newest in entry
    assert sample_lake.lake.snapshot().time[:10] in entry
    assert r"50\% of H200\_SXM \& \#1 \{x\}" in entry
    assert f"\\url{{{BASE}/s/" in entry
    bare = re.sub(r"\\[{}]", "", entry)
    assert bare.count("{") == bare.count("}")
    assert tex("a\\b") == r"a\textbackslash{}b"


def test_markdown_and_html_cannot_be_broken_out_of(sample_lake) -> None:
    title = 'a](javascript:x) <b> "q"'
    assert markdown(shared(sample_lake, title)).startswith(r"[![a\](javascript:x) \<b> ")
    frame = embeds(shared(sample_lake, title))["embed"]
    assert 'title="a](javascript:x) &lt;b&gt; &quot;q&quot;"' in frame
    assert 'sandbox="allow-scripts' in frame


def test_an_address_too_long_for_a_code_is_shared_whole(sample_lake) -> None:
    long = shared(sample_lake, query="q=" + "x" * 5_000)
    assert long.short == long.address
    assert long.card == ""
    assert markdown(long) == f"[T]({long.address})"


def test_nothing_is_shared_of_an_error_or_an_empty_lake(sample_lake) -> None:
    view = View("T", [], "/", status=404)
    assert share(view, ViewState(), "/", sample_lake.lake.snapshot(), BASE) is None
    assert share(View("T", [], "/"), ViewState(), "/", None, BASE) is None


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_every_field_has_a_label_of_its_own(sample_lake, lang: str) -> None:
    state = ViewState().having(lang=lang)
    html = to_html(share(View("T", [], "/"), state, "/", sample_lake.lake.snapshot(), BASE))
    ids = re.findall(r'<(?:textarea|input)[^>]* id="([^"]+)"', html)
    assert len(ids) == len(set(ids)) >= 16
    for name in ids:
        assert html.count(f'<label for="{name}">') == 1
