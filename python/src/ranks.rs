use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{
    Binning, Dominance, ExactMean, ExactSum, Level, MurphyCurve, OrderedScore, Probability,
    TiedBlocks, Weight,
};
use trajectory_metrics::{
    Error, Figure, Interval, PositiveClass, ReliabilityBin, ReliabilityPoint, RocPoint, Seed,
    augrc, aurc, auroc, average_precision, consistency_band, excess_aurc,
    expected_calibration_error, maximum_calibration_error, precision_recall_curve,
    reliability_curve, reliability_diagram, risk_coverage_curve, roc_curve,
    root_mean_square_calibration_error,
};

use crate::{
    choices::choice,
    errors::Failure,
    number_arrays::{checked, floats, run, weights},
    outcome_columns::outcomes,
    rules::ScoringRule,
};

type Values<'py> = Bound<'py, PyAny>;
type Array<'py> = Bound<'py, PyArray1<f64>>;

/// Reads outcomes, scores and weights and computes a quantity of their tied blocks.
fn with_scores<T: Send>(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    work: impl FnOnce(&TiedBlocks<OrderedScore>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let scores = floats("y_score", y_score)?;
    let scores = scores.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    run(py, scores.len(), || work(&TiedBlocks::from_scores(scores, &outcomes, weights)?))
}

fn with_probabilities<T: Send>(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    work: impl FnOnce(&TiedBlocks) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let forecasts = floats("y_prob", y_prob)?;
    let forecasts = forecasts.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    run(py, forecasts.len(), || {
        work(&TiedBlocks::new(Probability::from_slice(forecasts)?, &outcomes, weights)?)
    })
}

/// A quantity of rows that are ranked by their scores.
type OfRanks<T> = fn(&TiedBlocks<OrderedScore>) -> Result<T, Error>;

const METRICS: [(&str, OfRanks<f64>); 6] = [
    ("auroc", auroc),
    ("aurc", aurc),
    ("augrc", augrc),
    ("excess_aurc", excess_aurc),
    ("average_precision", |blocks| average_precision(blocks, PositiveClass::Success)),
    ("average_precision_of_failures", |blocks| average_precision(blocks, PositiveClass::Failure)),
];

#[pyfunction]
pub(crate) fn rank_metric(
    py: Python<'_>,
    name: &str,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<f64> {
    with_scores(py, y_true, y_score, sample_weight, choice("metric", name, &METRICS)?)
}

#[pyfunction]
pub(crate) fn auroc_delong(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<(f64, f64)> {
    let estimate = with_scores(py, y_true, y_score, sample_weight, Figure::auroc)?;
    Ok((estimate.value, estimate.standard_error.unwrap_or_default()))
}

/// The difference of two AUROCs on the same rows, its standard error and its p-value.
#[pyfunction]
pub(crate) fn auroc_test(
    py: Python<'_>,
    y_true: &Values<'_>,
    first: &Values<'_>,
    second: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<(f64, f64, Option<f64>)> {
    let (first, second) = (floats("first", first)?, floats("second", second)?);
    let (first, second) = (first.as_slice()?, second.as_slice()?);
    let outcomes = outcomes("y_true", y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    let test = run(py, first.len(), || {
        let [first, second] = [Probability::from_slice(first)?, Probability::from_slice(second)?];
        Figure::auroc_difference(first, &outcomes, second, &outcomes, weights)
    })?;
    Ok((test.value, test.standard_error.unwrap_or_default(), test.p_value()))
}

type Points = Vec<[f64; 3]>;

const CURVES: [(&str, OfRanks<Points>); 4] = [
    ("roc", |blocks| {
        let points = roc_curve(blocks, PositiveClass::Success)?;
        let point = |p: &RocPoint<OrderedScore>| {
            let threshold = p.threshold.map_or(f64::INFINITY, OrderedScore::get);
            [p.false_positive_rate, p.true_positive_rate, threshold]
        };
        Ok(points.iter().map(point).collect())
    }),
    ("precision_recall", |blocks| precision_recall(blocks, PositiveClass::Success)),
    ("precision_recall_of_failures", |blocks| precision_recall(blocks, PositiveClass::Failure)),
    ("risk_coverage", |blocks| {
        let points = risk_coverage_curve(blocks)?;
        Ok(points.iter().map(|p| [p.coverage, p.risk, p.threshold.get()]).collect())
    }),
];

fn precision_recall(
    blocks: &TiedBlocks<OrderedScore>,
    class: PositiveClass,
) -> Result<Points, Error> {
    let points = precision_recall_curve(blocks, class)?;
    Ok(points.iter().map(|p| [p.precision, p.recall, p.threshold.get()]).collect())
}

#[pyfunction]
pub(crate) fn curve<'py>(
    py: Python<'py>,
    name: &str,
    y_true: &Values<'py>,
    y_score: &Values<'py>,
    sample_weight: Option<&Values<'py>>,
) -> PyResult<[Array<'py>; 3]> {
    let curve = choice("curve", name, &CURVES)?;
    Ok(columns(py, &with_scores(py, y_true, y_score, sample_weight, curve)?))
}

fn columns<'py, const N: usize>(py: Python<'py>, points: &[[f64; N]]) -> [Array<'py>; N] {
    std::array::from_fn(|column| {
        points.iter().map(|point| point[column]).collect::<Vec<_>>().into_pyarray(py)
    })
}

fn binning(strategy: &str, bins: usize) -> PyResult<Binning<'static>> {
    let choices = [
        ("uniform", Binning::EqualWidth { bins }),
        ("quantile", Binning::Quantile { bins }),
        ("distinct", Binning::Distinct),
    ];
    choice("strategy", strategy, &choices)
}

type CalibrationError = fn(&TiedBlocks, Binning<'_>) -> Result<f64, Error>;

const NORMS: [(&str, CalibrationError); 3] = [
    ("expected", expected_calibration_error),
    ("maximum", maximum_calibration_error),
    ("root_mean_square", root_mean_square_calibration_error),
];

#[pyfunction]
pub(crate) fn calibration_error(
    py: Python<'_>,
    norm: &str,
    strategy: &str,
    n_bins: usize,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<f64> {
    let (error, binning) = (choice("norm", norm, &NORMS)?, binning(strategy, n_bins)?);
    with_bins(py, y_true, y_prob, sample_weight, binning, error)
}

/// Bins of equal width from which on rows are sorted into blocks first.
const MANY_BINS: usize = 1000;

/// Some work on the blocks of rows and a rule for their bins. Rows in bins of equal width need not be sorted: each bin becomes
/// a block of its mean probability.
fn with_bins<T: Send>(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    binning: Binning<'static>,
    work: impl FnOnce(&TiedBlocks, Binning<'_>) -> Result<T, Error> + Send,
) -> PyResult<T> {
    let Binning::EqualWidth { bins: bins @ 1..MANY_BINS } = binning else {
        return with_probabilities(py, y_true, y_prob, sample_weight, |blocks| {
            work(blocks, binning)
        });
    };
    let forecasts = floats("y_prob", y_prob)?;
    let forecasts = forecasts.as_slice()?;
    let outcomes = outcomes("y_true", y_true)?;
    let weights = weights(sample_weight)?;
    let weights = checked(&weights)?;
    run(py, forecasts.len(), || {
        let blocks = of_bins(Probability::from_slice(forecasts)?, &outcomes, weights, bins)?;
        work(&blocks, Binning::Distinct)
    })
}

/// The rows in bins of equal width, a block each.
fn of_bins(
    forecasts: &[Probability],
    outcomes: &[bool],
    weights: Option<&[Weight]>,
    bins: usize,
) -> Result<TiedBlocks, Error> {
    if outcomes.len() != forecasts.len() || weights.is_some_and(|it| it.len() != forecasts.len()) {
        // The error of rows that do not match.
        return Ok(TiedBlocks::new(forecasts, outcomes, weights)?);
    }
    let mut means = vec![ExactMean::default(); bins];
    let mut sizes = vec![[ExactSum::default(), ExactSum::default()]; bins];
    let mut counts = vec![[0_u64; 2]; bins];
    for (row, (&p, &outcome)) in forecasts.iter().zip(outcomes).enumerate() {
        let (bin, class) = (Binning::equal_width_bin(p, bins), usize::from(outcome));
        match weights {
            None => {
                means[bin].update(p.get());
                counts[bin][class] += 1;
            }
            Some(weights) => {
                means[bin].update_weighted(p.get(), weights[row])?;
                sizes[bin][class].add(weights[row].get());
            }
        }
    }
    let (mut confidence, mut classes, mut sums) = (Vec::new(), Vec::new(), Vec::new());
    for (bin, mean) in means.into_iter().enumerate() {
        let Ok(mean) = mean.finish() else { continue };
        for class in [0, 1] {
            confidence.push(Probability::new(mean)?);
            classes.push(class == 1);
            let counted = counts[bin][class] as f64;
            sums.push(Weight::new(counted + sizes[bin][class].value())?);
        }
    }
    Ok(TiedBlocks::new(&confidence, &classes, Some(&sums))?)
}

/// The rate of success, the mean probability and the weight of each bin.
#[pyfunction]
pub(crate) fn reliability<'py>(
    py: Python<'py>,
    strategy: &str,
    n_bins: usize,
    y_true: &Values<'py>,
    y_prob: &Values<'py>,
    sample_weight: Option<&Values<'py>>,
) -> PyResult<[Array<'py>; 3]> {
    let binning = binning(strategy, n_bins)?;
    let bins = with_bins(py, y_true, y_prob, sample_weight, binning, reliability_diagram)?;
    let row = |bin: &ReliabilityBin| [bin.success_rate, bin.mean_confidence, bin.weight];
    Ok(columns(py, &bins.iter().map(row).collect::<Points>()))
}

/// The distinct probabilities, the isotonic rate of success at each, and the ends of its consistency band.
#[pyfunction]
pub(crate) fn consistency<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    y_prob: &Values<'py>,
    level: f64,
    n_resamples: usize,
    random_state: u64,
) -> PyResult<[Array<'py>; 4]> {
    let points = with_probabilities(py, y_true, y_prob, None, |blocks| {
        let band = consistency_band(blocks, Level::new(level)?, n_resamples, Seed(random_state))?;
        let curve = reliability_curve(blocks)?;
        let point = |(ends, at): (&Interval, &ReliabilityPoint)| {
            [at.confidence.get(), at.success_rate, ends.low(), ends.high()]
        };
        Ok(band.iter().zip(&curve).map(point).collect::<Vec<_>>())
    })?;
    Ok(columns(py, &points))
}

/// The terms of CORP: mean loss, miscalibration, discrimination and uncertainty.
#[pyfunction]
pub(crate) fn corp(
    py: Python<'_>,
    rule: &Bound<'_, ScoringRule>,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<(f64, f64, f64, f64)> {
    let rule = &rule.get().rule;
    let terms = with_probabilities(py, y_true, y_prob, sample_weight, |blocks| {
        Ok(scoring_rules::Corp::new(rule, blocks)?)
    })?;
    Ok((terms.mean_loss, terms.miscalibration, terms.discrimination, terms.uncertainty))
}

fn murphy_curve(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_prob: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<MurphyCurve> {
    with_probabilities(py, y_true, y_prob, sample_weight, |blocks| Ok(MurphyCurve::new(blocks)?))
}

#[pyfunction]
pub(crate) fn murphy<'py>(
    py: Python<'py>,
    y_true: &Values<'py>,
    y_prob: &Values<'py>,
    thresholds: &Values<'py>,
    sample_weight: Option<&Values<'py>>,
) -> PyResult<Array<'py>> {
    let curve = murphy_curve(py, y_true, y_prob, sample_weight)?;
    let thresholds = floats("thresholds", thresholds)?;
    let losses: Result<Vec<f64>, scoring_rules::Error> =
        thresholds.as_slice()?.iter().map(|&t| Ok(curve.at(Level::new(t)?))).collect();
    Ok(losses.map_err(Failure::from)?.into_pyarray(py))
}

#[pyfunction]
pub(crate) fn dominance(
    py: Python<'_>,
    y_true: &Values<'_>,
    first: &Values<'_>,
    second: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<&'static str> {
    let first = murphy_curve(py, y_true, first, sample_weight)?;
    let second = murphy_curve(py, y_true, second, sample_weight)?;
    Ok(match first.compare(&second).map_err(Failure::from)? {
        Dominance::Equal => "equal",
        Dominance::First => "first",
        Dominance::Second => "second",
        Dominance::Neither { .. } => "neither",
    })
}
