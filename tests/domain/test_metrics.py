"""The registry: keys, directions, the golden cost point."""

from __future__ import annotations

import pytest

from explorer.domain import metrics
from explorer.tables import prices


def test_keys_are_unique():
    keys = [metric.key for metric in metrics.METRICS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("axis", "stat", "key"),
    [
        ("interactivity_tps", "p90", "p90_interactivity_tps"),
        ("p50_ttft_s", "p90", "p50_ttft_s"),
        ("concurrency", "p90", "concurrency"),
        ("interactivity_tps", "std", None),
    ],
)
def test_axis_takes_its_statistic(axis, stat, key):
    assert metrics.axis_key(axis, stat) == key


def test_latency_is_better_lower_and_speed_higher():
    by_key = metrics.by_key()
    assert by_key["p90_ttft_s"].direction == "lower"
    assert by_key["p90_interactivity_tps"].direction == "higher"
    assert by_key["usd_per_mtok_total"].direction == "lower"
    assert by_key["concurrency"].direction == "none"


GOLDEN = {
    "usd_per_mtok_total": 0.00770008178,
    "tok_per_usd_total": 129_868_750.0,
    "tps_per_mw_total": 39.308e6,
    "j_per_tok_total": 0.02544,
}


def test_golden_cost_point_on_twelve_gb300(tmp_path):
    per_gpu = (3_603_566_231 + 26_257_390) / 3629.862174258 / 12
    assert per_gpu == pytest.approx(83_332.44823870831, rel=1e-12)
    from explorer.domain.view_state import ViewState
    from explorer.queries.curves import curves
    from explorer.store.lake import open_lake
    from explorer.store.writer import publish

    row = {
        "point_id": "golden",
        "model": "m",
        "hw": "gb300",
        "engine": "vllm",
        "gpus": 12,
        "scenario": "agentic",
        "source": "measured",
        "status": "ok",
        "total_tps_per_gpu": per_gpu,
        "p90_interactivity_tps": 50.0,
    }
    publish(tmp_path, points=[row])
    for key, expected in GOLDEN.items():
        found = curves(open_lake(tmp_path), ViewState().having(y=key))
        value = found["data"][0]["points"][0]["y"]
        assert value == pytest.approx(expected, rel=2e-5 if "mw" in key or "j_" in key else 1e-8)


def test_price_table_is_the_published_one():
    table = prices()
    assert table["gb300"] == {"own": 2.31, "neocloud": 2.79, "rental": 3.30, "kw": 2.12}
    assert "neocloud" not in table["rtx6000pro"]
