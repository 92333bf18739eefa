"""Every benchmark in one go: make bench, or python -m bench [NAME ...].

Needs real input (EXPLORER_REAL_DATA, default ../shared/data) for the ones that read files; they
are left out, and said so, where there is none. Builds one lake, serves it as the Procfile does.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REAL = Path(os.environ.get("EXPLORER_REAL_DATA", ROOT.parent / "shared" / "data"))
FOLDERS = ("agentx-ci", "inferencex-api", "inferencex-csv", "inferencex-fixed-seq", "aiperf")
Run = Callable[[str, Path], list[str]]

BENCHES: dict[str, Run] = {
    "ingest": lambda address, lake: [str(REAL / name) for name in FOLDERS],
    "first_paint": lambda address, lake: [f"{address}/"],
    "api": lambda address, lake: [address],
    "curves": lambda address, lake: [],
    "point_page": lambda address, lake: [],
    "timeline_frames": lambda address, lake: [],
    "timeline_page": lambda address, lake: [],
    "traces": lambda address, lake: [str(REAL / "weka")],
    "dataset_pages": lambda address, lake: [str(lake)],
    "flame_frames": lambda address, lake: [],
    "embeds": lambda address, lake: [address],
    "embed_load": lambda address, lake: [str(lake)],
}
"""Name of a script beside this one → its arguments."""


@contextmanager
def served(lake: Path, workers: int = 2) -> Iterator[str]:
    """Serve a lake as the Procfile does and yield the address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "gunicorn", "--workers", str(workers), "--threads", "4"]
    command += ["--worker-class", "explorer.worker.Worker", "--bind", f"127.0.0.1:{port}"]
    command.append("explorer.app:create_app()")
    server = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "EXPLORER_LAKE": str(lake)})
    try:
        _wait(f"http://127.0.0.1:{port}/readyz")
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait(address: str) -> None:
    for _ in range(300):
        try:
            urllib.request.urlopen(address).read()
            return
        except OSError:
            time.sleep(0.1)
    raise SystemExit(f"{address} never answered.")


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return 1 when one failed."""
    if not REAL.is_dir():
        print(f"No real data at {REAL}: set EXPLORER_REAL_DATA.")
        return 2
    failed = []
    with tempfile.TemporaryDirectory() as scratch:
        lake = Path(scratch) / "lake"
        paths = [str(REAL / name) for name in (*FOLDERS, "weka")]
        explorer = [sys.executable, "-m", "explorer.cli", "ingest", *paths, "--lake", str(lake)]
        subprocess.run(explorer, cwd=ROOT, check=False)
        with served(lake) as address:
            for name in names or list(BENCHES):
                print(f"== {name}", flush=True)
                script = [sys.executable, f"bench/{name}.py", *BENCHES[name](address, lake)]
                if subprocess.run(script, cwd=ROOT, check=False).returncode:
                    failed.append(name)
    print(f"Failed: {', '.join(failed)}" if failed else "All ran.")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
