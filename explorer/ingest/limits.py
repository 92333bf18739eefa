"""What a parsing process may use: memory, CPU time, files; no network, no other programs."""

from __future__ import annotations

import resource
import sys
from typing import Any

MEMORY_BYTES = 5 << 29
"""Address space of a worker: libraries reserve about 1 GB that they never touch."""
FILE_BYTES = 4 << 30
OPEN_FILES = 128
CPU_SECONDS = 60
CPU_SECONDS_PER_GB = 400
_FORBIDDEN = (
    "socket.",
    "subprocess.",
    "os.exec",
    "os.fork",
    "os.posix_spawn",
    "os.system",
    "pty.",
    "ctypes.",
)


def confine() -> None:
    """Limit this process for good; called before the first foreign byte is read."""
    for kind, value in (
        (resource.RLIMIT_AS, MEMORY_BYTES),
        (resource.RLIMIT_FSIZE, FILE_BYTES),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _lower(kind, value)
    sys.addaudithook(_refuse)


def _lower(kind: int, value: int) -> None:
    _, hard = resource.getrlimit(kind)
    most = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (most, most))


def _refuse(event: str, _: Any) -> None:
    if event.startswith(_FORBIDDEN):
        raise PermissionError(f"a parsing process may not use {event}")


def seconds_for(size: int) -> int:
    """Return the CPU seconds one unit of that many bytes may take."""
    return CPU_SECONDS + size * CPU_SECONDS_PER_GB // (1 << 30)


def allow_cpu(seconds: int) -> None:
    """Grant this process so many more CPU seconds; the kernel ends it beyond (SIGXCPU)."""
    used = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(used.ru_utime + used.ru_stime) + 1
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (spent + seconds, hard))
