use std::collections::VecDeque;

use censoring::{LogisticSuccess, LogisticSuccessModel, SuccessLearner, SuccessModel};
use scoring_rules::{Probability, Weight};

use crate::{error::Error, key_effects::SuccessEffects, success::success_rows::RowScale};

/// The penalty on the slopes, in runs. Chosen on half of the tasks of tau2-bench.
const PENALTY: f64 = 4.0;

/// The largest number of past runs that a fit uses, the latest ones.
const MOST_RUNS: usize = 1024;

/// The largest number of rows of a run. A longer run is represented by rows at even distances.
pub(super) const MOST_ROWS: usize = 8;

/// Positions of at most [`MOST_ROWS`] of n rows, at even distances, with the first and the last.
pub(super) fn thinned(n: usize) -> impl ExactSizeIterator<Item = usize> {
    let most = n.min(MOST_ROWS);
    (0..most).map(move |i| if most > 1 { i * (n - 1) / (most - 1) } else { 0 })
}

/// The past runs from which a model is fitted.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct PastRuns {
    runs: VecDeque<PastRun>,
}

#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
struct PastRun {
    feasible: bool,
    /// Raw rows, one after the other.
    #[cfg_attr(feature = "serde", serde(with = "crate::missing"))]
    rows: Vec<f64>,
}

impl PastRuns {
    pub(super) fn push(&mut self, rows: Vec<f64>, feasible: bool) {
        if self.runs.len() == MOST_RUNS {
            self.runs.pop_front();
        }
        self.runs.push_back(PastRun { feasible, rows });
    }
}

/// A model of the probability of success. It never changes after the fit.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct SuccessFit {
    scale: RowScale,
    effects: SuccessEffects,
    model: LogisticSuccessModel,
}

impl SuccessFit {
    /// Fits a model; `None` if all past runs have the same outcome, or none has a row. Each run has a
    /// total weight of 1.
    pub(super) fn new(
        past: &PastRuns,
        columns: usize,
        effects: &SuccessEffects,
    ) -> Result<Option<Self>, Error> {
        let runs = || past.runs.iter().filter(|run| !run.rows.is_empty());
        let first = runs().next().map(|run| run.feasible);
        if runs().all(|run| Some(run.feasible) == first) {
            return Ok(None);
        }
        let all: Vec<f64> = runs().flat_map(|run| &run.rows).copied().collect();
        let scale = RowScale::fit(&all, columns);
        let (mut rows, mut outcomes, mut weights) = (Vec::new(), Vec::new(), Vec::new());
        for run in runs() {
            let weight = Weight::new(columns as f64 / run.rows.len() as f64)?;
            for raw in run.rows.chunks_exact(columns) {
                let mut row = Vec::with_capacity(scale.len());
                row.extend_from_slice(raw);
                scale.apply(&mut row);
                rows.push(row);
                outcomes.push(run.feasible);
                weights.push(weight);
            }
        }
        let model = LogisticSuccess::new(PENALTY)?.fit(&rows, &outcomes, Some(&weights))?;
        Ok(Some(Self { scale, effects: effects.clone(), model }))
    }

    /// Returns the effects of keys that the model uses.
    pub(super) const fn effects(&self) -> &SuccessEffects {
        &self.effects
    }

    /// Returns the probability for a raw row, which is replaced.
    pub(super) fn chance(&self, row: &mut Vec<f64>) -> Result<Probability, Error> {
        self.scale.apply(row);
        Ok(self.model.success_probability(row)?)
    }
}
