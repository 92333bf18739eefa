"""The chart of curves: every point is a link, however many; dots stand for marks in a crowd."""

from __future__ import annotations

import re

import pytest

from explorer.figures.curves_svg import Look, curves_svg


def point(index: int, on_frontier: bool = False, **facts):
    return {
        "point_id": f"p{index:05d}", "x": 1.0 + index % 97, "y": 5.0 + index % 89,
        "on_frontier": on_frontier, "eligible": True, "kv_offload": "none",
        "kv_offload_backend": None, "tier_ratio": None, "valid": True, "careful": False,
    } | facts  # fmt: skip


def curve(points, engine="vllm"):
    return {"curve_id": f"m~b200~{engine}", "hw": "b200", "engine": engine, "points": points}


def drawn(points, look=None, engine="vllm") -> str:
    return curves_svg(
        [curve(points, engine)],
        words={"title": "t", "desc": "d", "x": "x", "y": "y"},
        label=lambda one: "B200",
        tip=lambda one, p: f"whole {p['point_id']}",
        short=lambda one, p: f"short {p['point_id']}",
        name=lambda one: "B200 in full",
        href=lambda p: f"/points/{p['point_id']}",
        point_label=lambda p: "",
        look=look,
    )


def links(svg: str) -> list[str]:
    return re.findall(r'<a data-point-id="(\w+)"', svg)


@pytest.mark.parametrize("n", [40, 2_000])
def test_every_point_is_one_link_with_its_words(n):
    points = [point(index, on_frontier=index % 10 == 0) for index in range(n)]
    svg = drawn(points)
    assert sorted(links(svg)) == [one["point_id"] for one in points]
    assert len(re.findall(r'<a [^>]*aria-label="(?:whole|short) p', svg)) == n


def test_a_crowd_draws_its_beaten_points_as_dots_in_the_order_of_their_links():
    points = [point(index) for index in range(1_000)]
    svg = drawn(points)
    (group,) = re.findall(r'<g class="off crowd".*?</g>', svg)
    pieces = re.findall(r'class="dots" d="([^"]+)"', group)
    assert max(piece.count("h0") for piece in pieces) == 100
    dots = "".join(pieces).split("h0")[:-1]
    by_id = {one["point_id"]: one for one in points}
    assert len(dots) == 1_000
    low, high, *_ = (float(one) for one in re.search(r'data-ranges="([^"]+)"', svg)[1].split(","))
    for name, dot in zip(links(svg), dots, strict=True):
        x = float(dot[1:].split(" ")[0]) / 10_000
        assert x == pytest.approx((by_id[name]["x"] - low) / (high - low), abs=1e-4)
    assert 'aria-label="B200 in full"' in group


def test_an_offloaded_point_of_a_crowd_holds_a_ring_and_has_one_drawn():
    ringed = {"kv_offload": "dram", "kv_offload_backend": "lmcache"}
    svg = drawn([point(index, **(ringed if index < 7 else {})) for index in range(900)])
    assert svg.count('class="offload-ring"') == 7
    assert re.search(r'class="around" d="([^"]+)"', svg)[1].count("h0") == 7


def test_hollow_points_of_a_crowd_have_a_hole():
    svg = drawn([point(index, eligible=index >= 5) for index in range(900)])
    assert re.search(r'class="hole" d="([^"]+)"', svg)[1].count("h0") == 5


def test_the_chosen_point_of_a_crowd_is_a_mark():
    svg = drawn([point(index) for index in range(900)], Look(selected="p00003"))
    assert re.search(r'<a data-point-id="p00003"[^>]*class="mark chosen"', svg)
    assert links(svg).count("p00003") == 1


def test_a_frontier_of_hundreds_is_one_line_of_one_element():
    svg = drawn([point(index, on_frontier=True) for index in range(400)])
    assert svg.count("<polyline") == 1
    assert "<line x1" not in svg
    assert len(links(svg)) == 400


def test_few_beaten_points_keep_the_shape_of_their_engine():
    svg = drawn([point(0), point(1, on_frontier=True)], engine="trt")
    assert svg.count('href="#m-triangle"') == 2


@pytest.mark.parametrize("axis", ["x", "y"])
@pytest.mark.parametrize("n", [4, 90])
def test_a_logarithmic_axis_leaves_out_zeros_and_draws_the_rest(axis, n):
    points = [point(index, on_frontier=True, x=1.0 + index, y=100.0 - index) for index in range(n)]
    points[0][axis] = 0.0
    svg = drawn(points, Look(log_x=axis == "x", log_y=axis == "y"))
    assert links(svg) == [one["point_id"] for one in points[1:]]
    assert "NaN" not in svg
    if n == 4:
        assert len(re.findall(r"<line x1", svg.partition('class="line s0"')[2])) == n - 2
