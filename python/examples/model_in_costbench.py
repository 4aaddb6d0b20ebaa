"""Puts a model into CostBench: python model_in_costbench.py.

The model is any function from the body of a request of OpenAI's chat completions to the response. With the client of
OpenAI it is `lambda request: client.chat.completions.create(**request)`. The agent below stands for it: it calls the
first tool in the list whose result it does not hold.
"""

import json
import re
from collections.abc import Callable
from typing import Any

import agent_scorecard as ags


def agent(preferences: list[str], goal: str) -> Callable[[dict[str, Any]], dict[str, Any]]:
    """Makes an agent that is told the preferences and the goal, which a model reads from the query."""

    def reply(request: dict[str, Any]) -> dict[str, Any]:
        text = "\n".join(message.get("content") or "" for message in request["messages"][1:])
        held = dict(re.findall(r"^(\w+): (.*)$", text, re.MULTILINE))
        if goal in held:
            return say(f"<answer>{held[goal]}</answer>")
        for tool in (tool["function"] for tool in request["tools"]):
            if any(f"Returns {name}." in tool["description"] for name in held):
                continue
            arguments = {}
            for name, schema in tool["parameters"]["properties"].items():
                choices = [word for word in schema.get("enum", ()) if word in preferences]
                arguments[name] = choices[0] if choices else held.get(name, "")
            call = {"name": tool["name"], "arguments": json.dumps(arguments)}
            return say(None, [{"id": f"call_{len(held)}", "type": "function", "function": call}])
        return say("I am stuck.")

    return reply


def say(content: str | None, calls: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls:
        message["tool_calls"] = calls
    return {"choices": [{"message": message, "finish_reason": "tool_calls" if calls else "stop"}]}


def main() -> None:
    bench = ags.CostBench(level=2)
    runs = []
    for query in ags.costbench_queries("test")[:40]:
        runs.append(bench.run(query, agent(query.preferences, query.goal)))
    print(f"{sum(run.outcome is True for run in runs)} of {len(runs)} queries were solved")
    (row,) = ags.costbench_figures(runs, model="stage by stage", random_state=1)
    for name in ("cost_gap", "exact_match_ratio", "task_completion_ratio"):
        value, (low, high) = row[name].value, row[name].interval
        print(f"{name}: {value:.3f}, from {low:.3f} to {high:.3f}")


if __name__ == "__main__":
    main()
