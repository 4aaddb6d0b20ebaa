use scoring_rules::{Probability, ScoringRule, Weight};
use trajectory_metrics::{BetaScore, BrierScore, LogScore, Tps};

use crate::{error::Error, report::resampler::Resampler, stops::stopped::Stopped};

pub(crate) type NamedRule = (&'static str, Box<dyn ScoringRule>);

/// Returns the rules of the paper, by name.
pub(crate) fn rules() -> Result<[NamedRule; 3], Error> {
    Ok([
        ("log", Box::new(LogScore::clipped(LogScore::CLIP)?)),
        ("brier", Box::new(BrierScore)),
        ("beta_2_4", Box::new(BetaScore::new(2.0, 4.0)?)),
    ])
}

/// A rule and a weight schedule, with the name of the rule.
pub(crate) struct Scheme<'r> {
    pub(crate) rule: &'r str,
    pub(crate) tps: Tps<&'r dyn ScoringRule>,
}

/// The runs of an analysis: complete and cut-off runs only.
pub(crate) struct Sample<'a, 's> {
    pub(crate) runs: &'s [Stopped<'a>],
    pub(crate) success_probabilities: Option<&'s [Probability]>,
    pub(crate) weights: Option<&'s [Weight]>,
    /// The group of each run, which has its own curve of cut-offs.
    pub(crate) groups: &'s [u32],
    pub(crate) resampler: &'s Resampler,
    pub(crate) odds_ratio: f64,
    pub(crate) censoring_rate: f64,
}

impl Sample<'_, '_> {
    pub(crate) fn weight(&self, run: usize) -> Weight {
        self.weights.map_or(Weight::ONE, |weights| weights[run])
    }
}
