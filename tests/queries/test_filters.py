"""Filters over columns leave the rows that the same filters leave in SQL."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.domain.view_state import FILTERS, ViewState
from explorer.queries.facets import facets
from explorer.queries.filters import COLUMNS, Chosen, conditions
from explorer.queries.point_table import point_table
from tests.lake_fixture import Sample

KEYS = ("model", "hw", "engine", "precision", "scenario", "source", "offload", "conc", "run")


def by_sql(sample: Sample, state: ViewState, without: str = "") -> list[str]:
    condition, params = conditions(state, without)
    sql = f"SELECT point_id FROM {{points}} WHERE {condition} ORDER BY point_id"
    return [row["point_id"] for row in sample.lake.rows(sql, params)]


def by_columns(sample: Sample, state: ViewState, without: str = "") -> list[str]:
    table = point_table(sample.lake)
    mask = Chosen(table, state).mask(without)
    return [table.ids[place] for place in np.flatnonzero(mask).tolist()]


@given(data=st.data())
def test_columns_and_sql_leave_the_same_points(sample_lake: Sample, data):
    table = point_table(sample_lake.lake)
    changes = {}
    for name in data.draw(st.sets(st.sampled_from(KEYS), max_size=3)):
        known = [str(value) for value in table.codes(COLUMNS[name]).values] + ["nothing"]
        changes[name] = tuple(data.draw(st.sets(st.sampled_from(known), min_size=1)))
    days = [*table.codes("date").values, "2020-01-01", "2099-01-01"]
    changes["date"] = data.draw(st.none() | st.sampled_from(days))
    changes["valid"] = data.draw(st.booleans())
    changes["accuracy_min"] = data.draw(st.none() | st.sampled_from((0.0, 0.5, 0.94, 0.99)))
    state = ViewState().having(**changes)
    without = data.draw(st.sampled_from(("", *KEYS, "valid")))
    assert by_columns(sample_lake, state, without) == by_sql(sample_lake, state, without)


def test_facets_are_the_counts_of_sql(sample_lake: Sample):
    state = ViewState().having(valid=True)
    for name, choices in facets(sample_lake.lake, state, FILTERS).items():
        column = COLUMNS[name]
        sql = (
            f"SELECT {column}::VARCHAR AS value, count(*) AS n FROM {{points}} "
            f"WHERE valid IS NOT FALSE AND {column} IS NOT NULL GROUP BY 1 ORDER BY n DESC, value"
        )
        rows = sample_lake.lake.rows(sql)
        assert [(one.value, one.points) for one in choices] == [(r["value"], r["n"]) for r in rows]
