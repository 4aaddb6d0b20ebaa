"""Writes weighted_ensembles.csv: CRPS of ensembles whose members have weights.

A row holds the outcome, the members separated by spaces, their weights, the CRPS by properscoring
(weights normalised, a sum over the steps of the distribution function), the CRPS and the fair CRPS by
scoringrules (a sum over pairs).

    pip install properscoring==0.1 scoringrules==0.10.0 numpy scipy
    python3 weighted_ensembles.py > weighted_ensembles.csv
"""

import random

import numpy as np
import properscoring
import scoringrules

rng = random.Random(20261122)

print(
    "# origin: properscoring 0.1 crps_ensemble(y, x, weights=w); scoringrules 0.10.0 "
    "crps_ensemble(y, x, ens_w=w, estimator='nrg' and 'fair'), weighted_ensembles.py, 2026-11-22"
)
print("outcome,members,weights,crps_properscoring,crps_scoringrules,fair_scoringrules")
for row in range(120):
    m = rng.randint(2, 12)
    rounded = row % 3 == 0
    members = [round(rng.gauss(0, 3)) if rounded else rng.gauss(0, 3) for _ in range(m)]
    weights = [rng.choice([1.0, 2.0, 3.0]) if row % 2 else rng.expovariate(1.0) + 1e-3 for _ in range(m)]
    outcome = rng.choice(members) if row % 5 == 0 else rng.gauss(0, 4)
    x, w = np.array(members, dtype=float), np.array(weights)
    values = [
        properscoring.crps_ensemble(outcome, x, weights=w),
        scoringrules.crps_ensemble(outcome, x, ens_w=w, estimator="nrg"),
        scoringrules.crps_ensemble(outcome, x, ens_w=w, estimator="fair"),
    ]
    lists = [" ".join(repr(float(v)) for v in values) for values in (members, weights)]
    print(",".join([repr(float(outcome)), *lists, *(repr(float(v)) for v in values)]))
