"""Comparison of an agent's tool calls with expected calls."""

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from agent_scores import _native

Call = Mapping[str, Any]
_Arguments = Literal["exact"] | Literal["ignore"] | Literal["subset"] | Literal["superset"]


class Alignment(NamedTuple):
    """Which actual calls satisfy which expected calls, as positions, and which modes of matching hold."""

    matched: list[tuple[int, int]]
    missing: list[int]
    extra: list[int]
    out_of_order: list[tuple[int, int]]
    exact: bool
    in_order: bool
    any_order: bool
    subset: bool
    unordered: bool


class PathDistances(NamedTuple):
    """Means over pairs of paths."""

    edit_distance: float
    normalized_edit_distance: float
    exact_match_rate: float


def _pairs(calls: Iterable[Call]) -> list[tuple[str, Any]]:
    """Name and arguments of plain calls, of OpenAI's tool calls, and of the calls of OpenAI's messages."""
    pairs: list[tuple[str, Any]] = []
    for index, call in enumerate(calls):
        if "role" in call:
            pairs.extend(_pairs(call.get("tool_calls") or ()))
            continue
        inner = call.get("function", call)
        name = inner.get("name") if isinstance(inner, Mapping) else None
        if not isinstance(name, str):
            raise ValueError(f"call {index} has no name")
        key = next((key for key in ("arguments", "args", "input") if key in inner), None)
        pairs.append((name, {} if key is None else inner[key]))
    return pairs


def _rule(settings: Mapping[str, Any]) -> tuple[Any, tuple[float, float]]:
    arguments = settings["arguments"]
    tolerance = (settings["absolute_tolerance"], settings["relative_tolerance"])
    return arguments if isinstance(arguments, str) else list(arguments), tolerance


def match_calls(
    actual: Iterable[Call],
    expected: Iterable[Call],
    *,
    arguments: _Arguments | Sequence[str] = "exact",
    absolute_tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
    tools: Mapping[str, _Arguments | Sequence[str] | Mapping[str, Any]] | None = None,
) -> Alignment:
    """Match calls one to one, as many as possible.

    Parameters
    ----------
    actual, expected : iterables of mappings
        Calls ``{"name": ..., "arguments": ...}``, OpenAI's tool calls, or OpenAI's messages.
    arguments : {"exact", "ignore", "subset", "superset"} or list of str
        How arguments are compared; a list names the fields to compare.
    absolute_tolerance, relative_tolerance : float
        Tolerance for numbers in arguments.
    tools : mapping of str, optional
        Tools with rules of their own: what ``arguments`` may be, or a mapping with ``arguments`` and tolerances, which are
        otherwise those of the call.

    Examples
    --------
    >>> call = {"name": "search", "arguments": {"q": "rust"}}
    >>> sent = {"function": {"name": "search", "arguments": '{"q": "rust"}'}}
    >>> match_calls([sent], [call]).exact
    True
    >>> paid, due = ({"name": "pay", "arguments": {"amount": amount}} for amount in (10.01, 10))
    >>> match_calls([paid], [due]).exact
    False
    >>> match_calls([paid], [due], tools={"pay": {"absolute_tolerance": 0.02}}).exact
    True
    """
    usual = {
        "arguments": arguments,
        "absolute_tolerance": absolute_tolerance,
        "relative_tolerance": relative_tolerance,
    }
    rules = []
    for name, own in (tools or {}).items():
        settings = {**usual, **(own if isinstance(own, Mapping) else {"arguments": own})}
        if len(settings) > len(usual):
            raise ValueError(f"tools[{name!r}] has other keys than {', '.join(usual)}")
        rules.append((name, *_rule(settings)))
    *lists, modes = _native.match_calls(_pairs(actual), _pairs(expected), *_rule(usual), rules)
    return Alignment(*lists, *modes)  # type: ignore[arg-type]


def path_distances(paths: Iterable[tuple[Iterable[Hashable], Iterable[Hashable]]]) -> PathDistances:
    """Return the mean distances of pairs of an actual and a reference path of calls.

    Lists of the same objects, such as interned names of tools, and arrays of int64 are the fastest paths.

    Parameters
    ----------
    paths : iterable of pairs of iterables of hashable
        Calls are equal if Python's ``==`` says so.

    Examples
    --------
    >>> path_distances([(["a", "b"], ["a", "c"])])
    PathDistances(edit_distance=1.0, normalized_edit_distance=0.5, exact_match_rate=0.0)
    """
    return PathDistances(*_native.path_distances(paths))
