"""Writes compare.json: what other tools say of runs that `compare` is given.

"inspect_ai": accuracy() and stderr(cluster="task") of inspect_ai on drawn outcomes, of which tasks have
one to five runs.

"statsmodels": the difference of two agents on the same tasks as a regression of the outcome on a
constant and an indicator, cov_type="cluster" with G / (G - 1) as the only correction, and the ends of
its 95 % interval with SciPy's t distribution.

"tau2": pass^k of each model on the recorded runs of tau2-bench, by counting all choices of k runs of
each task; tasks with fewer runs are left out. The runs themselves are not part of this repository.

    pip install inspect_ai==0.3.285 numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python3 compare.py data/rollouts/tau2.jsonl > compare.json
"""

import itertools
import json
import sys

import inspect_ai
import numpy as np
import scipy.stats
import statsmodels
import statsmodels.api as sm
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


def of_statsmodels(first, second):
    y = np.array([success for _, success in first + second], float)
    arm = np.repeat([0.0, 1.0], [len(first), len(second)])
    groups = np.array([task for task, _ in first + second])
    x = np.column_stack([np.ones(len(y)), arm])
    kwds = {"groups": groups, "use_correction": False}
    fit = sm.OLS(y, x).fit(cov_type="cluster", cov_kwds=kwds)
    n = len(np.unique(groups))
    error = fit.bse[1] * np.sqrt(n / (n - 1))
    half = scipy.stats.t.ppf(0.975, n - 1) * error
    value = float(fit.params[1])
    ends = [float(value - half), float(value + half)]
    return {"first": first, "second": second, "value": value, "error": float(error), "ends": ends}


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
        f"{scipy.__version__}, statsmodels {statsmodels.__version__}, made by compare.py, 2026-11-24",
        "inspect_ai": [of_inspect(runs(rng, tasks, most, 0.2)) for tasks, most in designs],
        "statsmodels": [
            of_statsmodels(runs(rng, tasks, most, 0.0), runs(rng, tasks, most, 0.2))
            for tasks, most in designs
        ],
        "tau2": of_tau2(sys.argv[1]),
    }
    print(json.dumps(report))


main()
