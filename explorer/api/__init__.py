"""The REST API: /api/v1, one file per resource."""

from explorer.api.blueprint import blueprint

__all__ = ["blueprint"]
