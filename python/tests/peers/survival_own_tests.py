"""scikit-survival's own tests, with our functions in place of its own where a call is one that we have.

    pip install scikit-survival==0.28.0 pytest
    python tests/peers/survival_own_tests.py

The tests are in the source distribution, which pip downloads. A Kaplan-Meier curve is ours without confidence intervals,
late entry and a smallest time; so are the curves of the censoring distribution. Inverse-probability weights are ours if
no run is censored at the time at which another one ends. Prints the number of calls that reached ours and the tests that
fail only with our functions; the exit code is 1 if there are any.
"""

import collections
import importlib
import pathlib
import subprocess
import sys
import tarfile
import tempfile

import numpy as np
import pytest
import sksurv.nonparametric as theirs
from sksurv.util import check_y_survival

import agent_scorecard as ags

VERSION = "0.28.0"
# Modules that import the functions by name.
USERS = ("sksurv.nonparametric", "sksurv.ensemble.survival_loss", "sksurv.linear_model.aft")
KEPT = {name: getattr(theirs, name) for name in ("kaplan_meier_estimator", "ipc_weights")}
CALLS = collections.Counter()


def kaplan_meier_estimator(event, time_exit, time_enter=None, time_min=None, reverse=False, **settings):
    if time_enter is not None or time_min is not None or settings.get("conf_type") is not None:
        CALLS["curves left to scikit-survival"] += 1
        return KEPT["kaplan_meier_estimator"](event, time_exit, time_enter, time_min, reverse, **settings)
    # The messages for wrong types are those of scikit-survival's own check.
    event, _, time = check_y_survival(event, None, time_exit, allow_all_censored=True)
    curve = ags.kaplan_meier(time, ~event, of="censoring" if reverse else "event")
    CALLS["kaplan_meier of censorings" if reverse else "kaplan_meier"] += 1
    # Ours has a row only where the curve falls.
    times = np.unique(time)
    return times, np.concatenate([[1.0], curve.survival])[np.searchsorted(curve.times, times, side="right")]


def ipc_weights(event, time):
    if np.isin(time[event], time[~event]).any():
        CALLS["weights left to scikit-survival (an event and a censoring at one time)"] += 1
        return KEPT["ipc_weights"](event, time)
    CALLS["ipcw_weights"] += 1
    return ags.ipcw_weights(time, ~event, max_weight=1e12)


def put(functions):
    """Puts functions into the modules that use them."""
    for name in USERS:
        module = importlib.import_module(name)
        for function, value in functions.items():
            if hasattr(module, function):
                setattr(module, function, value)


class Results:
    def __init__(self):
        self.passed, self.failed = 0, {}

    def pytest_runtest_logreport(self, report):
        if report.when == "call" and report.passed:
            self.passed += 1
        if report.failed:
            self.failed[report.nodeid] = str(report.longrepr).strip().splitlines()[-1]


def run(arguments):
    # The test modules must import the functions that are in scikit-survival now.
    for name in [name for name in sys.modules if name.startswith("test_") or name == "conftest"]:
        del sys.modules[name]
    results = Results()
    quiet = ["-q", "-p", "no:cacheprovider", "--no-header", "-W", "ignore", "--tb=line", "--show-capture=no"]
    pytest.main([*quiet, *arguments], plugins=[results])
    return results


def main():
    with tempfile.TemporaryDirectory() as folder:
        package = f"scikit-survival=={VERSION}"
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", "scikit-survival"]
        subprocess.run([*command, "--dest", folder, package], check=True)
        root = pathlib.Path(folder) / "tests"
        with tarfile.open(next(pathlib.Path(folder).glob("*.tar.gz"))) as archive:
            for member in archive.getmembers():
                inside = pathlib.Path(member.name).relative_to(member.name.split("/")[0])
                if inside.parts[:1] == ("tests",) and member.isfile():
                    member.name = str(inside)
                    archive.extract(member, folder, filter="data")
        nonparametric = [str(root / "test_nonparametric.py"), "-k", "KaplanMeier or CumIncCompetingRisks"]
        others = [str(root / f"test_{name}.py") for name in ("metrics", "aft", "boosting", "tree")]
        put({"kaplan_meier_estimator": kaplan_meier_estimator, "ipc_weights": ipc_weights})
        parts = [run(nonparametric), run([*others, "-k", "not sparse"])]
        put(KEPT)
        failed = {test: text for part in parts for test, text in part.failed.items()}
        before = run([str(root / test.split("/")[-1]) for test in failed]).failed if failed else {}

    print(f"\ntests that pass with our functions: {sum(part.passed for part in parts)}")
    print(f"tests that fail with scikit-survival's functions, too: {len(before)}")
    print("calls:", ", ".join(f"{name} {count}" for name, count in CALLS.most_common()))
    names = {test.split("/")[-1] for test in before}
    left = {test: text for test, text in failed.items() if test.split("/")[-1] not in names}
    for test, text in left.items():
        print(f"{test.split('/')[-1]}: {text[:300]}")
    return 1 if left else 0


if __name__ == "__main__":
    sys.exit(main())
