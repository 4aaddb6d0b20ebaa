"""Writes changed_rates.csv: p-values of two success rates by SciPy, and families of them adjusted by SciPy and statsmodels.

A row `boschloo` has the trials and the successes of both sides and the two-sided p-value of scipy.stats.boschloo_exact, whose
search for the largest p-value starts from 512 points; a row `fisher` has twice the smaller one-sided p-value of
scipy.stats.fisher_exact, at most 1, for more trials than the search is made for. A row `family` has p-values and the adjusted
ones of scipy.stats.false_discovery_control, which are those of statsmodels.stats.multitest.multipletests(method="fdr_bh").
Lists are separated by spaces.

    pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    python3 changed_rates.py > changed_rates.csv
"""

import numpy as np
import scipy
import statsmodels
from scipy.stats import boschloo_exact, false_discovery_control, fisher_exact
from statsmodels.stats.multitest import multipletests


def text(numbers):
    return " ".join(repr(float(number)) for number in numbers)


def main():
    versions = f"numpy {np.__version__}, scipy {scipy.__version__} and statsmodels {statsmodels.__version__}"
    print(f"# origin: {versions}, python3 changed_rates.py > changed_rates.csv, made by changed_rates.py")
    print("kind,trials,successes,numbers")
    rng = np.random.default_rng(20261127)
    designs = [(1, 1), (1, 5), (2, 3), (3, 3), (4, 4), (5, 5), (5, 8), (8, 8), (10, 3), (16, 16), (40, 25), (120, 80)]
    for n, m in designs:
        every = [(a, b) for a in range(n + 1) for b in range(m + 1)]
        tables = every if len(every) <= 40 else [every[i] for i in rng.choice(len(every), 12, replace=False)] + [(n, 0)]
        for a, b in tables:
            p = boschloo_exact([[a, b], [n - a, m - b]], n=512).pvalue
            print(f"boschloo,{n} {m},{a} {b},{float(p)!r}")
    for n, m, a, b in [(700, 600, 350, 250), (1000, 1000, 990, 970), (5000, 200, 40, 0), (100000, 100000, 50000, 50400)]:
        one = [fisher_exact([[a, b], [n - a, m - b]], side).pvalue for side in ("less", "greater")]
        print(f"fisher,{n} {m},{a} {b},{float(min(2 * min(one), 1))!r}")
    for n in (1, 2, 7, 20, 100):
        for p in (rng.random(n), rng.random(n) ** 4, np.round(rng.random(n) ** 3, 2)):
            adjusted = false_discovery_control(p)
            assert np.allclose(adjusted, multipletests(p, method="fdr_bh")[1], rtol=1e-14, atol=0)
            print(f"family,,{text(p)},{text(adjusted)}")


if __name__ == "__main__":
    main()
