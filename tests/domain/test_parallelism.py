"""Labels and GPU counts of shapes."""

from __future__ import annotations

import pytest

from explorer.domain.parallelism import gpus, label


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"tp": 8, "ep": 1}, "TP8"),
        ({"tp": 8, "ep": 8, "dp_attention": True}, "DEP8"),
        ({"tp": 8, "ep": 8}, "TEP8"),
        ({"tp": 4, "pp": 2}, "TP4PP2"),
        (
            {
                "mode": "disagg",
                "prefill_tp": 8,
                "prefill_ep": 8,
                "prefill_dp_attention": True,
                "prefill_workers": 1,
                "decode_tp": 12,
                "decode_ep": 12,
                "decode_dp_attention": True,
                "decode_workers": 1,
            },
            "1xDEP8+1xDEP12",
        ),
        ({}, None),
    ],
)
def test_label(fields, expected):
    assert label(fields) == expected


def test_gpus_of_one_node_and_of_roles():
    assert gpus({"tp": 4, "pp": 2}) == 8
    assert gpus({"mode": "disagg", "prefill_gpus": 8, "decode_gpus": 12}) == 20
    assert gpus({"mode": "disagg", "prefill_gpus": 8}) is None
    assert gpus({}) is None
