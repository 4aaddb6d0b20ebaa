use numpy::IntoPyArray;
use pyo3::prelude::*;
use scoring_rules::Level;
use trajectory_metrics::{Bootstrap, Error, Ranking, Replicates, Seed};

use crate::{
    errors::{Failure, UndefinedError, invalid},
    group_columns,
    interruptible::interruptible,
    number_arrays::{checked, floats, weights},
    outcome_columns::outcomes,
    results::{FigureParts, figure},
};

type Values<'py> = Bound<'py, PyAny>;
/// The number of resamples, the confidence level and the seed.
type Settings = (usize, f64, u64);

fn bootstrap(n: usize, groups: Option<&[u64]>, seed: u64) -> Result<Bootstrap, Error> {
    match groups {
        None => Bootstrap::rows(n, Seed(seed)),
        Some(groups) => Bootstrap::clusters(groups, Seed(seed)),
    }
}

fn parts(replicates: &Replicates, level: f64) -> Result<FigureParts, Error> {
    let found = replicates.figure(Level::new(level)?).interval;
    let interval = found.ok().map(|it| (it.low(), it.high()));
    let why = found.err().map(|why| why.to_string());
    let (value, error) = (replicates.estimate(), replicates.standard_error());
    Ok((value, interval, error, why, replicates.undefined()))
}

#[pyfunction]
pub(crate) fn bootstrap_mean(
    py: Python<'_>,
    values: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    groups: Option<&Values<'_>>,
    settings: Settings,
) -> PyResult<FigureParts> {
    let (n_resamples, level, seed) = settings;
    let values = floats("values", values)?.as_slice()?.to_vec();
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?.map(<[_]>::to_vec);
    let groups = groups.map(group_columns::groups).transpose()?;
    figure(interruptible(py, move || {
        let bootstrap = bootstrap(values.len(), groups.as_deref(), seed)?;
        parts(&bootstrap.mean(&values, weights.as_deref(), n_resamples)?, level)
    })?)
}

#[pyfunction]
pub(crate) fn bootstrap_auroc(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    groups: Option<&Values<'_>>,
    settings: Settings,
) -> PyResult<FigureParts> {
    let (n_resamples, level, seed) = settings;
    let scores = floats("y_score", y_score)?.as_slice()?.to_vec();
    let outcomes = outcomes("y_true", y_true)?;
    let groups = groups.map(group_columns::groups).transpose()?;
    figure(interruptible(py, move || {
        let bootstrap = bootstrap(scores.len(), groups.as_deref(), seed)?;
        let ranking = Ranking::from_scores(&scores, &outcomes)?;
        parts(&bootstrap.auroc(&ranking, n_resamples)?, level)
    })?)
}

/// The bootstrap of a function of the positions of the drawn rows, in ascending order. What is undefined for a resample is
/// counted; any other exception of the function ends the evaluation and is raised as it is.
#[pyfunction]
pub(crate) fn bootstrap_of(
    py: Python<'_>,
    statistic: &Values<'_>,
    n: usize,
    groups: Option<&Values<'_>>,
    settings: Settings,
) -> PyResult<FigureParts> {
    let (n_resamples, level, seed) = settings;
    let groups = groups.map(group_columns::groups).transpose()?;
    if let Some(groups) = &groups {
        crate::number_arrays::same_length("groups", n, groups.len())?;
    }
    let bootstrap = bootstrap(n, groups.as_deref(), seed).map_err(Failure::from)?;
    let of_all = statistic_of(py, statistic, &vec![1; n])?;
    if n_resamples > MOST_RESAMPLES {
        return Err(invalid(format!(
            "n_resamples is {n_resamples}; it must be at most {MOST_RESAMPLES}"
        )));
    }
    let (mut values, mut counts) = (Vec::with_capacity(n_resamples), Vec::with_capacity(n));
    for replicate in 0..n_resamples as u64 {
        py.check_signals()?;
        bootstrap.draw(replicate, &mut counts);
        values.push(match statistic_of(py, statistic, &counts) {
            Err(error) if error.is_instance_of::<UndefinedError>(py) => f64::NAN,
            found => found?,
        });
    }
    let replicates = Replicates::new(of_all, values);
    let replicates = replicates.map(|it| it.with_clusters(bootstrap.cluster_count()));
    figure(replicates.and_then(|replicates| parts(&replicates, level)))
}

/// Every value is kept in memory.
const MOST_RESAMPLES: usize = 10_000_000;

/// The statistic of the rows that occur so often.
fn statistic_of(py: Python<'_>, statistic: &Values<'_>, counts: &[u32]) -> PyResult<f64> {
    let drawn = counts.iter().enumerate();
    let drawn = drawn.flat_map(|(row, &times)| std::iter::repeat_n(row as i64, times as usize));
    statistic.call1((drawn.collect::<Vec<i64>>().into_pyarray(py),))?.extract()
}

/// The mean, the p-value, and whether every assignment of signs was tried.
#[pyfunction]
pub(crate) fn sign_flip_test(
    py: Python<'_>,
    differences: &Values<'_>,
    groups: &Values<'_>,
    n_resamples: usize,
    random_state: u64,
) -> PyResult<(f64, f64, bool)> {
    let differences = floats("differences", differences)?.as_slice()?.to_vec();
    let groups = group_columns::groups(groups)?;
    let test = interruptible(py, move || {
        let seed = Seed(random_state);
        trajectory_metrics::SignFlipTest::new(&differences, None, &groups, n_resamples, seed)
    })?;
    let test = test.map_err(Failure::from)?;
    Ok((test.mean, test.p_value, test.exact))
}
