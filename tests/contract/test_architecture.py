"""Sizes stay small; what is over carries a dated reason."""

from __future__ import annotations

import ast
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted((ROOT / "explorer").rglob("*.py"))
LONG_FUNCTIONS: dict[str, str] = {}
"""`file:function` → date and reason."""


def functions():
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                name = f"{path.relative_to(ROOT)}:{node.name}"
                yield name, (node.end_lineno or 0) - node.lineno + 1


def test_no_function_is_over_sixty_lines_without_a_reason():
    long = {name: lines for name, lines in functions() if lines > 60}
    assert sorted(long) == sorted(LONG_FUNCTIONS), long


def test_the_median_function_is_short():
    assert 4 <= statistics.median(lines for _, lines in functions()) <= 12


def test_no_file_is_over_five_hundred_lines():
    long = {
        str(path.relative_to(ROOT)): count
        for path in SOURCES
        if (count := len(path.read_text().splitlines())) > 500
    }
    assert long == {}


def test_every_module_and_public_function_says_what_it_promises():
    silent = []
    for path in SOURCES:
        tree = ast.parse(path.read_text())
        if tree.body and ast.get_docstring(tree) is None:
            silent.append(str(path.relative_to(ROOT)))
        for node in tree.body:
            public = isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name[0] != "_"
            if public and ast.get_docstring(node) is None:
                silent.append(f"{path.relative_to(ROOT)}:{node.name}")
    assert silent == []
