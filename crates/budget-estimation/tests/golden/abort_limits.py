"""Ranks of learned thresholds of AbortLimit, by SciPy.

python abort_limits.py > abort_limits.csv

A threshold at the k-th smallest of the chances of n runs of one turn has at most k - 1 false aborts. The
rank is the largest k that passes, or 0 if none does.
"""

import datetime
import math

import scipy
from scipy.special import xlogy
from scipy.stats import binom


def by_runs(n, rate, confidence, aborts):
    return binom.cdf(aborts, n, rate) <= 1 - confidence


def in_expectation(n, rate, confidence, aborts):
    return aborts + 1 <= round(rate * (n + 1), 9)


def by_turns(n, rate, confidence, aborts):
    mean = aborts / n
    if mean >= rate:
        return False
    divergence = xlogy(mean, mean / rate) + xlogy(1 - mean, (1 - mean) / (1 - rate))
    p = min(math.exp(-n * divergence), math.e * binom.cdf(aborts, n, rate))
    return p <= 1 - confidence


print(f"# origin: scipy {scipy.__version__}, tests/golden/abort_limits.py, {datetime.date.today()}")
print("n,rate,confidence,by_runs,in_expectation,by_turns")
for n in [1, 5, 10, 19, 20, 44, 45, 77, 100, 250, 1000]:
    for rate in [0.01, 0.05, 0.1, 0.3, 0.8]:
        for confidence in [0.5, 0.9, 0.95, 0.999]:
            ranks = []
            for passes in [by_runs, in_expectation, by_turns]:
                rank = 0
                while rank < n and passes(n, rate, confidence, rank):
                    rank += 1
                ranks.append(rank)
            print(n, rate, confidence, *ranks, sep=",")
