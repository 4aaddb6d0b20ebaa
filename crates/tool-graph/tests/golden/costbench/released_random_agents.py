"""Runs random agents through the released loop of CostBench, and writes what its own evaluation says.

COSTBENCH=CHECKOUT python3.12 released_random_agents.py > released_random_agents.json

It needs released_loop.py of agent-benchmarks' golden numbers, whose head says what CHECKOUT is and what to do in it.
"""
import copy, hashlib, json, os, platform, random, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../../agent-benchmarks/tests/golden/costbench"))
import released_loop as released

SEED, RUNS = 20261123, 200


class Agent(released.Wanderer):
    """A wanderer whose draws follow from its name and the number of its replies alone."""

    def __init__(self, query, name, further):
        super().__init__([], query, self, further)
        self.name = name

    def choice(self, tools):
        drawn = hashlib.sha256(f"{self.name}:{self.made + 1}".encode()).hexdigest()
        return tools[int(drawn, 16) % len(tools)]


def rows():
    draw, ids = random.Random(SEED), sorted(released.QUERIES)
    for place in range(RUNS):
        query = copy.deepcopy(released.QUERIES[draw.choice(ids)])
        kind = [None, "ban_tool", "cost_change", "remove_tools", "preference_change"][place % 5]
        events = [kind] * draw.choice([1, 1, 2]) if kind else []
        row = {"query_id": query["query_id"], "task": query["task"], "level": draw.choice([2, 2, 3]), "events": events}
        agent = Agent(query, f"k{place}", draw.choice([0, 0, 0, 1]))
        found = released.play(dict(row), agent)
        row |= {"calls": [step["call"] for step in agent.script if "call" in step], "counts": found["counts"]}
        if found["is_valid"]:
            row |= {
                "right": bool(found["final_answer_correct"]), "reached": not found["no_goal_state"],
                "cost": round(found["agent_cost"], 2), "reference_cost": round(found["gt_cost"], 2),
                "edits": found["edit_distance"], "share": found["normalized_edit_distance_single"],
                "match": found["tool_path_exact_match"]}
        yield row


if __name__ == "__main__":
    print('{"origin": "JiayuJeff/CostBench at 6424069, run_single_query and evaluate_single_query with %d agents that call a '
          'random tool of those whose inputs they have (seed %d), by released_random_agents.py with CPython %s, 2026-11-24; '
          'counts is what metrics_queries and path_base_queries of eval.py keep",' % (RUNS, SEED, platform.python_version()))
    print('"runs": [')
    print(",\n".join(map(json.dumps, rows())))
    print("]}")
