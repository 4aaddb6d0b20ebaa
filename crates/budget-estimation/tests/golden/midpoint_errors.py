"""Writes midpoint_errors.csv: percentiles of the midpoint relative error by numpy (linear method),
and the plain means of the other measures of intervals, from their formulas.

Each row is a list of what remained, of the lower and the upper ends, and of whole weights, by which
rows are repeated.

    pip install numpy==2.4.6
    python3 midpoint_errors.py > midpoint_errors.csv
"""

import numpy as np

print(
    f"# origin: numpy {np.__version__}, "
    "python3 midpoint_errors.py > midpoint_errors.csv, 2026-11-22, made by midpoint_errors.py"
)
print("remaining,low,high,weights,mre_p50,mre_p90,reward,hit_rate,relative_width,interval_loss_80")
rng = np.random.default_rng(11)
for n in (1, 2, 3, 10, 57, 300):
    for weighted in (False, True):
        remaining = rng.integers(1, 500, n)
        low = rng.integers(0, 400, n)
        high = low + rng.integers(0, 300, n)
        weights = rng.integers(1, 4, n) if weighted else np.ones(n, int)
        r, a, b = (np.repeat(x, weights).astype(float) for x in (remaining, low, high))
        mre = np.abs((a + b) / 2 - r) / r
        hit = (a <= r) & (r <= b)
        reward = hit * np.maximum(0, 1 - (b - a) / r)
        loss = (b - a) + 2 / (1 - 0.8) * (np.maximum(0, a - r) + np.maximum(0, r - b))
        values = [
            np.percentile(mre, 50), np.percentile(mre, 90), reward.mean(), hit.mean(),
            ((b - a) / r).mean(), loss.mean(),
        ]
        lists = [" ".join(map(str, x)) for x in (remaining, low, high, weights)]
        print(",".join(lists + [repr(float(v)) for v in values]))
