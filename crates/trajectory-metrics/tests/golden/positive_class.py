"""Writes positive_class.json: rank measures of logits, with failure and with success positive.

    auroc                    roc_auc_score, y_true = outcome, y_score = score
    success, failure         average_precision_score, roc_curve (nothing dropped) and
                             precision_recall_curve; for failure y_true = not outcome and
                             y_score = -score

Scores are doubles taken as they are, many of them equal, some so large that their probabilities are
equal in a machine. scikit-learn's precision_recall_curve runs from the lowest threshold and ends
with a point (1, 0) of its own, so it is turned round and that point is dropped.

    pip install numpy==2.4.6 scikit-learn==1.9.1
    python3 positive_class.py > positive_class.json
"""

import json
import random

import numpy as np
import sklearn
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)


def of(y, score, w):
    fpr, tpr, _ = roc_curve(y, score, sample_weight=w, drop_intermediate=False)
    precision, recall, _ = precision_recall_curve(y, score, sample_weight=w)
    return {
        "average_precision": float(average_precision_score(y, score, sample_weight=w)),
        "roc": [[float(a), float(b)] for a, b in zip(fpr, tpr)],
        "pr": [[float(p), float(r)] for p, r in zip(precision[:-1][::-1], recall[:-1][::-1])],
    }


def case(rng, n, step, weighted):
    scores = [round(rng.gauss(0, 30) / step) * step for _ in range(n)]
    y = [rng.random() < 1 / (1 + np.exp(-s / 30)) for s in scores]
    y[0], y[1] = True, False
    w = [rng.choice([1.0, 2.0, 3.0]) for _ in range(n)] if weighted else None
    y, s = np.array(y), np.array(scores, dtype=float)
    return {
        "scores": scores,
        "outcomes": [bool(v) for v in y],
        "weights": w,
        "auroc": float(roc_auc_score(y, s, sample_weight=w)),
        "success": of(y, s, w),
        "failure": of(~y, -s, w),
    }


def main():
    rng = random.Random(19)
    cases = [
        case(rng, n, step, weighted)
        for n in [2, 5, 12, 40]
        for step in [1e-3, 7.5, 40.0]
        for weighted in [False, True]
    ]
    origin = (
        f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, "
        "python3 positive_class.py > positive_class.json, 2026-11-22, made by positive_class.py"
    )
    print(json.dumps({"origin": origin, "cases": cases}))


main()
