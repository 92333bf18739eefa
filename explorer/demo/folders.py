"""Folders of one simulated point or run, exactly as AIPerf and the CI leave them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from explorer.demo.aiperf_files import RequestLines, write_json
from explorer.demo.chance import mix_text
from explorer.demo.fixed import fixed_row
from explorer.demo.log_files import launch_command, log_lines, pool_lines, telemetry_lines
from explorer.demo.measured import Measured, Times
from explorer.demo.plan import AgenticPoint, FixedRun
from explorer.demo.rates import engine_rates
from explorer.demo.replay import Replay
from explorer.demo.rows import OFFLOAD_BACKENDS, agentic_row
from explorer.demo.server_metrics_files import METERED, scrape_lines, write_parquet
from explorer.demo.summary_file import summary_document
from explorer.demo.traces import write_traces
from explorer.demo.workload import Session


def write_meta(folder: Path, fields: dict[str, Any]) -> None:
    """Write ``explorer.toml``: that the folder is simulated, and what its files do not say."""
    lines = [f"{key} = {json.dumps(value)}" for key, value in fields.items() if value is not None]
    folder.joinpath("explorer.toml").write_text("\n".join(lines) + "\n", "utf-8")


def _meta(point: AgenticPoint) -> dict[str, Any]:
    one = point.deployment
    shape = one.decode
    size = shape.gpus // shape.workers
    parallel = shape.ranks > shape.workers
    return {
        "source": "simulated",
        "date": point.date,
        "run": f"simulated-{point.date}",
        "hw": one.hw,
        "gpus": one.gpus,
        "engine": one.engine,
        "engine_version": engine_rates()["engine"][one.engine]["version"],
        "precision": one.precision,
        "model": one.model,
        "tp": None if one.prefill else size,
        "ep": None if one.prefill else size if parallel else 1,
        "dp_attention": None if one.prefill else parallel,
        "kv_offload": "dram" if one.dram_ratio else "none",
        "kv_offload_backend": OFFLOAD_BACKENDS[one.engine][0] if one.dram_ratio else None,
        "spec": one.spec,
        "dataset": point.dataset,
    }


def build_point(point: AgenticPoint, sessions: list[Session], out: Path) -> Path:
    """Replay a point and write its folder below ``out``; return the folder."""
    outcome = Replay(point.replay, point.deployment, sessions).run()
    started = datetime.fromisoformat(point.date).replace(hour=9, tzinfo=UTC)
    measured = Measured(outcome, Times(started))
    folder = out / point.name
    if point.layout == "private":
        _write_run(folder, point, measured, len(sessions))
        return folder
    bench, run = folder / f"bmk_agentic_{point.name}", folder / f"agentic_{point.name}"
    bench.mkdir(parents=True)
    write_json(bench / f"{point.name}.json", agentic_row(measured, point.dataset, len(sessions)))
    write_meta(bench, _meta(point))
    _write_run(run / "aiperf_artifacts", point, measured, len(sessions))
    _write_logs(run, point, measured)
    return folder


def _write_run(folder: Path, point: AgenticPoint, measured: Measured, entries: int) -> None:
    folder.mkdir(parents=True)
    outcome, times = measured.outcome, measured.times
    seed = mix_text(point.name)
    benchmark_id = f"{seed & 0xFFFFFFFFFFFF:012x}"
    _write_lines(folder / "profile_export.jsonl", RequestLines(outcome, times, seed).lines())
    document = summary_document(measured, benchmark_id, point.dataset, entries)
    write_json(folder / "profile_export_aiperf.json", document)
    if point.metrics == "jsonl":
        _write_lines(folder / "server_metrics_export.jsonl", scrape_lines(outcome, times))
    elif point.metrics == "parquet" and point.deployment.engine in METERED:
        write_parquet(outcome, times, benchmark_id, folder / "server_metrics_export.parquet")
    if point.telemetry:
        _write_lines(folder / "gpu_telemetry_export.jsonl", telemetry_lines(outcome, times))
    write_meta(folder, _meta(point))


def _write_logs(run: Path, point: AgenticPoint, measured: Measured) -> None:
    """Write the server's log; the ten-second lines only where no metrics file has them."""
    times = measured.times
    if point.metrics == "log":
        lines = log_lines(measured.outcome, times)
    else:
        lines = pool_lines(point.deployment, times.ns(0.0))
    _write_lines(run / "server.log", lines)
    if point.deployment.engine == "vllm":
        run.joinpath("vllm_command.txt").write_text(launch_command(point.deployment), "utf-8")


def _write_lines(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        stream.writelines(lines)


def build_fixed(run: FixedRun, out: Path) -> Path:
    """Write the rows of one fixed-sequence run as the CI's array; return the folder."""
    one = run.deployment
    name = f"sim_fixed_{one.model.rpartition('/')[2].lower()}_{one.hw}_{one.engine}"
    folder = out / f"{name}_{one.precision}_{one.spec}_{run.date}" / "results_bmk"
    folder.mkdir(parents=True)
    image = f"{engine_rates()['engine'][one.engine]['image']}.sim{run.build}"
    rows = [
        fixed_row(one, sequence, lanes, run.date, run.pace, image)
        for sequence in run.sequences
        for lanes in run.lanes
    ]
    write_json(folder / "agg_bmk.json", rows)
    write_meta(
        folder,
        {
            "source": "simulated",
            "date": run.date,
            "run": f"simulated-{run.date}",
        },
    )
    return folder.parent


def build_dataset(name: str, sessions: list[Session], out: Path) -> Path:
    """Write a dataset's traces; return the folder."""
    folder = out / name
    write_traces(sessions, folder)
    write_meta(folder, {"source": "simulated", "dataset": name})
    return folder
