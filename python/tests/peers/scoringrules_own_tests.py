"""The tests of scoringrules 0.10.0, with our functions in place of its own where a call is one that we have.

    pip install scoringrules==0.10.0 scipy==1.17.1 pytest
    pip download --no-deps --no-binary :all: scoringrules==0.10.0 && tar xzf scoringrules-0.10.0.tar.gz
    python tests/peers/scoringrules_own_tests.py scoringrules-0.10.0/tests

A call is ours if it has one observation per row, members or levels in the last axis, no weights and no axis of its own.
Prints the number of calls that reached ours; the exit code is 1 if a test fails for no reason listed below.
"""

import collections
import sys

import numpy as np
import pytest
import scoringrules

import agent_scorecard as ags

CALLS = collections.Counter()

# The tests that fail with our functions, by a part of their names, and why.
DIFFERENCES = {
    "nan_policy": "NaN is refused, not passed on",
}


def ours(name, compute):
    theirs = getattr(scoringrules, name)

    def call(obs, *arguments, **settings):
        settings_left = {key: value for key, value in settings.items() if key not in ("backend", "estimator")}
        if settings.get("backend") in (None, "numpy") and not settings_left and not isinstance(obs, str):
            found = compute(obs, *arguments, **{k: v for k, v in settings.items() if k == "estimator"})
            if found is not None:
                CALLS[name] += 1
                return found
        return theirs(obs, *arguments, **settings)

    setattr(scoringrules, name, call)


def crps_ensemble(obs, members, estimator="qd"):
    if np.ndim(obs) != 1 or np.ndim(members) != 2 or estimator not in ("nrg", "fair"):
        return None
    return ags.crps_ensemble(obs, members, fair=estimator == "fair")


def interval_score(obs, lower, upper, alpha):
    if np.ndim(alpha) != 0 or np.ndim(obs) > 1:
        return None
    losses = ags.interval_loss(*(np.atleast_1d(it).astype(float) for it in (obs, lower, upper)), coverage=1 - alpha)
    return losses if np.ndim(obs) else losses[0]


def weighted_interval_score(obs, median, lower, upper, alpha):
    alpha = np.asarray(alpha)
    order = np.argsort(alpha)
    levels = np.concatenate([alpha[order] / 2, [0.5], 1 - alpha[order][::-1] / 2])
    quantiles = np.hstack([lower[:, order], np.asarray(median)[:, None], upper[:, order][:, ::-1]])
    return ags.weighted_interval_loss(obs, quantiles, levels)


def quantile_score(obs, forecast, alpha):
    if np.ndim(alpha) != 0 or np.ndim(obs) > 1:
        return None
    losses = ags.pinball_loss(np.atleast_1d(obs), np.atleast_1d(forecast), level=alpha)
    return losses if np.ndim(obs) else losses[0]


def binary(rule):
    def compute(obs, forecast):
        if np.ndim(obs) > 1 or np.ndim(forecast) > 1:
            return None
        losses = 0.0 - rule.score(np.atleast_1d(obs), np.atleast_1d(forecast))
        return losses if np.ndim(obs) else losses[0]

    return compute


class Results:
    def __init__(self):
        self.passed, self.failed = 0, {}

    def pytest_runtest_logreport(self, report):
        self.passed += report.when == "call" and report.passed
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr).strip().splitlines()[-1]


def main():
    folder, results = sys.argv[1], Results()
    files = [f"{folder}/test_{name}.py" for name in ("crps", "interval", "brier", "quantile")]
    quiet = ["-q", "-p", "no:cacheprovider", "-W", "ignore", "--tb=line", "--backend", "numpy"]
    before = Results()
    pytest.main([*quiet, *files], plugins=[before])
    for name, compute in (
        ("crps_ensemble", crps_ensemble), ("interval_score", interval_score),
        ("weighted_interval_score", weighted_interval_score), ("quantile_score", quantile_score),
        ("brier_score", binary(ags.brier_score())), ("log_score", binary(ags.log_score())),
    ):
        ours(name, compute)
    pytest.main([*quiet, *files], plugins=[results])
    print(f"tests that pass: {before.passed} with scoringrules' functions, {results.passed} with ours")
    print("calls that reached ours:", dict(CALLS))
    unexplained = 0
    for test, text in results.failed.items():
        if test not in before.failed:
            reason = next((why for part, why in DIFFERENCES.items() if part in test), None)
            unexplained += reason is None
            print(f"{test.split('/')[-1]}: {reason or 'NOT EXPLAINED: ' + text[:300]}")
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
