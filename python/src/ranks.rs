use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use scoring_rules::{
    Binning, Dominance, Level, MurphyCurve, OrderedScore, Probability, TiedBlocks,
};
use trajectory_metrics::{
    Error, PositiveClass, augrc, aurc, auroc, average_precision, delong, excess_aurc,
    expected_calibration_error, maximum_calibration_error, precision_recall_curve,
    reliability_diagram, risk_coverage_curve, roc_curve, root_mean_square_calibration_error,
};

use crate::{
    arrays::{checked, floats, run, weights},
    columns::outcomes,
    errors::{Failure, invalid},
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

fn positive(pos_label: u8) -> PyResult<PositiveClass> {
    match pos_label {
        0 => Ok(PositiveClass::Failure),
        1 => Ok(PositiveClass::Success),
        _ => Err(invalid(format!("pos_label is {pos_label}; it must be 0 or 1"))),
    }
}

fn binning(strategy: &str, bins: usize) -> PyResult<Binning<'static>> {
    match strategy {
        "uniform" => Ok(Binning::EqualWidth { bins }),
        "quantile" => Ok(Binning::Quantile { bins }),
        "distinct" => Ok(Binning::Distinct),
        _ => Err(invalid(format!(
            "strategy is {strategy:?}; it must be uniform, quantile or distinct"
        ))),
    }
}

#[pyfunction]
pub(crate) fn rank_metric(
    py: Python<'_>,
    name: &str,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
    pos_label: u8,
) -> PyResult<f64> {
    let class = positive(pos_label)?;
    let metric: fn(&TiedBlocks<OrderedScore>) -> Result<f64, Error> = match (name, class) {
        ("auroc", _) => auroc,
        ("aurc", _) => aurc,
        ("augrc", _) => augrc,
        ("excess_aurc", _) => excess_aurc,
        ("average_precision", PositiveClass::Success) => {
            |blocks| average_precision(blocks, PositiveClass::Success)
        }
        ("average_precision", PositiveClass::Failure) => {
            |blocks| average_precision(blocks, PositiveClass::Failure)
        }
        _ => return Err(invalid(format!("no rank metric {name:?}"))),
    };
    with_scores(py, y_true, y_score, sample_weight, metric)
}

#[pyfunction]
pub(crate) fn auroc_delong(
    py: Python<'_>,
    y_true: &Values<'_>,
    y_score: &Values<'_>,
    sample_weight: Option<&Values<'_>>,
) -> PyResult<(f64, f64)> {
    let estimate = with_scores(py, y_true, y_score, sample_weight, delong)?;
    Ok((estimate.auroc, estimate.standard_error))
}

#[pyfunction]
pub(crate) fn curve<'py>(
    py: Python<'py>,
    name: &str,
    y_true: &Values<'py>,
    y_score: &Values<'py>,
    sample_weight: Option<&Values<'py>>,
    pos_label: u8,
) -> PyResult<[Array<'py>; 3]> {
    let class = positive(pos_label)?;
    let points: Vec<[f64; 3]> = with_scores(py, y_true, y_score, sample_weight, |blocks| {
        Ok(match name {
            "roc" => roc_curve(blocks, class)?
                .iter()
                .map(|p| {
                    let threshold = p.threshold.map_or(f64::INFINITY, OrderedScore::get);
                    [p.false_positive_rate, p.true_positive_rate, threshold]
                })
                .collect(),
            "precision_recall" => precision_recall_curve(blocks, class)?
                .iter()
                .map(|p| [p.precision, p.recall, p.threshold.get()])
                .collect(),
            _ => risk_coverage_curve(blocks)?
                .iter()
                .map(|p| [p.coverage, p.risk, p.threshold.get()])
                .collect(),
        })
    })?;
    Ok(columns(py, &points))
}

fn columns<'py, const N: usize>(py: Python<'py>, points: &[[f64; N]]) -> [Array<'py>; N] {
    std::array::from_fn(|column| {
        points.iter().map(|point| point[column]).collect::<Vec<_>>().into_pyarray(py)
    })
}

#[pyfunction]
pub(crate) fn reliability<'py>(
    py: Python<'py>,
    name: &str,
    y_true: &Values<'py>,
    y_prob: &Values<'py>,
    sample_weight: Option<&Values<'py>>,
    strategy: &str,
    n_bins: usize,
) -> PyResult<(f64, Option<[Array<'py>; 3]>)> {
    let binning = binning(strategy, n_bins)?;
    let (value, points) = with_probabilities(py, y_true, y_prob, sample_weight, |blocks| {
        let value = match name {
            "expected" => expected_calibration_error(blocks, binning)?,
            "maximum" => maximum_calibration_error(blocks, binning)?,
            "root_mean_square" => root_mean_square_calibration_error(blocks, binning)?,
            _ => {
                let bins = reliability_diagram(blocks, binning)?;
                let row = |bin: &trajectory_metrics::ReliabilityBin| {
                    [bin.success_rate, bin.mean_confidence, bin.weight]
                };
                return Ok((f64::NAN, Some(bins.iter().map(row).collect::<Vec<_>>())));
            }
        };
        Ok((value, None))
    })?;
    Ok((value, points.map(|points| columns(py, &points))))
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
        Ok(scoring_rules::corp(rule, blocks)?)
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
