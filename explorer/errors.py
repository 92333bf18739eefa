"""Every error the product raises on purpose: a code, an exit code, an HTTP status."""

from __future__ import annotations

from typing import Any


class ExplorerError(Exception):
    """An error a reader can act on: what, where, expected, found, next.

    `code` names the kind for API and tests; `params` carry the facts for translation at the
    edge; `hint` is the next step. `exit_code` is the command line's, `http_status` the server's.
    """

    code = "error"
    exit_code = 1
    http_status = 500

    def __init__(self, message: str, *, hint: str = "", **params: Any) -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.params = params

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(ExplorerError):
    """The call itself is wrong: a flag, a path, a parameter."""

    code = "usage"
    exit_code = 2
    http_status = 400


class NotFoundError(ExplorerError):
    """Something named in a call is in no snapshot asked for."""

    code = "not_found"
    exit_code = 2
    http_status = 404


class ExpiredError(ExplorerError):
    """A snapshot once published and since expired."""

    code = "expired"
    exit_code = 2
    http_status = 410


class InputError(ExplorerError):
    """A file that is recognised but unusable."""

    code = "bad_input"
    exit_code = 3
    http_status = 422


class LakeError(ExplorerError):
    """The lake on disk is missing, damaged, or of a version this build does not read."""

    code = "lake"
    exit_code = 2
    http_status = 503


class ConflictError(ExplorerError):
    """Another writer published first more often than we retried."""

    code = "conflict"
    exit_code = 1
    http_status = 409


class BusyError(ExplorerError):
    """Something bounded has too much to do now."""

    code = "busy"
    exit_code = 1
    http_status = 503
