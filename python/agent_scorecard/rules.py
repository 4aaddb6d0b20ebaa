"""Proper scoring rules. Scores are rewards: higher is better. Outcomes come first, as in scikit-learn."""

from __future__ import annotations

from agent_scorecard._native import ScoringRule

__all__ = [
    "beta_score",
    "boosting_score",
    "brier_score",
    "elementary_score",
    "log_score",
    "power_score",
    "pseudospherical_score",
    "spherical_score",
]


def log_score(clip: float | None = None) -> ScoringRule:
    """Return the log score, in nats.

    Parameters
    ----------
    clip : float, optional
        Forecasts are clipped into ``[clip, 1 - clip]``. Without it, a wrong certainty scores minus infinity.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> log_score(clip=1e-6)
    log_score(clip=1e-6)
    >>> round(log_score().mean([1, 0], [0.5, 0.5]), 6)
    -0.693147
    """
    return ScoringRule("log") if clip is None else ScoringRule("log", clip)


def brier_score() -> ScoringRule:
    """Return the Brier score: minus the squared distance of forecast and outcome, from -1 to 0.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> brier_score().mean([1, 0], [1.0, 0.5])
    -0.125
    """
    return ScoringRule("brier")


def spherical_score() -> ScoringRule:
    """Return the spherical score.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> float(spherical_score().score([1], [1.0])[0]) > float(spherical_score().score([1], [0.5])[0])
    True
    """
    return ScoringRule("spherical")


def boosting_score() -> ScoringRule:
    """Return the boosting score, whose loss in the logit is an exponential.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> boosting_score().mean([1], [0.5]) > boosting_score().mean([1], [0.25])
    True
    """
    return ScoringRule("boosting")


def beta_score(alpha: float, beta: float) -> ScoringRule:
    """Return the score of the beta family with these two parameters.

    Parameters
    ----------
    alpha, beta : float
        The parameters of the family; above -1.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> beta_score(2, 4)
    beta_score(2.0, 4.0)
    """
    return ScoringRule("beta", alpha, beta)


def power_score(power: float, baseline: float = 0.5) -> ScoringRule:
    """Return the power score relative to a baseline probability between 0 and 1.

    Parameters
    ----------
    power : float
    baseline : float
        A probability between 0 and 1.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> power_score(2.0)
    power_score(2.0, baseline=0.5)
    """
    return ScoringRule("power", power, baseline)


def pseudospherical_score(power: float, baseline: float = 0.5) -> ScoringRule:
    """Return the pseudospherical score relative to a baseline probability between 0 and 1.

    Parameters
    ----------
    power : float
    baseline : float
        A probability between 0 and 1.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> pseudospherical_score(2.0, baseline=0.25)
    pseudospherical_score(2.0, baseline=0.25)
    """
    return ScoringRule("pseudospherical", power, baseline)


def elementary_score(threshold: float) -> ScoringRule:
    """Return the elementary score of a decision at this threshold between 0 and 1.

    Parameters
    ----------
    threshold : float
        The threshold, between 0 and 1. Forecasts above it decide for success.

    Returns
    -------
    ScoringRule

    Examples
    --------
    >>> elementary_score(0.5).mean([1, 0], [0.75, 0.25]) == 0.0
    True
    """
    return ScoringRule("elementary", threshold)
