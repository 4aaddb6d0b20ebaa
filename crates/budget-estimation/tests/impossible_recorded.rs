//! "Impossible" on recorded runs.
#![cfg(feature = "serde")]
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::{fs::File, io::BufReader, path::Path};

use budget_estimation::{
    AbortLimit, AbortUnit, EarlyStops, Estimate, FeasibilityCounts, FeasibilitySummary, Level,
    LinearEstimator, Probability, Rollouts, Sample, StopRule, SuccessForecaster, early_stopping,
    replay, score_rollouts,
};
use trajectory_metrics::{TiedBlocks, auroc};

/// The first runs, which are only learned.
const WARM_UP: usize = 50;

fn recorded(name: &str) -> Option<Rollouts> {
    let Some(folder) = std::env::var_os("REAL_RUNS") else {
        println!("skipped: REAL_RUNS does not name the folder of recorded runs");
        return None;
    };
    let file = File::open(Path::new(&folder).join("data/rollouts").join(name)).unwrap();
    Some(Rollouts::read_json_lines(BufReader::new(file), ["output_tokens"]).unwrap())
}

struct Found {
    area: f64,
    labels: FeasibilitySummary,
    stops: EarlyStops,
    worthwhile: EarlyStops,
}

/// Online, in the order of the runs: forecasts at each prefix, then learning. The first runs are not scored.
fn online(rollouts: &Rollouts, cap: Option<f64>, limit: AbortLimit) -> Found {
    let mut rollouts = rollouts.clone();
    let tokens = rollouts.resource("output_tokens").unwrap();
    if let Some(cap) = cap {
        rollouts.set_cap(tokens, cap).unwrap();
    }
    let mut forecaster = SuccessForecaster::new(limit);
    let (mut samples, mut chances, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut counts = FeasibilityCounts::default();
    for (run, rollout) in rollouts.iter().enumerate() {
        for prefix in replay(&rollout, tokens).unwrap() {
            let forecast = forecaster.forecast(&prefix).unwrap();
            let estimate = match forecast.is_impossible {
                true => Estimate::Impossible,
                false => Estimate::interval(0.0, 1e9).unwrap(),
            };
            let sample = Sample::new(&rollout, tokens, prefix.turns(), estimate).unwrap();
            if run >= WARM_UP {
                counts.update(&sample);
                chances.push(forecast.chance);
                failures.push(Probability::new(1.0 - forecast.chance.get()).unwrap());
                samples.push(sample);
            }
        }
        forecaster.learn(&rollout, tokens).unwrap();
    }
    let outcomes: Vec<bool> = samples.iter().map(Sample::is_feasible).collect();
    let area = auroc(&TiedBlocks::new(&chances, &outcomes, None).unwrap()).unwrap();
    let rule = [StopRule::first_impossible()];
    let stops = early_stopping(&rollouts, tokens, &samples, None, &rule).unwrap();
    Found { area, labels: counts.finish().unwrap(), worthwhile: stops.clone(), stops }
}

fn show(name: &str, found: &Found) {
    let Found { area, labels, stops, .. } = found;
    println!(
        "{name}: AUROC {area:.3}, macro-F1 {:.3}, false aborts per run {:.3}, per turn {:.3}, \
         failures stopped {}/{}, saved {:.3}, success lost {:.4}",
        labels.macro_f1.unwrap(),
        stops.success_lost().unwrap(),
        stops.false_abort_rate().unwrap(),
        stops.stopped_failures,
        stops.failures,
        stops.saved_share().unwrap(),
        stops.success_rate_lost().unwrap(),
    );
}

#[test]
fn swe_bench() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let limit = AbortLimit::default();
    let turn = limit.with_unit(AbortUnit::Turn);
    for (name, limit) in [
        ("runs", limit),
        ("runs in expectation", limit.in_expectation()),
        ("turns", turn),
        ("turns in expectation", turn.in_expectation()),
    ] {
        for cap in [Some(8417.0), None] {
            show(&format!("{cap:?} {name}"), &online(&rollouts, cap, limit));
        }
    }
}
