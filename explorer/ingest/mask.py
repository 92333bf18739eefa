"""Masking: addresses, host names, user names and keys leave a text before it is stored."""

from __future__ import annotations

import re

HIDDEN = "…"

_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?i)\b(bearer\s+|api[-_]?key['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]{4,}"), rf"\1{HIDDEN}"),
    (re.compile(r"\b(?:sk|hf|ghp|gho|nvapi|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}"), HIDDEN),
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), HIDDEN),
    (re.compile(r"\b([a-z][a-z0-9+.-]*://)(?:[^\s/@'\"]+@)?(?:\[[0-9a-fA-F:]+\]|[^\s/:'\",)\]}]+)"), rf"\1{HIDDEN}"),
    (re.compile(r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])"), HIDDEN),
    (re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4}(?![\w:])"), HIDDEN),
    (re.compile(r"(?<![\w:.])[fF][eE]80::[0-9a-fA-F:]+"), HIDDEN),
    (re.compile(r"(?i)\b((?:host|hostname|node|nodename|server_name|user|username)['\"]?\s*[=:]\s*['\"]?)(?!None\b|null\b|'|\")[A-Za-z][\w.-]+(?![\w.-]|://)"), rf"\1{HIDDEN}"),
    (re.compile(r"\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|lan|corp|intra|svc|cluster)\b(?!\w)"), HIDDEN),
    (re.compile(r"(/(?:home|Users|users|root/users)/)[^/\s'\",:]+"), rf"\1{HIDDEN}"),
    (re.compile(r"/[^/\s'\",:]+(/\.(?:cache|local|config|ssh)\b)"), rf"/{HIDDEN}\1"),
)  # fmt: skip


def mask(text: str) -> str:
    """Return the text without addresses, host names, user names, e-mail addresses and keys."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    return text


def first_line(text: str, limit: int = 200) -> str:
    """Return the first non-empty line, masked, at most `limit` characters."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    masked = mask(line[: limit * 4])
    return masked if len(masked) <= limit else masked[: limit - 1] + HIDDEN
