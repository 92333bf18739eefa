"""Points by id, alias, filter; their flat form; derived metrics at a view's prices."""

from __future__ import annotations

import pytest

from explorer.domain import metrics, view_state
from explorer.domain.view_state import ViewState
from explorer.errors import NotFoundError, UsageError
from explorer.queries import points
from tests.lake_fixture import ALIAS, FIRST_NAME, Sample

CONTRACT = [
    "point_id", "revision", "aliases", "run_id", "source", "format", "status", "valid", "date",
    "model", "model_raw", "hw", "hw_raw", "engine", "engine_version", "precision", "spec",
    "mode", "nodes", "gpus", "tp", "pp", "ep", "dp_attention", "dcp", "prefill", "decode",
    "parallelism", "concurrency", "scenario", "workload", "isl", "osl", "dataset", "harness",
    "kv_offload", "kv_offload_backend", "kv_offload_backend_version", "kv_transfer", "router",
    "image", "provenance_url", "planned_duration_s", "warnings", "requests_total",
    "requests_ok", "requests_failed", "requests_cancelled", "requests_overflow",
    "requests_warmup", "errors", "metrics", "has", "links",
]  # fmt: skip


def ids(page) -> list[str]:
    return [row["point_id"] for row in page.rows]


def test_one_decodes_json_columns(sample_lake: Sample):
    row = points.one(sample_lake.lake, sample_lake.ids["crashed"])
    assert row["errors"] == [{"code": 500, "n": 32, "type": "HTTPError"}]
    assert row["warnings"] == []
    assert row["redirected_from"] is None


def test_one_follows_an_alias_and_says_so(sample_lake: Sample):
    row = points.one(sample_lake.lake, sample_lake.ids[ALIAS])
    assert row["point_id"] == sample_lake.ids["other"]
    assert row["redirected_from"] == sample_lake.ids[ALIAS]


def test_an_unknown_id_is_not_found(sample_lake: Sample):
    with pytest.raises(NotFoundError, match="nothere"):
        points.one(sample_lake.lake, "nothere")


def test_a_removed_point_stays_in_the_snapshot_that_had_it(sample_lake: Sample):
    gone = sample_lake.ids["gone"]
    assert points.one(sample_lake.lake, gone, FIRST_NAME)["run_id"] == "run-gone"
    with pytest.raises(NotFoundError):
        points.one(sample_lake.lake, gone)


def test_the_golden_cost_formula_holds_at_the_tables_rate(sample_lake: Sample):
    row = points.one(sample_lake.lake, sample_lake.ids["low"])
    per_gpu = row["total_tps_per_gpu"]
    assert row["usd_per_mtok_total"] == pytest.approx(1.73 / (per_gpu * 3600 / 1e6), rel=1e-12)
    assert row["tok_per_usd_total"] == pytest.approx(per_gpu * 3600 / 1.73, rel=1e-12)
    assert row["tps_per_mw_total"] == pytest.approx(per_gpu * 1000 / 1.71, rel=1e-12)
    assert row["j_per_tok_output"] == pytest.approx(1710 / row["output_tps_per_gpu"], rel=1e-12)


def test_a_readers_own_rate_changes_cost_and_nothing_else(sample_lake: Sample):
    lake, point = sample_lake.lake, sample_lake.ids["low"]
    plain = points.one(lake, point)
    own = points.one(lake, point, state=view_state.parse("rate.b200=3.46"))
    assert own["usd_per_mtok_total"] == pytest.approx(2 * plain["usd_per_mtok_total"])
    assert own["tps_per_mw_total"] == plain["tps_per_mw_total"]
    assert own["p90_ttft_s"] == plain["p90_ttft_s"]


def test_hardware_without_a_price_has_null_cost(sample_lake: Sample):
    row = points.one(sample_lake.lake, sample_lake.ids["unpriced"])
    assert row["total_tps_per_gpu"] == pytest.approx(175.0)
    assert row["usd_per_mtok_total"] is None
    assert row["price_rate"] is None


def test_payload_has_every_key_of_the_contract(sample_lake: Sample):
    payload = points.payload(points.one(sample_lake.lake, sample_lake.ids["high"]))
    assert set(CONTRACT) <= set(payload)
    assert list(payload["metrics"]) == [metric.key for metric in metrics.METRICS]
    assert payload["concurrency"] == 8
    assert isinstance(payload["concurrency"], int)
    assert payload["has"] == {
        "requests": True, "series": True, "gpu": False, "logs": False, "conversations": True,
    }  # fmt: skip


def test_payload_of_a_split_point_nests_its_roles(sample_lake: Sample):
    payload = points.payload(points.one(sample_lake.lake, sample_lake.ids["split"]))
    assert payload["prefill"] == {
        "tp": None, "ep": 8, "dp_attention": None, "workers": 1, "gpus": 8,
    }  # fmt: skip
    assert payload["decode"]["gpus"] == 12
    assert payload["links"]["requests"] is None
    assert payload["links"]["series"] is None


def test_links_carry_the_pin(sample_lake: Sample):
    row = points.one(sample_lake.lake, sample_lake.ids["low"])
    links = points.payload(row, FIRST_NAME)["links"]
    point = sample_lake.ids["low"]
    assert links["self"] == f"/api/v1/points/{point}?snap=first"
    assert links["page"] == f"/points/{point}?snap=first"
    assert links["series"] == f"/api/v1/points/{point}/series?snap=first"


def test_many_is_sorted_by_id_and_pages_give_each_point_once(sample_lake: Sample):
    lake, state = sample_lake.lake, ViewState()
    whole = ids(points.many(lake, state))
    assert whole == sorted(whole)
    assert len(whole) == 7
    seen, cursor = [], None
    while True:
        page = points.many(lake, state, limit=3, cursor=cursor)
        seen += ids(page)
        cursor = page.next
        if cursor is None:
            break
    assert seen == whole


@pytest.mark.parametrize(
    "sort", ["p90_ttft_s", "-p90_ttft_s", "-usd_per_mtok_total", "hw", "-status"]
)
def test_sorted_pages_equal_the_whole_with_missing_values_last(sample_lake: Sample, sort: str):
    lake, name = sample_lake.lake, sort.lstrip("-")
    whole = points.many(lake, ViewState(), sort=sort)
    values = [row[name] for row in whole.rows]
    known = [value for value in values if value is not None]
    assert values == sorted(known, reverse=sort.startswith("-")) + [None] * (7 - len(known))
    seen, cursor = [], None
    for _ in range(7):
        page = points.many(lake, ViewState(), sort=sort, limit=1, cursor=cursor)
        seen += ids(page)
        cursor = page.next
    assert cursor is None
    assert seen == ids(whole)


def test_a_cursor_stays_in_its_snapshot(sample_lake: Sample):
    lake = sample_lake.lake
    page = points.many(lake, ViewState().having(snap=sample_lake.first), limit=1)
    rest = points.many(lake, ViewState(), limit=10, cursor=page.next)
    assert rest.snapshot.snap == sample_lake.first
    names = ("low", "other", "gone")
    assert ids(page) + ids(rest) == sorted(sample_lake.ids[name] for name in names)


def test_a_cursor_serves_its_own_question_only(sample_lake: Sample):
    cursor = points.many(sample_lake.lake, ViewState(), limit=1).next
    other = view_state.parse("hw=b200")
    with pytest.raises(UsageError, match="other parameters"):
        points.many(sample_lake.lake, other, limit=1, cursor=cursor)
    pinned = ViewState().having(snap=sample_lake.first)
    with pytest.raises(UsageError, match="belongs to snapshot"):
        points.many(sample_lake.lake, pinned, limit=1, cursor=cursor)


def test_joint_limits_leave_out_what_misses_one_or_lacks_the_value(sample_lake: Sample):
    state = view_state.parse("ttft_max=1.28&cost_max=2")
    found = set(ids(points.many(sample_lake.lake, state)))
    expected = set()
    for row in points.many(sample_lake.lake, ViewState()).rows:
        ttft, cost = row["p90_ttft_s"], row["usd_per_mtok_total"]
        if ttft is not None and cost is not None and ttft <= 1.28 and cost <= 2:
            expected.add(row["point_id"])
    assert found == expected
    assert sample_lake.ids["unpriced"] not in found
    assert found


def test_an_unknown_sort_names_the_nearest(sample_lake: Sample):
    with pytest.raises(UsageError) as caught:
        points.many(sample_lake.lake, ViewState(), sort="p90_tft_s")
    assert caught.value.hint == "Did you mean p90_ttft_s?"
