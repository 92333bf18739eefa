"""`where`: requests and series of the requests that a range of the point page chooses."""

from __future__ import annotations

from explorer.domain.addresses import API
from tests.lake_fixture import Sample


def ask(client, sample: Sample, part: str, query: str):
    return client.get(f"{API}/points/{sample.ids['high']}/{part}?{query}")


def test_requests_keep_to_the_ranges_page_by_page(client, sample_lake: Sample) -> None:
    every = ask(client, sample_lake, "requests", "limit=1000").json["data"]
    expected = [
        row["request_id"]
        for row in every
        if row["isl_tokens"] is not None
        and 1000 <= row["isl_tokens"] <= 20000
        and row["ttft_s"] is not None
        and row["ttft_s"] >= 0.1
    ]
    where = "where=isl_tokens:1000..20000;ttft_s:0.1.."
    first = ask(client, sample_lake, "requests", f"{where}&limit=7").json
    found = [row["request_id"] for row in first["data"]]
    while cursor := first["meta"]["next"]:
        first = ask(client, sample_lake, "requests", f"{where}&limit=7&cursor={cursor}").json
        found += [row["request_id"] for row in first["data"]]
    assert found == expected
    assert 7 < len(found) < len(every)


def test_a_cursor_is_of_its_own_ranges(client, sample_lake: Sample) -> None:
    first = ask(client, sample_lake, "requests", "where=ttft_s:0..9&limit=3").json
    cursor = first["meta"]["next"]
    other = ask(client, sample_lake, "requests", f"where=ttft_s:0..8&limit=3&cursor={cursor}")
    assert other.status_code == 400


def test_series_of_requests_keep_to_the_ranges_and_the_server_s_do_not(
    client, sample_lake: Sample
) -> None:
    names = "names=completed,kv_usage_ratio"

    def last(query: str) -> dict[str, float]:
        rows = ask(client, sample_lake, "series", f"{names}&{query}").json["data"]
        return {row["name"]: row["value"][-1] for row in rows if row["engine"] is None}

    whole, part = last("budget=60"), last("budget=60&where=isl_tokens:1..9000")
    kept = ask(client, sample_lake, "requests", "limit=1000&status=ok&where=isl_tokens:1..9000")
    assert part["completed"] == len(kept.json["data"]) < whole["completed"]
    assert part.get("kv_usage_ratio") == whole.get("kv_usage_ratio")


def test_what_is_no_range_is_refused(client, sample_lake: Sample) -> None:
    for text in ("ttft_s:9..1", "colour:1..2", "ttft_s"):
        answer = ask(client, sample_lake, "requests", f"where={text}")
        assert answer.status_code == 400
        assert "where" in answer.json["error"]["message"]
