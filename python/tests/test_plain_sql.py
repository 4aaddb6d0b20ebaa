"""The queries of docs/plain_sql.md give what the package gives."""

import re
from pathlib import Path

import duckdb
import numpy as np
import pytest

import agent_scorecard as ags

PAGE = Path(__file__).parents[2] / "docs" / "plain_sql.md"
QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)


def table(seed):
    """Runs of three models with ties, probabilities on bounds of bins, and tasks of different sizes."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 400))
    p = rng.random(n)
    p = np.where(rng.random(n) < 0.5, np.round(p, 1), p)
    p[:2] = [0.0, 1.0]
    model = rng.choice(["a", "b", "c"], n, p=[0.6, 0.3, 0.1])
    y = (rng.random(n) < 0.3 + 0.4 * p).astype(int)
    task = np.array([f"t{it}" for it in (12 * rng.random(n) ** 2).astype(int)])
    return model, task, p, y


def answers(query, model, task, p, y):
    connection = duckdb.connect()
    connection.execute("CREATE TABLE runs (model text, task text, p double, y integer)")
    columns = [np.asarray(it).tolist() for it in (model, task, p, y)]
    connection.execute("INSERT INTO runs SELECT unnest(?), unnest(?), unnest(?), unnest(?)", columns)
    rows = connection.execute(query)
    names = [it[0] for it in rows.description]
    return {row[0]: dict(zip(names, row, strict=True)) for row in rows.fetchall()}


def found(column):
    [query] = [it for it in QUERIES if re.search(rf"\bAS {column}\b", it.split("SELECT")[-1])]
    return query


@pytest.mark.parametrize("seed", range(20))
def test_plain_queries_give_what_the_package_gives(seed):
    columns = table(seed)
    model, task, p, y = columns
    scores, errors = answers(found("log_score"), *columns), answers(found("calibration_error"), *columns)
    ranks, means = answers(found("auroc"), *columns), answers(found("standard_error"), *columns)
    assert list(scores) == list(errors) == list(ranks) == list(means) == sorted(set(model.tolist()))
    for name in scores:
        of = model == name
        assert scores[name]["log_score"] == pytest.approx(ags.log_score(1e-6).mean(y[of], p[of]), abs=1e-12)
        assert scores[name]["brier_score"] == pytest.approx(-ags.brier_loss(y[of], p[of]), abs=1e-12)
        assert errors[name]["calibration_error"] == pytest.approx(ags.calibration_error(y[of], p[of]), abs=1e-12)
        expected = ags.auroc(y[of], p[of], undefined="nan")
        assert ranks[name]["auroc"] is None if np.isnan(expected) else ranks[name]["auroc"] == pytest.approx(expected, abs=1e-12)
        figure = ags.mean(y[of].astype(float), task[of])
        assert means[name]["mean"] == pytest.approx(figure.value, abs=1e-12)
        if len(set(task[of])) > 1:
            assert means[name]["standard_error"] == pytest.approx(figure.standard_error, abs=1e-12)
        else:
            assert means[name]["standard_error"] is None


def test_wrong_and_missing_values_are_counted():
    p = np.array([0.5, float("nan"), 1.5, -0.1, 1.0, 0.2])
    y = np.array([1, 0, 1, 0, 2, 0])
    model = np.array(["a"] * 6)
    checked = answers(found("wrong"), model, model, p, y)["a"]
    assert checked == {"model": "a", "runs": 6, "missing": 0, "wrong": 4}


def test_rows_without_a_value_are_ignored():
    rows = [("a", "t1", 0.9, 1), ("a", "t1", 0.2, 0), ("a", "t2", 0.6, 0), ("a", "t3", 0.4, 1)]
    no_p, no_y, no_task = ("a", "t1", None, 1), ("a", "t2", 0.1, None), ("a", None, 0.3, 1)
    for column, missing in [("log_score", [no_p, no_y]), ("calibration_error", [no_p, no_y]), ("auroc", [no_p, no_y]), ("standard_error", [no_y, no_task])]:
        assert answers(found(column), *zip(*rows, *missing, strict=True)) == answers(found(column), *zip(*rows, strict=True)), column
    assert answers(found("wrong"), *zip(*rows, no_p, no_y, no_task, strict=True))["a"] == {"model": "a", "runs": 7, "missing": 3, "wrong": 0}


def test_one_outcome_has_no_ranking():
    model = np.array(["a"] * 4)
    assert answers(found("auroc"), model, model, np.linspace(0, 1, 4), np.ones(4, int))["a"]["auroc"] is None
