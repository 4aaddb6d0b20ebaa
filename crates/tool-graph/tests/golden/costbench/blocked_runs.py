"""Optimal and greedy runs under events; writes blocked_runs.json beside it.

pip install numpy==2.4.6

Plans are found by Dijkstra's algorithm over the sets of data types, with all tools of the level and with
CPython's heapq over tuples of cost, number of calls, set and names.
"""

import hashlib
import heapq
import json
import math
import pathlib
import platform
import random

import numpy as np

HERE = pathlib.Path(__file__).parent
KINDS = ["ban_tool", "preference_change", "cost_change", "remove_tools"]
PLANS = [[kind] * n for kind in KINDS for n in (1, 2, 3)] + [KINDS, KINDS[::-1]]


def hashed(text):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % (2**31 - 1)


def draw_costs(library, seed):
    stream, costs = random.Random(seed), {}
    for tool in library:
        if tool["kind"] == "atomic":
            costs[tool["name"]] = round(stream.uniform(15, 25), 2)
    for tool in library:
        if tool["kind"] != "atomic":
            parts = tool["components"]
            noise = np.random.default_rng(hashed(f"{seed}:{tool['name']}"))
            noise = noise.normal(0, 0.1 * math.sqrt(len(parts)))
            costs[tool["name"]] = round(max(1, sum(costs[part] for part in parts) + noise), 2)
    return costs


class World:
    def __init__(self, level, query, task, kinds, rule):
        self.library = json.loads((HERE / f"library_level{level}.json").read_text())
        whole = level + 3
        prefix = task.capitalize()
        self.all = [t for t in self.library if len(t.get("components") or []) < whole]
        self.tools = [tool for tool in self.all if prefix in tool["name"].split("_")]
        self.seed = hashed(f"42:{query}")
        self.costs = draw_costs(self.library, self.seed)
        spec = json.loads((HERE / "tasks.json").read_text())[task]
        self.start, self.goal = frozenset(spec["initial"]), spec["goal"]
        self.state, self.out, self.banned = self.start, set(), set()
        self.kinds, self.rule = kinds, rule
        self.over, self.fired, self.step = 0, 0, 0
        self.removals = self.draw_removals(whole)
        self.calls = []
        self.schedule()

    def draw_removals(self, longest):
        count = self.kinds.count("remove_tools")
        stream, width, ranges = random.Random(self.seed), longest // 2, []
        few = longest - 1 < 2 * count
        for _ in range(count):
            for number in range(101):
                low = stream.randint(2, longest - width)
                high = stream.randint(low + width, longest)
                if few or number == 100 or all(high < a or b < low for a, b in ranges):
                    break
            ranges.append((low, high))
        return [low for low, _ in ranges]

    def open_tools(self, state):
        for place, tool in enumerate(self.tools):
            if tool["name"] not in self.out and tool["output"] not in state:
                if all(need in state for need in tool["inputs"]):
                    yield place, tool

    def plan(self):
        heap, visited = [(0, 0, self.state, [])], set()
        while heap:
            cost, calls, state, path = heapq.heappop(heap)
            if state in visited:
                continue
            visited.add(state)
            if self.goal in state:
                places = {tool["name"]: place for place, tool in enumerate(self.tools)}
                return [places[name] for name in path]
            for tool in self.all:
                name = tool["name"]
                if name not in self.out and all(need in state for need in tool["inputs"]):
                    after = state | {tool["output"]}
                    if after not in visited:
                        entry = (cost + self.costs[name], calls + 1, after, [*path, name])
                        heapq.heappush(heap, entry)
        return None

    def schedule(self):
        plan = self.plan()
        self.trigger = None
        if plan is not None and self.over < len(self.kinds):
            parts = len(self.kinds) - self.over + (1 if self.rule == "released" else 0)
            self.trigger = self.step + max(1, len(plan) // parts)
        return plan is not None

    def happens(self, tool):
        kept = self.out, self.banned, self.state, self.costs
        kind = self.kinds[self.over]
        if kind == "ban_tool":
            self.out, self.banned = self.out | {tool["name"]}, self.banned | {tool["name"]}
        elif kind == "preference_change":
            self.state = self.start
        elif kind == "cost_change":
            seed = random.Random(self.seed + 100 * self.over).choice(range(1, 10000))
            self.costs = draw_costs(self.library, seed)
        else:
            length = self.removals[self.kinds[: self.over].count(kind)]
            gone = (t for t in self.all if len(t.get("components") or []) == length)
            # The tools of an earlier removal come back.
            self.out = self.banned | {t["name"] for t in gone}
        self.over += 1
        if self.schedule():
            self.fired += 1
            return True
        self.out, self.banned, self.state, self.costs = kept
        return False

    def call(self, place):
        """Whether an event came."""
        tool = self.tools[place]
        self.step += 1
        self.calls.append(tool["name"])
        due = self.step == self.trigger
        ban = due and self.kinds[self.over] == "ban_tool"
        if ban and self.happens(tool):
            return True
        self.state = self.state | {tool["output"]}
        came = due and not ban and self.happens(tool)
        if due and not came:
            self.schedule()
        return came

    def optimal(self):
        while self.goal not in self.state:
            for place in self.plan():
                if self.call(place):
                    break
        return self.calls, self.fired

    def greedy(self):
        previous = None
        while self.goal not in self.state:
            rates = [
                (self.costs[tool["name"]] / max(1, len(tool.get("components") or [])), place)
                for place, tool in self.open_tools(self.state)
                if previous is None or previous in tool["inputs"]
            ]
            if not rates:
                break
            place = min(rates)[1]
            previous = None if self.call(place) else self.tools[place]["output"]
        return self.calls, self.fired


def main():
    rows = []
    for run in json.loads((HERE / "reference_runs.json").read_text()):
        level, query, task = run["refinement_level"], run["query_id"], run["task"]
        for kinds in PLANS if level == 2 else PLANS[1::3] + PLANS[-2:]:
            for rule in ("released", "paper_text"):
                row = {"level": level, "query_id": query, "task": task, "events": kinds, "rule": rule}
                row["optimal"], row["optimal_events"] = World(level, query, task, kinds, rule).optimal()
                row["greedy"], row["greedy_events"] = World(level, query, task, kinds, rule).greedy()
                rows.append(row)
    origin = (
        f"blocked_runs.py, CPython {platform.python_version()}, NumPy {np.__version__}, "
        "python blocked_runs.py, 2026-11-22"
    )
    lines = ",\n".join(json.dumps(row) for row in rows)
    text = f'{{"origin": "{origin}", "runs": [\n{lines}\n]}}\n'
    (HERE / "blocked_runs.json").write_text(text)


main()
