"""Columns of a timeline say what the requests say; counts add up."""

from __future__ import annotations

import pytest

from explorer.domain.columns import REQUEST_COLUMNS
from explorer.queries import points, requests, timeline
from explorer.queries.requests import REFERENCE_COLUMNS, Wanted
from explorer.queries.timeline import DRAWN, NULL
from explorer.queries.window import Window
from tests.lake_fixture import Sample


def point(sample: Sample, name: str) -> dict:
    return points.one(sample.lake, sample.ids[name])


def served(sample: Sample, name: str, window: Window) -> list[dict]:
    row = point(sample, name)
    return requests.many(sample.lake, row, Wanted(window), limit=1_000).rows


@pytest.mark.parametrize("window", [Window("all"), Window("warmup"), Window("all", 5.0, 20.0)])
def test_columns_equal_the_requests_served(sample_lake: Sample, window: Window) -> None:
    rows = served(sample_lake, "high", window)
    columns = timeline.columns(
        sample_lake.lake, point(sample_lake, "high"), window, ("request_id",)
    )
    assert rows
    assert columns["request_id"].tolist() == [row["request_id"] for row in rows]
    assert columns["ordinal"].tolist() == [row["ordinal"] for row in rows]
    for name in ("isl_tokens", "osl_tokens", "cached_tokens", "error_code", "turn"):
        wanted = [NULL if row[name] is None else row[name] for row in rows]
        assert columns[name].tolist() == wanted
    for name in ("conversation", "agent", "status", "phase", "error_type", "client_worker"):
        assert columns[name].tolist() == [row[name] for row in rows]
    assert (columns["start_ns"] / 1e9).tolist() == [row["start_s"] for row in rows]


def test_drawn_columns_are_columns_of_the_lake() -> None:
    assert set(DRAWN) <= {column.name for column in REQUEST_COLUMNS}


def test_counts_add_up_to_what_the_point_states(sample_lake: Sample) -> None:
    row = point(sample_lake, "high")
    counts = timeline.counts(sample_lake.lake, row, "profiling")
    assert counts.sum("profiling") == row["requests_total"]
    assert counts.sum("profiling", "failed") == row["requests_failed"] == 1
    assert counts.sum("profiling", "cancelled") == row["requests_cancelled"] == 1
    assert counts.sum("warmup") == row["requests_warmup"]
    assert counts.sum() == row["requests_total"] + row["requests_warmup"]
    assert counts.trees == 8
    ends = [one["end_s"] for one in served(sample_lake, "high", Window())]
    assert counts.span_s == pytest.approx(max(ends))


def test_the_header_names_the_dataset_only_where_it_is_bound(sample_lake: Sample) -> None:
    bound = timeline.about(sample_lake.lake, point(sample_lake, "high"))
    assert (bound["dataset"], bound["dataset_unbound"]) == ("sample-set", None)
    assert bound["series"] == ["requests_running", "requests_waiting", "kv_usage_ratio"]
    assert timeline.about(sample_lake.lake, point(sample_lake, "low"))["dataset"] is None


@pytest.mark.parametrize("name", ["high", "low"])
def test_the_table_of_requests_equals_the_pages_of_them(sample_lake: Sample, name: str) -> None:
    window = Window("all", 2.0, 60.0)
    table = requests.table(sample_lake.lake, point(sample_lake, name), window).to_pylist()
    rows = served(sample_lake, name, window)
    references = [column.name for column in REFERENCE_COLUMNS]
    assert [{k: v for k, v in one.items() if k not in references} for one in table] == [
        {k: v for k, v in row.items() if k != "dataset_ref"} for row in rows
    ]
    for one, row in zip(table, rows, strict=True):
        reference = row["dataset_ref"] or dict.fromkeys(
            ("dataset", "conversation", "agent", "turn")
        )
        assert [one[key] for key in references] == list(reference.values())


def test_a_point_without_requests_has_an_empty_table(sample_lake: Sample) -> None:
    assert requests.table(sample_lake.lake, point(sample_lake, "split"), Window()).num_rows == 0
