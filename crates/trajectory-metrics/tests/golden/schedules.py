"""Writes schedules.csv: weights of steps under the four schedules of appendix I of the TPS paper.

Each weight is the printed formula, evaluated in rational numbers and rounded once. The weights of
exponential-front come from the printed sum, not from its closed form.

Run: python3 schedules.py > schedules.csv
"""

from fractions import Fraction
import platform


def sum_of_powers(horizon):
    return sum(Fraction(1, 2 ** (s - 1)) for s in range(1, horizon + 1))


FORMULAS = {
    "linear-front": lambda t, T: Fraction(2 * (T - t + 1), T * (T + 1)),
    "uniform": lambda t, T: Fraction(1, T),
    "exponential-front": lambda t, T: Fraction(1, 2 ** (t - 1)) / sum_of_powers(T),
    "linear-back": lambda t, T: Fraction(2 * t, T * (T + 1)),
}

print("# origin: schedules.py, formulas of arXiv:2605.24756, appendix I, in rational numbers, "
      f"Python {platform.python_version()}, 2026-11-22")
print("schedule,horizon,step,weight")
for name, weight in FORMULAS.items():
    for horizon in (1, 2, 3, 5, 10, 30):
        weights = [weight(t, horizon) for t in range(1, horizon + 1)]
        assert sum(weights) == 1
        for t, value in enumerate(weights, 1):
            print(f"{name},{horizon},{t},{float(value)!r}")
