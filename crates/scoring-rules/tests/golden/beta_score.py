"""Writes beta_score.csv: reference values of the beta family of scoring rules.

The family (Buja, Stuetzle and Shen, 2005), for a forecast p of success:

    S(p, 1) = -integral from p to 1 of c^(alpha-1) (1-c)^beta dc
    S(p, 0) = -integral from 0 to p of c^alpha (1-c)^(beta-1) dc

Every number in the columns alpha, beta and p stands for the double it parses
to, and the scores are those of that exact double, to 17 significant digits.
A score may lie outside the range of a double (such as -3.1e-16500): it is
written as it is, and parses to -0 or -inf.

    pip install mpmath==1.4.1
    python3 beta_score.py > beta_score.csv
"""

from functools import lru_cache

import mpmath
from mpmath import mp, mpf

# Far more digits than the 60 that are wanted, so that neither the alternating
# series at large alpha or beta nor the differences taken in divergence.py
# (which imports this file) can cancel their way into the printed digits.
mp.dps = 400
SMALLEST_TERM = mpf(10) ** -380
HALF = mpf(1) / 2

GRID = [-0.5, 0.0, 0.5, 1.0, 1.7, 2.0, 4.0, 10.0, 50.0]
EXTRA = [
    (0.3, 0.01), (0.01, 0.3), (1e-4, 2.0), (-0.01, 0.7), (1e-9, 1e-9),
    (-0.9, 3.3), (3.0, 3.0), (2.0, 7.0), (7.0, 2.0), (20.0, 35.5),
    (100.0, 80.0), (-0.99, -0.99),
    # As close to -1 as a double comes, and not quite.
    (-1 + 2.0**-48, 4.47), (2.17, -1 + 2.0**-45), (-1 + 1e-9, -1 + 1e-6),
]
FORECASTS = [
    0.0, 5e-324, 1e-300, 1e-17, 1e-9, 1e-6, 0.001, 0.05, 0.2, 0.37, 0.5, 0.63,
    0.8, 0.95, 0.999, 1 - 1e-6, 1 - 1e-9, 1 - 2.0**-53, 1.0,
]


@lru_cache(maxsize=None)
def antiderivative(s, t, y):
    """An antiderivative of c^(s-1) (1-c)^t at y, for 0 < y <= 1/2.

    It is the binomial series of (1-c)^t integrated term by term. Where s > 0
    it is the integral from 0. Where s = 0 the first term is a logarithm.
    """
    total = mpf(0)
    coefficient = mpf(1)  # of c^k in (1-c)^t, times y^k
    k = 0
    while k <= t or abs(coefficient) > SMALLEST_TERM:
        if s + k != 0:
            total += coefficient / (s + k)
        coefficient *= (k - t) * y / (k + 1)
        if coefficient == 0:  # t is a whole number: the series has ended
            break
        k += 1
    total *= y**s  # taken out, so that a tiny y keeps all its digits
    if s == 0:
        total += mpmath.log(y)
    return total


def score_success(alpha, beta, p):
    """S(p, 1), with p any mpf in [0, 1]."""
    x = 1 - p
    if x == 0:
        return mpf(0)
    if p > HALF:
        return -antiderivative(beta + 1, alpha - 1, x)
    upper = antiderivative(beta + 1, alpha - 1, HALF)
    if p == 0:
        if alpha <= 0:
            return mpf("-inf")
        return -(upper + antiderivative(alpha, beta, HALF))
    return -(upper + antiderivative(alpha, beta, HALF) - antiderivative(alpha, beta, p))


def score_failure(alpha, beta, p):
    """S(p, 0): the same integral with the two outcomes swapped.

    1 - p loses nothing: mp.dps digits hold it exactly even for p = 5e-324.
    """
    return score_success(beta, alpha, 1 - p)


def quadrature(alpha, beta, p):
    """S(p, 1) another way: tanh-sinh quadrature, at 60 digits, of smooth integrands.

    Next to c = 1, v = (1-c)^(beta+1) takes the singularity away; so does
    v = c^alpha next to c = 0; and between a small p and 1/2, c = exp(-t) does.
    Integrands are scaled to about 1, as mpmath.quad stops at an absolute error.
    """
    with mp.workdps(60):
        quarters = mpmath.linspace(0, 1, 5)
        top = min(1 - p, HALF) ** (beta + 1)
        total = top / (beta + 1) * mpmath.quad(
            lambda v: (1 - (top * v) ** (1 / (beta + 1))) ** (alpha - 1), quarters
        )
        if p == 0:
            top = HALF**alpha
            total += top / alpha * mpmath.quad(
                lambda v: (1 - (top * v) ** (1 / alpha)) ** beta, quarters
            )
        elif p < HALF:
            near, far = mpmath.log(2), -mpmath.log(p)
            # Intervals that grow follow the decay of exp(-alpha t).
            cuts, step = [near], mpf(1) / 8
            while cuts[-1] + step < far:
                cuts.append(cuts[-1] + step)
                step = min(4 * step, mpf(32))
            scale = HALF ** (alpha + beta)
            total += scale * mpmath.quad(
                lambda t: mpmath.exp(-alpha * t) * (1 - mpmath.exp(-t)) ** beta / scale,
                cuts + [far],
            )
        return -total


def assert_agree(value, check, where):
    if abs(value - check) > mpf(10) ** -25 * abs(value):
        raise AssertionError(f"{where}: {mpmath.nstr(value, 30)} but quadrature {mpmath.nstr(check, 30)}")


def text(x):
    """17 significant digits; 0 (never -0), inf and -inf as such."""
    if x == 0:
        return "0"
    if mpmath.isinf(x):
        return "inf" if x > 0 else "-inf"
    return mpmath.nstr(x, 17)


def main():
    print(
        f"# origin: mpmath {mpmath.__version__}, python3 beta_score.py > beta_score.csv, "
        "2026-11-21, made by beta_score.py"
    )
    print("alpha,beta,p,score_success,score_failure")
    row = 0
    for alpha, beta in [(a, b) for a in GRID for b in GRID] + EXTRA:
        a, b = mpf(alpha), mpf(beta)
        for forecast in FORECASTS:
            p = mpf(forecast)
            success = score_success(a, b, p)
            failure = score_failure(a, b, p)
            if row % 50 == 0:
                where = (alpha, beta, forecast)
                if not mpmath.isinf(success):
                    assert_agree(success, quadrature(a, b, p), where)
                if not mpmath.isinf(failure):
                    assert_agree(failure, quadrature(b, a, 1 - p), where)
            print(f"{alpha!r},{beta!r},{forecast!r},{text(success)},{text(failure)}")
            row += 1


if __name__ == "__main__":
    main()
