"""The tests of agentevals 0.0.9, with our matching of tool calls in place of its own.

    pip install agentevals==0.0.9 pytest pytest-asyncio
    git clone --depth 1 https://github.com/langchain-ai/agentevals
    LANGSMITH_TEST_TRACKING=false python tests/peers/agentevals_own_tests.py agentevals/python/tests

A call is ours unless a tool has a function as comparison of its own. The others are left to agentevals, and so is its mode
`strict`, which compares message by message. The exit code is 1 if a test fails.
"""

import collections
import sys

import pytest
from agentevals.trajectory import subset, superset, unordered, utils

import agent_scorecard as ags

CALLS = collections.Counter()
theirs = utils._is_trajectory_superset


def is_superset(outputs, reference_outputs, tool_args_match_mode, tool_args_match_overrides=None):
    tools = tool_args_match_overrides or {}
    if any(callable(rule) for rule in tools.values()):
        CALLS["left to agentevals"] += 1
        return theirs(outputs, reference_outputs, tool_args_match_mode, tool_args_match_overrides)
    calls = (utils._extract_tool_calls(messages) for messages in (outputs, reference_outputs))
    found = ags.match_calls(*calls, arguments=tool_args_match_mode, tools=tools)
    CALLS["ours, with rules of tools" if tools else "ours"] += 1
    same = theirs(outputs, reference_outputs, tool_args_match_mode, tool_args_match_overrides)
    CALLS["same answer" if same == (not found.missing) else "another answer"] += 1
    return not found.missing


def main():
    for module in (subset, superset, unordered):
        module._is_trajectory_superset = is_superset
    files = [f"{sys.argv[1]}/test_trajectory.py", f"{sys.argv[1]}/test_trajectory_async.py"]
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", "-o", "asyncio_mode=auto", *files, *sys.argv[2:]])
    print(dict(CALLS))
    return int(code)


if __name__ == "__main__":
    sys.exit(main())
