"""Readers of trace datasets as the pipeline calls them: one folder of traces, one dataset."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from explorer.errors import InputError
from explorer.ingest import mooncake, opening, weka
from explorer.ingest.context import Context
from explorer.ingest.datasets import DatasetBuilder, DatasetDraft
from explorer.ingest.names import names
from explorer.tables import table

_PLAIN_NAMES = {"traces", "trace", "dataset", "data", "train"}


class WekaTraces:
    """WEKA agentic traces: a JSON per conversation, or one per line."""

    name = weka.name
    per_folder = True

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file is a trace, or holds one per line."""
        return weka.sniff(path.name, head)

    def read(self, path: Path, context: Context) -> Iterator[DatasetDraft]:
        """Yield one dataset of all traces in the file's folder.

        The folder's first trace answers for all of them; the others yield nothing, so that a
        folder is one dataset however its files are handed in. A trace or line that cannot be
        read is noted in the context and left out.
        """
        files = self._folder(path, context)
        if files[0] != path:
            return
        builder = _builder(dataset_name(path), self.name)
        for file in files:
            self._add(file, builder, context)
        yield builder.finish()

    def _folder(self, path: Path, context: Context) -> list[Path]:
        beside = sorted({path, *(file for file in context.near if file.parent == path.parent)})
        first = next(file for file in beside if file == path or self._is_trace(file))
        if first != path:
            return [first]
        return [path, *(file for file in beside if file > path and self._is_trace(file))]

    def _is_trace(self, file: Path) -> bool:
        try:
            return weka.sniff(file.name, opening.head(file))
        except InputError:
            return False

    def _add(self, file: Path, builder: DatasetBuilder, context: Context) -> None:
        source = context.source(file)
        for number, text in enumerate(texts(file), 1):
            try:
                for conversation in weka.read([text]):
                    builder.add(conversation, source)
            except InputError as error:
                where = f"{source.path}, line {number}"
                reason = error.params.get("reason", "bad_trace")
                context.skip(InputError(str(error), reason=reason, detail=f"{where}: {error}"))


class MooncakeTraces:
    """Mooncake-style request streams: one request a line, no conversations."""

    name = mooncake.name

    def sniff(self, path: Path, head: bytes) -> bool:
        """Return whether the file's first line is a request of such a stream."""
        return mooncake.sniff(path.name, head)

    def read(self, path: Path, context: Context) -> Iterator[DatasetDraft]:
        """Yield the file as a dataset without conversations."""
        builder = _builder(dataset_name(path, alone=True), self.name, structured=False)
        builder.add(mooncake.read(opening.lines(path)), context.source(path))
        yield builder.finish()


def _builder(name: str, reader: str, *, structured: bool = True) -> DatasetBuilder:
    """Return the builder of a dataset: known names get their slug, variant and version.

    The slug is the one a run's declared dataset leads to, so that the two meet.
    """
    slug = names().dataset(name) or ""
    known = table("datasets").get(slug, {})
    return DatasetBuilder(
        name,
        reader,
        slug=slug,
        variant=known.get("variant"),
        version=known.get("version"),
        structured=structured,
    )


def dataset_name(path: Path, *, alone: bool = False) -> str:
    """Return what a dataset is called when nobody names it: its folder, or its file.

    A file of lines under a name of its own (`cc-traces-0526.jsonl`) is called by it; single
    traces and plain names (`traces.jsonl`) are called by their folder.
    """
    stem = path.name.split(".", 1)[0]
    lines = alone or ".jsonl" in path.name
    return stem if lines and stem.lower() not in _PLAIN_NAMES else path.parent.name or stem


def texts(file: Path) -> Iterator[bytes]:
    """Yield the JSON texts of a file: its lines where the first is whole, else the file."""
    lines = opening.lines(file)
    first = next((line for line in lines if line.strip()), b"")
    if _is_whole(first):
        yield from chain([first], lines)
    else:
        yield opening.read_bytes(file)


def _is_whole(line: bytes) -> bool:
    return line.lstrip()[:1] == b"{" and line.rstrip()[-1:] == b"}"
