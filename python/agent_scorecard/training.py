"""Training an estimator: reading its answers, rewards, and records of prefixes of runs with their targets."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard.arguments import choice
from agent_scorecard.budgets import Estimate, Rollouts

Messages = Sequence[dict[str, str]]


class Prefix(NamedTuple):
    """The facts known after some turns of a run: their costs, the amount left under the cap, and texts.

    ``contents`` begins with the text that was known before the first turn. None is an unknown text.
    """

    spent: npt.NDArray[np.float64]
    left: float | None
    contents: list[str | None]


def parse_answer(text: str, *, strict: bool = False) -> Estimate:
    """Return the estimate in a reply, which is between ``<answer>`` and ``</answer>``.

    Parameters
    ----------
    text : str
    strict : bool
        Whether the answer must have exactly the form ``[low, high]`` or ``impossible``.

    Returns
    -------
    (float, float), "impossible" or None
        None if there is no readable answer.

    Examples
    --------
    >>> parse_answer("Two more. <answer>[300, 450]</answer>"), parse_answer("About 400.")
    ((300.0, 450.0), None)
    """
    return _native.parse_answer(text, _native.flag("strict", strict))


def rule_reward(estimate: Estimate, remaining: float | None) -> float:
    """Return the reward of BAGEN for reinforcement learning, in [0, 1.8], which is not proper.

    If the remaining cost is r, an interval that contains r earns ``1.8 max(0, 1 - width / r)``. If the run could not
    succeed, ``"impossible"`` earns 0.2. Every other answer earns 0. If an interval is expected to earn m on a run that
    succeeds, ``"impossible"`` earns more only if the probability of success is below ``0.2 / (0.2 + m)``, which is a
    tenth for a perfect interval.

    Parameters
    ----------
    estimate : (float, float), "impossible" or None
    remaining : float or None
        The remaining cost of the run; None if the run could not succeed.

    Returns
    -------
    float

    References
    ----------
    Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.

    Examples
    --------
    >>> rule_reward((90, 110), 100), rule_reward("impossible", None)
    (1.4400000000000002, 0.2)
    """
    return _native.rule_reward(estimate, remaining)


def proper_reward(
    estimate: Estimate,
    remaining: float | None,
    *,
    scale: float,
    coverage: float = 0.8,
    success_probability: float | None = None,
) -> float:
    """Return a proper reward in [-2, 0]: stating one's true belief has the highest expected reward.

    The reward is the Brier score of the stated probability that the run succeeds. For a run that could succeed, ``(1 -
    coverage) / 2`` times the interval loss is subtracted. In this loss, each amount x is replaced by ``x / (x +
    scale)``.

    Parameters
    ----------
    estimate : (float, float), "impossible" or None
        An answer without an interval has the largest possible interval loss, 1. None also has the worst Brier score.
    remaining : float or None
        The remaining cost of the run; None if the run could not succeed.
    scale : float
        The amount that is transformed to one half, such as the cost of the run so far. It must not depend on the
        remaining cost.
    coverage : float
        The coverage of the honest interval, which is the central interval given success.
    success_probability : float, optional
        The stated probability of success; by default 1 for an interval and 0 for ``"impossible"``. With these defaults,
        an interval earns more than ``"impossible"`` if the probability of success is above ``1 / (3 - L)``. L is the
        expected loss of the interval on a run that succeeds, so this threshold is from 1/3 to 1/2.

    Returns
    -------
    float

    References
    ----------
    Gneiting and Raftery (2007), Strictly proper scoring rules, prediction, and estimation, section 6.2,
    doi:10.1198/016214506000001437; Gneiting (2011), Quantiles as optimal point forecasts,
    doi:10.1016/j.ijforecast.2009.12.015.

    Examples
    --------
    >>> round(proper_reward((100, 300), 200, scale=100, success_probability=0.75), 6)
    -0.0875
    >>> proper_reward("impossible", None, scale=100)
    0.0
    """
    return _native.proper_reward(estimate, remaining, scale, coverage, success_probability)


def records(
    rollouts: Rollouts,
    prompt: Callable[[Prefix], str | Messages],
    resource: str | None = None,
    *,
    form: Literal["supervised", "reinforcement"] = "supervised",
    share: float = 0.1,
    prefixes: Iterable[tuple[int, int]] | None = None,
) -> list[dict[str, Any]]:
    """Return records of prefixes of runs with the answer that a model should learn, in the form that verl and TRL read.

    Parameters
    ----------
    rollouts : Rollouts
    prompt : callable
        A function of a `Prefix`, which does not show the future. It returns the text of a user message, or messages
        with ``role`` and ``content``.
    resource : str, optional
        By default the first one.
    form : {"supervised", "reinforcement"}
        With ``"supervised"``, the answer is the last message. With ``"reinforcement"``, the answer is a separate field,
        next to the prompt and the data that a reward needs.
    share : float
        The distance of each bound of the target interval from the remaining cost, as a share of the remaining cost. The
        answer is this interval, or ``impossible``.
    prefixes : iterable of (int, int), optional
        Pairs of the position of a run and a number of completed turns. By default, all prefixes from 0 turns on, except
        prefixes without a remaining cost.

    Returns
    -------
    list of dict

    References
    ----------
    Lin and others (2026), BAGEN, arXiv:2606.00198, appendix E.

    Examples
    --------
    >>> rollouts = Rollouts("tokens")
    >>> rollouts.append([50, 20, 80], succeeded=True)
    >>> [record] = records(rollouts, lambda prefix: f"{prefix.spent.sum():g} so far.", prefixes=[(0, 1)])
    >>> [message["content"] for message in record["messages"]]
    ['50 so far.', '<answer>[90, 110]</answer>']
    """
    choice("form", form, "supervised", "reinforcement")

    def messages(*prefix: Any) -> list[tuple[str, str]]:
        found = prompt(Prefix(*prefix))
        if isinstance(found, str):
            return [("user", found)]
        return [(message["role"], message["content"]) for message in found]

    chosen = None if prefixes is None else list(prefixes)
    lines = _native.training_records(
        rollouts._rollouts, resource or rollouts.resources[0], messages, share, chosen, form == "supervised"
    )
    return [json.loads(line) for line in lines.splitlines()]
