"""Writes feasibility.csv: precision, recall, F1 and macro-F1 by scikit-learn.

Labels are i (impossible) and f (feasible); what was said may also be n (no answer), which is
neither class. A score that is 0 / 0 is written as "none": zero_division is NaN. Weighted rows
have whole or real weights.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python3 feasibility.py > feasibility.csv
"""

import numpy as np
import sklearn
from sklearn.metrics import accuracy_score, precision_recall_fscore_support


def shown(x):
    return "none" if np.isnan(x) else repr(float(x))


print(
    f"# origin: numpy {np.__version__} and scikit-learn {sklearn.__version__}, "
    "python3 feasibility.py > feasibility.csv, 2026-11-22, made by feasibility.py"
)
print("labels,said,weights,precision_f,recall_f,f1_f,precision_i,recall_i,f1_i,macro_f1,accuracy")
rng = np.random.default_rng(7)
cases = [("ii", "ii"), ("ff", "ff"), ("if", "nn"), ("ff", "ii"), ("fi", "if"), ("ifif", "ffff"), ("f", "n")]
for n in (5, 12, 40, 200):
    for said in ("if", "ifn", "fffi", "iiifn"):
        pick = lambda letters: "".join(rng.choice(list(letters), n))
        cases.append((pick("iff"), pick(said)))
for i, (labels, said) in enumerate(cases):
    n = len(labels)
    weights = [np.ones(n), rng.integers(1, 4, n).astype(float), np.round(rng.uniform(0.1, 3, n), 3)][i % 3]
    y, p = list(labels), list(said)
    scores = precision_recall_fscore_support(
        y, p, labels=["f", "i"], sample_weight=weights, zero_division=np.nan
    )[:3]
    f, im = zip(*scores)
    macro = (f[2] + im[2]) / 2
    accuracy = accuracy_score(y, p, sample_weight=weights)
    row = [*map(shown, f), *map(shown, im), shown(macro), shown(accuracy)]
    print(",".join([labels, said, " ".join(repr(float(w)) for w in weights), *row]))
