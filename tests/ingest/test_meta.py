"""Completions by the user."""

from __future__ import annotations

from pathlib import Path

import pytest

from explorer.errors import UsageError
from explorer.ingest.meta import read_meta


def _read(tmp_path: Path, text: str):
    (tmp_path / "m.toml").write_text(text)
    return read_meta(tmp_path / "m.toml")


def test_every_key_of_the_contract_becomes_a_field(tmp_path: Path):
    text = (
        'hw = "b200"\ngpus = 8\nengine = "vllm"\nengine_version = "0.22"\nprecision = "fp4"\n'
        'model = "kimik2.5"\ntp = 4\nep = 1\ndp_attention = true\nkv_offload = "dram"\n'
        'kv_offload_backend = "lmcache"\nspec = "mtp"\ndate = 2026-06-02\nrun = "r1"\n'
        'provenance_url = "https://example.org"\ndataset = "weka"\nsource = "third_party"\n'
    )
    assert _read(tmp_path, text) == {
        "hw_raw": "b200",
        "gpus": 8,
        "engine_raw": "vllm",
        "engine_version": "0.22",
        "precision": "fp4",
        "model": "kimik2.5",
        "tp": 4,
        "ep": 1,
        "dp_attention": True,
        "kv_offload": "dram",
        "kv_offload_backend": "lmcache",
        "spec": "mtp",
        "date": "2026-06-02",
        "run_id": "r1",
        "provenance_url": "https://example.org",
        "dataset_raw": "weka",
        "source": "third_party",
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("hardware = 'b200'", "unknown key hardware"),
        ("gpu = 8", "Did you mean gpus?"),
        ("gpus = 'eight'", "expected a whole number from 1, found 'eight'"),
        ("gpus = true", "expected a whole number"),
        ("dp_attention = 1", "expected true or false"),
        ("date = 'June'", "YYYY-MM-DD"),
        ("source = 'guess'", "measured or mock or simulated or third_party"),
        ("hw = ", "no TOML"),
    ],
)
def test_wrong_completions_say_what_was_expected(tmp_path: Path, text: str, said: str):
    with pytest.raises(UsageError) as caught:
        _read(tmp_path, text)
    assert said in str(caught.value)


def test_a_missing_file_is_a_usage_error(tmp_path: Path):
    with pytest.raises(UsageError):
        read_meta(tmp_path / "none.toml")
