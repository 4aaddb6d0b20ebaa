"""Ranks of learned thresholds of AbortLimit, by SciPy.

python abort_limits.py > abort_limits.csv

A threshold at the k-th smallest of the chances of n runs of one turn has at most k - 1 false aborts. The
rank is the largest k that passes, or 0 if none does.
"""

import datetime

import scipy
from scipy.stats import binom


def passes(n, rate, confidence, aborts):
    return binom.cdf(aborts, n, rate) <= 1 - confidence


print(f"# origin: scipy {scipy.__version__}, tests/golden/abort_limits.py, {datetime.date.today()}")
print("n,rate,confidence,rank")
for n in [1, 5, 10, 19, 20, 44, 45, 77, 100, 250, 1000]:
    for rate in [0.01, 0.05, 0.1, 0.3, 0.8]:
        for confidence in [0.5, 0.9, 0.95, 0.999]:
            rank = 0
            while rank < n and passes(n, rate, confidence, rank):
                rank += 1
            print(n, rate, confidence, rank, sep=",")
