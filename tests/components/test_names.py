"""Names of curves: what splits them is said so that it can stand alone."""

from __future__ import annotations

import pytest

from explorer.components import names
from explorer.components.view import Words


@pytest.mark.parametrize(
    ("split", "lang", "ending"),
    [
        ({"kv_offload": "none"}, "en", " · no offload"),
        ({"kv_offload": "none"}, "zh", " · 无卸载"),
        ({"kv_offload": "dram", "precision": "fp4"}, "en", " · DRAM · FP4"),
        ({"spec": "none"}, "en", " · no speculation"),
        ({"source": "simulated"}, "en", " · simulated"),
        ({"kv_offload": None}, "en", " · unknown"),
    ],
)
def test_what_splits_a_curve_stands_alone(split, lang, ending):
    curve = {"hw": "b200", "engine": "vllm", "split": split}
    assert names.curve(curve, Words.of(lang)) == f"B200 · vLLM{ending}"


def test_a_metric_amid_a_sentence_is_small_unless_it_is_an_abbreviation():
    every = {"Interactivity p90": "interactivity p90", "TTFT p50": "TTFT p50", "": "", "x": "x"}
    assert {name: names.amid(name) for name in every} == every
