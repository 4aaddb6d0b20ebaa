"""Writes caps.json: drawn runs of 60 tasks, and what caps on their output tokens keep and save, turn by turn.

The runs of a task are a cluster. The interval of the share of kept successes is that of a rate in
crates/trajectory-metrics/tests/golden/proportions.py, those of shares of tokens and money are those of
studentized.py beside it; a share of 0 or 1 has the exact interval of as many rows as the clusters count by Kish.

    pip install numpy==2.4.6 scipy==1.17.1
    python3 caps.py > caps.json
"""

import json
import pathlib
import sys

import numpy as np
import scipy

CRATES = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(CRATES / "trajectory-metrics/tests/golden"))
from proportions import rate  # noqa: E402
from studentized import interval, sums  # noqa: E402

CAPS = [0.0, 150.0, 400.0, 1000.0, 1e6]


def drawn(rng):
    runs = []
    for task in range(60):
        size = rng.lognormal(3.5, 0.7)
        for trial in range(rng.integers(1, 4)):
            turns = [
                {
                    "output_tokens": int(rng.poisson(size)),
                    "cost_usd": round(float(rng.uniform(0.001, 0.02)), 5),
                }
                for _ in range(rng.integers(1, 12))
            ]
            run = {"id": f"{task}-{trial}", "task": f"t{task}", "turns": turns}
            run["success"] = bool(rng.random() < 0.7)
            if not run["success"] and rng.random() < 0.3:
                run["stop_reason"] = "max_steps"
            if rng.random() < 0.1:
                turns[-1]["cost_usd"] = None
            runs.append(run)
    return runs


def acted(run, cap):
    """The tokens and the money of an agent that stops as soon as it has written `cap` tokens."""
    tokens = money = 0
    for at, turn in enumerate(run["turns"]):
        if tokens >= cap and any(later["output_tokens"] for later in run["turns"][at:]):
            return tokens, money, True
        written = min(turn["output_tokens"], cap - tokens)
        tokens += written
        money += turn["cost_usd"] or 0
        if written < turn["output_tokens"]:
            return tokens, money, True
    return tokens, money, False


def kept(rows):
    values = np.array([value for value, _ in rows], float)
    names = sorted({task for _, task in rows})
    p, _, _, low, high = rate(values, np.array([names.index(task) for _, task in rows]))
    return [p, low, high]


def saved(rows):
    part = np.array([part for part, _, _ in rows], float)
    whole = np.array([whole for _, whole, _ in rows], float)
    names = sorted({task for *_, task in rows})
    groups = np.array([names.index(task) for *_, task in rows])
    share = part.sum() / whole.sum()
    if share in (0, 1):
        d = sums(whole, groups)
        unlikely = 0.025 ** ((d**2).sum() / d.sum() ** 2)
        return [share, *((0, 1 - unlikely) if share == 0 else (unlikely, 1))]
    return list(interval(part, whole, groups, True))


def row(runs, cap):
    all_ended = [run for run in runs if acted(run, cap)[2]]
    is_cut = [run for run in all_ended if run.get("stop_reason")]
    successes = [run for run in runs if run["success"]]
    tokens = [(run, acted(run, cap)[0], acted(run, float("inf"))[0]) for run in runs]
    priced = [run for run in runs if all(turn["cost_usd"] is not None for turn in run["turns"])]
    money = [(run, acted(run, cap)[1], acted(run, float("inf"))[1]) for run in priced]
    return {
        "cap": cap,
        "n_ended": len(all_ended) - len(is_cut),
        "n_ended_cut_off": len(is_cut),
        "n_ended_successes": sum(run["success"] for run in all_ended),
        "spent": sum(spent for _, spent, _ in tokens),
        "spent_usd": sum(spent for _, spent, _ in money),
        "kept_share": kept([(not acted(run, cap)[2], run["task"]) for run in successes]),
        "saved_share": saved([(all_ - spent, all_, run["task"]) for run, spent, all_ in tokens]),
        "saved_usd_share": saved([(all_ - spent, all_, run["task"]) for run, spent, all_ in money]),
    }


runs = drawn(np.random.default_rng(5))
origin = f"caps.py with numpy {np.__version__} and scipy {scipy.__version__}, python3 caps.py > caps.json, 2026-11-24"
print(json.dumps({"origin": origin, "runs": runs, "caps": [row(runs, cap) for cap in CAPS]}))
