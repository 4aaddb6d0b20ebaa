"""Code shared by the benchmarks. A model is a function from the body of a request to the response."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from agent_scorecard.records import figure

Model = Callable[[dict[str, Any]], Mapping[str, Any] | str | None]


def as_json(value: Any) -> str:
    """Return a value as JSON text."""
    try:
        return json.dumps(value)
    except RecursionError:
        raise ValueError("a value of JSON has too many levels of lists and dictionaries") from None


def replies(model: Model) -> Callable[[str], str | None]:
    """Return the model as a function from JSON text to JSON text."""

    def reply(body: str) -> str | None:
        response: Any = model(json.loads(body))
        if isinstance(response, str) and not response.lstrip().startswith("{"):
            raise ValueError(f"the model returned the text {response[:60]!r}; return the response of the server, as a dictionary or JSON")
        if response is None or isinstance(response, str):
            return response
        if hasattr(response, "model_dump_json"):
            return str(response.model_dump_json())
        return as_json(response)

    return reply


def figures(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table with its figures as `Figure`."""
    return {name: figure(it) if isinstance(it, tuple) else it for name, it in row.items()}
