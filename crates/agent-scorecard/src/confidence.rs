//! Conclusions on the confidence that runs reported, next to their success rate.
//!
//! Every report on confidence and outcomes has the figures [`VERDICTS`] and the sentence of [`clause`].

use std::{cmp::Ordering, collections::BTreeSet};

use scoring_rules::Level;
use trajectory_metrics::{
    Better, Error, ExactMean, Figure, Measure, NoInterval, Undefined,
    estimates::{self, ANY},
};

use crate::{
    metrics::known,
    report::{
        block::Block,
        key,
        sentence::{counted, points, side_of, with_ends},
    },
};

pub(crate) const OVERCONFIDENCE: Measure = Measure::new("overconfidence", "overconfidence", Better::Near(0.0), "Mean confidence minus success rate, over the runs with a known outcome. The interval combines the intervals of both, with tasks as clusters.").within(-1.0, 1.0);

/// The Brier score gained over the success rate p of the same runs. No constant scores better on these runs than p,
/// which nobody knew in advance. That puts the confidence at a disadvantage of about `p (1 - p) / n`.
pub(crate) const GAIN: Measure = Measure::new("brier_gain", "Brier score gained over the base rate", Better::Higher, "Brier score of the runs' confidences (the mean of each run), minus the Brier score of a constant confidence: the success rate of these runs, which is known only afterwards. The interval uses standard errors by task, and needs 10 tasks with a success and 10 with a failure.").within(-1.0, 1.0);

/// The minimum number of tasks with a success, and with a failure, for an interval of [`GAIN`]. With fewer, the
/// interval would have no level: in simulations at success rates near 0 and 1, calibrated confidence was called worse
/// than one number in up to 66 % of data sets.
const LEAST_TASKS_OF_OUTCOME: usize = 10;

/// The measures that come first in every report on confidence.
pub const VERDICTS: [Measure; 2] = [OVERCONFIDENCE, GAIN];

/// The figures of [`VERDICTS`].
pub(crate) type Verdicts = [Result<Figure, Undefined>; 2];

/// Returns the figures of [`VERDICTS`] from the confidence, the outcomes and the clusters of runs. Without a level, the
/// figures have no intervals.
pub(crate) fn verdicts<G: Ord>(
    confidence: &[f64],
    outcomes: &[f64],
    clusters: &[G],
    level: Option<Level>,
) -> Verdicts {
    let of = level.unwrap_or(Level::HALF);
    let found = [
        known(estimates::overconfidence(confidence, outcomes, clusters, of)),
        gain(confidence, outcomes, clusters, of),
    ];
    found.map(|it| it.map(|it| if level.is_some() { it } else { it.value.into() }))
}

/// Returns the mean Brier score of the confidence (0 is best) minus that of the success rate. Neither includes the loss
/// from a partial success that is the same for every forecast. That the rate is estimated does not change the standard
/// error to first order, because no other number has a better mean score.
///
/// Reference: West (1996), Asymptotic inference about predictive ability, Econometrica 64, 1067-1084,
/// doi:10.2307/2171956.
fn gain<G: Ord>(
    confidence: &[f64],
    outcomes: &[f64],
    clusters: &[G],
    level: Level,
) -> Result<Figure, Undefined> {
    let rate = ExactMean::of(outcomes.iter().copied(), None).map_err(Error::from);
    let rate = known(rate.map(Figure::from))?.value;
    let gain =
        |(stated, outcome): (&f64, &f64)| -(stated - outcome).powi(2) + (rate - outcome).powi(2);
    let gains: Vec<f64> = confidence.iter().zip(outcomes).map(gain).collect();
    let found = known(estimates::mean(&gains, None, clusters, ANY, level))?;
    let (rarer, least) = (tasks_of_rarer_outcome(clusters, outcomes), LEAST_TASKS_OF_OUTCOME);
    let interval = match rarer < least {
        true => found.interval.and(Err(NoInterval::TooFewClusters { found: rarer, least, level })),
        false => found.interval,
    };
    Ok(Figure { interval, ..found })
}

/// Returns the number of tasks that have a success, or a failure if fewer have one.
fn tasks_of_rarer_outcome<G: Ord>(clusters: &[G], outcomes: &[f64]) -> usize {
    let tasks_with = |wanted: f64| {
        let runs = clusters.iter().zip(outcomes).filter(|(_, outcome)| **outcome == wanted);
        runs.map(|(cluster, _)| cluster).collect::<BTreeSet<&G>>().len()
    };
    tasks_with(0.0).min(tasks_with(1.0))
}

/// Descriptions of the confidence in a clause: as stated, averaged over each run, or calibrated.
pub(crate) const STATED: &str = "as stated";
pub(crate) const AVERAGED: &str = "averaged over each run";
pub(crate) const CALIBRATED: &str = "after calibration";

/// Returns the clause on the figures of [`VERDICTS`], or of measures like these, in a block over this number of runs;
/// `None` without these figures.
pub(crate) fn clause(
    [overconfidence, gain]: &[Measure; 2],
    block: &Block,
    runs: u64,
    how: &str,
) -> Option<String> {
    let over = block.figure(overconfidence.key).ok()?;
    let (points, runs) = (points(&over), counted(runs, "run"));
    let side = if over.value < 0.0 { "below" } else { "above" };
    let is_calibrated = how == CALIBRATED;
    let calibrated = if is_calibrated { "after calibration " } else { "" };
    let stated = match side_of(&over, 0.0) {
        Some(Ordering::Greater) => format!("{calibrated}overconfident by {points} over {runs}"),
        Some(Ordering::Less) => format!("{calibrated}underconfident by {points} over {runs}"),
        is_noise => format!(
            "over {runs}, mean {calibrated}confidence is {points} {side} the {rate}{noise}",
            calibrated = if is_calibrated { "calibrated " } else { "" },
            rate =
                if block.figure(key::mean_score).is_ok() { "mean score" } else { "success rate" },
            noise = is_noise.map_or("", |_| ", which may be noise"),
        ),
    };
    let worth = block.figure(gain.key).ok().and_then(|gain| {
        let verdict = match side_of(&gain, 0.0)? {
            Ordering::Greater => "better than one constant forecast for all runs",
            Ordering::Less => "worse than one constant forecast for all runs",
            Ordering::Equal if gain.value > 0.0 => {
                "better than one constant forecast for all runs, which may be noise"
            }
            Ordering::Equal => {
                "no better than one constant forecast for all runs, which may be noise"
            }
        };
        Some(format!(
            "; {how}, the confidence scores {verdict} (Brier score gained: {gained})",
            gained = with_ends(&gain),
        ))
    });
    Some(stated + &worth.unwrap_or_default())
}
