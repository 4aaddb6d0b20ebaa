"""Times of our functions and of their counterparts on the same data in one run.

    pip install scikit-learn==1.9.1 scipy==1.17.1 scoringrules==0.10.0 numba==0.68.1 rapidfuzz==3.14.3
    python tests/peers/speed.py

Prints the smallest time of several rounds, in which the two take turns, and their ratio. `python` and the peers use one
thread, except where their defaults say otherwise; set OMP_NUM_THREADS=1.
"""

import statistics
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import rapidfuzz.distance
import scipy.stats
import scoringrules
import sklearn.metrics
from sklearn.isotonic import IsotonicRegression

import agent_scorecard as ags


def smallest(function, seconds):
    """The time of one call, as the smallest mean over short loops."""
    start = time.perf_counter()
    function()
    once = max(time.perf_counter() - start, 1e-7)
    loops = max(1, min(10_000, int(0.01 / once)))
    best, end = once, time.perf_counter() + seconds
    while time.perf_counter() < end:
        start = time.perf_counter()
        for _ in range(loops):
            function()
        best = min(best, (time.perf_counter() - start) / loops)
    return best


def row(name, ours, theirs, peer):
    # In turns, so that a busy machine slows both.
    times = [[smallest(function, 0.4) for function in (ours, theirs)] for _ in range(5)]
    mine, other = (min(column) for column in zip(*times))
    print(f"| {name} | {peer} | {text(mine)} | {text(other)} | {other / mine:.1f} |", flush=True)


def text(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def binned_error(y, p):
    """The calibration error in ten bins of equal width, closed on the right."""
    bins = np.searchsorted(np.linspace(0, 1, 11)[1:-1], p)
    return np.abs(np.bincount(bins, p - y)).sum() / len(p)


def two_threads(name, call):
    """How many times as many calls two threads make in the same time as one, as the median of several rounds."""

    def rate(threads):
        with ThreadPoolExecutor(threads) as pool:
            calls = 20 * threads
            start = time.perf_counter()
            list(pool.map(lambda _: call(), range(calls)))
            return calls / (time.perf_counter() - start)

    print(f"| {name} | {statistics.median(rate(2) / rate(1) for _ in range(9)):.2f} |", flush=True)


def main():
    warnings.simplefilter("ignore")
    print("| call | peer | agent_scorecard | peer's time | ratio |\n|---|---|---|---|---|")
    for n in (10, 1000, 1_000_000):
        generator = np.random.default_rng(n)
        p = generator.random(n)
        y = generator.random(n) < p
        members = generator.normal(size=(max(1, n // 50), 50))
        observed = generator.normal(size=len(members))
        size = f"n = {n}" if n < 1_000_000 else "n = 10^6"
        pairs = [
            ("auroc", lambda: ags.auroc(y, p), lambda: sklearn.metrics.roc_auc_score(y, p)),
            ("average_precision", lambda: ags.average_precision(y, p), lambda: sklearn.metrics.average_precision_score(y, p)),
            ("log_loss", lambda: ags.log_loss(y, p), lambda: sklearn.metrics.log_loss(y, p)),
            ("brier_loss", lambda: ags.brier_loss(y, p), lambda: sklearn.metrics.brier_score_loss(y, p)),
            ("IsotonicCalibrator.fit", lambda: ags.IsotonicCalibrator().fit(p, y), lambda: IsotonicRegression().fit(p, y)),
        ]
        for name, ours, theirs in pairs:
            row(f"{name}, {size}", ours, theirs, "scikit-learn")
        row(f"calibration_error, {size}", lambda: ags.calibration_error(y, p), lambda: binned_error(y, p), "numpy.bincount")
        for estimator in ("nrg", "qd"):
            row(
                f"crps_ensemble, {len(members)} x 50", lambda: ags.crps_ensemble(observed, members),
                lambda: scoringrules.crps_ensemble(observed, members, estimator=estimator, backend="numba"),
                f"scoringrules (numba, {estimator})",
            )
    values = np.random.default_rng(1).random(1000)
    row(
        "bootstrap_mean, 1000 rows, 1000 resamples", lambda: ags.bootstrap_mean(values, n_resamples=1000),
        lambda: scipy.stats.bootstrap((values,), np.mean, n_resamples=1000, method="percentile", vectorized=True),
        "SciPy",
    )
    names = [f"tool_{i}" for i in range(20)]
    for n in (1000, 1_000_000):
        numbers = np.random.default_rng(2).integers(0, 20, (n, 2, 30))
        # The same lists for both: small numbers, names that are one object each, and names that are an object per call.
        forms = {"numbers": numbers.tolist(), "names": [[[names[i] for i in path] for path in pair] for pair in numbers]}
        if n == 1000:
            forms["a new text per call"] = [[[f"tool_{i}" for i in path] for path in pair] for pair in numbers]
            forms["arrays"] = list(numbers)
        for name, paths in forms.items():
            row(
                f"path_distances, {'10^6' if n > 1000 else n} pairs of 30 calls, {name}", lambda: ags.path_distances(paths),
                lambda: [rapidfuzz.distance.Levenshtein.distance(a, b) for a, b in paths], "rapidfuzz",
            )
    print("\n| call | two threads to one |\n|---|---|")
    p = np.random.default_rng(3).random(1_000_000)
    y = np.random.default_rng(4).random(1_000_000) < p
    two_threads("auroc, n = 10^6", lambda: ags.auroc(y, p))
    two_threads("log_loss, n = 10^6", lambda: ags.log_loss(y, p))
    two_threads("IsotonicCalibrator.fit, n = 10^6", lambda: ags.IsotonicCalibrator().fit(p, y))


if __name__ == "__main__":
    main()
