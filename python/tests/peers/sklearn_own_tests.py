"""scikit-learn's own tests, with our functions in place of its own where a call is one that we have.

    pip install scikit-learn==1.9.1 pytest
    python tests/peers/sklearn_own_tests.py

A call is ours if outcomes have one dimension and two labels and the options are those that we have; all other calls are
left to scikit-learn. Prints the number of calls that reached ours and the tests that fail with the reason of each. The
exit code is 1 if a test fails that has no reason below.
"""

import collections
import functools
import importlib.util
import os
import pathlib
import sys

import numpy as np
import pytest
import sklearn.metrics

import agent_scorecard as ags

# The tests that fail with our functions, by a part of their names, and why.
DIFFERENCES = {
    "test_roc_curve_toydata": "one class: UndefinedError here, a warning and nan in scikit-learn",
    "test_auc_score_non_binary_class": "one class: UndefinedError here, a warning and nan in scikit-learn",
    "test_precision_recall_curve_toydata[False]": "no positives: UndefinedError here, a warning and recall 1 in scikit-learn",
}

FUNCTIONS = (
    "roc_auc_score", "average_precision_score", "roc_curve", "precision_recall_curve", "brier_score_loss", "log_loss",
)
CALLS = collections.Counter()


def two_labels(y_true, score, pos_label=None):
    """The outcomes as booleans, or None if the call is not one of ours."""
    if not isinstance(y_true, (list, tuple, np.ndarray)) or not isinstance(score, (list, tuple, np.ndarray)):
        return None
    try:
        y, s = np.asarray(y_true), np.asarray(score)
    except ValueError:
        return None
    if y.ndim != 1 or s.ndim != 1 or len(y) != len(s) or len(y) == 0 or y.dtype.kind not in "biuf":
        return None
    if s.dtype.kind not in "biuf" or not np.isfinite(s).all() or not np.isfinite(y).all():
        return None
    labels = np.unique(y)
    if len(labels) > 2:
        return None
    if pos_label is not None:
        return y == pos_label if pos_label in labels else None
    if set(labels.tolist()) <= {0, 1}:
        return y.astype(bool)
    return y == labels[1] if set(labels.tolist()) == {-1, 1} else None


def ours(name, delegate):
    """Makes a function that computes a call if it is one of ours, and counts it."""

    def make(compute):
        @functools.wraps(delegate)
        def call(y_true, y_score=None, *arguments, **settings):
            if arguments or y_score is None:
                return delegate(y_true, *(() if y_score is None else (y_score,)), *arguments, **settings)
            weight = settings.get("sample_weight")
            plain = weight is None or (np.ndim(weight) == 1 and len(weight) == len(y_true) and np.all(np.asarray(weight) >= 0))
            found = compute(y_true, y_score, **settings) if plain else NotImplemented
            if found is NotImplemented:
                return delegate(y_true, y_score, **settings)
            CALLS[name] += 1
            return found

        return call

    return make


def replace():
    """Puts our functions into sklearn.metrics, from which its tests import."""
    metrics = sklearn.metrics

    @ours("roc_auc_score", metrics.roc_auc_score)
    def roc_auc_score(y, s, *, sample_weight=None, **others):
        outcomes = two_labels(y, s)
        if outcomes is None or others.get("max_fpr") is not None or others.get("labels") is not None:
            return NotImplemented
        return ags.auroc(outcomes, s, sample_weight=sample_weight)

    @ours("average_precision_score", metrics.average_precision_score)
    def average_precision_score(y, s, *, sample_weight=None, pos_label=1, **others):
        outcomes = two_labels(y, s, pos_label)
        return NotImplemented if outcomes is None else ags.average_precision(outcomes, s, sample_weight=sample_weight)

    @ours("roc_curve", metrics.roc_curve)
    def roc_curve(y, s, *, sample_weight=None, pos_label=None, drop_intermediate=True):
        outcomes = two_labels(y, s, pos_label)
        if outcomes is None or drop_intermediate:
            return NotImplemented
        return tuple(ags.roc_curve(outcomes, s, sample_weight=sample_weight))

    @ours("precision_recall_curve", metrics.precision_recall_curve)
    def precision_recall_curve(y, s, *, sample_weight=None, pos_label=None, drop_intermediate=False):
        outcomes = two_labels(y, s, pos_label)
        if outcomes is None or drop_intermediate:
            return NotImplemented
        curve = ags.precision_recall_curve(outcomes, s, sample_weight=sample_weight)
        # scikit-learn lists rising thresholds and ends with precision 1 at recall 0.
        precision, recall, thresholds = (column[::-1] for column in curve)
        return np.append(precision, 1.0), np.append(recall, 0.0), thresholds

    def probabilities(s):
        return isinstance(s, (list, tuple, np.ndarray)) and np.asarray(s).dtype.kind in "biuf" and (
            np.ndim(s) == 1 and np.all((np.asarray(s) >= 0) & (np.asarray(s) <= 1))
        )

    @ours("brier_score_loss", metrics.brier_score_loss)
    def brier_score_loss(y, s, *, sample_weight=None, pos_label=None, **others):
        if not probabilities(s) or others.get("labels") is not None or others.get("scale_by_half") is False:
            return NotImplemented
        outcomes = two_labels(y, s, pos_label)
        return NotImplemented if outcomes is None else ags.brier_loss(outcomes, s, sample_weight=sample_weight)

    @ours("log_loss", metrics.log_loss)
    def log_loss(y, s, *, sample_weight=None, normalize=True, labels=None):
        if not probabilities(s) or not normalize or labels is not None or len(np.unique(y)) != 2:
            return NotImplemented
        outcomes = two_labels(y, s)
        if outcomes is None:
            return NotImplemented
        eps = np.finfo(np.asarray(s).dtype if np.asarray(s).dtype.kind == "f" else float).eps
        return ags.log_loss(outcomes, s, clip=eps, sample_weight=sample_weight)

    for function in (roc_auc_score, average_precision_score, roc_curve, precision_recall_curve, brier_score_loss, log_loss):
        setattr(metrics, function.__name__, function)


class Results:
    def __init__(self):
        self.passed, self.failed = 0, {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed += 1
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr).strip().splitlines()[-1]


def run(arguments):
    # The test modules must import the functions that are in sklearn.metrics now.
    for module in [module for module in sys.modules if module.startswith("sklearn.metrics.tests")]:
        del sys.modules[module]
    results = Results()
    quiet = ["-q", "-p", "no:cacheprovider", "--no-header", "-W", "ignore", "--tb=line", "--show-capture=no"]
    pytest.main([*quiet, *arguments], plugins=[results])
    return results


def main():
    folder = pathlib.Path(importlib.util.find_spec("sklearn").origin).parent / "metrics/tests"
    os.chdir(folder.parents[2])
    kept = {name: getattr(sklearn.metrics, name) for name in FUNCTIONS}
    replace()
    names = "roc or precision_recall or average_precision or ranking or brier or log_loss or auc"
    after = run(["-k", names, str(folder / "test_ranking.py"), str(folder / "test_classification.py")])
    for name, function in kept.items():
        setattr(sklearn.metrics, name, function)
    before = run(list(after.failed)) if after.failed else Results()

    print(f"\ntests that pass with our functions: {after.passed}")
    print(f"tests that fail with scikit-learn's functions, too: {len(before.failed)}")
    print("calls that reached ours:", ", ".join(f"{name} {count}" for name, count in CALLS.most_common()))
    unexplained = 0
    for test, text in after.failed.items():
        if test not in before.failed:
            reason = next((why for part, why in DIFFERENCES.items() if part in test), None)
            unexplained += reason is None
            print(f"{test.split('/')[-1]}: {reason or 'NOT EXPLAINED: ' + text[:300]}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
