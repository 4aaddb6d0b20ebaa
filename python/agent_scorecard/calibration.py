"""Calibrators with ``fit`` and ``predict``, as in scikit-learn. scikit-learn need not be installed."""

from __future__ import annotations

import sys
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from agent_scorecard import _native
from agent_scorecard._native import UndefinedError

_Array = npt.NDArray[np.float64]

_ZERO_AND_ONE = np.array([0, 1])


class _Calibrator:
    _name: ClassVar[str]
    penalty: float = 1.0
    clip: float = 1e-6
    _parameters: ClassVar[tuple[str, ...]] = ()
    map_: _native.CalibrationMap
    classes_: npt.NDArray[Any]
    n_features_in_: int

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Fit the map.

        Parameters
        ----------
        X : array-like of probabilities, in one dimension or one column
        y : array-like
            Outcomes: booleans, 0 and 1, or any two labels. The greater label is success.
        sample_weight : array-like, optional
            A row of weight 2 counts as two equal rows.

        Returns
        -------
        The calibrator itself.
        """
        column = self._column(X, reset=True)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        self.classes_, outcomes = _labels(y)
        weights = None if sample_weight is None else _native.float_array("sample_weight", sample_weight)
        if weights is not None and weights.ndim != 1:
            raise ValueError(f"sample_weight must have one dimension, not {weights.ndim}")
        if weights is not None and len(weights) > 0 and not weights.any():
            raise UndefinedError("sample_weight is zero for every row; give at least one positive weight")
        try:
            self.map_ = _native.fit_calibrator(
                self._name, outcomes, column, weights, self.penalty, self.clip
            )
        except UndefinedError as error:
            if len(outcomes) > 0 and (outcomes.all() or not outcomes.any()):
                raise UndefinedError(f"y has one class: {error}") from None
            raise
        return self

    def predict(self, X: npt.ArrayLike) -> _Array:
        """Return the calibrated probabilities of success.

        Parameters
        ----------
        X : array-like of probabilities, in one dimension or one column

        Returns
        -------
        numpy.ndarray
        """
        if not hasattr(self, "map_"):
            raise _not_fitted(f"{type(self).__name__} is not fitted; call fit first")
        return self.map_.apply(self._column(X))

    def predict_proba(self, X: npt.ArrayLike) -> _Array:
        """Return the calibrated probabilities of failure and of success.

        Parameters
        ----------
        X : array-like of probabilities, in one dimension or one column

        Returns
        -------
        numpy.ndarray
            Two columns, in the order of ``classes_``.
        """
        success = self.predict(X)
        return np.column_stack([1.0 - success, success])

    def transform(self, X: npt.ArrayLike) -> _Array:
        """Return the calibrated probabilities as one column, for a pipeline.

        Parameters
        ----------
        X : array-like of probabilities, in one dimension or one column

        Returns
        -------
        numpy.ndarray
        """
        return self.predict(X)[:, None]

    def fit_transform(
        self, X: npt.ArrayLike, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None
    ) -> _Array:
        """Fit the map and return the calibrated probabilities as one column.

        Parameters
        ----------
        X, y, sample_weight
            As for `fit`.

        Returns
        -------
        numpy.ndarray
        """
        self.fit(X, y, sample_weight)
        return self.transform(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor.

        Parameters
        ----------
        deep : bool
            Not used.

        Returns
        -------
        dict
        """
        return {name: getattr(self, name) for name in self._parameters}

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters of the constructor.

        Parameters
        ----------
        **parameters

        Returns
        -------
        The calibrator itself.
        """
        for name, value in parameters.items():
            if name not in self._parameters:
                raise ValueError(f"{type(self).__name__} has no parameter {name!r}")
            setattr(self, name, value)
        return self

    def _column(self, X: Any, reset: bool = False) -> _Array:
        """The probabilities in one dimension."""
        is_column = type(X) is np.ndarray and X.dtype == np.float64 and X.ndim == 1
        array = X if is_column else _numbers(X)
        if array.ndim == 2 and array.shape[1] == 1:
            array = array[:, 0]
        if array.ndim != 1:
            raise ValueError(
                f"expected probabilities in one dimension or one column, found shape {array.shape}"
            )
        if reset:
            self.n_features_in_ = 1
        return array

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({settings})"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "map_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
            ClassifierTags,
            InputTags,
            Tags,
            TargetTags,
            TransformerTags,
        )

        # The target has two labels; `predict` returns probabilities, as of a regressor.
        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags(),
            classifier_tags=ClassifierTags(multi_class=False),
            input_tags=InputTags(one_d_array=True, two_d_array=False),
        )


def _numbers(values: Any) -> _Array:
    if hasattr(values, "tocsr"):
        raise TypeError("Sparse data was passed, but dense data is required; use X.toarray()")
    array = np.asarray(values)
    if np.iscomplexobj(array):
        raise ValueError("Complex data not supported; give real numbers")
    if array.dtype == object:
        _native.refuse_missing("X", array.ravel())
        try:
            array.astype(np.float64)
        except OverflowError as error:
            raise ValueError(f"probabilities must be numbers: {error}") from error
        except TypeError as error:  # an object that is no number, such as a dictionary
            raise TypeError(f"probabilities must be numbers: {error}") from error
    return _native.float_array("X", values)


def _labels(y: Any) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    outcomes = _native.known_outcomes("y", y)
    if outcomes is not None:
        return _ZERO_AND_ONE.copy(), outcomes
    labels = _native.plain_array("y", y)
    if np.iscomplexobj(labels):
        raise ValueError("Complex data not supported; give two labels")
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y must have one dimension, not shape {labels.shape}")
    if labels.dtype.kind in "fO":
        _native.refuse_missing("y", labels)
    classes = np.unique(labels)
    if set(classes.tolist()) <= {0, 1}:
        return _ZERO_AND_ONE.copy(), labels.astype(bool)
    if len(classes) != 2:
        raise ValueError(f"y must have two labels, or be 0 or 1; it has {len(classes)}: Unknown label type")
    return classes, labels == classes[1]


def _not_fitted(message: str) -> Exception:
    if "sklearn" in sys.modules:
        from sklearn.exceptions import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
            NotFittedError,
        )

        error: Exception = NotFittedError(message)
        return error
    return ValueError(message)


class IsotonicCalibrator(_Calibrator):
    """Isotonic regression: the nondecreasing map of smallest squared error.

    Examples
    --------
    >>> IsotonicCalibrator().fit([0.25, 0.5, 0.75, 1.0], [0, 1, 0, 1]).predict([0.6, 0.1])
    array([0.5, 0. ])
    """

    _name = "isotonic"


class PlattCalibrator(_Calibrator):
    """Logistic regression on the logit of the probability, with a ridge penalty.

    ``P = sigmoid(a + b * x)``, where ``x`` is the logit of the clipped probability, standardised with the mean and the
    standard deviation of the fitted rows. ``a`` and ``b`` minimise the sum of the log losses plus ``penalty / 2 *
    b**2``. If ``b`` would be negative, the map has one constant value, the success rate. This is the recalibration of
    Raghu, Pandey and Pandey (2026), appendix D. Platt (1999) has no penalty and smooths the outcomes instead.

    Parameters
    ----------
    penalty : float
        The ridge penalty, from 1e-20 to 1e20. The penalty is added to a sum over rows, so with more rows its effect is
        smaller.
    clip : float
        Probabilities and results are clipped to ``[clip, 1 - clip]``.

    Examples
    --------
    >>> fitted = PlattCalibrator().fit([0.6, 0.7, 0.8, 0.9] * 10, [0, 1, 0, 1] * 10)
    >>> bool(0.3 < fitted.predict([0.75])[0] < 0.7)
    True
    """

    _name = "platt"
    _parameters = ("penalty", "clip")

    def __init__(self, *, penalty: float = 1.0, clip: float = 1e-6) -> None:
        self.penalty = penalty
        self.clip = clip


class BetaCalibrator(_Calibrator):
    """Beta calibration (Kull, Silva Filho and Flach, 2017): a nondecreasing map, fitted by maximum likelihood.

    If the probabilities are higher for failures than for successes, the map has one constant value, the success rate.

    Parameters
    ----------
    clip : float
        Probabilities and results are clipped to ``[clip, 1 - clip]``.

    Examples
    --------
    >>> fitted = BetaCalibrator().fit([0.6, 0.7, 0.8, 0.9] * 10, [0, 1, 0, 1] * 10)
    >>> bool(0.3 < fitted.predict([0.75])[0] < 0.7)
    True
    """

    _name = "beta"
    _parameters = ("clip",)

    def __init__(self, *, clip: float = 1e-6) -> None:
        self.clip = clip


class TemperatureCalibrator(_Calibrator):
    """Temperature scaling of the logit (Guo and others, 2017): the logit is divided by one number above 0.

    If the probabilities are, on balance, on the wrong side of 0.5, the map has the constant value 0.5.

    Parameters
    ----------
    clip : float
        Probabilities and results are clipped to ``[clip, 1 - clip]``.

    Examples
    --------
    >>> fitted = TemperatureCalibrator().fit([0.1, 0.1, 0.9, 0.9] * 10, [0, 1, 0, 1] * 10)
    >>> bool(0.49 < fitted.predict([0.9])[0] < 0.51)
    True
    """

    _name = "temperature"
    _parameters = ("clip",)

    def __init__(self, *, clip: float = 1e-6) -> None:
        self.clip = clip


class VennAbersCalibrator(_Calibrator):
    """Venn-Abers calibration (Vovk and Petej, 2014), with its pair of probabilities merged into one.

    Examples
    --------
    >>> fitted = VennAbersCalibrator().fit([0.6, 0.7, 0.8, 0.9] * 10, [0, 1, 0, 1] * 10)
    >>> bool(0.3 < fitted.predict([0.75])[0] < 0.7)
    True
    """

    _name = "venn_abers"
