"""Cheapest paths in small graphs with many ties, by Dijkstra's algorithm over sets of data types with
CPython's heapq; writes released_ties.json beside it.

An entry of the heap is a tuple of cost, number of calls, frozenset and list of names, as in CostBench's
released solver.
"""

import heapq
import json
import pathlib
import platform
import random


def solve(tools, goal):
    heap, visited = [(0, 0, frozenset(["t0"]), [])], set()
    while heap:
        cost, calls, state, path = heapq.heappop(heap)
        if state in visited:
            continue
        visited.add(state)
        if goal in state:
            return path
        for name, inputs, output, price in tools:
            after = state | {output}
            if state.issuperset(inputs) and after not in visited:
                heapq.heappush(heap, (cost + price, calls + 1, after, [*path, name]))
    return None


def chain(stream):
    """Tools that need one data type and yield a later one, some of them twice, with a few tools beside
    the way."""
    types = stream.randint(3, 6)
    tools = []
    for start in range(types):
        for end in range(start + 1, types + 1):
            for copy in "ab":
                if (start, end) != (0, types) and stream.random() < 0.6:
                    price = round((end - start) * 0.1 + stream.choice([0, 0, 0, 0.1]), 2)
                    tools.append([f"{start}-{end}{copy}", [f"t{start}"], f"t{end}", price])
    for number in range(stream.randint(0, 3)):
        tools.append([f"a{number}", [f"t{stream.randint(0, 2)}"], f"a{number}", 0.1])
    stream.shuffle(tools)
    return tools, f"t{types}"


def mixed(stream):
    """Tools that need up to two data types."""
    types = stream.randint(4, 7)
    tools = []
    for number in range(stream.randint(6, 14)):
        inputs = sorted({f"t{stream.randint(0, types - 1)}" for _ in range(stream.randint(1, 2))})
        output = f"t{stream.randint(1, types)}"
        tools.append([f"x{number}", inputs, output, stream.choice([0.1, 0.2, 0.3, 0.6, 0.7])])
    return tools, f"t{types}"


def main():
    stream, cases = random.Random(18), []
    while len(cases) < 240:
        tools, goal = (chain if len(cases) % 2 else mixed)(stream)
        path = solve(tools, goal)
        if path is not None and len(path) > 1:
            cases.append({"tools": tools, "goal": goal, "path": path})
    origin = f"released_ties.py, CPython {platform.python_version()}, python released_ties.py, 2026-11-22"
    lines = ",\n".join(json.dumps(case) for case in cases)
    text = f'{{"origin": "{origin}", "cases": [\n{lines}\n]}}\n'
    pathlib.Path(__file__).with_name("released_ties.json").write_text(text)


main()
