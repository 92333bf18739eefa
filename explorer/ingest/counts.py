"""Counts of a point's requests: profiling attempts by outcome, warm-up apart."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.compute as pc


def counts(requests: pa.Table) -> dict[str, Any]:
    """Return requests_total = ok + failed + cancelled over profiling, requests_warmup, errors.

    `errors` are failed and cancelled profiling requests as [{type, code, n}], most first.
    """
    warmup = pc.equal(requests["phase"], "warmup")
    profiling = requests.filter(pc.invert(warmup))
    outcomes = {
        status: int(pc.sum(pc.equal(profiling["status"], status)).as_py() or 0)
        for status in ("ok", "failed", "cancelled")
    }
    return {
        "requests_total": sum(outcomes.values()),
        **{f"requests_{status}": n for status, n in outcomes.items()},
        "requests_warmup": int(pc.sum(warmup).as_py() or 0),
        "errors": _errors(profiling),
    }


def _errors(profiling: pa.Table) -> list[dict[str, Any]]:
    bad = profiling.filter(pc.not_equal(profiling["status"], "ok"))
    grouped = bad.group_by(["error_type", "error_code"]).aggregate([("status", "count")])
    rows = [
        {"type": row["error_type"], "code": row["error_code"], "n": row["status_count"]}
        for row in grouped.to_pylist()
    ]
    return sorted(rows, key=lambda row: (-row["n"], str(row["type"]), str(row["code"])))


MAX_CONVERSATIONS = 5_000


def conversations(requests: pa.Table) -> list[str]:
    """Return the ids of the replayed conversations; none where there are more than 5,000."""
    found = pc.unique(requests["conversation"]).drop_null()
    return sorted(found.to_pylist()) if len(found) <= MAX_CONVERSATIONS else []
