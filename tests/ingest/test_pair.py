"""Which parts meet."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from explorer.ingest.pair import Groups, complementary, reach, same_numbers

STATS = ("mean_ttft_s", "p90_ttft_s", "mean_e2el_s", "p90_e2el_s")
VALUES = (1.234567891, 2.345678912, 3.456789123, 4.567891234)


def part(name: str, format_: str, values=VALUES, decimals: int | None = None, conc=4.0) -> Any:
    metrics = dict(zip(STATS, values, strict=False))
    return {
        "part": name,
        "format": format_,
        "metrics": {**metrics, "concurrency": conc},
        "measured": None,
        "stated": {key: (value, decimals) for key, value in metrics.items()} if decimals else {},
        "ttft_s": values[0],
    }


def rounded(digits: int):
    return tuple(round(value, digits) for value in VALUES)


def test_a_rounded_row_meets_its_run():
    assert same_numbers(part("a", "aiperf"), part("b", "agentx-nested", rounded(5), 5))


def test_one_digit_more_off_does_not():
    off = (rounded(5)[0] + 2e-5, *rounded(5)[1:])
    assert not same_numbers(part("a", "aiperf"), part("b", "agentx-nested", off, 5))


def test_other_concurrency_or_too_few_numbers_do_not():
    assert not same_numbers(part("a", "aiperf"), part("b", "agentx-flat", conc=8.0))
    assert not same_numbers(part("a", "aiperf"), part("b", "agentx-flat", VALUES[:3]))


@given(st.floats(1e-4, 1e4), st.integers(3, 9))
def test_reach_covers_what_rounding_moves(value: float, digits: int):
    low, high = reach(value)
    moved = round(value, max(digits, 5))
    assert low <= moved <= high


def test_two_runs_or_two_workflow_rows_are_never_one():
    groups = Groups()
    for one in (part("a", "aiperf"), part("b", "aiperf"), part("c", "agentx-flat")):
        groups.add(one)
    assert groups.join("a", "c")
    assert not groups.join("b", "c")
    assert sorted(len(parts) for parts in groups) == [1, 2]


def test_the_run_speaks_first_then_the_workflow_row():
    groups = Groups()
    formats = ("inferencex-csv", "agentx-flat", "inferencex-api", "aiperf")
    for name, format_ in zip("dcba", formats, strict=True):
        groups.add(part(name, format_))
        groups.join(name, "d")
    [parts] = groups
    assert [one["part"] for one in parts] == ["a", "b", "c", "d"]


def test_only_a_row_and_a_run_of_one_load_are_complementary():
    run, row = part("a", "aiperf"), part("b", "agentx-flat")
    assert complementary(run, row)
    assert not complementary(run, part("c", "aiperf"))
    assert not complementary(row, part("c", "agentx-flat"))
    assert not complementary(run, part("c", "agentx-flat", conc=8.0))
