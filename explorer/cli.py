"""The command line: verbs, parsed and delegated; each loads only what it runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TextIO

from explorer import __version__
from explorer.errors import ExplorerError
from explorer.settings import default_lake, from_environment

_WIDTH = 30
_NAME = 46
_INGEST = """\
examples:
  explorer ingest ~/runs/my_aiperf_run
  explorer ingest downloads/ results.zip benchmarks.json --lake lake
  explorer ingest ~/runs/my_run --meta run.toml      # hw, engine, gpus… the files do not say
  explorer ingest downloads/ --json | jq .skipped

exit codes: 0 all understood, 3 done and something skipped, 2 nothing usable or a wrong call,
1 a defect of ours.
"""
_SERVE = """\
examples:
  explorer serve
  explorer serve --lake lake --host 0.0.0.0 --port 8080

For production run gunicorn on the factory, as the Procfile does.
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a verb and return its exit code."""
    arguments = parser().parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except ExplorerError as error:
        print(f"explorer {arguments.verb}: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("Interrupted; the lake is as it was.", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of all verbs."""
    top = argparse.ArgumentParser(
        prog="explorer",
        description="Read, check, compare and publish LLM-inference benchmark results.",
        epilog="explorer VERB --help shows examples. Default lake: EXPLORER_LAKE, else data/lake "
        "of the checkout, else ./lake.",
    )
    top.add_argument("--version", action="version", version=f"explorer {__version__}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    _add_ingest(verbs)
    _add_serve(verbs)
    return top


def _verb(
    verbs: argparse._SubParsersAction[argparse.ArgumentParser], name: str, help_: str, epilog: str
) -> argparse.ArgumentParser:
    made = verbs.add_parser(
        name,
        help=help_,
        description=help_[0].upper() + help_[1:] + ".",
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("--lake", type=Path, metavar="DIR", help="the lake's folder")
    return made


def _add_ingest(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    help_ = "read every run, row file and trace below PATH into the lake"
    verb = _verb(verbs, "ingest", help_, _INGEST)
    verb.add_argument("paths", nargs="+", type=Path, metavar="PATH")
    verb.add_argument("--meta", type=Path, metavar="FILE", help="TOML with what files do not say")
    verb.add_argument("--json", action="store_true", help="print the report as one JSON object")
    verb.add_argument("--jobs", type=_positive, default=2, metavar="N", help="parsing processes")
    verb.set_defaults(run=_ingest)


def _add_serve(verbs: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    verb = _verb(verbs, "serve", "serve the pages and the API on this machine", _SERVE)
    verb.add_argument("--host", metavar="H", help="address to listen on (127.0.0.1)")
    verb.add_argument("--port", type=_positive, metavar="P", help="port to listen on (8050)")
    verb.set_defaults(run=_serve)


def _positive(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number from 1, found {text!r}")
    return value


def _lake(arguments: argparse.Namespace) -> Path:
    chosen: Path | None = arguments.lake
    return chosen.expanduser().resolve() if chosen else default_lake()


def _ingest(arguments: argparse.Namespace) -> int:
    from explorer.ingest.pipeline import ingest

    bar = Bar(sys.stderr) if sys.stderr.isatty() else None
    report = ingest(
        arguments.paths,
        _lake(arguments),
        meta_file=arguments.meta,
        jobs=arguments.jobs,
        progress=bar,
    )
    if bar:
        bar.clear()
    if arguments.json:
        print(json.dumps(report.as_json()))
    else:
        print("\n".join(report.lines()))
    return report.exit_code


def _serve(arguments: argparse.Namespace) -> int:
    from dataclasses import replace

    from explorer.app import create_app

    settings = from_environment()
    chosen = {name: getattr(arguments, name) for name in ("host", "port")}
    settings = replace(
        settings, lake=_lake(arguments), **{name: v for name, v in chosen.items() if v is not None}
    )
    print(f"Serving {settings.lake} on http://{settings.host}:{settings.port}/", file=sys.stderr)
    create_app(settings).run(host=settings.host, port=settings.port, debug=False)
    return 0


class Bar:
    """A progress bar of one line on a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __call__(self, done: int, total: int, name: str) -> None:
        filled = _WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        self._stream.write(f"\r\x1b[K{bar} {done}/{total} {name[-_NAME:]}")
        self._stream.flush()

    def clear(self) -> None:
        """Take the bar away."""
        self._stream.write("\r\x1b[K")
        self._stream.flush()


if __name__ == "__main__":
    sys.exit(main())
