use scoring_rules::Level;

use super::{
    candidate_ends::{CENTRAL, CandidateEnds},
    end_losses::{Chosen, EndLosses, STAGES},
};

/// Runs that are remembered.
const RUNS: usize = 150;

/// The candidates that are used as the bounds of an interval, by stage of the run. They are chosen by the
/// losses that they would have had on past forecasts.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct StageEnds {
    /// The past forecasts, oldest first.
    past: Vec<PastForecast>,
    /// The number of past forecasts of each run.
    lengths: Vec<usize>,
    /// The ends of the stages.
    borders: [f64; STAGES - 1],
    lows: Chosen,
    highs: Chosen,
}

/// A forecast for a run that has ended.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub(super) struct PastForecast {
    pub(super) ends: CandidateEnds,
    pub(super) remaining: f64,
    /// The share of the run's turns.
    pub(super) progress: f64,
    pub(super) weight: f64,
    /// The number of runs learnt before.
    pub(super) run: u64,
    /// The number of turns after which the run was cut off.
    pub(super) cut_off_after: Option<usize>,
}

impl Default for StageEnds {
    fn default() -> Self {
        Self {
            past: Vec::new(),
            lengths: Vec::new(),
            borders: std::array::from_fn(|border| (border + 1) as f64 / STAGES as f64),
            lows: [CENTRAL; STAGES],
            highs: [CENTRAL; STAGES],
        }
    }
}

impl StageEnds {
    fn stage(&self, progress: f64) -> usize {
        self.borders.iter().filter(|&&border| progress >= border).count()
    }

    /// Returns the candidates for the lower and the upper bound.
    pub(super) fn chosen(&self, progress: f64) -> (usize, usize) {
        let stage = self.stage(progress);
        let at = |all: &Chosen| all.get(stage).copied().unwrap_or(CENTRAL);
        (at(&self.lows), at(&self.highs))
    }

    /// Remembers the forecasts of a run.
    pub(super) fn push(&mut self, forecasts: Vec<PastForecast>) {
        self.lengths.push(forecasts.len());
        self.past.extend(forecasts);
        if self.lengths.len() > RUNS {
            let first = self.lengths.remove(0);
            self.past.drain(..first.min(self.past.len()));
        }
    }

    /// Chooses the bounds again after `runs` runs, and returns the loss that they would have had. A
    /// remembered run counts half after `half_life` further runs. A run that was cut off when it was as long
    /// as the longest run is excluded: no run shows how it would have continued.
    pub(super) fn choose(
        &mut self,
        coverage: Level,
        longest: usize,
        (runs, half_life): (u64, f64),
    ) -> f64 {
        let mut stages: Vec<f64> = self.past.iter().map(|past| past.ends.progress).collect();
        stages.sort_unstable_by(f64::total_cmp);
        for (border, at) in self.borders.iter_mut().zip(1..) {
            *border = stages.get(at * stages.len() / STAGES).copied().unwrap_or(1.0);
        }
        let mut losses = EndLosses::new(1.0 - coverage.get());
        let (mut weights, mut faded) = (0.0, 0.0);
        let shown = |past: &&PastForecast| past.cut_off_after.is_none_or(|after| after < longest);
        for past in self.past.iter().filter(shown) {
            let age = runs.saturating_sub(past.run) as f64;
            let weight = past.weight * (-age / half_life).exp2();
            weights += past.weight;
            faded += weight;
            let place = (self.stage(past.ends.progress), past.progress);
            losses.add(place, (&past.ends.lows, &past.ends.highs), past.remaining, weight);
        }
        if faded <= 0.0 {
            return 0.0;
        }
        let ([lows, highs], cost) = losses.best(self.lengths.len() as f64 * faded / weights);
        (self.lows, self.highs) = (lows, highs);
        cost
    }
}
