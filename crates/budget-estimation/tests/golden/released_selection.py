"""Writes released_selection.csv: prefixes and splits that BAGEN's released code draws.

The two functions for prefixes are taken from run_token_estimation_env.py (scripts/budget-estimation-benchmark of
mll-lab-nu/BAGEN, commit 58bef4c) and run as they are; the split is that of prepare_budget_probe.py, in its own words.

    python3 released_selection.py run_token_estimation_env.py > released_selection.csv
"""

import ast
import datetime
import platform
import random
import sys
import typing
from types import SimpleNamespace

names = ["_build_rollout_length_buckets", "_select_fair_split_random_indices"]
tree = ast.parse(open(sys.argv[1]).read())
tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
released = {"random": random, **vars(typing)}
exec(compile(tree, sys.argv[1], "exec"), released)

print(
    f"# origin: mll-lab-nu/BAGEN 58bef4c under CPython {platform.python_version()}, this directory's "
    f"released_selection.py, {datetime.date.today()}"
)
print("what,seed,setting,sizes,chosen")
draw = random.Random(7)
for case in range(24):
    turns = [draw.randint(1, 14) for _ in range(draw.randint(1, 30))]
    samples = [
        SimpleNamespace(rollout_index=run, total_turns=n, turn=turn)
        for run, n in enumerate(turns)
        for turn in range(1, n)
    ]
    cap, seed = draw.choice([3, 10, 40]), draw.choice([0, 1, 42, 2**31])
    chosen = range(len(samples))
    if cap < len(samples):
        chosen, _ = released["_select_fair_split_random_indices"](samples, cap, seed, 8)
    chosen = " ".join(f"{samples[i].rollout_index}:{samples[i].turn}" for i in chosen)
    print(f"prefixes,{seed},{cap},{' '.join(map(str, turns))},{chosen}")
for n in [1, 2, 7, 64, 128]:
    for share in [0.0, 0.4, 0.5]:
        ids = sorted(f"rollout-{i}" for i in range(n))
        random.Random(42 + 1).shuffle(ids)
        chosen = sorted(int(name.split("-")[1]) for name in ids[: max(1, int(n * share))])
        print(f"split,42,{share},{n},{' '.join(map(str, chosen))}")
