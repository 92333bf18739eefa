"""How a quantity of a point's requests is distributed: bars on which a range can be chosen."""

from __future__ import annotations

from explorer.domain.answers import Distribution
from explorer.domain.metrics import by_key, samples
from explorer.domain.units import number
from explorer.figures.chart import Axis, Chart, Reference, Trace, short
from explorer.figures.chart_facts import Facts, Maker, empty


def distribution(name: str, column: str) -> Maker:
    """Return a maker of a quantity's distribution over the requests."""

    def make(facts: Facts) -> Chart:
        found = facts.distribution(column)
        if found is None:
            recorded = facts.point.get("requests_object")
            code = "no_samples" if recorded else "no_requests"
            return empty(facts, name, facts.words(f"point.reason.{code}"))
        unit = by_key()[f"p50_{column}"].unit
        return Chart(
            name=name,
            title=facts.text(name, "title"),
            note=facts.text(name, "note"),
            x=Axis(facts.words(f"point.axis.{unit}"), unit, log=True),
            y=Axis(facts.words("point.axis.requests"), "requests"),
            traces=_bins(facts, column, found),
            references=tuple(
                Reference("x", value, f"{rank} {_guide(value, unit)}")
                for rank, value in found.percentiles.items()
            ),
            summary=_shape(facts, found, column),
            source=facts.words("point.from.requests"),
            data_href=facts.requests_href,
            notes=(_shape(facts, found, column),),
            column=column,
            bin_hrefs=facts.bin_hrefs(column, found.edges),
        )

    return make


def _guide(value: float, unit: str) -> str:
    return short(round(value)) if unit == "tokens" else number(value)


def _bins(facts: Facts, column: str, found: Distribution) -> tuple[Trace, ...]:
    """Return the bars; behind those of a chosen range, quietly, what the range leaves out."""
    every = [float(count) for count in found.counts]
    label = facts.words("point.trace.requests")
    if found.chosen is None:
        return (Trace(column, label, "bar", found.edges, every),)
    chosen = [float(count) for count in found.chosen]
    return (
        Trace("others", facts.words("point.trace.every"), "bar", found.edges, every, "soft"),
        Trace(column, facts.words("point.trace.chosen"), "bar", found.edges, chosen),
    )


def _shape(facts: Facts, found: Distribution, column: str) -> str:
    """Return how many requests there are, from where to where, and their means, in a sentence."""
    if not found.n:
        return facts.words("point.distribution_none")
    unit = by_key()[f"p50_{column}"].unit
    ends = (found.minimum, found.maximum)
    low, high = (f"{value:,.0f}" if unit == "tokens" else number(value) for value in ends)
    said = facts.words(
        "point.distribution",
        n=f"{found.n:,}",
        mean=number(found.mean, 4),
        min=low,
        max=high,
        unit=facts.words(f"point.axis.{unit}"),
    )
    if samples()[column].reciprocal:
        return said
    flight = facts.words("point.distribution_flight", flight=number(found.in_flight_mean, 4))
    return f"{said} {flight}"
