"""`/s/<code>` where the server did not redirect: a code followed in place, or a broken one."""

from __future__ import annotations

from collections.abc import Mapping

from dash import html

from explorer.components.frame import link
from explorer.components.view import View, Words
from explorer.domain import addresses
from explorer.domain.lake import Lake
from explorer.domain.share_code import LONGEST_CODE, BrokenCodeError, decode
from explorer.domain.view_state import ViewState

_SHOWN = 24


def view(lake: Lake, params: Mapping[str, str], state: ViewState) -> View:
    """Return where a code leads as a link; what is wrong with a broken one, as a 400."""
    words, code = Words(state), params["code"]
    try:
        return _whole(decode(code), words)
    except BrokenCodeError as error:
        return _broken(code, error.code, state, words)


def _whole(address: str, words: Words) -> View:
    title = words("share.leads")
    body = html.Section([html.H1(title), link(address, address)], className="plain")
    return View(title=f"{title} · {words('frame.name')}", body=body, canonical=address)


def _broken(code: str, why: str, state: ViewState, words: Words) -> View:
    title = words("share.broken")
    shown = code if len(code) <= _SHOWN else f"{code[:_SHOWN]}…"
    said = words(f"share.broken_{why}", n=f"{len(code):,}", most=f"{LONGEST_CODE:,}")
    back = link(words("frame.back"), addresses.curves(state.only(("lang", "theme"))))
    body = html.Section(
        [
            html.H1(title),
            html.P([words("share.broken_code"), " ", html.Code(shown)], className="sub"),
            html.P(said),
            html.P(words("share.broken_next")),
            html.P(back),
        ],
        className="plain",
    )
    return View(title=f"{title} · {words('frame.name')}", body=body, canonical="/", status=400)
