"""Figures of budget by the shortest Python, into budget.csv.

python3 crates/agent-scorecard-cli/tests/golden/budget.py FOLDER_OF_RECORDED_RUNS

Standard library only. Estimators and metrics written anew from their definitions: linear
extrapolation, quantiles of past runs (after Kaplan and Meier where a budget ended runs), and these
calibrated by adaptive conformal inference.
"""

import json
import pathlib
import platform
import sys
from bisect import insort
from fractions import Fraction
from math import ceil, fsum, inf

HERE = pathlib.Path(__file__).parent
COVERAGE = 0.8
EXACT_COVERAGE, EXACT_STEP = Fraction(4, 5), Fraction(2, 1000)
TAIL = (1 - COVERAGE) / 2
BUDGETS = {"max_steps", "max_tokens", "max_time", "max_cost"}
NO_ANSWER, IMPOSSIBLE = "none", "impossible"


class Run:
    def __init__(self, row, parts, cap):
        self.costs = [sum(turn[p] for p in parts) for turn in row["turns"]]
        self.spent = [sum(self.costs[:k]) for k in range(len(self.costs) + 1)]
        self.turns, self.total = len(self.costs), self.spent[-1]
        self.success = bool(row["success"])
        self.cut_off = not self.success and row.get("stop_reason") in BUDGETS
        self.feasible = self.success and (cap is None or self.total <= cap)

    def remaining(self, k):
        return self.total - self.spent[k]


def capped(low, high, used, cap):
    return IMPOSSIBLE if cap is not None and low > cap - used else (low, high)


class Linear:
    def __init__(self, cut_offs):
        self.lengths = []

    def estimate(self, k, used, cap):
        turns = sum(self.lengths) / len(self.lengths) if self.lengths else 20
        middle = used / k * max(1, turns - k)
        return capped(0.5 * middle, 1.5 * middle, used, cap)

    def learn(self, run):
        if run.success:
            self.lengths.append(run.turns)


class Quantile:
    def __init__(self, cut_offs):
        self.cut_offs, self.past = cut_offs, {}

    def estimate(self, k, used, cap):
        enough = [j for j in range(1, k + 1) if len(self.past.get(j, [])) >= 10]
        if not enough:
            return NO_ANSWER
        past = self.past[enough[-1]]
        return capped(self.quantile(past, TAIL), self.quantile(past, 1 - TAIL), used, cap)

    @staticmethod
    def quantile(past, p):
        alive = 1.0
        for i, (value, cut_off) in enumerate(past):
            if not cut_off:
                alive *= 1 - 1 / (len(past) - i)
            if not cut_off and 1 - alive >= p - 1e-9:
                return value
        return past[-1][0]

    def learn(self, run):
        if (run.success or run.cut_off) if self.cut_offs else run.feasible:
            for k in range(1, run.turns):
                insort(self.past.setdefault(k, []), (run.remaining(k), run.cut_off))


class Conformal(Quantile):
    def __init__(self, cut_offs):
        super().__init__(cut_offs)
        # Exact, so that a rank that is whole is that rank.
        self.level, self.scores, self.given = 1 - EXACT_COVERAGE, [], []

    def margin(self):
        if self.level <= 0:
            return inf
        if self.level >= 1:
            return -inf
        rank = ceil((1 - self.level) * (len(self.scores) + 1))
        return self.scores[max(rank, 1) - 1] if rank <= len(self.scores) else inf

    def estimate(self, k, used, cap):
        inner = super().estimate(k, used, cap)
        if isinstance(inner, str):
            return inner
        self.given.append((k, inner))
        if self.margin() == inf:
            return NO_ANSWER
        by = self.margin() * sum(inner) / 2
        low, high = max(inner[0] - by, 0.0), inner[1] + by
        return capped(low, high, used, cap) if low <= high else NO_ANSWER

    def learn(self, run):
        if run.feasible:
            margin, misses = self.margin(), 0
            fresh = []
            for k, (low, high) in self.given:
                score = max(low - run.remaining(k), run.remaining(k) - high) / ((low + high) / 2)
                fresh.append(score)
                misses += score > margin
            self.level += EXACT_STEP * ((1 - EXACT_COVERAGE) * len(fresh) - misses)
            self.scores = sorted(self.scores + fresh)
        self.given = []
        super().learn(run)


def share(part, whole):
    return part / whole if whole else None


def mean(values):
    values = list(values)
    return share(fsum(values), len(values))


def percentile(values, p):
    if not values:
        return None
    values, at = sorted(values), p * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (at - below) * (values[above] - values[below])


def f1(samples, is_class):
    """is_class takes (feasible, answer) and says truth and claim."""
    pairs = [is_class(run.feasible, answer) for run, _, answer in samples]
    hits = sum(truth and claim for truth, claim in pairs)
    return share(2 * hits, sum(truth for truth, _ in pairs) + sum(claim for _, claim in pairs))


def feasibility(samples):
    feasible = f1(samples, lambda truth, answer: (truth, not isinstance(answer, str)))
    failed = f1(samples, lambda truth, answer: (not truth, answer == IMPOSSIBLE))
    both = None if None in (feasible, failed) else (feasible + failed) / 2
    return both, failed


def figures(path, resource, cap, kind):
    parts = ["input_tokens", "output_tokens"] if resource == "total_tokens" else [resource]
    rows = map(json.loads, path.read_text().splitlines())
    rows = [row for row in rows if all(turn[p] is not None for turn in row["turns"] for p in parts)]
    runs = [Run(row, parts, cap) for row in rows]
    estimator = kind(any(run.cut_off for run in runs))
    samples = []
    for run in runs:
        for k in range(1, run.turns):
            samples.append((run, k, estimator.estimate(k, run.spent[k], cap)))
        estimator.learn(run)
    samples = [(run, k, answer) for run, k, answer in samples if run.remaining(k) > 0]
    yield "n_rollouts", len(runs)
    yield "n_prefixes", len(samples)
    yield "macro_f1_first_turn", feasibility([s for s in samples if s[1] == 1])[0]
    macro, failed = feasibility(samples)
    yield "macro_f1_all_turns", macro
    yield "fail_f1", failed
    good = [(run, k, answer) for run, k, answer in samples if run.feasible]
    given = [(run.remaining(k), *answer) for run, k, answer in good if not isinstance(answer, str)]
    hits = [(r, low, high) for r, low, high in given if low <= r <= high]
    yield "n_feasible", len(good)
    yield "n_intervals", len(given)
    yield "hit_rate", share(len(hits), len(good))
    yield "coverage", share(len(hits), len(given))
    yield "interval_reward", share(fsum(max(0, 1 - (high - low) / r) for r, low, high in hits), len(good))
    yield "optimistic", mean(high < r for r, low, high in given)
    yield "conservative", mean(low > r for r, low, high in given)
    yield "mean_width", mean(high - low for r, low, high in given)
    errors = [abs((low + high) / 2 - r) / r for r, low, high in given]
    yield "mre_p50", percentile(errors, 0.5)
    yield "mre_p90", percentile(errors, 0.9)
    losses = [high - low + (max(low - r, 0) + max(r - high, 0)) / TAIL for r, low, high in given]
    yield "interval_loss", mean(losses)
    yield "false_abort_rate", mean(answer == IMPOSSIBLE for _, _, answer in good)
    alarms = {}
    for run, k, answer in samples:
        if answer == IMPOSSIBLE:
            alarms.setdefault(run, k)
    yield "success_lost", share(sum(run.feasible for run in alarms), sum(run.feasible for run in runs))
    saved = fsum(run.remaining(k) for run, k in alarms.items() if not run.feasible)
    yield "saved_token_share", share(saved, fsum(run.total for run in runs if not run.feasible))


def main():
    recorded = pathlib.Path(sys.argv[1]) / "data" / "rollouts"
    demo = HERE.parent.parent / "data" / "demo_rollouts.jsonl"
    swebench, tau2 = recorded / "swebench_gemini3pro.jsonl", recorded / "tau2.jsonl"
    cases = [(demo, "output_tokens", 2500), (demo, "cost_usd", None)]
    cases += [(swebench, "output_tokens", 8417), (swebench, "output_tokens", None)]
    cases += [(tau2, "total_tokens", 60000), (tau2, "cost_usd", None)]
    with open(HERE / "budget.csv", "w") as out:
        print(f"# origin: budget.py, Python {platform.python_version()}, 2026-11-22", file=out)
        print("file,resource,cap,estimator,figure,value", file=out)
        for path, resource, cap in cases:
            for kind in (Linear, Quantile, Conformal):
                name = kind.__name__.lower()
                for figure, value in figures(path, resource, cap, kind):
                    case = f"{path.stem},{resource},{'' if cap is None else cap},{name}"
                    print(f"{case},{figure},{value!r}", file=out)


main()
