"""The unit of every number column that leaves in a file, by its name."""

from __future__ import annotations

from explorer.domain import metrics

_ENDINGS = (
    ("_tokens", "tokens"),
    ("_blocks", "blocks"),
    ("_ratio", "ratio"),
    ("_ms", "ms"),
    ("_ns", "ns"),
    ("_gb", "GB"),
    ("_gpus", "GPUs"),
    ("_workers", "workers"),
    ("_tp", "ranks"),
    ("_ep", "ranks"),
    ("_s", "s"),
)
_COUNTED = {
    "requests": "requests aux_requests requests_total requests_ok requests_failed "
    "requests_cancelled requests_overflow requests_warmup",
    "points": "points added changed removed",
    "conversations": "conversations duplicates",
    "turns": "turns compactions",
    "sub-agents": "subagents",
    "blocks": "blocks",
    "GPUs": "gpus",
    "nodes": "nodes",
    "ranks": "tp pp ep dcp pcp",
    "tokens": "isl osl",
    "levels": "depth",
    "index": "ordinal position turn parent_turn join_turn dataset_ref_turn prefix_source "
    "source_outer_idx source_inner_idx",
    "code": "error_code",
}
"""What a column without a unit in its name counts; `index` is a 0-based place, `code` a label."""
_BY_NAME = {name: unit for unit, names in _COUNTED.items() for name in names.split()}


def unit(name: str) -> str:
    """Return the unit of a number column; an empty text where its table alone knows.

    >>> unit("p90_ttft_s"), unit("isl_tokens"), unit("tp"), unit("x")
    ('s', 'tokens', 'ranks', '')
    """
    if found := metrics.by_key().get(name):
        return found.unit
    if name in _BY_NAME:
        return _BY_NAME[name]
    return next((text for ending, text in _ENDINGS if name.endswith(ending)), "")
