"""Writes kalibra_regressions.csv: how many tasks kalibra calls regressed and improved between two agents.

A row has the trials of each task, the successes of both agents, a number for each task, and the numbers of regressions and
improvements of kalibra's trace_breakdown. Its rule, by its own words, has no test: a rate that is lower is a regression.

    pip install kalibra==0.2.4
    python3 kalibra_regressions.py > kalibra_regressions.csv
"""

import random
from importlib.metadata import version

from kalibra.metrics.trace_breakdown import TraceBreakdownMetric
from kalibra.model import OUTCOME_FAILURE, OUTCOME_SUCCESS, Trace


def traces(trials, counts):
    for task, (n, successes) in enumerate(zip(trials, counts)):
        for trial in range(n):
            outcome = OUTCOME_SUCCESS if trial < successes else OUTCOME_FAILURE
            yield Trace(trace_id=f"task-{task}__model__{trial}", outcome=outcome)


def main():
    print(f"# origin: kalibra {version('kalibra')}, python3 kalibra_regressions.py > kalibra_regressions.csv, made by kalibra_regressions.py")
    print("trials,first,second,regressions,improvements")
    random.seed(20261127)
    for tasks, most in [(1, 1), (20, 5), (20, 8), (200, 1)] * 4:
        trials = [random.randint(1, most) if most == 8 else most for _ in range(tasks)]
        chances = [random.random() for _ in trials]
        sides = [[sum(random.random() < p for _ in range(n)) for n, p in zip(trials, chances)] for _ in range(2)]
        found = TraceBreakdownMetric().compare(*[list(traces(trials, side)) for side in sides]).metadata
        lists = [" ".join(map(str, numbers)) for numbers in (trials, *sides)]
        print(",".join(lists), found["n_regressions"], found["n_improvements"], sep=",")


if __name__ == "__main__":
    main()
