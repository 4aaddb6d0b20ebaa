"""Figures of paths by the shortest Python, into paths.csv.

python3 crates/agent-scorecard-cli/tests/golden/paths.py FOLDER_OF_RECORDED_RUNS

Standard library only. Runs without a call have no precision, runs that expect none no recall.
"""

import json
import pathlib
import platform
import sys
from collections import Counter, defaultdict
from math import comb, fsum

HERE = pathlib.Path(__file__).parent


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        diagonal, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            diagonal, row[j] = row[j], min(diagonal + (x != y), row[j] + 1, row[j - 1] + 1)
    return row[-1]


def is_subsequence(part, whole):
    rest = iter(whole)
    return all(call in rest for call in part)


def figures(path, ignore_arguments):
    def key(call):
        return call["name"] if ignore_arguments else (call["name"], json.dumps(call.get("args"), sort_keys=True))

    values, trials = defaultdict(list), defaultdict(list)
    for line in path.read_text().splitlines():
        row = json.loads(line)
        called = [key(call) for call in row["agent_calls"]]
        expected = [key(call) for call in row["expected_calls"]]
        shared = (Counter(called) & Counter(expected)).total()
        distance = edit_distance(called, expected)
        values["exact_match"].append(called == expected)
        values["in_order_match"].append(is_subsequence(expected, called))
        values["any_order_match"].append(not Counter(expected) - Counter(called))
        if called:
            values["precision"].append(shared / len(called))
        if expected:
            values["recall"].append(shared / len(expected))
        values["aned"].append(distance / max(len(called), len(expected), 1))
        values["aed"].append(distance)
        values["invalid_tool_use_ratio"] += [not call["ok"] for call in row["agent_calls"]]
        trials[row["task"]].append(row["success"])
    yield from ((name, fsum(value) / len(value)) for name, value in values.items())
    for k in range(1, min(map(len, trials.values())) + 1):
        each = [comb(sum(task), k) / comb(len(task), k) for task in trials.values()]
        yield f"pass_hat_k/{k}", fsum(each) / len(each)


def main():
    recorded = pathlib.Path(sys.argv[1]) / "data" / "toolpaths"
    files = [HERE.parent.parent / "data" / "demo_tool_calls.jsonl"]
    files += [recorded / "taubench_gpt4o_airline.jsonl", recorded / "tau2.jsonl"]
    with open(HERE / "paths.csv", "w") as out:
        print(f"# origin: paths.py, Python {platform.python_version()}, 2026-11-22", file=out)
        print("file,ignore_arguments,figure,value", file=out)
        for path in files:
            for ignore in (False, True):
                for name, value in figures(path, ignore):
                    print(f"{path.stem},{str(ignore).lower()},{name},{value!r}", file=out)


main()
