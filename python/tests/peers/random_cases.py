"""Random cases against scikit-learn and scoringrules, to 1e-12.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1 scoringrules==0.10.0 numba==0.68.1
    python tests/peers/random_cases.py [CASES] [SEED]

Prints a row per function: cases in which both gave a number, in which both refused the input or found the quantity
undefined, in which a documented difference applies, and the largest difference. The exit code is 1 if a case differs by
more than 1e-12 (relative to numbers above 1) for no documented reason.
"""

import math
import sys
import time
import warnings

import numpy as np
import scoringrules
import sklearn
import sklearn.metrics
from sklearn.isotonic import IsotonicRegression

import agent_scorecard as ags

TOLERANCE = 1e-12

# What may differ, and why.
EXPLAINED = {
    "no positives": "average precision of no positives: scikit-learn warns and returns 0; here it is undefined",
    "no weight": "all rows have weight 0: scikit-learn returns nan or divides by 0; here it is undefined",
    "nan": "scoringrules returns nan for nan; here nan is refused",
    "merged": "isotonic: scikit-learn merges different probabilities that are closer than 1e-15",
    "certainty": "log loss of a wrong certainty: scikit-learn clips; here it is infinite unless a clip is asked for",
}


class Tally:
    def __init__(self, name):
        self.name, self.numbers, self.refused, self.largest = name, 0, 0, 0.0
        self.explained, self.failures = dict.fromkeys(EXPLAINED, 0), []

    def compare(self, ours, theirs, case, reason=None):
        """Compare two results, where None stands for a refusal or an undefined quantity."""
        if ours is None and theirs is None:
            self.refused += 1
            return
        if ours is not None and theirs is not None:
            ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
            scale = np.maximum(1.0, np.abs(theirs))
            same = ours == theirs  # also of infinities
            with np.errstate(invalid="ignore"):
                error = float(np.max(np.where(same, 0.0, np.abs(ours - theirs) / scale), initial=0.0))
            if error <= TOLERANCE:
                self.numbers += 1
                self.largest = max(self.largest, error)
                return
        if reason is None:
            self.failures.append((case, ours, theirs))
        else:
            self.explained[reason] += 1


def result(function, *arguments, **settings):
    """The number, or None where the function refuses, warns that it is undefined or returns nan."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = function(*arguments, **settings)
    except (ValueError, IndexError):  # IndexError: scikit-learn without rows of positive weight
        return None
    return None if np.isnan(np.asarray(value, float)).any() else value


def rows(generator):
    """Outcomes, probabilities and weights: short and long, with ties, one class, no rows, and NaN."""
    n = int(generator.choice([0, 1, 2, 3, 8, 40, 200], p=[0.01, 0.04, 0.1, 0.2, 0.35, 0.25, 0.05]))
    kind = generator.integers(4)
    p = generator.random(n)
    if kind == 1:
        p = np.round(p, 1)
    elif kind == 2:
        p = generator.integers(0, 3, n) / 2
    elif kind == 3:
        p = p ** 20
    y = (generator.random(n) < generator.choice([0.0, 0.1, 0.5, 0.9, 1.0], p=[0.03, 0.2, 0.54, 0.2, 0.03])).astype(int)
    weight = None
    if generator.random() < 0.5:
        weight = generator.choice([generator.random(n) + 0.01, generator.integers(0, 4, n).astype(float)])
    if n and generator.random() < 0.01:
        p[generator.integers(n)] = np.nan
    return y, p, weight


def ranking(cases, generator):
    area, precision = Tally("auroc"), Tally("average_precision")
    for case in range(cases):
        y, p, w = rows(generator)
        no_weight = "no weight" if w is not None and (w[y == 1].sum() == 0 or w[y == 0].sum() == 0) else None
        area.compare(
            result(ags.auroc, y, p, sample_weight=w),
            result(sklearn.metrics.roc_auc_score, y, p, sample_weight=w), (case, y, p, w), no_weight,
        )
        positives = "no positives" if y.sum() == 0 else no_weight
        precision.compare(
            result(ags.average_precision, y, p, sample_weight=w),
            result(sklearn.metrics.average_precision_score, y, p, sample_weight=w), (case, y, p, w), positives,
        )
    return [area, precision]


def losses(cases, generator):
    log, clipped, brier = Tally("log_loss"), Tally("log_loss, clipped"), Tally("brier_loss")
    eps = np.finfo(float).eps
    for case in range(cases):
        y, p, w = rows(generator)
        theirs = result(sklearn.metrics.log_loss, y, p, sample_weight=w, labels=[0, 1])
        no_weight = "no weight" if w is not None and w.sum() == 0 else None
        wrong = "certainty" if np.any(np.where(y == 1, p, 1 - p) < eps) else no_weight
        log.compare(result(ags.log_loss, y, p, sample_weight=w), theirs, (case, y, p, w), wrong)
        clipped.compare(
            result(ags.log_loss, y, p, clip=eps, sample_weight=w), theirs, (case, y, p, w), no_weight
        )
        brier.compare(
            result(ags.brier_loss, y, p, sample_weight=w),
            result(sklearn.metrics.brier_score_loss, y, p, sample_weight=w, labels=[0, 1], pos_label=1),
            (case, y, p, w), no_weight,
        )
    return [log, clipped, brier]


def isotonic(cases, generator):
    tally = Tally("isotonic, at the fitted points")
    for case in range(cases):
        y, p, w = rows(generator)
        kept = np.ones(len(y), bool) if w is None else w > 0  # points that have weight
        no_weight = "no weight" if not kept.any() and len(y) else None
        gaps = np.diff(np.unique(p))
        reason = "merged" if np.any(gaps < 1e-15) else no_weight
        tally.compare(
            result(lambda: ags.IsotonicCalibrator().fit(p, y, w).predict(p[kept])),
            result(lambda: IsotonicRegression().fit(p, y, w).predict(p[kept])), (case, y, p, w), reason,
        )
    return [tally]


def ensembles(cases, generator):
    plain, fair, wis = Tally("crps_ensemble"), Tally("crps_ensemble, fair"), Tally("weighted_interval_loss")
    for case in range(cases):
        m = int(generator.choice([1, 2, 3, 5, 10, 50]))
        members = generator.normal(size=(1, m)) * generator.choice([1e-3, 1.0, 1e3])
        y = generator.normal(size=1)
        if generator.random() < 0.3:
            members, y = np.round(members), np.round(y)
        reason = None
        if generator.random() < 0.01:
            (members if generator.random() < 0.5 else y).flat[0] = np.nan
            reason = "nan"
        plain.compare(
            result(ags.crps_ensemble, y, members), result(scoringrules.crps_ensemble, y, members, estimator="nrg"),
            (case, y, members), reason,
        )
        if m > 1:
            fair.compare(
                result(ags.crps_ensemble, y, members, fair=True),
                result(scoringrules.crps_ensemble, y, members, estimator="fair"), (case, y, members), reason,
            )
        k = int(generator.integers(1, 6))
        alpha = np.sort(generator.choice(np.arange(1, 20), k, replace=False)) / 20
        quantiles = np.sort(generator.normal(size=(1, 2 * k + 1)))
        if generator.random() < 0.3:
            quantiles = np.round(quantiles)
        levels = np.concatenate([alpha / 2, [0.5], 1 - alpha[::-1] / 2])
        lower, upper = quantiles[:, :k], quantiles[:, :k:-1]
        wis.compare(
            result(ags.weighted_interval_loss, y, quantiles, levels),
            # Without numba, version 0.10.0 takes the median in place of its distance from the outcome.
            result(scoringrules.weighted_interval_score, y, quantiles[:, k], lower, upper, alpha, backend="numba"),
            (case, y, quantiles, alpha), reason,
        )
    return [plain, fair, wis]


def main():
    sklearn.set_config(skip_parameter_validation=True)  # faster; the checks of the data stay
    cases = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(f"{cases} cases per function, seed {seed}")
    print(f"{'function':32} {'numbers':>8} {'refused':>8} {'explained':>10} {'largest':>9} {'failed':>7}")
    failed, seen = 0, dict.fromkeys(EXPLAINED, 0)
    for part in (ranking, losses, isotonic, ensembles):
        start = time.perf_counter()
        for tally in part(cases, np.random.default_rng([seed, len(part.__name__)])):
            explained = sum(tally.explained.values())
            print(
                f"{tally.name:32} {tally.numbers:8} {tally.refused:8} {explained:10} {tally.largest:9.1e} "
                f"{len(tally.failures):7}"
            )
            for reason, count in tally.explained.items():
                seen[reason] += count
            for failure in tally.failures[:3]:
                print("    ", *failure)
            failed += len(tally.failures)
        print(f"    {time.perf_counter() - start:.0f} s", file=sys.stderr)
    for reason, count in seen.items():
        if count:
            print(f"{count} explained: {EXPLAINED[reason]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
