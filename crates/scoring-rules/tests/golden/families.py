"""Writes families.csv: reference values of the power, pseudospherical, spherical and boosting scores.

For a forecast p, a baseline b, u = p / b, v = (1-p) / (1-b) and r the one of what happened
(Jose, Nau and Winkler, 2008):

    power            (r^(k-1) - 1) / (k-1) - (b u^k + (1-b) v^k - 1) / k
    pseudospherical  ((r / m)^(k-1) - 1) / (k-1),  m = (b u^k + (1-b) v^k)^(1/k)
    spherical        given / sqrt(p^2 + (1-p)^2)
    boosting         -sqrt(against / given)

and their limits at k = 0 and k = 1, taken here as their own formulas. Every number in the columns k,
b, p and q stands for the double it parses to. The divergence is the difference of expectations,
E_q S(q) - E_q S(p), and the entropy minus E_q S(q), both with 1500 digits.

    pip install mpmath==1.4.1
    python3 families.py > families.csv
"""

import mpmath
from mpmath import inf, mp, mpf

mp.dps = 1500


def box_cox(k, x):
    if k == 0:
        return mpmath.log(x) if x > 0 else -inf
    if x == 0:
        return -1 / k if k > 0 else -inf
    if x == inf:
        return inf if k > 0 else -1 / k
    return (x**k - 1) / k


def power(k, b, given, base, against, other):
    r, t = given / base, against / other
    if r == 0 and k < 1:
        return -inf
    return box_cox(k - 1, r) - (base * box_cox(k, r) + other * box_cox(k, t))


def pseudospherical(k, b, given, base, against, other):
    r, t = given / base, against / other
    if k == 0:
        share = inf if t == 0 else (mpf(0) if r == 0 else (r / t) ** other)
    elif k < 0 and r == 0:
        share = base ** (-1 / k)
    elif k < 0 and t == 0:
        share = inf
    else:
        share = r / (base * r**k + other * t**k) ** (1 / k)
    return box_cox(k - 1, share)


def spherical(k, b, given, base, against, other):
    return given / mpmath.sqrt(given**2 + against**2)


def boosting(k, b, given, base, against, other):
    return -mpmath.sqrt(against / given) if given > 0 else -inf


def both(rule, k, b, p):
    return rule(k, b, p, b, 1 - p, 1 - b), rule(k, b, 1 - p, 1 - b, p, b)


def expected(scores, q):
    return (q * scores[0] if q > 0 else 0) + ((1 - q) * scores[1] if q < 1 else 0)


def text(x):
    if x in (inf, -inf):
        return "inf" if x > 0 else "-inf"
    return mpmath.nstr(x, 20, min_fixed=0, max_fixed=0)


FORECASTS = ["0", "1e-300", "1e-12", "0.001", "0.03", "0.25", "0.30000001", "0.5", "0.7", "0.95", "0.9999999", "1"]
TRUTHS = ["0.2", "0.70000001", "1e-10", "0.999"]
POWERS = ["-10", "-7.5", "-1", "-0.01", "0", "1e-9", "0.5", "1", "1.00001", "1.5", "2", "3", "10"]
BASELINES = ["0.001", "0.3", "0.5", "0.99"]

if __name__ == "__main__":
    print(f"# origin: mpmath {mpmath.__version__}, formulas with 1500 digits, families.py, 2026-11-22")
    print("rule,k,b,p,q,success,failure,entropy,divergence")
    cases = [(f.__name__, f, k, b) for f in (power, pseudospherical) for k in POWERS for b in BASELINES]
    cases += [("spherical", spherical, "2", "0.5"), ("boosting", boosting, "0", "0.5")]
    turn = 0
    for name, rule, k, b in cases:
        for p in FORECASTS:
            # Few of the families' many rows, so that the file stays small: all forecasts come by.
            turn += 1
            if name.startswith("p") and turn % 3:
                continue
            q = TRUTHS[turn % len(TRUTHS)]
            kk, bb, pp, qq = (mpf(float(x)) for x in (k, b, p, q))
            of_p, of_q = both(rule, kk, bb, pp), both(rule, kk, bb, qq)
            truthful = expected(of_q, qq)
            lost = inf if -inf in of_p else truthful - expected(of_p, qq)
            print(",".join([name, k, b, p, q, *map(text, [*of_p, -truthful, lost])]))
