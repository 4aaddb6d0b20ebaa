"""Calibrators with ``fit`` and ``predict`` in the manner of scikit-learn, which need not be installed."""

from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from agent_scores import _native

_Array = npt.NDArray[np.float64]


def _column(values: Any) -> _Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise ValueError(f"expected probabilities in one dimension or one column, found shape {array.shape}")
    return array


class _Calibrator:
    _name: ClassVar[str]
    map_: _native.CalibrationMap

    def fit(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> Any:
        """Fit the map to probabilities ``X`` (one dimension or one column) and outcomes ``y``."""
        column = _column(X)
        self.map_ = _native.fit_calibrator(self._name, y, column, sample_weight)
        self.n_features_in_ = 1
        return self

    def predict(self, X: Any) -> _Array:
        """Return the calibrated probabilities of success."""
        if not hasattr(self, "map_"):
            raise ValueError(f"{type(self).__name__} is not fitted; call fit first")
        return self.map_.apply(_column(X))

    def transform(self, X: Any) -> _Array:
        """Return the calibrated probabilities as one column, for a pipeline."""
        return self.predict(X)[:, None]

    def fit_transform(self, X: Any, y: npt.ArrayLike, sample_weight: npt.ArrayLike | None = None) -> _Array:
        """Fit the map and return the calibrated probabilities as one column."""
        self.fit(X, y, sample_weight)
        return self.transform(X)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters of the constructor: none."""
        return {}

    def set_params(self, **parameters: Any) -> Any:
        """Set parameters of the constructor; there are none."""
        if parameters:
            raise ValueError(f"{type(self).__name__} has no parameter {min(parameters)!r}")
        return self

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "map_")

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import (  # type: ignore[import-untyped, import-not-found, unused-ignore]
            InputTags,
            RegressorTags,
            Tags,
            TargetTags,
            TransformerTags,
        )

        return Tags(
            estimator_type="regressor",
            target_tags=TargetTags(required=True),
            transformer_tags=TransformerTags(),
            regressor_tags=RegressorTags(),
            input_tags=InputTags(one_d_array=True, two_d_array=False),
        )


class IsotonicCalibrator(_Calibrator):
    """Isotonic regression: the nondecreasing map of smallest squared error.

    Examples
    --------
    >>> IsotonicCalibrator().fit([0.25, 0.5, 0.75, 1.0], [0, 1, 0, 1]).predict([0.6, 0.1])
    array([0.5, 0. ])
    """

    _name = "isotonic"


class PlattCalibrator(_Calibrator):
    """Logistic regression on the logit of the probability."""

    _name = "platt"


class BetaCalibrator(_Calibrator):
    """Beta calibration (Kull, Silva Filho and Flach, 2017)."""

    _name = "beta"


class TemperatureCalibrator(_Calibrator):
    """Temperature scaling of the logit."""

    _name = "temperature"


class VennAbersCalibrator(_Calibrator):
    """Venn-Abers calibration, with its pair of probabilities merged into one."""

    _name = "venn_abers"
