"""Every public name has a docstring with an example, and the examples run."""

import doctest

import pytest

import polydag
from polydag import _answers, _api, _errors, _estimator, _result, _settings


@pytest.mark.parametrize("name", polydag.__all__)
def test_every_name_has_an_example(name):
    text = getattr(polydag, name).__doc__
    assert text and ">>> " in text and text.strip().split("\n")[0].endswith(".")


@pytest.mark.parametrize("module", [_answers, _api, _errors, _estimator, _result, _settings])
def test_examples_run(module):
    failed, tried = doctest.testmod(module)
    assert tried > 0 and failed == 0
