//! The laws, published figures and simulated worlds of this crate.
#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used)]

mod artificial_censoring;
mod audit;
mod calibrated_runs;
mod censored_loss;
mod cut_off_biases;
mod exact;
mod golden;
mod laws;
mod propriety;
mod report;
mod sensitivity;
mod simulations;
mod stop_reasons;
#[cfg(feature = "serde")]
mod stored_values;
mod success;
mod survival;
mod weighted_reports;

use censoring::{
    AuditedEstimate, CalibratedRuns, CensoringAnalysis, CensoringReport, CrossFitSuccess, Error,
    IpcwWeights, KaplanMeier, LogisticSuccessModel, Probability, StopReason, StopTimes, Stopped,
    StreamDifference, TerminationAudit, TiltedMean, Weight,
};

fn p(value: f64) -> Probability {
    Probability::new(value).unwrap()
}

fn w(weights: &[f64]) -> &[Weight] {
    Weight::from_slice(weights).unwrap()
}

fn censored(forecasts: &[Probability]) -> Stopped<'_> {
    Stopped::new(forecasts, None, Some(StopReason::MaxSteps)).unwrap()
}

fn stops(times: &[f64], censored: &[bool]) -> StopTimes {
    StopTimes::new(times, censored, None).unwrap()
}

const EMPTY: Error = Error::ScoringRules(scoring_rules::Error::Empty);

fn length(what: &'static str, expected: usize, found: usize) -> Error {
    scoring_rules::checks::length(what, expected, found).into()
}

/// Returns the position of the entry that an error names.
fn entry(error: Error) -> usize {
    match error {
        Error::ScoringRules(scoring_rules::Error::Entry { index, .. }) => index,
        other => panic!("{other}"),
    }
}

/// Returns the position of the run or row that an error names.
fn position(error: Error) -> usize {
    match error {
        Error::Run { run, .. } => run,
        Error::At { index, .. } => index,
        other => panic!("{other}"),
    }
}

/// The recorded win probabilities of basketball games, with their ids; `None` without the folder of recorded runs.
fn recorded_games() -> Option<(trajectory_metrics::Traces, Vec<String>)> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    let path = std::path::Path::new(&folder).join("data/traces/basketball_win_probability.jsonl");
    let (mut traces, mut ids) = (trajectory_metrics::Traces::default(), Vec::new());
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let forecasts = row["forecasts"].as_array().unwrap();
        let forecasts: Vec<f64> = forecasts.iter().map(|p| p.as_f64().unwrap()).collect();
        traces.push(Probability::from_slice(&forecasts).unwrap(), row["outcome"] == true).unwrap();
        ids.push(row["id"].as_str().unwrap().to_owned());
    }
    Some((traces, ids))
}

/// Random numbers for small worlds: splitmix64, the same everywhere.
struct Draws(u64);

impl Draws {
    /// Uniform on [0, 1).
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn below(&mut self, n: usize) -> usize {
        (self.unit() * n as f64) as usize
    }

    fn chance(&mut self, p: f64) -> bool {
        self.unit() < p
    }
}

#[test]
fn everything_can_be_shared_between_threads() {
    fn check<T: Send + Sync>() {}
    check::<(CensoringAnalysis, CensoringReport, TerminationAudit, StreamDifference)>();
    check::<(IpcwWeights, KaplanMeier, TiltedMean, CalibratedRuns<()>, Error)>();
    check::<CrossFitSuccess<LogisticSuccessModel>>();
}

fn audited(estimates: &[Probability], truths: &[Probability]) -> Vec<AuditedEstimate> {
    assert_eq!(estimates.len(), truths.len());
    let pairs = estimates.iter().zip(truths);
    pairs.map(|(&estimate, &truth)| AuditedEstimate { estimate, truth }).collect()
}
