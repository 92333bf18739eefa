"""What hostile files could make a parser do; performed in the sandbox by its tests."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections.abc import Iterator
from typing import Any

from explorer.errors import InputError


def perform(task: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Do what the task names."""
    yield {"value": 1}
    deed = task["deed"]
    if deed == "die":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif deed == "hoard":
        bytearray(6 << 30)
    elif deed == "spin":
        while True:
            pass
    elif deed == "call":
        socket.socket()
    elif deed == "run":
        subprocess.run(["true"], check=True)
    elif deed == "raise":
        raise ValueError("odd")
    elif deed == "refuse":
        raise InputError("x", reason="truncated", detail="line 3")
    elif deed == "talk":
        yield from ({"value": n} for n in range(1_000))
