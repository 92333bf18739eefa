"""Every route: one envelope, its schema, ETag, caching, CORS, HEAD and OPTIONS, strictness."""

from __future__ import annotations

import json

import pytest
from flask.testing import FlaskClient

from explorer.api import openapi
from explorer.api.routes import ROUTES
from explorer.domain.addresses import API
from tests.api.schema_check import problems
from tests.lake_fixture import FIRST_NAME, Sample

DATA = [route for route in ROUTES if not route.bare]
by_name = pytest.mark.parametrize("route", ROUTES, ids=lambda route: route.name)
data_routes = pytest.mark.parametrize("route", DATA, ids=lambda route: route.name)


def address(route, sample: Sample, name: str = "high") -> str:
    return API + route.address(sample.places(name))


def test_the_document_and_the_url_map_name_the_same_routes(client: FlaskClient):
    rules = {
        str(rule).replace("<rest:", "{").replace("<", "{").replace(">", "}")
        for rule in client.application.url_map.iter_rules()
        if rule.endpoint.startswith("api.") and rule.endpoint != "api.nowhere"
    }
    document = client.get(f"{API}/openapi.json").json
    assert document["openapi"] == "3.1.0"
    assert set(document["paths"]) == rules
    assert all(path.startswith(API) for path in document["paths"])


def test_every_reference_of_the_document_resolves():
    document = openapi.document(ROUTES)
    text = json.dumps(document)
    for part in text.split('"$ref": "#/')[1:]:
        at = document
        for step in part.split('"', 1)[0].split("/"):
            at = at[step]
        assert at


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_document_describes_every_parameter_in_both_languages(lang: str):
    for path in openapi.document(ROUTES, lang)["paths"].values():
        for parameter in path["get"]["parameters"]:
            assert parameter["description"]
            assert "{" not in parameter["description"]


@data_routes
def test_an_answer_has_the_envelope_and_meets_its_schema(client, sample_lake, route):
    document = client.get(f"{API}/openapi.json").json
    for name in ("high", "low", "crashed", "split"):
        answer = client.get(address(route, sample_lake, name))
        assert answer.status_code == 200
        body = answer.json
        assert set(body) == {"data", "meta"}
        assert {"snapshot", "metric_version", "price_version", "next"} <= set(body["meta"])
        assert body["meta"]["snapshot"] == sample_lake.newest
        get = document["paths"][API + route.path]["get"]
        schema = get["responses"]["200"]["content"]["application/json"]["schema"]
        assert problems(body, schema, document) == []


@by_name
def test_the_same_answer_is_not_sent_twice(client, sample_lake, route):
    first = client.get(address(route, sample_lake))
    again = client.get(
        address(route, sample_lake), headers={"If-None-Match": first.headers["ETag"]}
    )
    assert again.status_code == 304
    assert again.data == b""
    assert again.headers["ETag"] == first.headers["ETag"]
    other = client.get(address(route, sample_lake), headers={"If-None-Match": 'W/"other"'})
    assert other.status_code == 200


@data_routes
def test_pinned_answers_are_immutable_and_others_are_not(client, sample_lake, route):
    plain = client.get(address(route, sample_lake, "low"))
    assert "immutable" not in plain.headers["Cache-Control"]
    if "snap" in {parameter.name for parameter in route.parameters}:
        pinned = client.get(address(route, sample_lake, "low"), query_string={"snap": FIRST_NAME})
        assert "immutable" in pinned.headers["Cache-Control"]
        assert pinned.json["meta"]["snapshot"] == sample_lake.first


@by_name
def test_any_origin_may_read(client, sample_lake, route):
    answer = client.get(address(route, sample_lake), headers={"Origin": "https://example.org"})
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    options = client.options(address(route, sample_lake))
    assert options.status_code == 200
    assert options.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert options.headers["Access-Control-Allow-Methods"] == "GET, HEAD, OPTIONS"


@by_name
def test_head_is_get_without_its_body(client, sample_lake, route):
    get = client.get(address(route, sample_lake))
    head = client.head(address(route, sample_lake))
    assert head.data == b""
    for name in ("Content-Length", "Content-Type", "ETag", "Cache-Control"):
        assert head.headers[name] == get.headers[name]


@by_name
@pytest.mark.parametrize("method", ["post", "put", "patch", "delete"])
def test_writing_is_refused_in_the_envelope(client, sample_lake, route, method):
    answer = getattr(client, method)(address(route, sample_lake))
    assert answer.status_code == 405
    assert answer.headers["Allow"] == "GET, HEAD, OPTIONS"
    assert answer.json["error"]["code"] == "method_not_allowed"


@by_name
def test_an_unknown_parameter_is_refused(client, sample_lake, route):
    answer = client.get(address(route, sample_lake), query_string={"zzqx": "1"})
    assert answer.status_code == 400
    assert answer.json["error"]["code"] == "unknown_parameter"
    assert set(answer.json["error"]) == {"code", "message", "hint"}


@pytest.mark.parametrize(
    ("query", "code", "hint"),
    [
        ("points?modle=x", "unknown_parameter", "Did you mean mode"),
        ("points?limits=1", "unknown_parameter", "Did you mean limit?"),
        ("points?limit=1001", "bad_value", "from 1 to 1000"),
        ("points?limit=0", "bad_value", "from 1 to 1000"),
        ("points?limit=ten", "bad_value", "from 1 to 1000"),
        (f"points?limit={'9' * 400}", "bad_value", "from 1 to 1000"),
        (f"points/gdtjz6auvfsw/requests?turn={'9' * 400}", "bad_value", "whole numbers"),
        (f"points/gdtjz6auvfsw/requests?ordinal={2**63}", "bad_value", "whole numbers"),
        ("points/gdtjz6auvfsw/requests?where=isl_tokens:1", "bad_value", "isl_tokens:1000..20000"),
        ("points?ttft_max=nan", "bad_value", "a number"),
        ("points?valid=maybe", "bad_value", "1 or 0"),
        ("points?format=cvs", "bad_value", "Did you mean csv?"),
        ("points?hw=b200&sort=date&sort=hw", "bad_value", "Give it once."),
        ("points?price=owned", "bad_value", "own, neocloud or rental"),
        ("points?price=own@1999", "usage", "The newest is"),
        ("points?rate.b200=free", "bad_value", "a number"),
        ("points?cursor=nonsense", "usage", "meta.next"),
        ("points?sort=p90_tft_s", "usage", "Did you mean p90_ttft_s?"),
        ("datasets/sample-set/conversations?sort=isl_token", "usage", "Did you mean isl_tokens?"),
        (
            "datasets/sample-set/conversations?serch=x",
            "unknown_parameter",
            "cursor, format, header, limit, q",
        ),
        ("curves?x=intractivity_tps", "bad_value", "Did you mean interactivity_tps?"),
        ("curves?stat=p42", "bad_value", "Known: mean, p50"),
        ("curves?limit=100", "bad_value", "Known: drop, mark."),
        ("curves?x_from=2&x_to=1", "bad_value", "the larger end last"),
        ("points/gdtjz6auvfsw/requests?to=5&from=5", "bad_value", "the larger end last"),
    ],
)
def test_a_wrong_call_says_what_was_expected(client, query, code, hint):
    answer = client.get(f"{API}/{query}")
    assert answer.status_code == 400
    assert answer.json["error"]["code"] == code
    assert hint in answer.json["error"]["hint"]
    assert answer.headers["Cache-Control"] == "no-store"
    assert answer.headers["Access-Control-Allow-Origin"] == "*"


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("point", 404, "not_found"),
        ("", 404, "not_found"),
        ("points/nothere", 404, "not_found"),
        ("points/nothere/requests", 404, "not_found"),
        ("datasets/nothere", 404, "not_found"),
        ("datasets/nothere/conversations", 404, "not_found"),
        ("datasets/sample-set/conversations/nothere", 404, "not_found"),
        ("datasets/sample-set/conversations/not%2Fhere/flame", 404, "not_found"),
        ("nothing%0Ahere", 404, "not_found"),
        ("points?snap=nothere", 404, "not_found"),
        ("curves?snap=0123456789abcdef", 404, "not_found"),
    ],
)
def test_what_is_not_there_is_said_in_the_envelope(client, path, status, code):
    answer = client.get(f"{API}/{path}".rstrip("/"))
    assert answer.status_code == status
    assert answer.json["error"]["code"] == code
    assert answer.json["error"]["hint"]
