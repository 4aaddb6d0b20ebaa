"""Threads after fork and after Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import agent_scorecard as scorecard

SECONDS = 60


def resampled() -> object:
    return scorecard.bootstrap_mean(np.random.default_rng(7).random(2_000))


def learnt() -> object:
    rollouts = scorecard.Rollouts("tokens")
    for run in range(200):
        rollouts.append([10.0 + run % 7, 20.0, 30.0 + run % 5], succeeded=run % 3 > 0)
    return scorecard.BudgetEstimator(0.8).learn(rollouts).estimate([10, 10])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.parametrize("work", [resampled, learnt])
def test_a_forked_process_works_after_its_parent(work: Callable[[], object]) -> None:
    expected = work()
    with warnings.catch_warnings():
        # Python warns of what is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os._exit(0 if work() == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timers")
def test_work_that_was_interrupted_does_not_hold_up_the_next_call() -> None:
    program = """
        import os, signal, time
        import numpy as np
        import agent_scorecard as scorecard

        def interrupt(*_):
            raise KeyboardInterrupt

        signal.signal(signal.SIGALRM, interrupt)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        start = time.monotonic()
        try:
            scorecard.bootstrap_mean(np.arange(100_000.0), n_resamples=1_000_000)
            os._exit(2)
        except KeyboardInterrupt:
            stopped = time.monotonic() - start
        scorecard.bootstrap_mean([1.0, 2.0, 3.0], n_resamples=10)
        print(stopped, time.monotonic() - start - stopped, flush=True)
        # The interrupted work would go on for a minute or more.
        os._exit(0)
    """
    environment = {**os.environ, "RAYON_NUM_THREADS": "1"}
    command = [sys.executable, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=True)
    stopped, next_call = map(float, done.stdout.split())
    assert stopped < 5
    assert next_call < 5
