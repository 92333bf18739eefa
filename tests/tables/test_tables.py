"""The tables people edit."""

from __future__ import annotations

import pytest

from explorer.tables import label, price_version, prices, table


def test_prices_of_the_golden_cost_point():
    assert price_version() == "2026-07"
    found = prices("2026-07")
    assert found is not None
    assert found["gb300"] == {"own": 2.31, "neocloud": 2.79, "rental": 3.30, "kw": 2.12}
    tps_per_gpu = (3_603_566_231 + 26_257_390) / 3629.862174258 / 12
    assert tps_per_gpu == pytest.approx(83_332.44823870831, rel=1e-12)
    assert found["gb300"]["own"] / (tps_per_gpu * 3600 / 1e6) == pytest.approx(
        0.00770008178, rel=1e-8
    )


def test_unknown_price_version_is_none_and_a_lacking_rate_is_absent():
    assert prices("1999-01") is None
    assert "neocloud" not in (prices() or {})["rtx6000pro"]


def test_every_priced_hardware_is_in_the_hardware_table_with_its_power():
    found = prices() or {}
    hardware = table("hardware")
    assert len(found) == 10
    assert all(hardware[key]["tdp_w"] > 0 for key in found)


def test_no_spelling_means_two_keys():
    for name in ("hardware", "engines", "datasets"):
        spellings = [text for row in table(name).values() for text in row.get("match", ())]
        assert len(spellings) == len(set(spellings))
        assert not set(spellings) & set(table(name))


def test_labels():
    assert label("models", "kimik2.5") == "Kimi-K2.5"
    assert label("hardware", "nothing") is None
