"""Requests on the point's one clock, against the rows that were written."""

from __future__ import annotations

import pytest

from explorer.errors import UsageError
from explorer.queries import points, requests
from explorer.queries.requests import Wanted
from explorer.queries.window import Window
from tests.lake_fixture import DATASET, FIRST_TURN, Sample, request_table

CONTRACT = [
    "request_id", "ordinal", "stream_id", "root_id", "parent_id", "conversation", "agent",
    "turn", "depth", "kind", "phase", "client_worker", "credit_s", "start_s", "first_token_s",
    "end_s", "ttft_s", "e2el_s", "itl_s", "isl_tokens", "osl_tokens", "cached_tokens",
    "status", "error_type", "error_code", "dataset_ref",
]  # fmt: skip


def asked(sample: Sample, name: str = "high", **options):
    wanted = Wanted(
        Window(
            options.pop("phase", "profiling"),
            options.pop("from_s", None),
            options.pop("to_s", None),
        ),
        options.pop("equal", {}),
    )
    point = points.one(sample.lake, sample.ids[name])
    return requests.many(sample.lake, point, wanted, **{"limit": 1000, **options})


def test_rows_have_the_contracts_keys_in_order(sample_lake: Sample):
    assert list(asked(sample_lake).rows[0]) == CONTRACT


def test_zero_is_the_first_profiling_start_and_warmup_is_negative(sample_lake: Sample):
    profiling = [row["start_s"] for row in asked(sample_lake).rows]
    warmup = [row["start_s"] for row in asked(sample_lake, phase="warmup").rows]
    assert min(profiling) == 0.0
    assert all(start < 0 for start in warmup[:1])
    assert len(asked(sample_lake, phase="all").rows) == len(profiling) + len(warmup) == 96


def test_rows_equal_what_was_written(sample_lake: Sample):
    written = [row for row in request_table(8).to_pylist() if row["phase"] == "profiling"]
    for row, source in zip(asked(sample_lake).rows, written, strict=True):
        assert row["ordinal"] == source["ordinal"]
        assert row["start_s"] == source["start_ns"] / 1e9
        assert row["first_token_s"] == (
            None if source["first_token_ns"] is None else source["first_token_ns"] / 1e9
        )
        assert row["ttft_s"] == source["ttft_s"]


def test_a_bound_request_names_the_datasets_own_turn(sample_lake: Sample):
    for row in asked(sample_lake).rows:
        assert row["dataset_ref"] == {
            "dataset": DATASET,
            "conversation": row["conversation"],
            "agent": None,
            "turn": row["turn"] + FIRST_TURN,
        }


def test_a_request_of_an_unbound_run_names_none(sample_lake: Sample):
    assert {str(row["dataset_ref"]) for row in asked(sample_lake, "low").rows} == {"None"}


def test_filters_join(sample_lake: Sample):
    equal = {"conversation": ("conv-1",), "turn": (2, 3)}
    rows = asked(sample_lake, equal=equal).rows
    assert {(row["conversation"], row["turn"]) for row in rows} == {("conv-1", 2), ("conv-1", 3)}
    failed = asked(sample_lake, equal={"status": ("failed", "cancelled")}).rows
    assert [(row["status"], row["error_code"]) for row in failed] == [
        ("failed", 500),
        ("cancelled", 499),
    ]


def test_a_window_keeps_what_starts_in_it(sample_lake: Sample):
    whole = asked(sample_lake, phase="all").rows
    found = asked(sample_lake, phase="all", from_s=5.0, to_s=9.0).rows
    assert found == [row for row in whole if 5.0 <= row["start_s"] < 9.0]
    assert found


@pytest.mark.parametrize("sort", [None, "-ttft_s", "start_s", "-conversation"])
def test_pages_equal_the_whole(sample_lake: Sample, sort: str | None):
    whole = asked(sample_lake, phase="all", sort=sort).rows
    seen, cursor = [], None
    while True:
        page = asked(sample_lake, phase="all", sort=sort, limit=13, cursor=cursor)
        seen += page.rows
        cursor = page.next
        if cursor is None:
            break
    assert seen == whole
    if sort == "-ttft_s":
        assert [row["ttft_s"] for row in whole[-2:]] == [None, None]
        assert whole[0]["ttft_s"] == max(row["ttft_s"] for row in whole[:-2])


def test_a_point_without_requests_has_none(sample_lake: Sample):
    assert asked(sample_lake, "other").rows == []


def test_a_cursor_of_another_point_is_refused(sample_lake: Sample):
    cursor = asked(sample_lake, "low", limit=1).next
    with pytest.raises(UsageError, match="other parameters"):
        asked(sample_lake, "high", limit=1, cursor=cursor)
