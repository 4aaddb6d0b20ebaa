"""Writes clipped_divergence.csv: divergences of the clipped log score.

The clip c(x) = min(max(x, eps), 1 - eps) is taken of the forecast p and of the
truth q where they are reported, while the outcome keeps the probability q:

    divergence = q ln(c(q) / c(p)) + (1 - q) ln((1 - c(q)) / (1 - c(p)))

eps, p and q stand for the doubles they parse to, 1 - eps is not rounded. Each
value is checked as the integral from c(p) to c(q) of (q - t) / (t (1 - t)) dt.

    pip install mpmath==1.4.1
    python3 clipped_divergence.py > clipped_divergence.csv
"""

import sys

sys.dont_write_bytecode = True  # no __pycache__ beside the golden files

import mpmath
from mpmath import mp, mpf

from beta_score import text

CLIPS = [1e-15, 1e-6, 0.05]

PAIRS = [  # p, q: at and about the clips, and ordinary ones
    (0.9999871724796582, 1.0), (1.0, 0.999998), (1.0, 0.9999985), (0.9999985, 1.0),
    (0.9999985, 0.9999995), (1.0, 0.3), (0.0, 0.3), (1.0, 0.0), (0.0, 1.0), (1.5e-6, 5e-7),
    (0.0, 2e-6), (5e-7, 0.97), (0.97, 1.0), (0.96, 0.94), (0.03, 0.06),
]


def distance(near, far, q):
    """The integral, over the log-odds of t, in which nothing is steep."""
    ends = [mpmath.log(t / (1 - t)) for t in (near, far)]
    # With t = 1 / (1 + exp(-u)), dt / (t (1 - t)) is du.
    return mpmath.quad(lambda u: q - 1 / (1 + mpmath.exp(-u)), mpmath.linspace(*ends, 33))


def main():
    mp.dps = 60
    print(
        f"# origin: mpmath {mpmath.__version__}, "
        "python3 clipped_divergence.py > clipped_divergence.csv, 2026-11-22, "
        "made by clipped_divergence.py"
    )
    print("eps,p,q,divergence")
    for eps in CLIPS:
        for forecast, truth in PAIRS:
            p, q = mpf(forecast), mpf(truth)
            low, high = mpf(eps), 1 - mpf(eps)
            of_p, of_q = (min(max(x, low), high) for x in (p, q))
            divergence = q * mpmath.log(of_q / of_p)
            divergence += (1 - q) * mpmath.log((1 - of_q) / (1 - of_p))
            check = distance(of_p, of_q, q)
            assert abs(divergence - check) <= mpf(10) ** -25 * divergence, (eps, p, q)
            print(f"{eps!r},{forecast!r},{truth!r},{text(divergence)}")


if __name__ == "__main__":
    main()
