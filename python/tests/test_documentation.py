"""Every public function and method says what it takes and what it returns."""

import importlib.util
import inspect
import re

import pytest

import agent_scorecard as ags


def functions():
    modules = [ags.reports, ags.training]
    if importlib.util.find_spec("gymnasium"):
        modules.append(importlib.import_module("agent_scorecard.environments"))
    parts = [(it, [name for name in vars(it) if getattr(vars(it)[name], "__module__", "") == it.__name__ and name[0] != "_"]) for it in modules]
    for module, names in [(ags, ags.__all__), *parts]:
        for name in names:
            thing = getattr(module, name)
            if inspect.isfunction(thing) and thing.__module__.startswith("agent_scorecard"):
                yield f"{module.__name__}.{name}", thing
            elif inspect.isclass(thing) and thing.__module__.startswith("agent_scorecard"):
                for own in dir(thing):
                    method = inspect.getattr_static(thing, own)
                    inner = method.__func__ if isinstance(method, classmethod) else method
                    # Methods of Gymnasium are documented there.
                    module_of = getattr(inner, "__module__", None) or ""
                    is_own = not module_of.startswith("gymnasium") and (module_of or getattr(inner, "__objclass__", None) is thing)
                    if own[0] != "_" and callable(inner) and is_own and own not in dir(dict) + dir(tuple):
                        yield f"{module.__name__}.{name}.{own}", inner


@pytest.mark.parametrize("name, function", [pytest.param(*it, id=it[0]) for it in functions()])
def test_parameters_and_returns_are_documented(name, function):
    text = inspect.getdoc(function) or ""
    signature = inspect.signature(function)
    taken = [it for it in signature.parameters if it not in ("self", "cls")]
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w+\n---|\Z)", text, re.DOTALL | re.MULTILINE)
    heads = re.findall(r"^(\S.*?)(?: :.*)?$", section[1] if section else "", re.MULTILINE)
    documented = [it.strip("*` ") for head in heads for it in head.split(",")]
    assert documented == taken, name
    returns = signature.return_annotation
    # The compiled half has no annotations.
    if returns not in (None, "None", inspect.Signature.empty) or returns is inspect.Signature.empty and text.startswith("Return"):
        assert re.search(r"^Returns\n-+\n\S", text, re.MULTILINE), f"{name} says nothing of what it returns"


def test_signatures_are_short():
    longest = max(len(str(inspect.signature(getattr(ags, name)))) for name in ags.__all__ if inspect.isfunction(getattr(ags, name)))
    assert longest < 400
    assert "Sequence" not in str(inspect.signature(ags.auroc))


def test_the_version_is_that_of_the_package():
    assert re.fullmatch(r"\d+\.\d+\.\d+", ags.__version__)
