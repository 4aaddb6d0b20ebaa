//! The default estimator on the bundled runs, six of which were cut off after 64 turns.
#![allow(missing_docs, clippy::print_stdout, clippy::unwrap_used)]

use budget_estimation::{
    BudgetEstimator, Estimator, Level, Metrics, PastQuantiles, Resource, Rollouts, Sample,
};
use run_logs::RolloutFile;

fn demo() -> (Rollouts, Resource) {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/data/demo_rollouts.jsonl");
    let mut rollouts = Rollouts::new(["output_tokens"]).unwrap();
    let runs = RolloutFile::read(file, std::fs::File::open(file).unwrap()).unwrap();
    runs.append_to(&mut rollouts).unwrap();
    let mut cut_off = 0;
    for (at, _) in runs.lines().iter().enumerate().filter(|(_, line)| line.value.failed_at_limit())
    {
        rollouts.set_censored(at).unwrap();
        cut_off += 1;
    }
    assert_eq!(cut_off, 6);
    let tokens = rollouts.resource("output_tokens").unwrap();
    (rollouts, tokens)
}

fn samples(estimator: &mut dyn Estimator) -> Vec<Sample> {
    let (rollouts, tokens) = demo();
    let mut samples = rollouts.score(tokens, estimator).unwrap();
    samples.retain(|sample| sample.rollout() >= 30);
    samples
}

fn loss(samples: &[Sample]) -> f64 {
    let mut metrics = Metrics::default().with_coverage(Level::new(0.8).unwrap());
    samples.iter().for_each(|sample| metrics.update(sample).unwrap());
    metrics.finish().unwrap().intervals.unwrap().interval_loss.unwrap()
}

#[test]
fn the_default_loses_less_than_past_quantiles_although_runs_were_cut_off() {
    let own = loss(&samples(&mut BudgetEstimator::default()));
    let past = loss(&samples(&mut PastQuantiles::survival_aware(Level::new(0.8).unwrap())));
    println!("loss {own}, of past quantiles {past}");
    assert!(own < past, "{own} {past}");
}
