"""Writes decomposition.csv: mean losses taken apart, of forecasts with ties and weights.

Kinds of rows, by their first column:

    data, set, forecast, outcome, weight
    pav, set, forecast, value of the isotonic regression (scikit-learn)
    bins, set, rule, alpha, beta, binning, mean loss, reliability, resolution, uncertainty, within bins
    corp, set, rule, alpha, beta, mean loss, miscalibration, discrimination, uncertainty

Every term comes from its definition on the rows, as a mean of differences of losses: with exact
fractions for everything but the losses, which have 50 digits. A beta loss is an integral of

    loss(p, 1) = integral from p to 1 of c^(alpha-1) (1-c)^beta dc
    loss(p, 0) = integral from 0 to p of c^alpha (1-c)^(beta-1) dc

Forecasts and weights stand for the doubles they parse to, except that bins of equal width and edges
take them as decimals. CORP takes the recalibrated forecasts from exact pooling, which is compared
with scikit-learn.

    pip install mpmath==1.4.1 numpy==2.4.6 scikit-learn==1.9.1
    python3 decomposition.py > decomposition.csv
"""

import math
import random
from fractions import Fraction
from functools import lru_cache

import mpmath
import sklearn
from mpmath import mp, mpf
from sklearn.isotonic import IsotonicRegression

mp.dps = 50

RULES = [("log", "", ""), ("brier", "", ""), ("beta", 2.0, 4.0), ("beta", 0.5, 1.7)]
EDGES = ["0.15", "0.5", "0.52", "0.9"]


def data_sets():
    g = random.Random(1973)
    clip = lambda p, decimals: f"{min(max(p, 0.01), 0.99):.{decimals}f}"

    def make(n, decimals, said, weight):
        rows = []
        for _ in range(n):
            q = g.betavariate(0.8, 0.8)
            rows.append((clip(said(q), decimals), int(g.random() < q), weight()))
        return rows

    yield "plain", make(50, 2, lambda q: q + g.gauss(0, 0.1), lambda: "1")
    yield "tied", make(60, 2, lambda q: round(q * 5) / 5, lambda: str(g.randint(1, 5)))
    yield "sure", make(70, 2, lambda q: q + 0.4 * (q - 0.5), lambda: f"{g.uniform(0.05, 3):.2f}")
    yield "turned", make(40, 2, lambda q: 1 - q, lambda: "1")
    yield "blind", make(40, 2, lambda q: g.random(), lambda: f"{g.randint(1, 12) / 4}")
    yield "rare", [(p, int(p == "0.37"), w) for p, _, w in make(30, 2, lambda q: q, lambda: "1")] + [("0.37", 1, "2")]
    ends = [("0.00", 0, "1.25"), ("0.00", 0, "3"), ("1.00", 1, "0.7"), ("1.00", 1, "2")]
    yield "certain", make(45, 2, lambda q: q, lambda: f"{g.uniform(0.5, 2):.2f}") + ends


@lru_cache(maxsize=None)
def loss(rule, p, y):
    """p is an exact fraction."""
    name, alpha, beta = rule
    x = mpf(p.numerator) / p.denominator
    if name == "log":
        given = x if y else 1 - x
        return -mpmath.log(given) if given > 0 else mp.inf
    if name == "brier":
        return (x - y) ** 2
    if y:
        return mpmath.betainc(alpha, beta + 1, x, 1)
    return mpmath.betainc(alpha + 1, beta, 0, x)


def mean(rows, value):
    """The mean by weight of value(row); rows are (forecast, outcome, weight), all exact."""
    total = sum(w for _, _, w in rows)
    return sum(value(p, y) * mpf(w.numerator) / w.denominator for p, y, w in rows) * (
        mpf(total.denominator) / total.numerator
    )


def rate(rows):
    return sum(w for _, y, w in rows if y) / sum(w for _, _, w in rows)


def exact(rows):
    return [(Fraction(float(p)), y, Fraction(float(w))) for p, y, w in rows]


def bins(rows, binning):
    """Rows by bin; a bin is decided by the decimal forecast alone."""
    distinct = sorted({Fraction(p) for p, _, _ in rows})
    total = sum(Fraction(w) for _, _, w in rows)
    if binning == "distinct":
        index = {p: p for p in distinct}
    elif binning == "edges":
        index = {p: sum(Fraction(edge) < p for edge in EDGES) for p in distinct}
    else:
        kind, k = binning.split(":")
        k, index, before = int(k), {}, Fraction(0)
        for p in distinct:
            weight = sum(Fraction(w) for q, _, w in rows if Fraction(q) == p)
            if kind == "width":
                index[p] = max(math.ceil(k * p) - 1, 0)
            else:
                index[p] = min(math.floor(k * (before + weight / 2) / total), k - 1)
            before += weight
    grouped = {}
    for row in rows:
        grouped.setdefault(index[Fraction(row[0])], []).append(row)
    return [exact(group) for _, group in sorted(grouped.items())]


def recalibrated(rows):
    """Isotonic regression by exact pooling: forecast -> rate."""
    pools = []
    for p in sorted({p for p, _, _ in rows}):
        pools.append([r for r in rows if r[0] == p])
        while len(pools) > 1 and rate(pools[-2]) >= rate(pools[-1]):
            pools[-2:] = [pools[-2] + pools[-1]]
    return {p: rate(pool) for pool in pools for p, _, _ in pool}


def text(x):
    return mpmath.nstr(mpf(x), 17)


def main():
    print(
        f"# origin: mpmath {mpmath.__version__} and scikit-learn {sklearn.__version__} (IsotonicRegression), "
        "python3 decomposition.py > decomposition.csv, 2026-11-27, made by decomposition.py"
    )
    print("kind,set,…")
    for name, rows in data_sets():
        for p, y, w in rows:
            print(f"data,{name},{p},{y},{w}")
        every = exact(rows)
        base, fitted = rate(every), recalibrated(every)

        forecasts = sorted({float(p) for p, _, _ in rows})
        model = IsotonicRegression(y_min=0, y_max=1)
        model.fit([float(p) for p, _, _ in rows], [y for _, y, _ in rows], sample_weight=[float(w) for _, _, w in rows])
        for p, value in zip(forecasts, model.predict(forecasts)):
            assert abs(float(fitted[Fraction(p)]) - value) < 1e-14
            print(f"pav,{name},{p},{float(value)!r}")

        for rule in RULES:
            head = f"{name},{rule[0]},{rule[1]},{rule[2]}"
            total = mean(every, lambda p, y: loss(rule, p, y))
            uncertainty = mean(every, lambda p, y: loss(rule, base, y))
            for binning in ("distinct", "width:10", "width:3", "weight:7", "edges"):
                # A row's own forecast, its bin's mean forecast and its bin's rate.
                terms = [0, 0, 0]
                for group in bins(rows, binning):
                    share = sum(w for _, _, w in group) / sum(w for _, _, w in every)
                    share = mpf(share.numerator) / share.denominator
                    f = sum(p * w for p, _, w in group) / sum(w for _, _, w in group)
                    o = rate(group)
                    terms[0] += share * mean(group, lambda p, y: loss(rule, f, y) - loss(rule, o, y))
                    terms[1] += share * mean(group, lambda p, y: loss(rule, base, y) - loss(rule, o, y))
                    terms[2] += share * mean(group, lambda p, y: loss(rule, p, y) - loss(rule, f, y))
                reliability, resolution, within = terms
                assert abs(total - (reliability - resolution + uncertainty + within)) < 1e-40
                values = ",".join(map(text, [total, reliability, resolution, uncertainty, within]))
                print(f"bins,{head},{binning},{values}")
            recalibration = mean(every, lambda p, y: loss(rule, fitted[p], y))
            values = ",".join(map(text, [total, total - recalibration, uncertainty - recalibration, uncertainty]))
            print(f"corp,{head},{values}")


main()
