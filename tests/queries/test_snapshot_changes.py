"""What changed between snapshots: by hand-made lakes whose differences are known."""

from __future__ import annotations

import pytest

from explorer.errors import NotFoundError, UsageError
from explorer.queries.snapshot_changes import KINDS, changes, page
from explorer.store import snapshots
from explorer.store.lake import open_lake
from explorer.store.tables import decode
from explorer.store.writer import publish
from tests.forget import forget_all
from tests.lake_fixture import PRICE_VERSION, Sample, build


@pytest.fixture
def own(tmp_path) -> Sample:
    return build(tmp_path / "lake")


def republished(sample: Sample, name: str, **fields: object) -> str:
    """Publish a point again with other fields and return the snapshot."""
    sql = "SELECT * FROM {points} WHERE point_id = ?"
    row = decode("points", sample.lake.rows(sql, [sample.ids[name]])[0])
    result = publish(sample.folder, points=[row | fields], price_version=PRICE_VERSION)
    assert result.snapshot is not None
    return result.snapshot.snap


def test_added_and_removed_points_are_named(sample_lake: Sample) -> None:
    ids = sample_lake.ids
    found = changes(sample_lake.lake, None, "first")
    assert (found.since.name, found.until.snap) == ("first", sample_lake.newest)
    kinds = {row.point_id: row.kind for row in found.rows}
    assert kinds[ids["gone"]] == "removed"
    assert {point for point, kind in kinds.items() if kind == "added"} == {
        ids[name] for name in ("high", "split", "crashed", "unpriced", "mock")
    }
    assert ids["low"] not in kinds
    assert found.counts == {"added": 5, "changed": 0, "removed": 1}


def test_without_a_since_it_is_the_snapshot_before(sample_lake: Sample) -> None:
    assert changes(sample_lake.lake, None) == changes(sample_lake.lake, None, "first")
    first = changes(sample_lake.lake, "first")
    assert first.since is None
    assert first.counts == {"added": 3, "changed": 0, "removed": 0}


def test_nothing_changes_from_a_snapshot_to_itself(sample_lake: Sample) -> None:
    assert changes(sample_lake.lake, "first", "first").rows == []


def test_backwards_what_was_added_is_removed(sample_lake: Sample) -> None:
    back = changes(sample_lake.lake, "first", sample_lake.newest)
    assert back.counts == {"added": 1, "changed": 0, "removed": 5}


def test_a_changed_point_says_which_values_from_what_to_what(own: Sample) -> None:
    republished(own, "other", total_tps=950.0, hw="mi325x", revision="another")
    (row,) = changes(own.lake, None).rows
    assert (row.point_id, row.kind) == (own.ids["other"], "changed")
    fields = {field.key: (field.before, field.after) for field in row.fields}
    assert fields == {"total_tps": (900.0, 950.0), "hw": ("mi355x", "mi325x")}
    assert row.fields[0].key == "total_tps", "metrics come first"
    assert row.facts["hw"] == "mi325x"


def test_a_value_that_appears_or_goes_is_a_change_from_or_to_nothing(own: Sample) -> None:
    republished(own, "other", p99_ttft_s=None, gpus=None)
    fields = {one.key: (one.before, one.after) for one in changes(own.lake, None).rows[0].fields}
    assert fields["gpus"] == (4, None)
    assert fields["p99_ttft_s"] == (pytest.approx(0.8 * 1.6), None)


def test_an_answer_is_the_same_after_later_snapshots(own: Sample) -> None:
    before = changes(own.lake, own.newest, "first")
    republished(own, "other", total_tps=1.0)
    fresh = open_lake(own.folder)
    forget_all()
    again = changes(fresh, own.newest, "first")
    assert [row.point_id for row in again.rows] == [row.point_id for row in before.rows]


def test_a_snapshot_whose_parent_expired_brought_all(own: Sample) -> None:
    last = republished(own, "other", total_tps=1.0)
    snapshots.expire(own.folder, own.newest)
    forget_all()
    found = changes(open_lake(own.folder), last)
    assert found.since is None
    assert found.counts["added"] == 7


def test_pages_of_changes_are_whole_and_in_order(sample_lake: Sample) -> None:
    found = changes(sample_lake.lake, None, "first")
    seen, cursor = [], None
    while True:
        rows, cursor = page(found, KINDS, 2, cursor)
        seen += [row.point_id for row in rows]
        if cursor is None:
            break
    assert seen == [row.point_id for row in found.rows]
    removed, _ = page(found, ("removed",), 10, None)
    assert [row.point_id for row in removed] == [sample_lake.ids["gone"]]


def test_a_cursor_serves_its_own_question_only(sample_lake: Sample) -> None:
    found = changes(sample_lake.lake, None, "first")
    _, cursor = page(found, KINDS, 2, None)
    with pytest.raises(UsageError, match="other parameters"):
        page(found, ("added",), 2, cursor)


def test_an_unknown_snapshot_is_named(sample_lake: Sample) -> None:
    with pytest.raises(NotFoundError, match="nothing"):
        changes(sample_lake.lake, None, "nothing")
