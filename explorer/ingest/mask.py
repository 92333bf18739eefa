"""Masking: addresses, host names, user names and keys leave a text before it is stored."""

from __future__ import annotations

import re

HIDDEN = "…"

_KEY = r"(?:host|hostname|node|nodename|server_name|user|username)"
_NOT_A_NAME = r"(?!None\b|null\b|'|\")"
_RULES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"(?i)\b(bearer\s+|api[-_]?key['\"]?\s*[:=]\s*['\"]?)[\w.~+/=-]{4,}", rf"\1{HIDDEN}"),
        (r"\b(?:sk|hf|ghp|gho|nvapi|glpat|xox[abp])[-_][A-Za-z0-9_-]{8,}", HIDDEN),
        (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", HIDDEN),
        (
            r"\b([a-z][a-z0-9+.-]*://)(?:[^\s/@'\"]+@)?"
            r"(?:\[[0-9a-fA-F:]+\]|[^\s/:'\",)\]}]+)",
            rf"\1{HIDDEN}",
        ),
        (r"(?<![\d.])(?:\d{1,3}\.){3}\d{1,3}(?![\d.])", HIDDEN),
        (r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){4,7}[0-9a-fA-F]{1,4}(?![\w:])", HIDDEN),
        (r"(?<![\w:.])[fF][eE]80::[0-9a-fA-F:]+", HIDDEN),
        (
            rf"(?i)\b({_KEY}['\"]?\s*[=:]\s*['\"]?){_NOT_A_NAME}[A-Za-z][\w.-]+(?![\w.-]|://)",
            rf"\1{HIDDEN}",
        ),
        (r"\b[\w-]+(?:\.[\w-]+)*\.(?:internal|local|lan|corp|intra|svc|cluster)\b", HIDDEN),
        (r"(/(?:home|Users|users|root/users)/)[^/\s'\",:]+", rf"\1{HIDDEN}"),
        (r"/[^/\s'\",:]+(/\.(?:cache|local|config|ssh)\b)", rf"/{HIDDEN}\1"),
    )
)


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
