"""Labels and GPU counts of a deployment's shape: TP8, DEP8, 1xDEP8+1xDEP12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def shape(tp: int | None, ep: int | None, dp_attention: bool | None) -> str | None:
    """Return the label of one worker: DEP8 for DP attention over experts, TEP8, DP8, else TP8."""
    if not tp:
        return None
    size = max(tp, ep or 1) if dp_attention else tp
    if dp_attention:
        return f"DEP{size}" if (ep or 1) > 1 else f"DP{size}"
    return f"TEP{tp}" if (ep or 1) > 1 else f"TP{tp}"


def label(fields: Mapping[str, Any]) -> str | None:
    """Return the deployment's label from point fields; null when nothing is known."""
    if fields.get("mode") == "disagg":
        roles = [_role(fields, role) for role in ("prefill", "decode")]
        return "+".join(roles) if all(roles) else None  # type: ignore[arg-type]
    base = shape(fields.get("tp"), fields.get("ep"), fields.get("dp_attention"))
    pp = fields.get("pp") or 1
    return f"{base}PP{pp}" if base and pp > 1 else base


def _role(fields: Mapping[str, Any], role: str) -> str | None:
    one = shape(
        fields.get(f"{role}_tp"), fields.get(f"{role}_ep"), fields.get(f"{role}_dp_attention")
    )
    workers = fields.get(f"{role}_workers")
    if one is None:
        return None
    return f"{workers}x{one}" if workers else one


def gpus(fields: Mapping[str, Any]) -> int | None:
    """Return all GPUs of a deployment: tp·pp·pcp, or Σ roles; ep and dcp live inside tp."""
    if fields.get("mode") == "disagg":
        roles = [fields.get("prefill_gpus"), fields.get("decode_gpus")]
        return sum(roles) if all(roles) else None  # type: ignore[arg-type]
    tp = fields.get("tp")
    return tp * (fields.get("pp") or 1) * (fields.get("pcp") or 1) if tp else None
