"""Writes curves.json: reference values of curves, of what is measured on them, and of calibration.

The positive class is failure (outcome false); scikit-learn gets y_true = not outcome and
y_score = -confidence. Whole weights are given to scikit-learn's calibration_curve, which takes none,
as copies of rows.

    roc, pr          scikit-learn's points, nothing dropped, from the lowest confidence up
    risk_coverage    coverage, risk and generalized risk by their definition, in fractions
    aurc             area under the steps of the risk over the coverage, in fractions, with any weights
    aurc_best        AURC where every success has a higher confidence than every failure; of few rows without ties
                     the smallest of all orders; excess_aurc is AURC minus that
    augrc            the mean over all orders of ties of the trapezoids under the generalized risk
    delong           variance from all pairs, as in the paper, in fractions
    test             difference, standard error, z, two-sided p against a second confidence, from the
                     covariance matrix of structural components; p by SciPy
    diagram          mean confidence and success rate a bin: scikit-learn, ten bins of equal width
    l1, l2, max      of these bins
    isotonic         scikit-learn's isotonic regression at each distinct confidence
    band             where the forecasts are certain or few: ends of the consistency band from the
                     enumeration of all outcomes; only in cases made for it

Real weights are doubles and taken as they are; what has an expectation over orders of rows is left out
there.

    pip install numpy==2.4.6 scikit-learn==1.9.1 scipy==1.17.1
    python3 curves.py > curves.json
"""

import itertools
import json
import math
import sys
from fractions import Fraction as F

import numpy as np
import scipy
import sklearn
from scipy.stats import norm
from sklearn.calibration import calibration_curve
from sklearn.isotonic import IsotonicRegression
from sklearn.metrics import precision_recall_curve, roc_curve


def copies(c, y, w):
    """The rows as often as their whole weight says."""
    return [(F(p), o) for p, o, k in zip(c, y, w) for _ in range(int(k))]


def aurc_of_order(outcomes):
    failed, total = 0, F(0)
    for k, outcome in enumerate(outcomes, 1):
        failed += not outcome
        total += F(failed, k)
    return total / len(outcomes)


def aurc(c, y, w):
    """The risk at each threshold times the weight of the rows between it and the one above, over the weight of all."""
    rows = [(F(p), o, F(k)) for p, o, k in zip(c, y, w)]
    area, seen, failed = F(0), F(0), F(0)
    for q in sorted({p for p, _, _ in rows}, reverse=True):
        here = sum(k for p, _, k in rows if p == q)
        seen += here
        failed += sum(k for p, o, k in rows if p == q and not o)
        area += here * failed / seen
    return area / seen


def best_aurc(c, y, w):
    best = aurc([F(p) + 2 * int(o) for p, o in zip(c, y)], y, w)
    if len(c) <= 7 and len(set(c)) == len(c) and set(w) == {1}:
        assert best == min(map(aurc_of_order, itertools.permutations(y)))
        assert aurc(c, y, w) == aurc_of_order([o for _, o in sorted(zip(c, y), reverse=True)])
    return best


def augrc_of_order(outcomes):
    """Trapezoids under the share of rows accepted and failed, row by row."""
    n, failed, area = len(outcomes), 0, F(0)
    for outcome in outcomes:
        before = failed
        failed += not outcome
        area += F(before + failed, 2 * n) / n
    return area


def mean_over_orders(rows, measure):
    """Over all orders that sort rows by falling confidence, ties in every order."""
    blocks = [[o for p, o in rows if p == q] for q in sorted({p for p, _ in rows}, reverse=True)]
    # Of equal outcomes it does not matter which comes first: arrangements of failures are enough.
    def arrangements(block):
        n, k = len(block), block.count(False)
        for places in itertools.combinations(range(n), k):
            yield [i not in places for i in range(n)]
    values = [measure(sum(parts, [])) for parts in itertools.product(*map(arrangements, blocks))]
    return sum(values) / len(values)


def orders(rows):
    count = 1
    for q in {p for p, _ in rows}:
        block = [o for p, o in rows if p == q]
        count *= math.comb(len(block), block.count(False))
    return count


def linear_in_ties(rows):
    """AUGRC, which is linear in the outcomes, by the expected outcome of each place in a block."""
    expected = []
    for q in sorted({p for p, _ in rows}, reverse=True):
        block = [o for p, o in rows if p == q]
        expected += [F(block.count(False), len(block))] * len(block)
    n, failed, augrc = len(rows), F(0), F(0)
    for rate in expected:
        augrc += (failed + failed + rate) / (2 * n * n)
        failed += rate
    return augrc


def expectation(rows, measure):
    value = linear_in_ties(rows)
    if orders(rows) <= 3000:
        assert value == mean_over_orders(rows, measure)
    return value


def psi(a, b):
    return F(1) if a > b else F(1, 2) if a == b else F(0)


def components(c, y, w):
    """Structural components of successes and of failures, with their weights."""
    c, w = [F(v) for v in c], [F(v) for v in w]
    up = [(p, k) for p, o, k in zip(c, y, w) if o]
    down = [(p, k) for p, o, k in zip(c, y, w) if not o]
    m, n = sum(k for _, k in up), sum(k for _, k in down)
    v10 = [sum(k * psi(p, q) for q, k in down) / n for p, _ in up]
    v01 = [sum(k * psi(p, q) for p, k in up) / m for q, _ in down]
    return (v10, [k for _, k in up], m), (v01, [k for _, k in down], n)


def covariance(a, b, w, total):
    mean = lambda v: sum(k * x for k, x in zip(w, v)) / total
    ma, mb = mean(a), mean(b)
    return sum(k * (x - ma) * (z - mb) for k, x, z in zip(w, a, b)) / (total - 1)


def delong(cs, y, w):
    """Areas and their covariance matrix, None where a class is too light."""
    parts = [components(c, y, w) for c in cs]
    if any(total <= 1 for _, _, total in parts[0]):
        return None
    area = [sum(k * x for k, x in zip(p[0][1], p[0][0])) / p[0][2] for p in parts]
    matrix = [
        [sum(covariance(p[i][0], q[i][0], p[i][1], p[i][2]) / p[i][2] for i in (0, 1)) for q in parts]
        for p in parts
    ]
    return area, matrix


def case(name, c, y, w=None, second=None):
    c, y = np.asarray(c, float), np.asarray(y, bool)
    ones = np.ones(len(c)) if w is None else np.asarray(w, float)
    whole = bool(np.all(ones == np.floor(ones)))
    out = {"name": name, "confidence": c.tolist(), "outcome": y.tolist(),
           "weights": None if w is None else ones.tolist(),
           "second": None if second is None else np.asarray(second, float).tolist()}
    failed = ~y
    sample_weight = None if w is None else ones
    if failed.any() and y.any():
        fpr, tpr, _ = roc_curve(failed, -c, sample_weight=sample_weight, drop_intermediate=False)
        out["roc"] = [fpr.tolist(), tpr.tolist()]
    if failed.any():
        precision, recall, _ = precision_recall_curve(failed, -c, sample_weight=sample_weight)
        out["pr"] = [precision[-2::-1].tolist(), recall[-2::-1].tolist()]
    points, total = [], sum(map(F, ones))
    for q in sorted(set(c), reverse=True):
        accepted = [(F(k), o) for p, o, k in zip(c, y, ones) if p >= q]
        seen, bad = sum(k for k, _ in accepted), sum(k for k, o in accepted if not o)
        points.append([float(seen / total), float(bad / seen), float(bad / total)])
    out["risk_coverage"] = points
    best, area = best_aurc(c, y, ones), aurc(c, y, ones)
    out |= {"aurc": float(area), "aurc_best": float(best), "excess_aurc": float(area - best)}
    if whole:
        out["augrc"] = float(expectation(copies(c, y, ones), augrc_of_order))
    if failed.any() and y.any():
        one = delong([c], y, ones)
        out["delong"] = None if one is None else float(one[1][0][0])
        if second is not None and one is not None:
            area, s = delong([c, second], y, ones)
            difference, variance = area[0] - area[1], s[0][0] + s[1][1] - 2 * s[0][1]
            error = math.sqrt(variance)
            z = float(difference) / error if variance else None
            p = 2 * float(norm.sf(abs(z))) if variance else None
            out["test"] = [float(difference), error, z, p]
    many = np.repeat(np.arange(len(c)), ones.astype(int)) if whole else None
    if whole:
        rate, mean = calibration_curve(y[many], c[many], n_bins=10)
        ids = np.searchsorted(np.linspace(0, 1, 11)[1:-1], c[many])
        weight = np.bincount(ids, minlength=10)
        weight = weight[weight > 0]
    else:
        ids = np.searchsorted(np.linspace(0, 1, 11)[1:-1], c)
        weight = np.array([ones[ids == b].sum() for b in range(10) if (ids == b).any()])
        mean = np.array([np.average(c[ids == b], weights=ones[ids == b]) for b in range(10) if (ids == b).any()])
        rate = np.array([np.average(y[ids == b], weights=ones[ids == b]) for b in range(10) if (ids == b).any()])
    gap = np.abs(mean - rate)
    out["diagram"] = [weight.tolist(), mean.tolist(), rate.tolist()]
    out |= {"l1": float(np.average(gap, weights=weight)), "l2": float(np.sqrt(np.average(gap**2, weights=weight))),
            "max": float(gap.max())}
    distinct = np.unique(c)
    out["isotonic"] = IsotonicRegression().fit(c, y, sample_weight=sample_weight).predict(distinct).tolist()
    return out


def off_edges(c):
    """Confidences on an edge of the ten bins are moved: scikit-learn puts them in the lower bin."""
    c = np.asarray(c, float)
    on_edge = np.abs(c * 10 - np.round(c * 10)) < 1e-9
    return np.where(on_edge & (c < 0.5), c + 0.03, np.where(on_edge, c - 0.03, c))


def random_case(name, seed, n, decimals=None, weighting=None):
    rng = np.random.default_rng(seed)
    c = rng.random(n)
    y = rng.random(n) < 0.2 + 0.6 * c
    second = np.clip(0.4 * c + 0.3 * rng.random(n) + 0.3 * y * rng.random(n), 0, 1)
    if decimals is not None:
        c, second = np.round(c, decimals), np.round(second, decimals)
    c = off_edges(c)
    if decimals is not None:
        c = np.round(c, 2)  # scikit-learn takes neighbours in floating point for ties
    y[0], y[-1] = True, False
    if n >= 4:
        y[1], y[-2] = True, False
    w = None
    if weighting == "real":
        w = rng.uniform(0.1, 3.0, n)
    elif weighting == "whole":
        w = rng.integers(1, 4, n)
    return case(name, c, y, w, second)


def band_case(name, c, w, level):
    """Exact ends of the consistency band, where no end is near a step of the distribution."""
    rows = [i for i, k in enumerate(w) for _ in range(k)]
    values = [{} for _ in c]
    for successes in itertools.product(*(range(k + 1) for k in w)):
        probability = 1.0
        for s, k, p in zip(successes, w, c):
            probability *= math.comb(k, s) * p**s * (1 - p) ** (k - s)
        fitted = IsotonicRegression().fit(c, [s / k for s, k in zip(successes, w)], sample_weight=w).predict(c)
        for atom, value in zip(values, fitted):
            value = round(float(value), 12)
            atom[value] = atom.get(value, 0.0) + probability
    tail, ends = (1 - level) / 2, []
    for atom in values:
        both = []
        for share in (tail, 1 - tail):
            below = 0.0
            for value in sorted(atom):
                if below + atom[value] > share:
                    clear = min(share - below, below + atom[value] - share)
                    both.append(value if clear > 0.006 else None)
                    break
                below += atom[value]
        ends.append(both)
    assert len(rows) == sum(w)
    return {"name": name, "confidence": c, "weights": w, "level": level, "band": ends}


def main():
    cases, seed = [], 0
    for n in (3, 4, 5, 6, 7, 9, 12, 16, 24, 40):
        for decimals, weighting in itertools.product((None, 2, 1), (None, "whole", "real")):
            seed += 1
            tied = {None: "no ties", 2: "two decimals", 1: "one decimal"}[decimals]
            cases.append(random_case(f"{tied}, {weighting or 'no'} weights, n={n}", seed, n, decimals, weighting))
    up = np.arange(1, 13) / 13
    good = np.arange(12) >= 5
    cases.append(case("perfect against reversed", up, good, None, up[::-1]))
    cases.append(case("perfect against constant", up, good, None, np.full(12, 0.5)))
    cases.append(case("the same ranks", up, np.arange(12) % 3 > 0, None, up**2))
    cases.append(case("constant", np.full(9, 0.55), np.arange(9) % 3 > 0))
    cases.append(case("all succeed", [0.15, 0.45, 0.45, 0.95], [True] * 4))
    cases.append(case("all fail", [0.15, 0.45, 0.45, 0.95], [False] * 4))
    cases.append(case("only 0 and 1", [0, 1, 1, 0, 1, 0], [False, True, False, False, True, True]))
    bands = [
        band_case("one confidence", [0.7], [20], 0.9),
        band_case("two, far apart", [0.2, 0.8], [12, 15], 0.9),
        band_case("three, close", [0.45, 0.5, 0.55], [8, 6, 9], 0.8),
        band_case("five", [0.1, 0.3, 0.5, 0.7, 0.9], [4, 5, 3, 5, 4], 0.9),
        band_case("certain ends", [0.0, 0.4, 1.0], [3, 9, 4], 0.5),
    ]
    origin = (
        f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, scipy {scipy.__version__}, "
        "python3 curves.py > curves.json, 2026-11-27, made by curves.py"
    )
    lines = lambda rows: ",\n".join(json.dumps(row) for row in rows)
    sys.stdout.write('{"origin": ' + json.dumps(origin) + ',\n"cases": [\n' + lines(cases)
                     + '\n],\n"bands": [\n' + lines(bands) + "\n]}\n")


if __name__ == "__main__":
    main()
