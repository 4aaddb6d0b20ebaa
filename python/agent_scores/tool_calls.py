"""Comparison of an agent's tool calls with expected calls."""

import itertools
from collections import defaultdict
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


def match_calls(
    actual: Iterable[Call],
    expected: Iterable[Call],
    *,
    arguments: _Arguments | Sequence[str] = "exact",
    absolute_tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
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

    Examples
    --------
    >>> call = {"name": "search", "arguments": {"q": "rust"}}
    >>> sent = {"function": {"name": "search", "arguments": '{"q": "rust"}'}}
    >>> match_calls([sent], [call]).exact
    True
    """
    rule = arguments if isinstance(arguments, str) else list(arguments)
    *lists, modes = _native.match_calls(
        _pairs(actual), _pairs(expected), rule, (absolute_tolerance, relative_tolerance)
    )
    return Alignment(*lists, *modes)  # type: ignore[arg-type]


def path_distances(paths: Iterable[tuple[Iterable[Hashable], Iterable[Hashable]]]) -> PathDistances:
    """Return the mean distances of pairs of an actual and a reference path of calls.

    Examples
    --------
    >>> path_distances([(["a", "b"], ["a", "c"])])
    PathDistances(edit_distance=1.0, normalized_edit_distance=0.5, exact_match_rate=0.0)
    """
    ids: defaultdict[Hashable, int] = defaultdict(itertools.count().__next__)
    number = ids.__getitem__
    numbered = [
        (list(map(number, actual)), list(map(number, reference))) for actual, reference in paths
    ]
    return PathDistances(*_native.path_distances(numbered))
