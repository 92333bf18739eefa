from __future__ import annotations

import json
import math
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from explorer.errors import InputError
from explorer.ingest import (
    cache,
    server_metrics_csv,
    server_metrics_json,
    server_metrics_jsonl,
    server_metrics_parquet,
)
from explorer.ingest.aiperf_requests import read_requests
from explorer.ingest.server_metric_names import WANTED
from explorer.ingest.server_metrics import (
    Folded,
    Key,
    Scrapes,
    Stream,
    fold,
    growth,
    series_table,
)
from explorer.store.schema import SERIES
from tests.ingest.aiperf_samples import AIPERF, ZERO

V013 = AIPERF / "v013"
SOURCE = "vllm:prompt_tokens_by_source"
READERS = {
    "jsonl": server_metrics_jsonl.read,
    "parquet": server_metrics_parquet.read,
    "json": server_metrics_json.read,
    "csv": server_metrics_csv.read,
}
EXPECTED = {"local_compute": 336.0, "local_cache_hit": 264.0, "external_kv_transfer": 50.0}


def _folded(kind: str, folder: Path = V013, zero_ns: int = ZERO) -> Folded:
    return fold(READERS[kind](folder / f"server_metrics_export.{kind}"), zero_ns)


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv"])
def test_every_format_gives_the_same_totals_of_the_profiling_window(kind: str):
    totals = cache.totals_by_name(_folded(kind))
    found = {source: totals[f"prompt_tokens_by_source.{source}"] for source in EXPECTED}
    assert found == EXPECTED
    assert totals["prompt_tokens"] == 650


@pytest.mark.parametrize("kind", ["jsonl", "json", "csv"])
def test_hit_ratios_are_shares_of_all_prompt_tokens(kind: str):
    found = cache.ratios(cache.totals_by_name(_folded(kind)))
    assert found is not None
    assert found.source == "prompt_tokens_by_source"
    assert (found.gpu, found.second) == pytest.approx((264 / 650, 50 / 650))
    assert found.overall == pytest.approx(314 / 650)


def test_raw_counters_count_from_the_last_scrape_at_or_before_zero():
    assert growth([-10, -1, 5, 9], [100, 110, 150, 160], 0) == (50, False)
    assert growth([0, 5], [100, 150], 0) == (50, False)
    assert growth([5, 9], [100, 160], 0) == (60, True)


def test_a_counter_that_drops_has_restarted_from_zero():
    assert growth([0, 1, 2], [100, 120, 30], None) == (50, False)


def test_engines_are_pools_and_their_series_stand_apart():
    folded = _folded("jsonl")
    assert folded.samples[Key("requests_running", "0", None)][1] == [0, 0, 1, 2, 0]
    assert folded.samples[Key("requests_running", "1", None)][1] == [0, 0, 0, 1, 0]
    assert folded.totals[Key("requests_completed", "0", None)] == 3


def test_peak_of_a_raw_gauge_is_of_profiling_alone():
    scrapes = READERS["jsonl"](V013 / "server_metrics_export.jsonl")
    usage = next(s for s in scrapes.streams if s.metric == "vllm:kv_cache_usage_perc")
    usage.values[1] = 0.99
    assert fold(scrapes, ZERO).peaks[Key("kv_usage_ratio", "0", None)] == 0.9


def test_gauges_above_one_and_a_half_are_percent():
    stream = Stream("vllm:gpu_cache_usage_perc", "e", {}, [1, 2], [40.0, 88.0])
    folded = fold(Scrapes("jsonl", [stream], True), 0)
    assert folded.peaks[Key("kv_usage_ratio", "0", None)] == 0.88
    assert folded.samples[Key("kv_usage_ratio", "0", None)] == ([1, 2], [0.4, 0.88])


def test_tensor_and_pipeline_ranks_are_copies_of_one_pool():
    streams = [
        Stream("sglang:token_usage", "e", {"tp_rank": str(tp), "pp_rank": str(pp)}, [1], [0.5])
        for tp in (0, 1)
        for pp in (0, 1)
    ]
    pool = [
        Stream("sglang:max_total_num_tokens", "e", {"tp_rank": tp, "dp_rank": dp}, peak=100.0)
        for tp in "01"
        for dp in "01"
    ]
    folded = fold(Scrapes("csv", [*streams, *pool]), None)
    assert folded.samples == {Key("kv_usage_ratio", "0", None): ([1], [0.5])}
    assert folded.pool_tokens == {"0": 100.0, "1": 100.0}


def test_two_api_servers_that_mirror_the_same_values_count_once():
    streams = [
        Stream("vllm:prompt_tokens", url, {"engine": "0"}, [1, 2], [0.0, 70.0])
        for url in ("http://a", "http://b")
    ]
    assert cache.totals_by_name(fold(Scrapes("jsonl", streams, True), 0)) == {"prompt_tokens": 70.0}


def test_two_servers_with_their_own_values_are_two_engines_without_their_addresses():
    streams = [
        Stream("vllm:prompt_tokens", f"http://10.0.0.{n}", {"engine": "0"}, [1, 2], [0.0, 70.0 + n])
        for n in (1, 2)
    ]
    folded = fold(Scrapes("jsonl", streams, True), 0)
    assert {key.engine for key in folded.totals} == {"0.0", "1.0"}
    assert cache.totals_by_name(folded) == {"prompt_tokens": 143.0}


def test_disaggregated_ratios_are_those_of_prefill_engines():
    streams = [
        Stream(
            "vllm:prompt_tokens_by_source",
            "e",
            {"dp_rank": rank, "role": role, "source": s},
            total=n,
        )
        for rank, role, numbers in (("0", "prefill", (60, 40)), ("1", "decode", (1, 999)))
        for s, n in zip(("local_compute", "local_cache_hit"), numbers, strict=True)
    ]
    found = cache.ratios(cache.totals_by_name(fold(Scrapes("csv", streams), None)))
    assert found is not None
    assert found.gpu == 0.4
    assert found.metrics(disaggregated=True).keys() == {
        "gpu_cache_hit_ratio", "external_cache_hit_ratio", "overall_cache_hit_ratio",
    }  # fmt: skip


def test_sglang_tiers_come_from_cached_tokens_and_the_rest_was_computed():
    def cached(tier: str, values: list[float]) -> Stream:
        return Stream("sglang:cached_tokens_total", "e", {"cache_source": tier}, [0, 5, 9], values)

    prompt = Stream("sglang:prompt_tokens_total", "e", {}, [0, 5, 9], [0.0, 50.0, 100.0])
    streams = [prompt, cached("device", [0.0, 20.0, 40.0]), cached("host", [0.0, 0.0, 10.0])]
    folded = fold(Scrapes("jsonl", streams, True), 0)
    assert cache.ratios(cache.totals_by_name(folded)) == (0.4, 0.1, 0.5, "cached_tokens_by_tier")
    computed = Key("prompt_tokens_by_source.computed", "0", None)
    assert folded.samples[computed] == ([0, 5, 9], [0.0, 30.0, 50.0])
    assert folded.totals[computed] == 50


def test_a_host_tier_never_hit_is_zero_and_an_absent_one_is_null():
    totals = {"prompt_tokens": 100.0, "prompt_tokens_by_source.device": 40.0}
    assert cache.ratios(totals, has_host_tier=True) == (0.4, 0.0, 0.4, "cached_tokens_by_tier")
    assert cache.ratios(totals) == (0.4, None, 0.4, "cached_tokens_by_tier")


def test_hits_over_queries_serve_only_where_queries_match_prompt_tokens():
    totals = {"prompt_tokens": 100.0, "prefix_cache_queries": 104.0, "prefix_cache_hits": 52.0}
    assert cache.ratios(totals) == (0.5, None, 0.5, "hits_over_queries")
    inflated = {**totals, "prefix_cache_queries": 700.0}
    assert cache.ratios(inflated) is None
    assert cache.queries_inflated(inflated)


@pytest.mark.parametrize("separator", [":", "_"])
def test_atom_counts_lmcache_loads_inside_cached(separator: str):
    counters = {"prefix_cache_full_tokens": 100, "prefix_cache_cached_tokens": 60}
    counters |= {"lmcache_loaded_tokens": 20, "prompt_tokens": 100}
    streams = [
        Stream(f"atom{separator}{name}_total", "e", {}, total=float(value))
        for name, value in counters.items()
    ]
    assert all(stream.metric in WANTED for stream in streams)
    found = cache.ratios(cache.totals_by_name(fold(Scrapes("csv", streams), None)))
    assert found is not None
    assert found[:3] == pytest.approx((0.4, 0.2, 0.6))
    assert found.source == "cached_over_full"


def test_acceptance_length_is_one_plus_accepted_per_draft():
    assert cache.spec_acceptance_length({"spec_drafts": 10.0, "spec_accepted_tokens": 15.0}) == 2.5
    assert cache.spec_acceptance_length({"spec_drafts": 0.0, "spec_accepted_tokens": 0.0}) is None


def test_an_exact_pool_statement_beats_blocks_times_size():
    def info(**labels: str) -> Stream:
        return Stream("vllm:cache_config_info", "e", {"engine": "0", **labels}, peak=1.0)

    counted = fold(Scrapes("csv", [info(num_gpu_blocks="100", block_size="16")]), None)
    assert (counted.pool_tokens, counted.pool_is_exact) == ({"0": 1600.0}, False)
    stated = info(num_gpu_blocks="100", block_size="16", kv_cache_size_tokens="3210")
    exact = fold(Scrapes("csv", [stated]), None)
    assert (exact.pool_tokens, exact.pool_is_exact) == ({"0": 3210.0}, True)


def test_csv_info_tables_give_one_pool_per_engine():
    assert _folded("csv").pool_tokens == {"0": 1600.0, "1": 1600.0}


def test_json_time_slices_are_levels_at_the_middle_and_steps_at_the_end():
    folded = _folded("json")
    times, values = folded.samples[Key("kv_usage_ratio", "0", None)]
    assert ([t - ZERO for t in times], values) == ([450_000_000, 1_450_000_000], [0.4, 0.9])
    times, values = folded.samples[Key("prompt_tokens", "0", None)]
    assert ([t - ZERO for t in times], values) == (
        [-50_000_000, 950_000_000, 1_950_000_000],
        [0.0, 200.0, 550.0],
    )


def test_warmup_metrics_of_the_json_export_are_never_added():
    assert cache.totals_by_name(_folded("json"))["prompt_tokens"] == 650


def test_series_table_is_sorted_on_the_points_clock_without_lost_digits():
    table = series_table(_folded("jsonl").samples, ZERO)
    assert table is not None
    assert table.schema == SERIES
    rows = table.to_pylist()
    keys = [(r["name"], r["engine"], r["role"] or "", r["t_ns"]) for r in rows]
    assert keys == sorted(keys)
    running = [r["t_ns"] for r in rows if r["name"] == "requests_running" and r["engine"] == "0"]
    assert running == [-2_500_000_000, -100_000_000, 400_000_000, 1_000_000_000, 1_500_000_000]


def test_a_bad_scrape_is_noted_and_the_rest_kept(tmp_path: Path):
    path = tmp_path / "x.jsonl"
    path.write_bytes((V013 / "server_metrics_export.jsonl").read_bytes()[:-100])
    scrapes = server_metrics_jsonl.read(path)
    assert [(note.code, note.params["line"]) for note in scrapes.notes] == [("bad_lines", 5)]
    assert max(len(stream.times) for stream in scrapes.streams) == 4


def test_scrapes_with_nan_keep_their_other_values(tmp_path: Path):
    line = {"endpoint_url": "e", "timestamp_ns": 1, "metrics": {
        "vllm:num_requests_running": [{"value": math.nan}],
        "vllm:num_requests_waiting": [{"value": 3.0}],
    }}  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(line))
    folded = fold(server_metrics_jsonl.read(path), 0)
    assert folded.samples == {Key("requests_waiting", "0", None): ([1], [3.0])}


def test_parquet_reads_label_columns_whatever_they_are(tmp_path: Path):
    rows = [
        {"endpoint_url": "e", "metric_name": name, "metric_type": "counter", "timestamp_ns": t,
         "value": v, "engine": "0", "source": source, "bucket_le": None}
        for name, source, values in (
            ("vllm:prompt_tokens_by_source", "local_compute", (0.0, 30.0)),
            ("vllm:prompt_tokens_by_source", "local_cache_hit", (0.0, 70.0)),
            ("vllm:request_queue_time_seconds", None, (9.0, 9.0)),
        )
        for t, v in zip((5, 9), values, strict=True)
    ]  # fmt: skip
    path = tmp_path / "server_metrics_export.parquet"
    pq.write_table(pa.Table.from_pylist(rows), path)
    folded = _folded("parquet", tmp_path, 5)
    assert cache.ratios(cache.totals_by_name(folded)) == (0.7, None, 0.7, "prompt_tokens_by_source")
    assert len(folded.samples) == 2


def test_a_cut_parquet_file_is_unusable_with_the_reason(tmp_path: Path):
    path = tmp_path / "server_metrics_export.parquet"
    path.write_bytes(b"PAR1 and nothing more")
    with pytest.raises(InputError) as caught:
        server_metrics_parquet.read(path)
    assert caught.value.params["reason"] == "truncated"


@pytest.mark.real_data
@pytest.mark.parametrize("kind", ["jsonl", "parquet", "json", "csv"])
def test_all_four_formats_of_the_replay_give_the_true_hit_ratios(real_data: Path, kind: str):
    folder = real_data / "aiperf/c_weka_agentic_c6"
    log = read_requests(folder / "profile_export.jsonl")
    totals = cache.totals_by_name(_folded(kind, folder, log.zero_ns or 0))
    found = cache.ratios(totals)
    assert found is not None
    assert [round(x or 0, 3) for x in found[:2]] == [0.505, 0.418]
    rows = log.table.to_pylist()
    kept = [row for row in rows if row["phase"] == "profiling" and row["status"] == "ok"]
    assert totals["prompt_tokens"] == sum(row["isl_tokens"] for row in kept)


@pytest.mark.real_data
def test_ci_totals_of_the_offloaded_point_are_the_published_shares(real_data: Path):
    root = real_data / "agentx-ci/2026-07-kimik2.7-fp4-mi355x-vllm-tp4"
    [path] = root.glob("agentic_*conc32_*/aiperf_artifacts/server_metrics_export.csv")
    totals = cache.totals_by_name(fold(server_metrics_csv.read(path), None))
    found = cache.ratios(totals)
    assert found is not None
    assert [round(x or 0, 3) for x in found[:2]] == [0.058, 0.858]
    assert cache.queries_inflated(totals)
