"""Writes bootstrap.csv: standard errors and percentile intervals by SciPy.

Each row is one run of scipy.stats.bootstrap on its own draws; the distribution it drew is written
out, so that intervals are compared on fixed replicates. In the rows named "all" the replicates are
every one of the n^n resamples, and the interval is that of numpy's quantiles. A row has the estimate
and the replicates; lists are separated by spaces. Every number stands for the double it parses to.
Statistics are rounded to twelve decimals, so that replicates which equal the estimate on paper are
ties here too.

    pip install numpy==2.4.6 scipy==1.17.1
    python3 bootstrap.py > bootstrap.csv
"""

import itertools

import numpy as np
import scipy
from scipy.stats import bootstrap

LEVELS = [0.5, 0.9, 0.95]


def mean(x, axis=-1):
    return np.round(np.mean(x, axis=axis), 12)


def deviation(x, axis=-1):
    return np.round(np.std(x, axis=axis, ddof=1), 12)


def median(x, axis=-1):
    return np.round(np.median(x, axis=axis), 12)


def skew(x, axis=-1):
    return np.round(scipy.stats.skew(x, axis=axis), 12)


def write(name, level, estimate, values, error, interval):
    replicates = " ".join(repr(float(v)) for v in values)
    numbers = [repr(float(number)) for number in (error, *interval)]
    print(",".join([name, repr(level), repr(float(estimate)), replicates, *numbers]))


def by_scipy(name, x, statistic, resamples, seed, level):
    result = bootstrap(
        (x,), statistic, n_resamples=resamples, confidence_level=level, method="percentile",
        rng=np.random.default_rng(seed),
    )
    values, interval = result.bootstrap_distribution, result.confidence_interval
    write(name, level, statistic(x), values, result.standard_error, interval)


def enumerated(name, x, statistic, level):
    values = np.array([statistic(np.array(draw)) for draw in itertools.product(x, repeat=len(x))])
    tail = (1 - level) / 2
    interval = np.quantile(values, [tail, 1 - tail])
    write(name, level, statistic(np.array(x)), values, np.std(values, ddof=1), interval)


def main():
    print(
        f"# origin: numpy {np.__version__} and scipy {scipy.__version__}, "
        "python3 bootstrap.py > bootstrap.csv, 2026-11-22, made by bootstrap.py"
    )
    print("name,level,estimate,replicates,standard_error,percentile_low,percentile_high")
    rng = np.random.default_rng(20261122)
    samples = {
        "normal": rng.normal(size=20),
        "exponential": rng.exponential(size=15),
        "two decimals": np.round(rng.random(25), 2),
        "outcomes": (rng.random(30) < 0.3).astype(float),
    }
    statistics = {"mean": mean, "deviation": deviation, "median": median, "skew": skew}
    seed = 0
    for sample, x in samples.items():
        for statistic, of in statistics.items():
            if sample == "outcomes" and statistic in ("median", "skew"):
                continue  # undefined in some resamples
            for level in LEVELS:
                seed += 1
                by_scipy(f"{statistic} of {sample}", x, of, 60 + seed % 3, seed, level)
    for level in LEVELS:
        enumerated("all means of 2", [0.25, 1.0], mean, level)
        enumerated("all means of 3", [0.1, 0.2, 0.7], mean, level)
        enumerated("all means of 4", [-0.3, 0.0, 0.2, 1.9], mean, level)
        enumerated("all medians of 4", [0.1, 0.35, 0.5, 2.0], median, level)


main()
