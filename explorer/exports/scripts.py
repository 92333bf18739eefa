"""The timeline's scripts: their version for addresses, and all of them as one classic script."""

from __future__ import annotations

import re
from functools import cache
from graphlib import TopologicalSorter
from hashlib import blake2b
from pathlib import Path

from explorer.settings import CHECKOUT

ASSETS = CHECKOUT / "assets"
ADDRESS = "/modules"
"""Modules are served below ADDRESS/<version>/, so that their imports carry the version on."""
ENTRY = "timeline/mount.mjs"
_FOLDERS = ("canvas", "timeline")
_IMPORT = re.compile(r'^import \{([^}]*)\} from "([^"]+)";\n', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


def module_names() -> tuple[str, ...]:
    """Return the modules' paths below assets/, sorted."""
    return tuple(
        str(path.relative_to(ASSETS)) for folder in _FOLDERS
        for path in sorted((ASSETS / folder).glob("*.mjs"))
    )  # fmt: skip


def version() -> str:
    """Return what changes when any module does."""
    stats = [(name, (ASSETS / name).stat()) for name in module_names()]
    return _version(tuple((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats))


@cache
def _version(signature: tuple[tuple[str, int, int], ...]) -> str:
    """Return the hash of the modules' texts, read again when a file's time or size is another."""
    digest = blake2b(digest_size=8)
    for name, _, _ in signature:
        digest.update(name.encode() + b"\0" + (ASSETS / name).read_bytes() + b"\0")
    return digest.hexdigest()


def bundle(entry: str = ENTRY) -> str:
    """Return one classic script that leaves the entry's exports in `explorerTimeline`.

    Every module becomes a function's inside; imports become constants. Understands what these
    modules use: `import { names } from`, `export function | const | class`; ValueError otherwise.
    """
    texts = _reachable(entry)
    needs = {
        name: [_beside(name, path) for _, path in _IMPORT.findall(texts[name])] for name in texts
    }
    order = list(TopologicalSorter(needs).static_order())
    at = {name: f"m{index}" for index, name in enumerate(order)}
    parts = [_wrapped(name, texts[name], at) for name in order]
    return f"const explorerTimeline = (() => {{\n{''.join(parts)}return {at[entry]};\n}})();\n"


def _reachable(entry: str) -> dict[str, str]:
    texts: dict[str, str] = {}
    waiting = [entry]
    while waiting:
        name = waiting.pop()
        if name not in texts:
            texts[name] = (ASSETS / name).read_text(encoding="utf-8")
            waiting += [_beside(name, path) for _, path in _IMPORT.findall(texts[name])]
    return texts


def _beside(name: str, path: str) -> str:
    """Return the module that an import names, as a path below assets/."""
    return str((ASSETS / Path(name).parent / path).resolve().relative_to(ASSETS.resolve()))


def _wrapped(name: str, text: str, at: dict[str, str]) -> str:
    """Return a module as `const mN = (() => {…})()` with its exports."""

    def constants(found: re.Match[str]) -> str:
        names = re.sub(r"(\w+) as (\w+)", r"\1: \2", found[1])
        return f"const {{{names}}} = {at[_beside(name, found[2])]};\n"

    exports = _EXPORT.findall(text)
    inside = _EXPORT.sub("", _IMPORT.sub(constants, text))
    if left := re.search(r"^(?:import|export)\b.*", inside, re.MULTILINE):
        raise ValueError(f"{name}: cannot bundle {left[0]!r}")
    return f"const {at[name]} = (() => {{\n{inside}\nreturn {{ {', '.join(exports)} }};\n}})();\n"
