"""Writes divergence.csv: expected scores, entropies and divergences of scoring rules.

For the forecast p of an event of probability q, with 0 * inf taken as 0:

    expected   = q S(p, 1) + (1 - q) S(p, 0)
    entropy    = -(q S(q, 1) + (1 - q) S(q, 0))
    divergence = (q S(q, 1) + (1 - q) S(q, 0)) - expected

The rules are log, brier (S = -(p - y)^2) and the beta family of beta_score.py,
which this file imports. p and q stand for the doubles they parse to.

    pip install mpmath==1.4.1
    python3 divergence.py > divergence.csv
"""

import math
import sys

sys.dont_write_bytecode = True  # no __pycache__ beside the golden files

import mpmath
from mpmath import mp, mpf

from beta_score import score_failure, score_success, text

BETAS = [(0.5, 1.7), (2.0, 4.0), (-0.5, -0.5), (0.0, 1.7), (4.0, 10.0), (1.0, 1.0), (0.0, 0.0),
         # Steep ones, and one that is almost -1.
         (6.85, 100.0), (-4e-5, 68.0), (100.0, 60.0), (-1 + 2.0**-48, 6.57)]

PAIRS = [  # p, q
    (0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 1.0), (1.0, 0.0), (0.0, 0.3), (0.3, 0.0),
    (1.0, 0.3), (0.3, 1.0), (0.5, 0.0), (0.5, 1.0), (0.2, 0.8), (0.8, 0.2), (0.5, 0.05),
    # Near-equal pairs: what a difference of two expected scores gets wrong.
    (0.3 + 1e-3, 0.3), (0.3 + 1e-8, 0.3), (math.nextafter(0.3, 1.0), 0.3),
    (0.3, math.nextafter(0.3, 1.0)), (0.9 - 1e-3, 0.9), (0.9 + 1e-8, 0.9),
    (math.nextafter(0.5, 0.0), 0.5), (0.5, math.nextafter(0.5, 1.0)),
    # Both close to an end.
    (1e-9, 2e-9), (2e-9, 1e-9), (1e-9, 0.5), (1 - 1e-6, 1 - 2e-6), (1 - 2e-6, 1 - 1e-6),
    (1 - 2.0**-53, 1.0), (1.0, 1 - 2.0**-53), (1e-12, 1 - 1e-12),
    # Apart, but not by much.
    (0.421, 0.476), (0.997, 0.412), (0.408, 0.387), (0.25, 0.3),
]


def log_scores(p):
    return mpmath.log(p) if p > 0 else mpf("-inf"), mpmath.log(1 - p) if p < 1 else mpf("-inf")


def brier_scores(p):
    return -((1 - p) ** 2), -(p**2)


def beta_scores(alpha, beta):
    return lambda p: (score_success(alpha, beta, p), score_failure(alpha, beta, p))


def expected(scores, p, q):
    success, failure = scores(p)
    total = mpf(0)
    if q > 0:
        total += q * success
    if q < 1:
        total += (1 - q) * failure
    return total


def weighted_distance(alpha, beta, p, q):
    """The divergence another way: the integral from p to q of (q-c) c^(alpha-1) (1-c)^(beta-1) dc.

    Taken over the log-odds t of c, where the integrand has no singularity, and
    scaled to about 1, as mpmath.quad stops at an absolute error.
    """
    with mp.workdps(80):
        near, far = mpmath.log(p / (1 - p)), mpmath.log(q / (1 - q))

        def integrand(t):
            c, x = 1 / (1 + mpmath.exp(-t)), 1 / (1 + mpmath.exp(t))
            return (q - c) * c**alpha * x**beta

        scale = (far - near) * integrand((near + far) / 2)
        return scale * mpmath.quad(lambda t: integrand(t) / scale, mpmath.linspace(near, far, 9))


def main():
    print(
        f"# origin: mpmath {mpmath.__version__}, python3 divergence.py > divergence.csv, "
        "2026-11-21, made by divergence.py"
    )
    print("rule,alpha,beta,p,q,expected,entropy,divergence")
    # Each rule with the beta rule it is a multiple of, for the check.
    rules = [("log", "", "", log_scores, (0, 0, 1)), ("brier", "", "", brier_scores, (1, 1, 2))]
    for alpha, beta in BETAS:
        scores = beta_scores(mpf(alpha), mpf(beta))
        rules.append(("beta", repr(alpha), repr(beta), scores, (alpha, beta, 1)))
    for rule, alpha, beta, scores, (check_alpha, check_beta, factor) in rules:
        for forecast, truth in PAIRS:
            p, q = mpf(forecast), mpf(truth)
            of_p, of_q = expected(scores, p, q), expected(scores, q, q)
            divergence = mpf(0) if p == q else of_q - of_p
            if p != q and abs(divergence) < mpf(10) ** -330:
                continue  # below the range of a double, and the digits here are used up
            assert divergence >= 0 and (p == q or divergence > 0)
            if p != q and 0 < p < 1 and 0 < q < 1:
                check = factor * weighted_distance(mpf(check_alpha), mpf(check_beta), p, q)
                assert abs(divergence - check) <= mpf(10) ** -25 * check, (rule, alpha, beta, p, q)
            print(f"{rule},{alpha},{beta},{forecast!r},{truth!r},{text(of_p)},{text(-of_q)},{text(divergence)}")


if __name__ == "__main__":
    main()
