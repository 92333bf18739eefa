"""No text of a chart covers another, at any width, and none is wider than was thought."""

from __future__ import annotations

import pytest

from explorer.figures.label_places import Spot
from tests.browser.conftest import open_ready

TEXTS = """(bare) => {
  const svg = document.querySelector(bare ? "svg.curves" : "#react-entry-point .plot svg.curves");
  const texts = [...svg.querySelectorAll("text:not(.tick)")].filter(
    (one) => one.textContent.trim() && getComputedStyle(one).display !== "none",
  );
  const { width } = svg.getBoundingClientRect();
  return [width, texts.map((one) => {
    const box = one.getBBox();
    return {
      kind: one.getAttribute("class").split(" ")[0], said: one.textContent,
      size: parseFloat(getComputedStyle(one).fontSize),
      box: [box.x, box.x + box.width, box.y, box.y + box.height],
    };
  })];
}"""
VIEWS = (
    "model=kimik2.5",
    "model=kimik2.5&label=shape&lang=zh",
    "model=kimik2.5&split=offload",
    "model=kimik2.5&split=parallelism&scale=log",
    "model=kimik2.5&unmerge=kimik2.5~b200~vllm",
    "model=kimik2.5&x=ttft&x_from=1&x_to=40",
    "model=dsr1&scenario=fixed&isl=1024&osl=1024",
    "model=dsr1&scenario=fixed&workload=8k1k&view=history",
)


def pairs(texts: list[dict]) -> list[tuple[str, str]]:
    """Return the texts that cover each other, by more than the rounding of a place."""
    return [
        (one["said"], other["said"])
        for index, one in enumerate(texts)
        for other in texts[:index]
        if all(
            one["box"][low] < other["box"][low + 1] - 0.3
            and other["box"][low] < one["box"][low + 1] - 0.3
            for low in (0, 2)
        )
    ]


def looked_at(page, bare: bool = False) -> list[dict]:
    """Check the texts of the chart that is shown; return them."""
    width, texts = page.evaluate(TEXTS, bare)
    assert pairs(texts) == []
    for one in texts:
        left, right, top, bottom = one["box"]
        assumed = Spot(0, 0).box(one["said"], (0, 0), one["size"])
        assert right - left <= assumed.right
        assert bottom - top <= assumed.bottom - assumed.top
        if one["kind"] != "axis":
            assert left >= -0.3
            assert right <= width + 6.3
    return texts


def resized(page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.wait_for_function(f"() => innerWidth === {width}")


@pytest.mark.real_data
@pytest.mark.parametrize("view", VIEWS)
def test_no_text_of_real_curves_covers_another(page, real_site, view):
    open_ready(page, f"{real_site}/?{view}")
    for width in (1440, 768, 375):
        resized(page, width)
        assert {one["kind"] for one in looked_at(page)} & {"pt", "lab"}


@pytest.mark.real_data
def test_no_text_of_an_embed_covers_another(page, real_site):
    page.goto(f"{real_site}/e/v1/curve?model=kimik2.5&split=offload")
    for width in (1200, 600, 320):
        resized(page, width)
        assert {one["kind"] for one in looked_at(page, bare=True)} > {"pt", "axis"}
