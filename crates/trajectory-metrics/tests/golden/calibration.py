"""Writes calibration.json: reference fits of isotonic and Platt calibration.

isotonic: scikit-learn's IsotonicRegression(y_min=0, y_max=1, increasing=True)
of the outcome on the confidence; fitted is its prediction at each confidence.

platt: forecasts are clipped to [1e-6, 1 - 1e-6]; mean and std are the weighted
mean and weighted population standard deviation of their logits; with
x = (logit - mean) / max(std, 1e-6), a and b minimise

    sum_i w_i * logloss(sigmoid(a + b x_i), y_i) + b^2 / 2

(so lambda is 1, and the intercept is free). a and b are as fitted, b < 0 too.
calibrated_at has [p, sigmoid(a + b x(p)) clipped to [1e-6, 1 - 1e-6]] pairs.
Cases without weights of their own have weights of 1.

    pip install mpmath==1.4.1 numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    python3 calibration.py > calibration.json
"""

import json
import sys

import mpmath
import numpy as np
import scipy
import sklearn
from mpmath import mp, mpf
from scipy.optimize import minimize
from scipy.special import expit
from sklearn.isotonic import IsotonicRegression

mp.dps = 50
EPS = 1e-6
LAMBDA = 1
AT = [0.0, 0.1, 0.5, 0.9, 0.95, 1.0]


def isotonic(name, confidence, outcome, weights):
    c = np.asarray(confidence, dtype=float)
    y = np.asarray(outcome, dtype=bool)
    w = np.asarray(weights, dtype=float)
    model = IsotonicRegression(y_min=0, y_max=1, increasing=True)
    model.fit(c, y.astype(float), sample_weight=w)
    return {
        "name": name,
        "confidence": c.tolist(),
        "outcome": y.tolist(),
        "weights": w.tolist(),
        "fitted": model.predict(c).tolist(),
    }


def isotonic_cases():
    def draw(name, seed, n, decimals, weighting, informative=True):
        rng = np.random.default_rng(seed)
        c = rng.random(n)
        y = rng.random(n) < (c if informative else 0.5)
        w = np.ones(n)
        if weighting == "real":
            w = rng.uniform(0.1, 3.0, n)
        elif weighting == "integer":
            w = rng.integers(1, 6, n)
        return isotonic(name, np.round(c, decimals), y, w)

    return [
        draw("one decimal, n=12", 1, 12, 1, None),
        draw("one decimal, real weights, n=40", 2, 40, 1, "real"),
        draw("two decimals, n=60", 3, 60, 2, None),
        draw("two decimals, real weights, n=60", 4, 60, 2, "real"),
        draw("two decimals, integer weights, n=150", 5, 150, 2, "integer"),
        draw("uninformative, two decimals, real weights, n=80", 6, 80, 2, "real", False),
        isotonic("falling: one block", [0.1, 0.2, 0.2, 0.6, 0.9], [True, True, False, False, False], [1, 2, 0.5, 1, 3]),
        isotonic("all equal", [0.5] * 4, [True, False, False, True], [1, 2, 3, 0.5]),
        isotonic("one item", [0.3], [True], [2]),
    ]


def clip(p):
    return min(max(p, mpf(EPS)), mpf(1 - EPS))


def logit(p):
    p = clip(mpf(p))
    return mpmath.log(p / (1 - p))


def sigmoid(z):
    return 1 / (1 + mpmath.exp(-z))


def fit(x, y, w):
    """a and b to 40 digits: SciPy's minimum, then Newton's method from there."""
    x64, y64, w64 = (np.array([float(v) for v in values]) for values in (x, y, w))

    def loss(theta):
        z = theta[0] + theta[1] * x64
        return np.sum(w64 * (np.logaddexp(0, z) - y64 * z)) + LAMBDA * theta[1] ** 2 / 2

    def gradient(theta):
        r = w64 * (expit(theta[0] + theta[1] * x64) - y64)
        return np.array([r.sum(), (r * x64).sum() + LAMBDA * theta[1]])

    start = minimize(loss, np.zeros(2), jac=gradient, method="BFGS", options={"gtol": 1e-9}).x
    a, b = mpf(float(start[0])), mpf(float(start[1]))
    for _ in range(20):
        s = [sigmoid(a + b * v) for v in x]
        r = [k * (t - u) for k, t, u in zip(w, s, y)]
        g = mpmath.fsum(r), mpmath.fdot(r, x) + LAMBDA * b
        h = [k * t * (1 - t) for k, t in zip(w, s)]
        aa, ab = mpmath.fsum(h), mpmath.fdot(h, x)
        bb = mpmath.fsum(k * v * v for k, v in zip(h, x)) + LAMBDA
        det = aa * bb - ab * ab
        da, db = (bb * g[0] - ab * g[1]) / det, (aa * g[1] - ab * g[0]) / det
        a, b = a - da, b - db
        if max(abs(da), abs(db)) < mpf(10) ** -40:
            break
    else:
        raise AssertionError("Newton's method did not converge")
    # The two solvers must agree about where the minimum is.
    assert abs(a - start[0]) < 1e-6 and abs(b - start[1]) < 1e-6
    return a, b


def number(v):
    """The nearest double; what is only the rounding of 50 digits is 0."""
    return 0.0 if abs(v) < mpf(10) ** -40 else float(v)


def platt(name, forecasts, outcome, weights):
    forecasts = [float(p) for p in forecasts]
    outcome = [bool(y) for y in outcome]
    weights = [float(w) for w in weights]
    w = [mpf(v) for v in weights]
    y = [int(v) for v in outcome]
    logits = [logit(p) for p in forecasts]
    mean = mpmath.fdot(w, logits) / mpmath.fsum(w)
    variance = mpmath.fsum(k * (v - mean) ** 2 for k, v in zip(w, logits)) / mpmath.fsum(w)
    std = mpmath.sqrt(variance) if len(set(logits)) > 1 else mpf(0)
    scale = max(std, mpf("1e-6"))
    a, b = fit([(v - mean) / scale for v in logits], y, w)
    at = [[p, float(clip(sigmoid(a + b * (logit(p) - mean) / scale)))] for p in AT]
    return {
        "name": name,
        "forecasts": forecasts,
        "outcome": outcome,
        "weights": weights,
        "mean": number(mean),
        "std": number(std),
        "a": number(a),
        "b": number(b),
        "calibrated_at": at,
    }


def platt_cases():
    def draw(name, seed, n, weighting, truth):
        rng = np.random.default_rng(seed)
        p = rng.random(n)
        y = rng.random(n) < truth(p)
        w = np.ones(n)
        if weighting == "real":
            w = rng.uniform(0.1, 3.0, n)
        elif weighting == "integer":
            w = rng.integers(1, 6, n)
        y[0], y[-1] = True, False  # both classes, or a would be infinite
        return platt(name, p, y, w)

    rng = np.random.default_rng(20)
    ordered = np.sort(rng.random(16))
    return [
        draw("calibrated, n=50", 11, 50, None, lambda p: p),
        draw("calibrated, real weights, n=50", 12, 50, "real", lambda p: p),
        draw("overconfident, integer weights, n=120", 13, 120, "integer", lambda p: 0.4 + 0.2 * p),
        draw("underconfident, n=200", 14, 200, None, lambda p: p**2 / (p**2 + (1 - p) ** 2)),
        draw("falling (b < 0), real weights, n=60", 15, 60, "real", lambda p: 1 - p),
        platt("separated, n=16", ordered, np.arange(16) >= 6, np.ones(16)),
        platt("reversed (b < 0), n=16", ordered, np.arange(16) < 6, np.ones(16)),
        platt("forecasts of 0 and 1, n=6", [0, 1, 0.5, 1, 0, 0.25], [False, True, True, False, False, True], [1, 2, 1, 0.5, 3, 1]),
        platt("all equal, n=4", [0.7] * 4, [True, False, True, True], [1, 1, 2, 1]),
        platt("two items", [0.4, 0.6], [False, True], [1, 1]),
    ]


def main():
    origin = (
        f"scikit-learn {sklearn.__version__} (isotonic), scipy {scipy.__version__} and "
        f"mpmath {mpmath.__version__} (platt), python3 calibration.py > calibration.json, "
        "2026-11-21, made by calibration.py"
    )

    def block(cases):
        return "[\n" + ",\n".join(json.dumps(c) for c in cases) + "\n]"

    sys.stdout.write(
        '{"origin": ' + json.dumps(origin)
        + ',\n"isotonic": ' + block(isotonic_cases())
        + ',\n"platt": ' + block(platt_cases()) + "}\n"
    )


if __name__ == "__main__":
    main()
