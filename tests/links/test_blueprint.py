"""Paths that no route takes get the product's own answer, like any other path."""

from __future__ import annotations

import pytest
from flask.testing import FlaskClient

from explorer import i18n

PATHS = ("/nothing%0Ahere", "/%0a", "/points/none%0D%0A", "/datasets/x/conversations/%0A", "/a%00b")


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("lang", i18n.LANGUAGES)
def test_a_path_with_control_characters_has_the_products_page(
    client: FlaskClient, path: str, lang: str
):
    answer = client.get(f"{path}?lang={lang}")
    assert answer.status_code == 404
    assert f'<html lang="{lang}"' in answer.text
    assert f"<h1>{i18n.text(lang, 'frame.not_found')}</h1>" in answer.text
    assert "Content-Security-Policy" in answer.headers
    assert client.head(path).status_code == 404


def test_a_file_that_is_not_there_is_no_page(client: FlaskClient):
    answer = client.get("/assets/nothere.css")
    assert answer.status_code == 404
    assert "first-paint" not in answer.text


def test_a_wrong_method_gets_no_page(client: FlaskClient):
    answer = client.post("/nothing%0Ahere")
    assert answer.status_code == 404
    assert "first-paint" not in answer.text
