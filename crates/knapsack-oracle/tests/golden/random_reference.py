"""Chances of items to run in a random order that stops at the first item that does not fit.

    python3 crates/knapsack-oracle/tests/golden/random_reference.py > .../random_reference.json

Python's whole numbers and fractions, no package. By the definition, one item at a time: it comes after
k of the others with probability 1/n, these are any k of them, and it runs if they and it fit:
P(i) = sum over k of (sets of k others with cost at most budget - c_i) * k! (n - 1 - k)! / n!.
"""

import json
import platform
import random
from fractions import Fraction
from math import comb


def chances(costs, budget):
    n = len(costs)
    result = []
    for i, cost in enumerate(costs):
        sets = [{0: 1}] + [{} for _ in range(n - 1)]
        for j, other in enumerate(costs):
            if j == i:
                continue
            for k in range(n - 1, 0, -1):
                for total, count in sets[k - 1].items():
                    if total + other <= budget:
                        sets[k][total + other] = sets[k].get(total + other, 0) + count
        fit = [sum(c for total, c in by_sum.items() if total + cost <= budget) for by_sum in sets]
        result.append(sum(Fraction(fit[k], n * comb(n - 1, k)) for k in range(n)))
    return result


rng = random.Random(7)
cases = []
for n, low, high in [(5, 1, 9), (12, 1000, 100000), (15, 1000, 100000), (16, 7, 7), (30, 1, 9),
                     (45, 3, 12), (46, 1, 5), (47, 1, 5), (80, 1, 10)]:
    costs = [rng.randint(low, high) for _ in range(n)]
    for alpha in [0.1, 0.5, 0.9]:
        budget = int(alpha * sum(costs))
        exact = chances(costs, budget)
        values = [rng.choice([0, 0.5, 1, 2.25, 3]) for _ in costs]
        value = sum(Fraction(v) * p for v, p in zip(values, exact))
        spent = sum(c * p for c, p in zip(costs, exact))
        cases.append({"costs": costs, "values": values, "budget": budget,
                      "chances": [float(p) for p in exact], "value": float(value),
                      "spent": float(spent)})
origin = f"Python {platform.python_version()}, fractions and math.comb, random_reference.py, 2026-11-22"
print(json.dumps({"origin": origin, "cases": cases}))
