"""The document around a page: what it asks for before its first chart, and what after."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from explorer.app import create_app
from explorer.settings import Settings

TEMPLATE = re.compile(r'<template id="late">(.*?)</template>', re.S)


@pytest.fixture(scope="module")
def client(sample_lake):
    return create_app(Settings(lake=sample_lake.folder)).test_client()


def test_nothing_is_asked_for_before_the_first_chart(client):
    page = client.get("/").text
    late = TEMPLATE.search(page)[1]
    assert "page.js" in late
    rest = re.sub(r"<noscript>.*?</noscript>", "", TEMPLATE.sub("", page), flags=re.S)
    assert re.findall(r"<script[^>]*\ssrc=", rest) == []
    assert re.findall(r'<link[^>]*rel="stylesheet"', rest) == []


def test_readers_without_scripts_get_every_style(client):
    page = client.get("/").text
    late = re.findall(r'<link rel="stylesheet"[^>]*>', TEMPLATE.search(page)[1])
    assert (
        late
        == re.findall(r'<link rel="stylesheet"[^>]*>', page.split("<noscript>")[1])[: len(late)]
    )


def test_the_first_paint_waits_for_a_chart_where_there_is_one(client):
    expected = '<link rel="expect" href="#first-chart" blocking="render">'
    assert expected in client.get("/").text
    assert expected not in client.get("/datasets").text
    assert expected not in client.get("/?model=no-such-model").text


def test_the_policy_names_the_only_script_inside_the_page(client):
    answer = client.get("/")
    inside = [
        text
        for attributes, text in re.findall(r"<script([^>]*)>(.*?)</script>", answer.text, re.S)
        if text and "json" not in attributes
    ]
    assert len(inside) == 1
    digest = base64.b64encode(hashlib.sha256(inside[0].encode()).digest()).decode()
    assert f"'sha256-{digest}'" in answer.headers["Content-Security-Policy"]
