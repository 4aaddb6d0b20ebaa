"""Runs of scripted agents in the released environment of CostBench; writes released_environment.json.

python released_environment.py CHECKOUT, with a checkout of the released code (commit 6424069) and its
packages, among them numpy 2.4.6. CPython 3.11 cannot parse one line of the released `run.py`, which prints
a cost when debugging; it was replaced by `pass`. The blocker, the solver and the greedy policy are the
released ones. The loop over turns below makes the same calls of them as `run.py`, with a script in place
of the model. Tools are written as positions in the library.

The greedy policy is left out for removals of tools, which it reads as ranges of lengths to keep.
"""

import contextlib
import hashlib
import io
import json
import pathlib
import platform
import random
import sys
import types

import numpy

CHECKOUT = sys.argv[1]
sys.path.insert(0, CHECKOUT)

import env.run as released_run
import env.utils.solver as released_solver
from env.core.base_types import create_tool_from_dict
from env.core.data_types import get_final_type
from env.domains.travel.tool_registry import tools_ready_in_memory
from env.utils.blocker import create_blocker
from env.utils.eval import build_segmented_gt_path

HERE = pathlib.Path(__file__).parent
SETTINGS = {
    "min_atomic_cost": 15,
    "max_atomic_cost": 25,
    "noise_std": 0.1,
    "control_tool_length": False,
    "max_tool_length": 8,
    "ban_longest_tool": True,
}
# The right answer of a query needs a file that is not released, and no path depends on it.
released_solver.calculate_groundtruth_id = lambda **_: ""


def hashed(text):
    return int(hashlib.sha256(text.encode()).hexdigest(), 16) % (2**31 - 1)


def tools_of(stored):
    return {name: create_tool_from_dict({**tool, "name": name}) for name, tool in stored.items()}


def choose(script, query, blocker, own, stream, step):
    """The next call: of the optimal plan, or at random, in part of tools that cannot be called."""
    if script == "optimal":
        steps = query["block_stats"]["block_step"]
        start = steps[blocker.blocked_count - 1] if blocker.blocked_count else 0
        plan = query["groundtruth"]["scenarios"][blocker.blocked_count]["tools"]
        return next(iter(plan[step - 1 - start]))
    state = set(blocker.current_state)
    ready = [
        tool
        for tool in own
        if not blocker.is_tool_removed(tool.name)
        and set(tool.input_types) <= state
        and tool.output_type not in state
    ]
    return stream.choice(own if stream.random() < 0.35 or not ready else ready).name


def greedy_path(query, task, stored, level, number):
    """The path of the greedy policy under the events of the optimal run."""
    if "steplen_change" in query["block_stats"]["block_type"]:
        return None
    settings = types.SimpleNamespace(
        **SETTINGS,
        greedy=True,
        stimulation_num=1,
        max_tool_steps=20,
        block_num=number,
        refinement_level=level,
    )
    tools = [{"tools": stored}]
    return released_run._run_random_stimulation(query, task, settings, tools)["paths"][0]


def run(level, query_id, task, mode, number, script):
    seed, goal = hashed(f"42:{query_id}"), get_final_type(task)
    stored = tools_ready_in_memory(refinement_level=level, random_seed=seed, **SETTINGS)["tools"]
    positions = {name: place for place, name in enumerate(stored)}
    tools = tools_of(stored)
    solver = released_solver.GroundtruthSolver(tools_with_costs=tools)
    query = {"query_id": query_id, "task": task, "goal_type": goal, "tool_creation_seed": seed}
    query = released_solver.solve_single_query_gt(query, tools)
    blocker = create_blocker(
        mode, number, "no queries", range(1, 10000), level, f"{CHECKOUT}/blocked_tools/"
    )
    blocker.set_solver(solver)
    blocker.filter_options = dict(SETTINGS)
    query = blocker.initialize_blocking_plan(query)
    blocker.set_initial_tools(tools)
    blocker.set_current_state(solver._infer_initial_state(task))
    blocker.initialize_gt_state(task)
    stream = random.Random(f"{query_id} {mode} {number} {level}")
    due = blocker.should_trigger_blocking_with_query
    next_type = lambda: query["block_stats"]["metadata"][blocker.blocked_count]["block_type"]
    calls = []
    for step in range(1, 21):
        blocker.update_current_step(step)
        own = [tool for name, tool in tools.items() if task.capitalize() in name]
        name = choose(script, query, blocker, own, stream, step)
        tool, event, cost = tools[name], None, 0.0
        if due(step, query) and next_type() == "ban_tool":
            event, kind, cost = blocker.blocked_count, "banned", tool.cost
            blocker.execute_blocking(query, {"tool_name": name})
        else:
            if blocker.should_tool_call_fail(name):
                kind, cost = "banned", tool.cost
            elif blocker.is_tool_removed(name):
                kind = "unavailable"
            elif set(tool.input_types) <= set(blocker.current_state):
                blocker.set_current_state(blocker.current_state | {tool.output_type})
                kind, cost = "done", tool.cost
            else:
                kind = "missing_input"
            if due(step, query):
                event = blocker.blocked_count
                if blocker.execute_blocking(query)["type"] == "cost_change":
                    tools = tools_of(blocker.get_current_tools()["tools"])
        calls.append([positions[name], kind, event, cost])
        if goal in blocker.current_state:
            break
    optimal, greedy = None, None
    if blocker.blocked_count == number:
        scenarios, steps = query["groundtruth"]["scenarios"], query["block_stats"]["block_step"]
        optimal = [positions[name] for name in build_segmented_gt_path(scenarios, steps)[0]]
        path = greedy_path(query, task, stored, level, number) if script == "optimal" else None
        greedy = path and [positions[name] for name in path]
    events = [part["type"].replace("steplen_change", "remove_tools") for part in query["blocking_plan"]]
    row = {"level": level, "query_id": query_id, "task": task, "mode": mode, "events": events}
    row |= {"calls": calls, "goal": goal in blocker.current_state, "optimal": optimal}
    return row | ({"greedy": greedy} if greedy else {})


def main():
    rows = []
    runs = json.loads((HERE / "reference_runs.json").read_text())
    queries = [(run["query_id"], run["task"]) for run in runs if run["refinement_level"] == 2]
    for place, (query_id, task) in enumerate(queries):
        for mode in ("ban_tool", "preference_change", "steplen_change", "cost_change", "mixed"):
            for number in (1, 2, 3):
                for script in ("optimal", "random"):
                    level, printed = 2 + (place + number) % 2, io.StringIO()
                    try:
                        with contextlib.redirect_stdout(printed):
                            rows.append(run(level, query_id, task, mode, number, script))
                    except IndexError:
                        # The optimal plan was over before the last event.
                        continue
    origin = (
        f"released_environment.py, released CostBench commit 6424069, CPython {platform.python_version()}, "
        f"NumPy {numpy.__version__}, 2026-11-22"
    )
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    text = f'{{"origin": "{origin}", "runs": [\n{lines}\n]}}\n'
    (HERE / "released_environment.json").write_text(text)


main()
