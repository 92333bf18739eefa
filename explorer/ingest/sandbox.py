"""Parsing processes: foreign files are read where a crash or a bomb costs one unit only.

Workers are fresh interpreters, never forks, live long, and are confined before their first task.
They answer in JSON over a pipe, so nothing they say can run code here.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from multiprocessing import Pipe
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from explorer.errors import InputError
from explorer.ingest import limits

MAX_MESSAGE_BYTES = 64 << 20
_BATCH = 200
_WALL_SLACK = 4
_STOP_SECONDS = 5
_FRUGAL = {
    "ARROW_DEFAULT_MEMORY_POOL": "system",
    "MALLOC_ARENA_MAX": "2",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
"""Settings that keep a worker's address space small, so that its limit bounds real use."""
_HOME = str(Path(__file__).resolve().parents[2])


@dataclass(slots=True)
class Outcome:
    """What became of a task: its records, or the reason and detail of its failure."""

    task: dict[str, Any]
    records: list[dict[str, Any]] = field(default_factory=list)
    reason: str | None = None
    detail: str = ""


def serve(connection: Connection, module: str) -> None:
    """Answer tasks with a module's `perform` until the other end closes; runs in the worker."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    perform = import_module(module).perform
    limits.confine()
    while True:
        try:
            task = json.loads(connection.recv_bytes())
        except EOFError:
            return
        limits.allow_cpu(limits.seconds_for(task.get("bytes", 0)))
        _answer(connection, task, perform)


def _answer(connection: Connection, task: dict[str, Any], perform: Any) -> None:
    """Send a task's records in batches and say how it ended."""
    batch: list[dict[str, Any]] = []
    end: dict[str, Any] = {"done": True}
    try:
        for record in perform(task):
            batch.append(record)
            if len(batch) == _BATCH:
                _send(connection, {"records": batch})
                batch = []
    except InputError as error:
        end = {"reason": error.params["reason"], "detail": error.params.get("detail", "")}
    except MemoryError:
        batch, end = [], {"reason": "too_large", "detail": "memory", "exit": True}
    except Exception as error:
        end = {"reason": "crashed", "detail": f"{type(error).__name__}: {error}"[:200]}
    _send(connection, {"records": batch, **end})
    if end.get("exit"):
        raise SystemExit(1)


def _send(connection: Connection, message: dict[str, Any]) -> None:
    connection.send_bytes(json.dumps(message).encode())


def _start(connection: Connection, module: str) -> subprocess.Popen[bytes]:
    """Start an interpreter that serves the connection, with this package and no other setting."""
    end = connection.fileno()
    code = f"from explorer.ingest.sandbox import run_worker; run_worker({end}, {module!r})"
    return subprocess.Popen(
        [sys.executable, "-P", "-c", code],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=(end,),
        env={**os.environ, "PYTHONPATH": _HOME, **_FRUGAL},
    )


def run_worker(end: int, module: str) -> None:
    """Serve the connection of an inherited file descriptor."""
    serve(Connection(end), module)


class _Worker:
    def __init__(self, module: str) -> None:
        self.connection, theirs = Pipe()
        self.process = _start(theirs, module)
        theirs.close()
        self.outcome: Outcome | None = None
        self.deadline = 0.0

    def start(self, task: dict[str, Any]) -> None:
        self.outcome = Outcome(task)
        self.deadline = time.monotonic() + _WALL_SLACK * limits.seconds_for(task.get("bytes", 0))
        # A worker that died while idle shows as end of file at the next wait.
        with suppress(OSError):
            _send(self.connection, task)

    def take(self) -> Outcome | None:
        """Read one message; return the outcome when the task has ended."""
        outcome = self.outcome
        try:
            message = json.loads(self.connection.recv_bytes(MAX_MESSAGE_BYTES))
        except (EOFError, OSError):
            return self._died()
        if outcome is None:
            return None
        outcome.records += message["records"]
        if not message.get("done") and not message.get("reason"):
            return None
        outcome.reason, outcome.detail = message.get("reason"), message.get("detail", "")
        self.outcome = None
        if message.get("exit"):
            self.end()
        return outcome

    def _died(self) -> Outcome | None:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_STOP_SECONDS)
        code = self.process.poll()
        late = time.monotonic() >= self.deadline
        self.end()
        outcome, self.outcome = self.outcome, None
        if outcome is None:
            return None
        timed_out = late or code == -signal.SIGXCPU
        outcome.reason = "timeout" if timed_out else "crashed"
        outcome.detail = _ending(code)
        return outcome

    def end(self) -> None:
        self.connection.close()
        self.process.kill()
        self.process.wait()

    @property
    def alive(self) -> bool:
        return not self.connection.closed


def _ending(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    return f"ended by {signal.Signals(-code).name}"


class Pool:
    """Up to `jobs` workers, started when there is work for them; `module` has their `perform`."""

    def __init__(self, jobs: int = 2, module: str = "explorer.ingest.work") -> None:
        self._jobs, self._module = max(1, jobs), module
        self._workers: list[_Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all workers."""
        for worker in self._workers:
            if worker.alive:
                worker.end()
        self._workers = []

    def run(self, tasks: Iterable[dict[str, Any]]) -> Iterator[Outcome]:
        """Yield the outcome of each task as it ends."""
        queue = list(tasks)[::-1]
        while queue or any(worker.outcome for worker in self._workers):
            self._hand_out(queue)
            busy = {worker.connection: worker for worker in self._workers if worker.outcome}
            for connection in wait(list(busy), timeout=self._patience(list(busy.values()))):
                ended = busy[connection].take()  # type: ignore[index]
                if ended is not None:
                    yield ended
            for worker in busy.values():
                if worker.outcome and time.monotonic() >= worker.deadline:
                    worker.process.kill()

    def _hand_out(self, queue: list[dict[str, Any]]) -> None:
        self._workers = [worker for worker in self._workers if worker.alive]
        while queue:
            idle = next((worker for worker in self._workers if not worker.outcome), None)
            if idle is None and len(self._workers) < self._jobs:
                idle = _Worker(self._module)
                self._workers.append(idle)
            if idle is None:
                return
            idle.start(queue.pop())

    def _patience(self, busy: list[_Worker]) -> float:
        return max(0.05, min(worker.deadline for worker in busy) - time.monotonic())
