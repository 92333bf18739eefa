"""Names as files spell them."""

from __future__ import annotations

import pytest

from explorer.domain.naming import slug, workload
from explorer.ingest.names import names


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("b200-dgxc", "b200"),
        ("cluster:mi355x-amds", "mi355x"),
        ("gb200", "gb200"),
        ("GB200-nv", "gb200"),
        ("NVIDIA B200", "b200"),
        ("NVIDIA GB300 NVL72", "gb300"),
        ("AMD Instinct MI355X", "mi355x"),
        ("NVIDIA RTX PRO 6000 Blackwell Server Edition", "rtx6000pro"),
        ("H100_SXM", "h100"),
    ],
)
def test_hardware_spellings_of_one_product(raw: str, key: str):
    assert names().hardware(raw) == (key, True)


def test_unknown_hardware_passes_through_and_is_known_not_to_be_known():
    assert names().hardware("MI999X") == ("mi999x", False)
    assert names().hardware("mib200") == ("mib200", False)
    assert names().hardware("") == (None, True)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("kimik2.5", "kimik2.5"),
        ("/lustre/fsw/models/Kimi-K2.5-NVFP4", "kimik2.5"),
        ("amd/Kimi-K2.7-Code-MXFP4", "kimik2.7"),
        ("DeepSeek-R1-0528", "dsr1"),
        ("deepseek-ai/DeepSeek-R1-0528/", "dsr1"),
        ("dsr1", "dsr1"),
    ],
)
def test_model_spellings_of_one_model(raw: str, key: str):
    assert names().model(raw) == (key, True)


def test_unknown_model_loses_its_quantisation_only():
    assert names().model("org/New-Model-FP8") == ("new-model", False)


@pytest.mark.parametrize(
    ("kind", "raw", "named"),
    [
        ("engine", "TRT-LLM", ("trt", True)),
        ("engine", "Dynamo_SGLang", ("dynamo-sglang", True)),
        ("engine", "fastserve", ("fastserve", False)),
        ("precision", "NVFP4", ("fp4", True)),
        ("spec", "EAGLE3", ("eagle3", True)),
        ("kv_offload", "none", ("none", True)),
        ("kv_offload_backend", "LMCache", ("lmcache", True)),
        ("kv_offload_backend", "native", ("native", False)),
        ("spec", None, (None, True)),
    ],
)
def test_words_of_closed_vocabularies(kind: str, raw: str | None, named: tuple):
    assert names().word(kind, raw) == named


def test_dataset_spellings_of_one_trace_set():
    slugs = {
        names().dataset("semianalysis_cc_traces_weka_062126_256k"),
        names().dataset("semianalysisai/cc-traces-weka-062126-256k"),
    }
    assert slugs == {"cc-traces-weka-062126-256k"}
    assert names().dataset("My Traces/") == "my-traces"
    assert names().dataset("  ") is None


def test_workloads_and_slugs():
    assert [workload(1024, 1024), workload(8192, 1024), workload(1024, 8192)] == [
        "1k1k",
        "8k1k",
        "1k8k",
    ]
    assert workload(512, 64) == "512-64"
    assert workload(None, 64) is None
    assert slug("../../etc") == "etc"
    assert slug("***") is None
