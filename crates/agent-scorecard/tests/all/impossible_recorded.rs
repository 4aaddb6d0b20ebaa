//! The chance of success and "impossible" on recorded runs.

use std::collections::BTreeMap;

use agent_scorecard::budget_estimation::{
    AbortLimit, EarlyStops, Estimate, Estimator, Level, LinearEstimator, Metrics, PastQuantiles,
    Probability, Reading, Rollouts, Sample, Seed, StopRule, SuccessForecaster, Weight,
    early_stopping,
};
use agent_scorecard::trajectory_metrics::{
    Bootstrap, ClusterEstimate, LogScore, Ranking, Replicates, Tps, Traces, WeightSchedule,
};

use crate::common;

fn recorded(name: &str) -> Option<Rollouts> {
    common::recorded(name, &["output_tokens"], &["model", "domain"])
}

/// The estimate with its 95 % percentile interval, that of replicates of an unknown number of clusters.
fn percentile(found: &Replicates) -> (f64, [f64; 2]) {
    let values = found.values().map(|value| value.unwrap_or(f64::NAN)).collect();
    let unknown = Replicates::new(found.estimate(), values).unwrap();
    let interval = unknown.figure(Level::new(0.95).unwrap()).interval.unwrap();
    (found.estimate(), [interval.low(), interval.high()])
}

/// The forecasts of scored runs, and the same runs with one sample per forecast.
struct Forecasts {
    scored: Rollouts,
    samples: Vec<Sample>,
    chances: Vec<Probability>,
    failures: Vec<Probability>,
    impossible: Vec<bool>,
}

/// Online, in the given order: at each prefix a forecast and an interval of past quantiles, then both
/// learn. The first runs are only learned.
fn online(rollouts: &Rollouts, limit: AbortLimit, warm_up: usize) -> Forecasts {
    let scored = rollouts.filter(|rollout| rollout.index() >= warm_up);
    let tokens = rollouts.resource("output_tokens").unwrap();
    let mut forecaster = SuccessForecaster::new(limit);
    let mut quantiles = PastQuantiles::new(Level::new(0.8).unwrap());
    let mut found = Forecasts {
        scored: scored.clone(),
        samples: Vec::new(),
        chances: Vec::new(),
        failures: Vec::new(),
        impossible: Vec::new(),
    };
    for (run, rollout) in rollouts.iter().enumerate() {
        if run >= warm_up {
            let same = scored.get(run - warm_up).unwrap();
            for prefix in same.replay(tokens).unwrap() {
                let forecast = forecaster.forecast(&prefix).unwrap();
                let estimate = quantiles.estimate(&prefix).unwrap();
                found.samples.push(Sample::new(&same, tokens, prefix.turns(), estimate).unwrap());
                found.chances.push(forecast.chance);
                found.failures.push(Probability::new(1.0 - forecast.chance.get()).unwrap());
                found.impossible.push(forecast.is_impossible);
            }
        }
        forecaster.learn(&rollout, tokens).unwrap();
        quantiles.learn(&rollout, tokens).unwrap();
    }
    found
}

impl Forecasts {
    fn task(&self, sample: &Sample) -> (Option<&str>, Option<&str>) {
        let rollout = self.scored.get(sample.rollout()).unwrap();
        (rollout.key("domain"), rollout.key("task"))
    }

    /// The samples with these predictions in place of the intervals.
    fn labelled(&self, impossible: impl Fn(usize) -> bool) -> Vec<Sample> {
        let tokens = self.scored.resource("output_tokens").unwrap();
        let label = |(i, sample): (usize, &Sample)| {
            let estimate = match impossible(i) {
                true => Estimate::Impossible,
                false => Estimate::interval(0.0, 1e9).unwrap(),
            };
            let rollout = self.scored.get(sample.rollout()).unwrap();
            Sample::new(&rollout, tokens, sample.turn(), estimate).unwrap()
        };
        self.samples.iter().enumerate().map(label).collect()
    }

    fn stops(&self, samples: &[Sample], rule: StopRule) -> EarlyStops {
        let tokens = self.scored.resource("output_tokens").unwrap();
        early_stopping(&self.scored, tokens, samples, Some(&self.failures), &[rule]).unwrap()
    }

    /// AUROC of the chances over all prefixes, with its 95 % interval by tasks.
    fn area(&self) -> (f64, [f64; 2]) {
        let outcomes: Vec<bool> = self.samples.iter().map(Sample::is_feasible).collect();
        let clusters: Vec<_> = self.samples.iter().map(|sample| self.task(sample)).collect();
        let ranking = Ranking::new(&self.chances, &outcomes).unwrap();
        let found = Bootstrap::clusters(&clusters, Seed(1)).unwrap().auroc(&ranking, 200).unwrap();
        percentile(&found)
    }

    /// The trajectory score of the chances minus that of the base rate among the scored runs.
    fn skill(&self) -> f64 {
        let mut streams: BTreeMap<usize, (Vec<Probability>, bool)> = BTreeMap::new();
        for (sample, &chance) in self.samples.iter().zip(&self.chances) {
            let stream = streams.entry(sample.rollout()).or_default();
            stream.0.push(chance);
            stream.1 = sample.is_feasible();
        }
        let mut traces = Traces::default();
        streams.values().for_each(|(chances, outcome)| traces.push(chances, *outcome).unwrap());
        let feasible = traces.outcomes().iter().filter(|outcome| **outcome).count();
        let base = Probability::new(feasible as f64 / traces.len() as f64).unwrap();
        let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
        let constant = traces.map_forecasts(|_, _| base);
        tps.mean(&traces, None).unwrap() - tps.mean(&constant, None).unwrap()
    }

    fn macro_f1(&self, samples: &[Sample]) -> (f64, [f64; 2]) {
        let clusters: Vec<_> = samples.iter().map(|sample| self.task(sample)).collect();
        let bootstrap = Bootstrap::clusters(&clusters, Seed(1)).unwrap();
        let [macro_f1] = bootstrap.replicates(200, |counts| {
            let mut metrics = Metrics::default();
            for (sample, &count) in samples.iter().zip(counts) {
                metrics.update(sample, Weight::new(count.into()).unwrap()).unwrap();
            }
            let macro_f1 = metrics.finish().unwrap().feasibility.macro_f1;
            [macro_f1.ok_or(scoring_rules::Error::Empty.into())]
        });
        percentile(&macro_f1.unwrap())
    }

    /// The share of feasible runs that a rule stops, with its standard error by tasks.
    fn lost(&self, samples: &[Sample]) -> ClusterEstimate {
        let mut runs: BTreeMap<usize, (f64, _)> = BTreeMap::new();
        for sample in samples.iter().filter(|sample| sample.is_feasible()) {
            let run = runs.entry(sample.rollout()).or_insert((0.0, self.task(sample)));
            run.0 = f64::max(run.0, if sample.predicts_impossible() { 1.0 } else { 0.0 });
        }
        let (stopped, tasks): (Vec<f64>, Vec<_>) = runs.into_values().unzip();
        ClusterEstimate::mean(&stopped, None, &tasks).unwrap()
    }

    fn show(&self, name: &str, samples: &[Sample]) -> EarlyStops {
        let stops = self.stops(samples, StopRule::first_impossible().with_reading(Reading::Cap));
        let (macro_f1, [low, high]) = self.macro_f1(samples);
        let lost = self.lost(samples);
        println!(
            "{name}: macro-F1 {macro_f1:.3} [{low:.3}, {high:.3}], feasible runs stopped {:.3} (SE \
             {:.3}), feasible turns {:.3}, failures stopped {} of {}, saved {:.3}, points lost {:.1}",
            lost.estimate,
            lost.standard_error,
            stops.false_abort_rate().unwrap(),
            stops.stopped_failures,
            stops.failures,
            stops.saved_share().unwrap(),
            100.0 * stops.success_rate_lost().unwrap(),
        );
        stops
    }
}

/// All of this for one list of runs. Returns the AUROC, and the stops under the default limit.
fn report(title: &str, rollouts: &Rollouts) -> (f64, EarlyStops) {
    let found = online(rollouts, AbortLimit::default(), 50);
    let (area, [low, high]) = found.area();
    println!("{title}: AUROC {area:.3} [{low:.3}, {high:.3}], skill {:.4}", found.skill());
    // In hindsight: the threshold of the chance with 5 % false aborts among the turns.
    let samples = found.samples.iter().zip(&found.chances);
    let feasible = samples.filter(|(sample, _)| sample.is_feasible());
    let mut feasible: Vec<f64> = feasible.map(|(_, chance)| chance.get()).collect();
    feasible.sort_by(f64::total_cmp);
    let threshold = feasible[feasible.len() / 20];
    found.show(
        &format!("{title}, 5 % of turns in hindsight"),
        &found.labelled(|i| found.chances[i].get() < threshold),
    );
    let over = |i: usize| found.samples[i].left().is_some_and(|left| left < 0.0);
    found.show(&format!("{title}, exceeded cap only"), &found.labelled(over));
    found.show(&format!("{title}, past quantiles"), &found.samples);
    let mut linear = LinearEstimator::learning(40.0, 0.5).unwrap();
    let tokens = found.scored.resource("output_tokens").unwrap();
    let samples = found.scored.score(tokens, &mut linear).unwrap();
    found.show(&format!("{title}, linear"), &samples);
    for value in [5_000.0, 10_000.0, 20_000.0, 40_000.0] {
        let stops = found.stops(&found.samples, StopRule::not_worthwhile(tokens, value).unwrap());
        println!(
            "{title}, worth {value}: saved {:.3}, points lost {:.1}",
            stops.saved_share().unwrap(),
            100.0 * stops.success_rate_lost().unwrap()
        );
    }
    let samples = found.labelled(|i| found.impossible[i]);
    (area, found.show(&format!("{title}, confidence 0.9"), &samples))
}

fn with_cap(rollouts: &Rollouts, cap: f64) -> Rollouts {
    let mut rollouts = rollouts.clone();
    let tokens = rollouts.resource("output_tokens").unwrap();
    rollouts.set_cap(tokens, cap).unwrap();
    rollouts
}

#[test]
fn swe_bench_with_a_cap_has_a_signal_and_few_false_aborts() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let (area, stops) = report("SWE-bench, cap 8,417", &with_cap(&rollouts, 8417.0));
    assert!(area >= 0.77, "{area}");
    assert!(stops.success_lost().unwrap() <= 0.05, "{stops:?}");
    assert!(stops.saved_share().unwrap() > 0.3, "{stops:?}");
}

#[test]
fn swe_bench_without_a_cap_has_next_to_no_signal_and_few_false_aborts() {
    let Some(rollouts) = recorded("swebench_gemini3pro.jsonl") else { return };
    let (area, stops) = report("SWE-bench, no cap", &rollouts);
    assert!(area < 0.65, "{area}");
    assert!(stops.success_lost().unwrap() <= 0.05, "{stops:?}");
}

#[test]
fn tau2_in_the_order_of_the_file() {
    let Some(rollouts) = recorded("tau2.jsonl") else { return };
    let (area, _) = report("tau2 in file order, no cap", &rollouts);
    assert!(area > 0.5, "{area}");
    let (area, _) = report("tau2 in file order, cap 705", &with_cap(&rollouts, 705.0));
    assert!(area > 0.7, "{area}");
}
