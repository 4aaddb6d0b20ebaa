"""Writes forest.json: trees, quantile weights and pinball losses by scikit-learn.

`tree`: a regression tree grown on all rows and all features; few distinct values, so that splits between
groups of values lose nothing. `forest`: a random forest in the stored form of this crate, with quantiles by
the weights of Meinshausen (2006), which follow from `apply`. `losses`: rows of a known distribution, and
the pinball losses of forests on other rows; only the features tried
are random, and each sample of rows has several seeds.
`censored`: Kaplan-Meier estimates by SciPy.

    pip install numpy==2.4.6 scipy==1.17.1 scikit-learn==1.9.1
    python3 forest.py > forest.json
"""

import json

import numpy as np
import scipy
import sklearn
from sklearn.ensemble import RandomForestRegressor
from sklearn.tree import DecisionTreeRegressor
from scipy.stats import CensoredData, ecdf

LEVELS = [0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98]


def rows(rng, n, columns=5):
    x = rng.integers(0, 40, size=(n, columns)) / 4.0
    # A missing value is below all others; scikit-learn takes finite numbers of 32 bits.
    x[rng.random((n, columns)) < 0.1] = -1e30
    y = np.where(x[:, 0] > 4, 3.0, 1.0) + 0.2 * np.maximum(x[:, 1], 0) + rng.normal(size=n) * (0.5 + 0.1 * np.maximum(x[:, 2], 0))
    return x, y


def listed(x):
    return [None if v == -1e30 else float(v) for v in np.ravel(x)]


def one_tree(rng):
    x, y = rows(rng, 240)
    w = rng.integers(1, 4, size=len(y)).astype(float)
    cases = []
    for weights, leaf in ((None, 5), (None, 20), (w, 12)):
        # With weights, the least weight of a leaf is a share of the whole.
        size = dict(min_samples_leaf=leaf) if weights is None else dict(min_weight_fraction_leaf=leaf / w.sum())
        tree = DecisionTreeRegressor(random_state=0, max_depth=24, **size).fit(x, y, sample_weight=weights)
        t = tree.tree_
        nodes = []

        def walk(i):
            if t.children_left[i] < 0:
                nodes.append(None)
                return
            nodes.append([int(t.feature[i]), float(t.threshold[i])])
            walk(t.children_left[i])
            walk(t.children_right[i])

        walk(0)
        leaves = tree.apply(x)
        names = {leaf: i for i, leaf in enumerate(dict.fromkeys(leaves))}
        cases.append(dict(weights=None if weights is None else weights.tolist(), smallest_leaf=leaf, nodes=nodes,
                          leaves=[names[leaf] for leaf in leaves]))
    return dict(columns=x.shape[1], features=listed(x), targets=y.tolist(), cases=cases)


def forest_weights(forest, x, w, query):
    """The weight of each row for one query."""
    total = np.zeros(len(x))
    leaves, here = forest.apply(x), forest.apply(query[None])[0]
    for tree in range(leaves.shape[1]):
        mine = (leaves[:, tree] == here[tree]) * w
        total += mine / mine.sum()
    return total / leaves.shape[1]


def quantiles(y, weights, levels):
    order = np.argsort(y)
    cumulative = np.cumsum(weights[order])
    return [float(y[order][min(np.searchsorted(cumulative, p - 1e-12), len(y) - 1)]) for p in levels]


def stored(forest, x, y, w):
    """The forest as this crate stores it."""
    values, groups = np.unique(y, return_inverse=True)
    out = dict(values=values.tolist(), roots=[], nodes=[], ends=[], groups=[], weights=[])
    for tree in forest.estimators_:
        t, root = tree.tree_, len(out["nodes"])
        out["roots"].append(root)
        at = tree.apply(x)

        # Nodes in the order of their depth; the right child follows the left child.
        queue, names = [0], {0: root}
        for i in queue:
            if t.children_left[i] >= 0:
                for child in (t.children_left[i], t.children_right[i]):
                    names[child] = root + len(queue)
                    queue.append(child)
        for i in queue:
            leaf = t.children_left[i] < 0
            left = None if leaf else names[t.children_left[i]]
            out["nodes"].append(None if leaf else [int(t.feature[i]), float(t.threshold[i]), left])
            mine = np.flatnonzero(at == i)
            for group in np.unique(groups[mine]):
                out["groups"].append(int(group))
                out["weights"].append(float(w[mine][groups[mine] == group].sum()))
            out["ends"].append(len(out["groups"]))
    return out


def one_forest(rng):
    x, y = rows(rng, 150)
    y = np.round(y, 1)
    w = rng.integers(1, 5, size=len(y)) / 4.0
    # Without the bootstrap each leaf holds some of all rows.
    forest = RandomForestRegressor(12, min_samples_leaf=6, max_features=0.5, random_state=1, bootstrap=False)
    forest.fit(x, y, sample_weight=w)
    queries, _ = rows(rng, 20)
    expected = [quantiles(y, forest_weights(forest, x, w, q), LEVELS) for q in queries]
    return dict(columns=x.shape[1], stored=stored(forest, x, y, w), queries=listed(queries), levels=LEVELS, quantiles=expected)


def pinball(q, y, p):
    return float(np.mean(np.where(y >= q, p * (y - q), (1 - p) * (q - y))))


def losses():
    levels, found = [0.1, 0.5, 0.9], []
    out = dict(columns=4, levels=levels, smallest_leaf=15, trees=50, tried=0.5)
    for sample in range(3):
        rng = np.random.default_rng(100 + sample)
        x = rng.random((1200, 4)).round(3)
        y = np.exp(2 * x[:, 0] + 0.5 * (x[:, 1] > 0.5) + (0.2 + 0.5 * x[:, 2]) * rng.normal(size=1200)).round(4)
        train, test = slice(0, 800), slice(800, None)
        found.append([])
        for seed in range(5):
            forest = RandomForestRegressor(50, min_samples_leaf=15, max_features=0.5, bootstrap=False, random_state=seed)
            forest.fit(x[train], np.log(y[train]))
            q = [quantiles(y[train], forest_weights(forest, x[train], np.ones(800), query), levels) for query in x[test]]
            found[-1].append([pinball(np.array(q)[:, i], y[test], p) for i, p in enumerate(levels)])
        out.setdefault("samples", []).append(dict(features=x.ravel().tolist(), targets=y.tolist()))
    out["losses"] = found
    return out


def censored():
    """Kaplan-Meier estimates of rows of which some are lower bounds; SciPy has no weights, so rows repeat."""
    rng, cases = np.random.default_rng(23), []
    for case in range(12):
        n = int(rng.integers(5, 60))
        ends, bounds = rng.integers(1, 30, n), rng.integers(1, 40 if case % 3 else 20, n)
        targets, cut = np.minimum(ends, bounds).astype(float), bounds < ends
        w = rng.integers(1, 4, n)
        times = np.repeat(targets, w), np.repeat(cut, w)
        found = ecdf(CensoredData.right_censored(*times)).cdf
        cases.append(dict(targets=targets.tolist(), censored=cut.tolist(), weights=w.astype(float).tolist(),
                          at=found.quantiles.tolist(), cumulative=found.probabilities.tolist()))
    return cases


if __name__ == "__main__":
    rng = np.random.default_rng(19)
    print(json.dumps(dict(
        origin=f"numpy {np.__version__}, SciPy {scipy.__version__} and scikit-learn {sklearn.__version__}, python3 forest.py > forest.json, 2026-11-22, made by forest.py",
        tree=one_tree(rng),
        forest=one_forest(rng),
        losses=losses(),
        censored=censored(),
    )))
