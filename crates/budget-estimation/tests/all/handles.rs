//! A handle is refused by rollouts that have another resource at its place; and what the crate has may be shared between
//! threads.

use budget_estimation::{
    AbortLimit, AdaptiveConformal, BudgetEstimator, BudgetMonitor, Calibrated, Context, EarlyStops,
    Error, Estimate, Estimator, LinearEstimator, Metrics, PastQuantiles, Prefix, Probability,
    ProgressMetrics, ProgressSummary, RecordedRun, Resource, Rollout, Rollouts, Sample, Seed,
    StopRule, SuccessForecaster, Usage, Weight,
    bagen::{ProbeMethod, TargetWidth, TrainingRecords},
    early_stopping, joint_early_stopping, stopping_curve,
};

use crate::common::{level, stored};

fn assert_send_sync<T: Send + Sync>() {}

#[test]
fn everything_can_be_shared_between_threads() {
    assert_send_sync::<(Rollouts, Rollout<'_>, Usage<'_>, RecordedRun, BudgetEstimator)>();
    assert_send_sync::<(Prefix<'_>, Context, Sample, Estimate, Error)>();
    assert_send_sync::<(LinearEstimator, PastQuantiles, Calibrated<LinearEstimator>)>();
    assert_send_sync::<(SuccessForecaster, BudgetMonitor, StopRule, EarlyStops)>();
    assert_send_sync::<(Metrics, ProgressMetrics, ProgressSummary)>();
}

fn rollouts<const N: usize>(names: [&str; N]) -> Rollouts {
    let mut rollouts = Rollouts::new(names).unwrap();
    for succeeded in [true, false] {
        rollouts.push(&[900.0, 0.02, 800.0, 0.03].repeat(N)[..2 * N], succeeded).unwrap();
    }
    rollouts
}

/// A handle of other rollouts for each way in which they can differ.
fn foreign() -> [Resource; 3] {
    let handle = |names: &[&str], name| Rollouts::new(names.to_vec()).unwrap().resource(name);
    [
        handle(&["usd", "tokens"], "tokens").unwrap(),
        handle(&["seconds", "usd"], "seconds").unwrap(),
        handle(&["tokens", "usd", "seconds"], "seconds").unwrap(),
    ]
}

fn refused<T: std::fmt::Debug>(of: &str, result: Result<T, Error>) {
    assert!(matches!(result, Err(Error::NoSuchResource { .. })), "{of}: {result:?}");
}

#[test]
fn every_function_refuses_a_handle_of_other_rollouts() {
    for other in foreign() {
        let mut all = rollouts(["tokens", "usd"]);
        let tokens = all.resource("tokens").unwrap();
        refused("set_cap", all.set_cap(other, 1000.0));
        refused("set_cap_of", all.set_cap_of(0, other, 1000.0));
        refused("add_sum", all.add_sum("sum", &[tokens, other]));
        refused("median_caps", all.median_caps(other, |_| ()));
        refused("median_caps", Rollouts::new(["a"]).unwrap().median_caps(other, |_| ()));
        let probed =
            |time, spent| all.probed(&[1.0, 2.0], time, &[spent], ProbeMethod::Released, Seed(1));
        refused("probed", probed(other, tokens));
        refused("probed", probed(tokens, other));
        let mut linear = LinearEstimator::new(5.0, 0.5).unwrap();
        refused("Rollouts::score", all.score(other, &mut linear));
        refused("Rollouts::score", Rollouts::new(["a"]).unwrap().score(other, &mut linear));
        let samples = all.score(tokens, &mut linear).unwrap();
        let rules = [StopRule::first_impossible()];
        refused("early_stopping", early_stopping(&all, other, &samples, None, &rules));
        let chances = vec![Probability::new(0.5).unwrap(); samples.len()];
        let both = [(tokens, &samples[..]), (other, &samples[..])];
        refused("joint_early_stopping", joint_early_stopping(&all, &both, None, &rules));
        refused("stopping_curve", stopping_curve(&all, other, &samples, &chances));
        let records = TrainingRecords::new(&all, other, TargetWidth::Share(0.1));
        refused("probes", records.probes());

        for run in all.iter() {
            assert_eq!(run.cost(other, 1), None);
            assert!(run.usage(other).is_err());
            refused("usage", run.usage(other).map(|_| ()));
            refused("remaining", run.remaining(other, 1));
            refused("cap", run.cap(other));
            refused("replay", run.replay(other).map(|_| ()));
            refused("probe", run.probe(other).map(|_| ()));
            refused("Rollout::score", run.score(other, &mut linear, |_| Ok(())));
            refused("score_probe", run.score_probe(other, &mut linear));
            refused("Sample::new", Sample::new(&run, other, 1, Estimate::Impossible));
            assert_eq!(run.probe(tokens).unwrap().usage_of(other), None);
            let level = level(0.5);
            let adaptive = AdaptiveConformal::new(level, 0.02).unwrap();
            refused(
                "SuccessForecaster",
                SuccessForecaster::new(AbortLimit::default()).learn(&run, other),
            );
            let estimators: [Box<dyn Estimator>; 5] = [
                Box::new(linear.clone()),
                Box::new(PastQuantiles::new(level)),
                Box::new(PastQuantiles::survival_aware(level)),
                Box::new(Calibrated::new(linear.clone(), adaptive)),
                Box::new(BudgetEstimator::new(level)),
            ];
            for (at, mut estimator) in estimators.into_iter().enumerate() {
                refused(&format!("estimator {at}"), estimator.learn(&run, other));
            }
        }
        let monitor = BudgetMonitor::new([("tokens", Some(100.0)), ("usd", Some(1.0))]).unwrap();
        let mut run = RecordedRun::new(monitor).unwrap();
        run.push(&[50.0, 0.2]).unwrap();
        refused("RecordedRun::prefix", run.prefix(other).map(|_| ()));
    }
}

/// The handle is made once, and the runs come from several places.
#[test]
fn collections_that_begin_alike_share_handles() {
    let monitor = BudgetMonitor::new([("tokens", Some(100.0)), ("usd", None)]).unwrap();
    let run = RecordedRun::new(monitor).unwrap();
    let mut all = Rollouts::new(["tokens", "usd"]).unwrap();
    let [tokens, usd] = ["tokens", "usd"].map(|name| all.resource(name).unwrap());
    assert!(run.rollouts().resources().eq([(tokens, "tokens"), (usd, "usd")]));
    let sum = all.add_sum("sum", &[tokens, usd]).unwrap();
    assert_eq!((all.resource("usd"), all.resource("sum")), (Ok(usd), Ok(sum)));
    assert_eq!(all.filter(|_| true).resource("sum"), Ok(sum));
    assert_eq!(Rollouts::new(["tokens", "usd", "sum"]).unwrap().resource("sum"), Ok(sum));
    assert_ne!(Rollouts::new(["token", "susd"]).unwrap().resource("susd"), Ok(usd));
}

#[test]
fn measures_of_one_resource_refuse_samples_of_another_at_its_place() {
    let one = |names: [&str; 2]| {
        let all = rollouts(names);
        let first = all.resource(names[0]).unwrap();
        all.score(first, &mut LinearEstimator::new(5.0, 0.5).unwrap()).unwrap()[0]
    };
    let mut metrics = Metrics::default();
    metrics.update(&one(["tokens", "usd"]), Weight::ONE).unwrap();
    let mixed = metrics.update(&one(["usd", "tokens"]), Weight::ONE);
    assert!(matches!(mixed, Err(Error::Unlike { .. })), "{mixed:?}");
    let resource = rollouts(["tokens", "usd"]).resource("tokens").unwrap();
    assert_eq!(stored(&resource), resource);
}
