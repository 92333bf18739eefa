"""The legend of curves: what one can do to each, and no more than an address can carry."""

from __future__ import annotations

import pytest

from explorer.components.curve_legend import legend
from explorer.components.view import Words
from explorer.domain.view_state import ViewState


def listed(n: int) -> str:
    curves = [
        {"curve_id": f"m~b200~vllm~{i}", "hw": "b200", "engine": "vllm", "split": {"run": str(i)}}
        for i in range(n)
    ]
    return getattr(legend(curves, ViewState(), Words(ViewState())), "data-html")


@pytest.mark.parametrize(("n", "alone"), [(1, 0), (2, 2), (40, 40), (41, 0), (400, 0)])
def test_curves_can_be_shown_alone_while_their_addresses_stay_short(n, alone):
    html = listed(n)
    assert html.count("only: ") == alone
    assert html.count("hide: ") == n
    assert len(html) < 100_000 + n * 2_000
