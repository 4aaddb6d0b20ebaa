"""Best values of multidimensional 0-1 knapsacks by an integer programming solver.

    pip install scipy==1.17.1 numpy==2.4.6
    python3 crates/knapsack-oracle/tests/golden/several.py > .../several.json
"""

import json

import numpy as np
import scipy
from scipy.optimize import LinearConstraint, milp

rng = np.random.default_rng(7)
cases = []
for n, m, follow in [(30, 2, False), (30, 3, True), (60, 2, True), (60, 3, False), (60, 3, True),
                     (60, 3, False), (60, 4, False), (60, 8, False), (50, 5, True)]:
    weights = rng.integers(1, 1001, (n, m))
    own = rng.integers(1, 501 if follow else 1001, n)
    profits = own + (weights.sum(axis=1) // m if follow else 0)
    capacities = weights.sum(axis=0) * rng.integers(2, 7, m) // 8
    solved = milp(-profits, integrality=np.ones(n), bounds=(0, 1),
                  constraints=LinearConstraint(weights.T, ub=capacities),
                  options={"mip_rel_gap": 0})
    assert solved.success and abs(solved.fun - round(solved.fun)) < 1e-6
    cases.append({"capacities": capacities.tolist(), "profits": profits.tolist(),
                  "weights": weights.tolist(), "value": -round(solved.fun)})
origin = f"SciPy {scipy.__version__}, scipy.optimize.milp (HiGHS), mip_rel_gap 0, several.py, 2026-11-22"
print(json.dumps({"origin": origin, "cases": cases}))
