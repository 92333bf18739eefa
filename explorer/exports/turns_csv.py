"""A conversation's turns as CSV: the lake's columns, missing values empty."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from explorer.domain.turns import TURN_COLUMNS, Turn


def turns_csv(dataset: str, conversation: str, turns: Sequence[Turn]) -> str:
    """Return a header and one line a turn, in list order; numbers with all their digits."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [column.name for column in TURN_COLUMNS]
    writer.writerow(names)
    for turn in turns:
        writer.writerow([dataset, conversation, *(getattr(turn, name) for name in names[2:])])
    return text.getvalue()
