"""Environment to frozen settings: the only place that reads os.environ."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Settings:
    """What a process needs to know before it starts; paths are absolute.

    `public_url` is where readers reach the server, without a slash at its end; empty: as each
    request says.
    """

    lake: Path
    host: str = "127.0.0.1"
    port: int = 8050
    cache_url: str = ""
    memory_mb: int = 1024
    threads: int = 2
    public_url: str = ""


def default_lake(env: Mapping[str, str] | None = None) -> Path:
    """Return the lake used when none is named: EXPLORER_LAKE, the checkout's, else ./lake."""
    env = os.environ if env is None else env
    if named := env.get("EXPLORER_LAKE"):
        return Path(named).expanduser().resolve()
    if (CHECKOUT / "pyproject.toml").exists():
        return CHECKOUT / "data" / "lake"
    return Path("lake").resolve()


def from_environment(env: Mapping[str, str] | None = None) -> Settings:
    """Return the settings that EXPLORER_* variables describe."""
    env = os.environ if env is None else env
    return Settings(
        lake=default_lake(env),
        host=env.get("EXPLORER_HOST", "127.0.0.1"),
        port=int(env.get("EXPLORER_PORT", "8050")),
        cache_url=env.get("EXPLORER_CACHE_URL", ""),
        memory_mb=int(env.get("EXPLORER_MEMORY_MB", "1024")),
        threads=int(env.get("EXPLORER_THREADS", "2")),
        public_url=_public_url(env.get("EXPLORER_PUBLIC_URL", "")),
    )


def _public_url(text: str) -> str:
    """Return a server's public address; ValueError when it is none."""
    if text and not re.fullmatch(r"https?://[^/?#\s]+/?", text):
        raise ValueError(
            f"EXPLORER_PUBLIC_URL: expected https://host (perhaps a port, no path), found {text!r}."
        )
    return text.rstrip("/")
