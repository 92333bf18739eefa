"""Fixed-sequence rows, recovered names, API rows, evaluations, site CSV."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import InputError
from explorer.ingest.context import Context
from explorer.ingest.evaluations import Evaluations
from explorer.ingest.inferencex_api import ApiRows
from explorer.ingest.inferencex_rows import AggregateRows
from explorer.ingest.opening import head
from explorer.ingest.site_csv import SiteCsv
from tests.ingest.row_samples import API, CSV, FIXED, INVALID, ROWS, changed, draft, drafts


def test_fixed_row_takes_speed_from_tpot_and_leaves_the_std():
    made = draft(FIXED)
    assert made.metrics["p50_interactivity_tps"] == 5.0
    assert made.metrics["p90_interactivity_tps"] == 2.5
    assert made.metrics["p999_interactivity_tps"] == pytest.approx(1 / 0.6)
    assert "std_interactivity_tps" not in made.metrics
    assert made.fields["interactivity_source"] == "tpot"
    assert made.metrics["p90_itl_s"] == 0.8


def test_fixed_row_maps_medians_power_and_shape():
    made = draft(FIXED)
    assert made.metrics["p50_ttft_s"] == 1.8
    assert made.metrics["p999_ttft_s"] == 15.0
    assert made.metrics["measured_power_w"] == 600.0
    assert made.metrics["measured_j_per_tok_output"] == 6.0
    assert (made.fields["isl"], made.fields["osl"], made.fields["gpus"]) == (8192, 1024, 8)
    assert made.metrics["total_tps"] == 160.0 * 8


def test_blank_names_are_recovered_from_an_unambiguous_folder():
    path = next((ROWS / "blank").rglob("*.json"))
    made = draft(path)
    assert (made.fields["hw_raw"], made.fields["precision"]) == ("mi355x", "fp8")
    assert [note.code for note in made.warnings] == ["recovered_from_name"] * 2


def test_blank_names_that_no_folder_tells_are_skipped_with_what_is_missing():
    context = Context(INVALID)
    assert list(AggregateRows().read(INVALID / "blank_names.json", context)) == []
    [(reason, detail)] = context.skips
    assert reason == "incomplete_row"
    assert "framework" in detail


def test_two_precisions_in_a_name_recover_nothing(tmp_path: Path):
    path = changed(FIXED, tmp_path / "bmk_fp4_fp8_mi355x" / "agg.json", precision="")
    context = Context(tmp_path)
    assert list(AggregateRows().read(path, context)) == []
    assert context.skips[0][0] == "incomplete_row"


def test_aggregated_api_rows_count_tp_even_where_pools_hold_tp_times_ep():
    plain, product, *_ = drafts(API / "benchmarks.json", ApiRows())
    assert plain.fields["gpus"] == 8
    assert product.fields["gpus"] == 8
    assert product.metrics.get("input_tps_per_gpu") is None
    assert product.metrics["input_tps"] is None


def test_disaggregated_api_row_keeps_role_denominators():
    made = drafts(API / "benchmarks.json", ApiRows())[2]
    assert (made.fields["gpus"], made.fields["prefill_gpus"], made.fields["decode_gpus"]) == (
        16,
        8,
        8,
    )
    assert made.metrics["input_tps_per_gpu"] == 150.0
    assert made.metrics["input_tps"] == 150.0 * 8
    assert made.metrics["total_tps"] == made.metrics["input_tps"] + made.metrics["output_tps"]


def test_one_pool_in_both_fields_is_split_by_the_throughputs():
    made = drafts(API / "benchmarks.json", ApiRows())[3]
    assert made.fields["gpus"] == 36
    assert (made.fields["prefill_gpus"], made.fields["decode_gpus"]) == (4, 32)
    assert [note.code for note in made.warnings] == ["gpu_split_solved"]


def test_placeholder_row_of_zeros_has_no_numbers():
    made = drafts(API / "benchmarks.json", ApiRows())[4]
    assert all(value is None for key, value in made.metrics.items() if key != "concurrency")
    assert "placeholder_row" in {note.code for note in made.warnings}


def test_api_identity_is_run_and_cell_and_knows_no_metric():
    first, second = drafts(API / "benchmarks.json", ApiRows())[:2]
    assert first.identity["run"].endswith("/attempts/2")
    assert first.identity != second.identity
    assert "metrics" not in first.identity["cell"]
    assert first.fields["run_id"] == "25980019087/2"


def test_a_mismatch_of_the_three_throughputs_is_a_warning(tmp_path: Path):
    import json

    row = json.loads((API / "benchmarks.json").read_text())[0]
    row["metrics"]["input_tput_per_gpu"] = 10.0
    (tmp_path / "b.json").write_text(json.dumps([row]))
    made = draft(tmp_path / "b.json", ApiRows())
    assert [note.code for note in made.warnings] == ["gpu_count_mismatch"]


def test_evaluations_give_strict_match_and_their_moment():
    found = list(Evaluations().read(API / "evaluations.json", Context(API)))
    assert [one.value for one in found] == [0.95, 0.96, 0.5, 0.7]
    assert found[0].when < found[1].when
    assert found[0].fields["tp"] == 8


def test_both_unit_dialects_of_the_csv_are_the_same_seconds():
    old, new = draft(CSV / "seconds.csv", SiteCsv()), draft(CSV / "milliseconds.csv", SiteCsv())
    assert old.metrics["mean_tpot_s"] == 0.01
    assert new.metrics["mean_tpot_s"] == pytest.approx(0.01, rel=1e-12)
    assert new.metrics["p99_e2el_s"] == pytest.approx(10.5, rel=1e-12)
    assert "std_interactivity_tps" not in old.metrics


@pytest.mark.parametrize(
    ("reader", "own", "other"),
    [
        (AggregateRows(), FIXED, API / "benchmarks.json"),
        (ApiRows(), API / "benchmarks.json", API / "evaluations.json"),
        (Evaluations(), API / "evaluations.json", API / "benchmarks.json"),
        (SiteCsv(), CSV / "seconds.csv", FIXED),
    ],
)
def test_readers_know_their_own_content_and_no_other(reader, own: Path, other: Path):
    anywhere = Path("any-name")
    assert reader.sniff(anywhere, head(own))
    assert not reader.sniff(anywhere, head(other))


def test_a_truncated_row_is_unusable_with_its_reason():
    with pytest.raises(InputError) as caught:
        drafts(INVALID / "truncated_row.json")
    assert caught.value.params["reason"] == "truncated"
