"""A process made by fork has none of the threads that its parent started."""

import os
import signal
import warnings

import numpy as np
import pytest

import agent_scorecard as scorecard

SECONDS = 60


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_resamples_after_its_parent() -> None:
    values = np.random.default_rng(7).random(2_000)
    expected = scorecard.bootstrap_mean(values)
    with warnings.catch_warnings():
        # Python warns of what is tested here.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        os._exit(0 if scorecard.bootstrap_mean(values) == expected else 1)
    assert os.waitpid(child, 0)[1] == 0
