"""Comparison of an agent's tool calls with expected calls, and success over several trials of a task."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.arguments import count
from agent_scorecard.metrics import Array, Groups

Call = Mapping[str, Any]
_Arguments = Literal["exact"] | Literal["ignore"] | Literal["subset"] | Literal["superset"]


class Alignment(NamedTuple):
    """The pairs of actual and expected calls that match, as positions, and the modes of matching that hold."""

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


# Types of parts of a message, and of items beside messages, in the forms of OpenAI, Anthropic and LangChain.
_CALL_TYPES = frozenset(
    {"tool_use", "server_tool_use", "mcp_tool_use", "function", "function_call", "mcp_call", "tool_call"}
)
_OTHER_TYPES = frozenset(
    """audio container_upload document file file_search image image_url input_audio input_file input_image input_text
    output_audio output_text reasoning redacted_thinking refusal search_result summary_text text thinking""".split()
)
_AGENT_SILENT = frozenset({"system", "developer", "user", "human", "tool", "function"})


def _is_no_call(kind: Any) -> bool:
    """Whether a part of this type is text, an image, the result of a tool or the like."""
    return kind in _OTHER_TYPES or (
        isinstance(kind, str) and kind.endswith(("tool_result", "call_output", "call_result"))
    )


def _mapping(entry: Any, place: str) -> Mapping[str, Any]:
    if hasattr(entry, "model_dump"):  # an object of the clients of OpenAI or Anthropic
        entry = entry.model_dump()
    if not isinstance(entry, Mapping):
        raise ValueError(f"{place} is of type {type(entry).__name__}; expected a mapping")
    return entry


def _call(entry: Any, place: str) -> tuple[str, Any]:
    """Name and arguments of a plain call, or of a call of a model's interface."""
    entry = _mapping(entry, place)
    inner = entry.get("function", entry)
    name = inner.get("name") if isinstance(inner, Mapping) else None
    if not isinstance(name, str):
        raise ValueError(f"{place} has no name")
    key = next((key for key in ("arguments", "args", "input") if key in inner), None)
    return name, {} if key is None else inner[key]


def _parts(content: Any, place: str) -> list[Mapping[str, Any]]:
    """The calls among the parts of the content of a message."""
    if content is None or isinstance(content, str):
        return []
    if isinstance(content, Mapping) or not isinstance(content, Iterable):
        raise ValueError(f"{place}: content is of type {type(content).__name__}; expected a text or a list")
    calls = []
    for index, part in enumerate(content):
        if isinstance(part, str):
            continue
        part = _mapping(part, f"{place}, part {index}")
        kind = part.get("type")
        if kind in _CALL_TYPES:
            calls.append(part)
        elif not _is_no_call(kind):
            raise ValueError(f"{place}, part {index} has the unknown type {kind!r}; give its calls as plain calls")
    return calls


def _message(message: Mapping[str, Any], place: str) -> list[tuple[str, Any]]:
    """The calls of a message of an agent: of its list of calls, its single call, or its content."""
    if message.get("role") in _AGENT_SILENT:
        return []
    if not any(key in message for key in ("content", "tool_calls", "function_call")):
        raise ValueError(f"{place} is a message without content, tool_calls and function_call")
    listed = list(message.get("tool_calls") or ())
    parts = _parts(message.get("content"), place)
    single = message.get("function_call")
    ids = [[_mapping(call, place).get("id") for call in calls] for calls in (listed, parts)]
    if listed and parts and ids[0] == ids[1]:  # LangChain keeps the calls of Anthropic in both places
        parts = []
    found = [(place, [single] if single else []), (f"{place}, tool call", listed), (f"{place}, part", parts)]
    found = [(what, calls) for what, calls in found if calls]
    if len(found) > 1:
        raise ValueError(f"{place} has different calls in two of content, tool_calls and function_call")
    return [_call(call, what) for what, calls in found for call in calls]


def _pairs(calls: Iterable[Call]) -> list[tuple[str, Any]]:
    """Name and arguments of each call, and of each call of the messages of an agent."""
    pairs: list[tuple[str, Any]] = []
    for index, call in enumerate(calls):
        entry, place = _mapping(call, f"call {index}"), f"call {index}"
        if "role" in entry or "tool_calls" in entry:
            pairs.extend(_message(entry, place))
        elif "name" in entry or "function" in entry or not _is_no_call(entry.get("type")):
            pairs.append(_call(entry, place))
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
        Calls ``{"name": ..., "arguments": ...}`` (also ``args`` or ``input``), tool calls as models send them, or
        messages. Messages of OpenAI have ``tool_calls`` or ``function_call``. Messages of Anthropic have ``tool_use``
        among the parts of their content. Objects of both client packages are read as well. Messages of users and tools
        have no calls. Content of an unknown type is an error. Arguments may have up to 128 levels of lists and
        dictionaries.
    arguments : {"exact", "ignore", "subset", "superset"} or list of str
        How arguments are compared; a list names the fields to compare.
    absolute_tolerance, relative_tolerance : float
        Tolerance for numbers in arguments.
    tools : mapping of str, optional
        Separate rules for single tools. A rule is a value for ``arguments``, or a mapping with ``arguments`` and
        tolerances. Settings that a rule does not have are the settings of this call.

    Returns
    -------
    Alignment
        Pairs of positions in ``actual`` and ``expected``, and five verdicts. ``exact``: the same calls in the same
        order, and no other calls. ``in_order``: all expected calls in their order, possibly with other calls between
        them. ``any_order``: all expected calls. ``subset``: only expected calls. ``unordered``: the same calls in any
        order.

    Examples
    --------
    >>> call = {"name": "search", "arguments": {"q": "rust"}}
    >>> sent = {"function": {"name": "search", "arguments": '{"q": "rust"}'}}
    >>> match_calls([sent], [call]).exact
    True
    >>> used = {"type": "tool_use", "id": "1", "name": "search", "input": {"q": "rust"}}
    >>> said = {"role": "assistant", "content": [{"type": "text", "text": "I look it up."}, used]}
    >>> match_calls([said], [call]).exact
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
    return Alignment(*lists, *modes)


def path_distances(paths: Iterable[tuple[Iterable[Hashable], Iterable[Hashable]]]) -> PathDistances:
    """Return the mean distances of pairs of an actual and a reference path of calls.

    Lists of the same objects, such as interned names of tools, and arrays of int64 are the fastest paths.

    Parameters
    ----------
    paths : iterable of pairs of iterables of hashable
        Calls are equal if Python's ``==`` says so.

    Returns
    -------
    PathDistances

    Examples
    --------
    >>> path_distances([(["a", "b"], ["a", "c"])])
    PathDistances(edit_distance=1.0, normalized_edit_distance=0.5, exact_match_rate=0.0)
    """
    return PathDistances(*_native.path_distances(paths))


def pass_at_k(y_true: npt.ArrayLike, groups: Groups, k: int) -> Array:
    """Return, for each task, the probability that at least one of k of its trials succeeds (Chen and others, 2021).

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
        The outcome of each trial.
    groups : array-like
        The task of each trial.
    k : int
        The number k, at most the number of trials of every task.

    Returns
    -------
    numpy.ndarray
        One number per task, in the order of the tasks. `bootstrap_mean` of these numbers has an interval over tasks.

    Examples
    --------
    >>> pass_at_k([1, 0, 0, 0], ["a", "a", "b", "b"], 2)
    array([1., 0.])
    """
    return np.array(_native.pass_k("at", y_true, groups, count("k", k)))


def pass_hat_k(y_true: npt.ArrayLike, groups: Groups, k: int) -> Array:
    """Return, for each task, the probability that all of k of its trials succeed (Yao and others, 2024).

    Parameters
    ----------
    y_true : array-like of bool or 0 and 1
        The outcome of each trial.
    groups : array-like
        The task of each trial.
    k : int
        The number k, at most the number of trials of every task.

    Returns
    -------
    numpy.ndarray
        One number per task, in the order of the tasks. `bootstrap_mean` of these numbers has an interval over tasks.

    Examples
    --------
    >>> pass_hat_k([1, 1, 1, 0], ["a", "a", "b", "b"], 2)
    array([1., 0.])
    """
    return np.array(_native.pass_k("hat", y_true, groups, count("k", k)))
