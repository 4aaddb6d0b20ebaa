"""Writes compare.json: what other tools say of runs that `compare` is given.

"inspect_ai": accuracy() and stderr(cluster="task") of inspect_ai on drawn outcomes, of which tasks have
one to five runs.

"scipy": ttest_rel() on the success rates of two agents on the tasks that both have, with the ends of its 95 %
interval.

"tau2": pass^k of each model on the recorded runs of tau2-bench, by counting all choices of k runs of
each task; tasks with fewer runs are left out. The runs themselves are not part of this repository.

    pip install inspect_ai==0.3.285 numpy==2.4.6 scipy==1.17.1
    python3 compare.py data/rollouts/tau2.jsonl > compare.json
"""

import itertools
import json
import sys

import inspect_ai
import numpy as np
import scipy.stats
from inspect_ai.scorer import SampleScore, Score, accuracy, stderr


def runs(rng, tasks, most, shift):
    drawn = []
    for task in range(tasks):
        chance = min(max(rng.random() + shift, 0.0), 1.0)
        for _ in range(rng.integers(1, most + 1)):
            drawn.append([task, int(rng.random() < chance)])
    return drawn


def of_inspect(drawn):
    scores = [
        SampleScore(
            score=Score(value="C" if success else "I"), sample_id=i, sample_metadata={"task": task}
        )
        for i, (task, success) in enumerate(drawn)
    ]
    return {
        "runs": drawn,
        "accuracy": float(accuracy()(scores)),
        "stderr": float(stderr(cluster="task")(scores)),
    }


def of_scipy(first, second):
    tasks = []
    for drawn in (first, second):
        outcomes = {}
        for task, success in drawn:
            outcomes.setdefault(task, []).append(success)
        tasks.append(outcomes)
    shared = sorted(set(tasks[0]) & set(tasks[1]))
    a, b = ([np.mean(outcomes[task]) for task in shared] for outcomes in tasks)
    test = scipy.stats.ttest_rel(b, a)
    ends = test.confidence_interval(0.95)
    return {
        "first": first,
        "second": second,
        "value": float(np.mean(np.subtract(b, a))),
        "error": float(np.mean(np.subtract(b, a)) / test.statistic),
        "ends": [float(ends.low), float(ends.high)],
    }


def of_tau2(path):
    models = {}
    for line in open(path):
        run = json.loads(line)
        tasks = models.setdefault(run["model"], {})
        tasks.setdefault(f"{run['domain']}/{run['task']}", []).append(run["success"])
    found = {}
    for model, tasks in models.items():
        rows = []
        for k in range(1, max(map(len, tasks.values())) + 1):
            shares = [
                np.mean([all(chosen) for chosen in itertools.combinations(outcomes, k)])
                for outcomes in tasks.values()
                if len(outcomes) >= k
            ]
            rows.append([k, len(shares), float(np.mean(shares))])
        found[model] = rows
    return found


def main():
    rng = np.random.default_rng(20261124)
    designs = [(6, 1), (12, 4), (40, 2), (200, 5)]
    report = {
        "origin": f"inspect_ai {inspect_ai.__version__}, numpy {np.__version__}, scipy "
        f"{scipy.__version__}, made by compare.py, 2026-11-24",
        "inspect_ai": [of_inspect(runs(rng, tasks, most, 0.2)) for tasks, most in designs],
        "scipy": [
            of_scipy(runs(rng, tasks, most, 0.0), runs(rng, tasks, most, 0.2))
            for tasks, most in designs
        ],
        "tau2": of_tau2(sys.argv[1]),
    }
    print(json.dumps(report))


main()
