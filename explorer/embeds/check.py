"""What an author got wrong in an embed's address, each with the nearest that is known."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from html import escape

from explorer.components.view import Words
from explorer.domain.view_state import BY_NAME, OWN_NUMBERS, Problem, ViewState, format
from explorer.embeds.document import Html
from explorer.embeds.kinds import Kind
from explorer.errors import ExplorerError

_LONGEST, _LISTED = 120, 12


def problems(kind: Kind, asked: ViewState, error: ExplorerError | None = None) -> list[str]:
    """Return what is wrong with an address, in its language: keys, values, what it names."""
    words = Words(asked)
    said = [_said(kind, one, words) for one in asked.problems]
    idle = [name for name in asked.values if name not in kind.keys]
    said += [words("embeds.check.idle", key=name, kind=kind.name) for name in idle]
    missing = [name for name in kind.needs if not asked[name]]
    said += [words("embeds.check.missing", key=name, kind=kind.name) for name in missing]
    if error is not None and not missing:
        said.append(str(error))
    if not asked["snap"]:
        said.append(words("embeds.check.unpinned"))
    return said


def _said(kind: Kind, problem: Problem, words: Words) -> str:
    if problem.code == "unknown_key":
        return _unknown(kind, problem.key, words)
    if problem.code == "bad_value":
        return _bad(problem.key, problem.value, words)
    return words(f"frame.{problem.code}", key=problem.key, value=problem.value)


def _unknown(kind: Kind, key: str, words: Words) -> str:
    stem = key.partition(".")[0]
    if stem in OWN_NUMBERS and stem in kind.keys:
        return words("embeds.check.hardware", key=key)
    known = [name for name in kind.keys if name not in OWN_NUMBERS]
    return words("embeds.check.unknown", key=key, hint=_near(key, known, words))


def _bad(key: str, value: str, words: Words) -> str:
    known = BY_NAME.get(key)
    hint = ""
    if known is not None and known.choices:
        hint = _near(value, known.choices, words)
    elif known is not None:
        hint = words(f"embeds.check.kind_{known.kind}")
    return words("embeds.check.bad", key=key, value=value[:_LONGEST], hint=hint)


def _near(word: str, known: Iterable[str], words: Words) -> str:
    """Return the nearest known word, or all of a few, in the address's language."""
    known = sorted(known)
    if close := get_close_matches(word, known, n=1, cutoff=0.5):
        return words("embeds.check.near", word=close[0])
    return words("embeds.check.list", words=", ".join(known)) if len(known) <= _LISTED else ""


def report(kind: Kind, asked: ViewState, error: ExplorerError | None = None) -> Html:
    """Return the list that stands over an embed when its author asks with `check=1`."""
    words = Words(asked)
    found = problems(kind, asked, error)
    address = format(asked.only(kind.keys).having(check=None))
    canonical = escape(words("embeds.check.canonical", address=f"/e/v1/{kind.name}?{address}"))
    if not found:
        fine = escape(words("embeds.check.fine"))
        return f'<div class="check" role="status"><p>{fine}</p><p>{canonical}</p></div>'
    items = "".join(f"<li>{escape(text)}</li>" for text in found)
    title = escape(words("embeds.check.title", n=len(found)))
    return (
        f'<div class="check wrong" role="status"><b>{title}</b><ul>{items}</ul>'
        f"<p>{canonical}</p></div>"
    )
