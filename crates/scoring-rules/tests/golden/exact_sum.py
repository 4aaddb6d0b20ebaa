"""Writes exact_sum.csv: lists of numbers and their correctly rounded sums.

CPython's math.fsum rounds the exact sum once; here it is also checked against exact fractions.
Needs nothing but Python 3. Usage: python3 exact_sum.py > exact_sum.csv
"""

import math
import platform
import random
from fractions import Fraction


def terms(g, n, low, high):
    return [math.ldexp(g.uniform(-1, 1), g.randint(low, high)) for _ in range(n)]


def cancelling(g, n, low, high):
    """Half of the terms undo the other half but for one, so that little is left."""
    half = terms(g, n, low, high)
    out = half + [-x for x in half[1:]] + [math.ldexp(1.0, low)]
    g.shuffle(out)
    return out


def main():
    print(f"# origin: CPython {platform.python_version()}, math.fsum, 2026-11-21, made by exact_sum.py")
    print("sum,terms…")
    g = random.Random(1505)
    for make in (terms, cancelling):
        for low, high in ((-20, 3), (-300, 300), (-1070, -1000), (-1070, 1000), (-55, 0)):
            for n in (1, 2, 3, 7, 20, 60):
                xs = make(g, n, low, high)
                total = math.fsum(xs)
                assert total == float(sum(map(Fraction, xs)))
                print(",".join(repr(x) for x in [total, *xs]))


main()
