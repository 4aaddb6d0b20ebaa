"""Writes students_t.csv: two-sided quantiles of Student's t distribution.

The value t holds P(|T| <= t) = level for the double `level`. By mpmath with 60 digits: Newton's
method on the regularised incomplete beta function.

    pip install mpmath==1.4.1
    python3 students_t.py > students_t.csv
"""

import mpmath
from mpmath import mp, mpf

mp.dps = 60


def quantile(level, n):
    """The root, in the logarithm of t, of whichever of the two shares is smaller."""
    level, n = mpf(level), mpf(n)
    inside = level < mpf("0.5")
    share = mpmath.log(level if inside else 1 - level)
    norm = mpmath.gamma((n + 1) / 2) / (mpmath.sqrt(n * mpmath.pi) * mpmath.gamma(n / 2))

    def density(t):
        return norm * (1 + t * t / n) ** (-(n + 1) / 2)

    def found(t):
        x = t * t / (n + t * t)
        if inside:
            return mpmath.betainc(mpf(1) / 2, n / 2, 0, x, regularized=True)
        return mpmath.betainc(n / 2, mpf(1) / 2, 0, 1 - x, regularized=True)

    log = mpf(0)
    for _ in range(200):
        t = mpmath.exp(log)
        now = found(t)
        slope = 2 * t * density(t) / now * (1 if inside else -1)
        step = (share - mpmath.log(now)) / slope
        step = max(min(step, mpf(2)), mpf(-2))
        log += step
        if abs(step) < mpf(10) ** -40:
            return mpmath.exp(log)
    raise ValueError((level, n))


def main():
    print(
        f"# origin: mpmath {mpmath.__version__}, python3 students_t.py > students_t.csv, "
        "2026-11-22, made by students_t.py"
    )
    print("degrees,level,quantile")
    for n in [1, 2, 3, 4, 5, 7, 10, 19, 39, 100, 999, 10000, 10001, 100000]:
        for level in [1e-6, 0.01, 0.3, 0.499, 0.5, 0.501, 0.68, 0.9, 0.95, 0.99, 0.999, 0.999999]:
            print(f"{n},{level!r},{mpmath.nstr(quantile(level, n), 17)}")


main()
