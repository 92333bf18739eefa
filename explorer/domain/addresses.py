"""Every address of the product, spelled once."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

from explorer.domain import view_state
from explorer.domain.view_state import ViewState

API = "/api/v1"
DOTS = "/_dots"
SHARED_KEYS = ("snap", "lang", "theme")
"""Keys that every link carries on: the pin, the language, the theme."""


def with_query(path: str, state: ViewState | None) -> str:
    """Return a path with a state's canonical query."""
    query = view_state.format(state) if state else ""
    return f"{path}?{query}" if query else path


def carried(state: ViewState) -> ViewState:
    """Return what a link to another page carries on of a state."""
    return state.only(SHARED_KEYS)


def curves(state: ViewState | None = None) -> str:
    """Return the address of the curves page."""
    return with_query("/", state)


def dots(snap: str, state: ViewState) -> str:
    """Return the address of what the dots of the curves page say, while `snap` is what it shows."""
    return with_query(f"{DOTS}/{snap}", state)


def point(point_id: str, state: ViewState | None = None) -> str:
    """Return the address of a point's page."""
    return with_query(f"/points/{quote(point_id, safe='')}", state)


def timeline(point_id: str, state: ViewState | None = None) -> str:
    """Return the address of a point's timeline."""
    return with_query(f"/points/{quote(point_id, safe='')}/timeline", state)


def compare(state: ViewState | None = None) -> str:
    """Return the address of the comparison; the points are keys a to d of the state."""
    return with_query("/compare", state)


def datasets(state: ViewState | None = None) -> str:
    """Return the address of the list of datasets."""
    return with_query("/datasets", state)


def dataset(slug: str, state: ViewState | None = None) -> str:
    """Return the address of a dataset."""
    return with_query(f"/datasets/{quote(slug, safe='')}", state)


def conversation(slug: str, conversation_id: str, state: ViewState | None = None) -> str:
    """Return the address of a conversation; turn and agent are keys of the state."""
    path = f"/datasets/{quote(slug, safe='')}/conversations/{segment(conversation_id)}"
    return with_query(path, state)


def segment(name: str) -> str:
    """Return a name as one segment of a path; one with a slash is quoted twice.

    Servers unquote a path once before they take it apart, and a slash would part it.
    """
    quoted = quote(name, safe="")
    return quote(quoted, safe="") if "/" in name else quoted


def conversation_of(path: str) -> tuple[str, str] | None:
    """Return (dataset, conversation as written) of an (unquoted) path; None of other pages.

    A conversation takes the rest of the path: in links that others made its slashes stand bare.
    """
    found = _CONVERSATION_PATH.fullmatch(path)
    return (found[1], found[2]) if found else None


def conversation_ids(written: str) -> tuple[str, str]:
    """Return the ids that a written one may mean, likelier first: itself, or `segment` undone."""
    return written, unquote(written)


def compare_conversations(state: ViewState | None = None) -> str:
    """Return the address of the comparison of conversations; they are keys a to d of the state."""
    return with_query("/compare/conversations", state)


def compare_timelines(state: ViewState | None = None) -> str:
    """Return the address of timelines on one clock; the points are keys a to d of the state."""
    return with_query("/compare/timelines", state)


def conversation_key(slug: str, conversation_id: str, point_id: str | None = None) -> str:
    """Return how keys a to d name a conversation: `<dataset>/<id>`, `@<point>` where measured.

    `@` and `%` of the id are written %40 and %25; a slash needs nothing, datasets have none.
    """
    written = conversation_id.replace("%", "%25").replace("@", "%40")
    return f"{slug}/{written}" + (f"@{point_id}" if point_id else "")


def named_conversation(key: str) -> tuple[str, str, str | None]:
    """Return (dataset, conversation, point or None) of what `conversation_key` wrote."""
    name, _, point_id = key.partition("@")
    slug, _, written = name.partition("/")
    return slug, written.replace("%40", "@").replace("%25", "%"), point_id or None


def snapshots(state: ViewState | None = None) -> str:
    """Return the address of the snapshots; keys `a` and `b` of the state compare two of them."""
    return with_query("/snapshots", state)


def page(path: str, state: ViewState | None = None) -> str:
    """Return the address of an (unquoted) path of a page."""
    return with_query(quote(path), state)


def share(code: str) -> str:
    """Return the short address of a share code (domain/share_code.py)."""
    return f"/s/{code}"


def card(code: str, snap: str | None = None) -> str:
    """Return the address of the picture that stands for what a share code leads to."""
    return f"/cards/v1/{code}.png" + (f"?snap={quote(snap, safe='')}" if snap else "")


def oembed(url: str) -> str:
    """Return where an embed of a (whole) address is described."""
    return f"/oembed?format=json&url={quote(url, safe='')}"


def respelled(path: str, query: str) -> str | None:
    """Return today's spelling of an address: no trailing slash, no renamed key, no conversation
    in several segments; None if it is so.

    `path` is unquoted, `query` as it came. Unknown keys stay: their page says that it ignores them.
    """
    bare, renamed = "/" + path.strip("/"), view_state.renamed(query)
    named = conversation_of(bare)
    today = conversation(*named) if named and "/" in named[1] else quote(bare)
    if unquote(today) == path and renamed == query:
        return None
    return f"{today}?{renamed}" if renamed else today


EMBEDS = ("curve", "point", "timeline", "flame", "compare", "table")
"""Kinds of embed, version 1; a later version gets its own path, this one stays."""
_EMBED = "/e/v1"
_POINT_PATH = re.compile(r"/points/([^/]+)(/timeline)?")
_CONVERSATION_PATH = re.compile(r"(?s)/datasets/([^/]+)/conversations/(.+)")


def embed(kind: str, state: ViewState | None = None) -> str:
    """Return the address of an embed; keys `point` and `a` to `d` say of what."""
    return with_query(f"{_EMBED}/{kind}", state)


def picture(embed_address: str, ending: str) -> str:
    """Return the address of an embed's picture as a file: svg or png."""
    path, mark, query = embed_address.partition("?")
    return f"{path}.{ending}{mark}{query}"


def embed_of(path: str, state: ViewState) -> str | None:
    """Return the address of the embed that shows what a page's (unquoted) path and state show.

    None where no kind of embed does. A conversation is named as comparisons name it.
    """
    if path == "/":
        return embed("curve", state)
    if path == "/compare":
        return embed("compare", state) if state["a"] and state["b"] else None
    if found := _POINT_PATH.fullmatch(path):
        return embed("timeline" if found[2] else "point", state.having(point=found[1]))
    if named := conversation_of(path):
        key = conversation_key(*named, state["point"])
        return embed("flame", state.having(a=key, point=None))
    return None


def api_curves(state: ViewState | None = None) -> str:
    """Return the API address of a view's curves."""
    return with_query(f"{API}/curves", state)


def api_points(state: ViewState | None = None) -> str:
    """Return the API address of the points that a view's filters leave."""
    return with_query(f"{API}/points", state)


def api_point(point_id: str, part: str = "") -> str:
    """Return the API address of a point, or of its `requests`, `series`, `timeline`."""
    path = f"{API}/points/{quote(point_id, safe='')}"
    return f"{path}/{part}" if part else path


def api_datasets() -> str:
    """Return the API address of the list of datasets."""
    return f"{API}/datasets"


def api_dataset(slug: str) -> str:
    """Return the API address of a dataset."""
    return f"{api_datasets()}/{quote(slug, safe='')}"


def api_conversations(slug: str) -> str:
    """Return the API address of a dataset's conversations."""
    return f"{api_dataset(slug)}/conversations"


def api_conversation(slug: str, conversation_id: str, part: str = "") -> str:
    """Return the API address of a conversation, or of its `flame`, `speedscope`."""
    path = f"{api_conversations(slug)}/{segment(conversation_id)}"
    return f"{path}/{part}" if part else path


def api_snapshot_changes(snap: str, since: str | None = None) -> str:
    """Return the API address of what changed up to a snapshot, from another or the one before."""
    path = f"{API}/snapshots/{quote(snap, safe='')}/changes"
    return f"{path}?since={quote(since, safe='')}" if since else path


def api_docs() -> str:
    """Return the address of the OpenAPI document."""
    return f"{API}/openapi.json"
