//! An agent's loop with a calibrated estimator and a rule that stops runs: a run that is stopped teaches nothing, so
//! the rule must not act on intervals that say nothing.

use budget_estimation::{
    AdaptiveConformal, BudgetEstimator, BudgetMonitor, Calibrated, Error, Estimate, Estimator,
    LinearEstimator, PastQuantiles, ProgressMetrics, RecordedRun, Rollouts, StopRule, Weight,
};

use crate::common::{always, interval, level, probability, runs};

/// How many of 200 runs are stopped that cost 5 turns of 0.01 each, with a success that is worth `value`.
fn stopped(estimator: &mut dyn Estimator, value: f64) -> usize {
    let mut all = Rollouts::new(["usd"]).unwrap();
    let rule = StopRule::not_worthwhile(all.resource("usd").unwrap(), value).unwrap();
    let mut stopped = 0;
    for _ in 0..200 {
        let monitor = BudgetMonitor::new([("usd", Some(10.0))]).unwrap().with_stop_rule(rule);
        let mut run = RecordedRun::new(monitor).unwrap();
        let usd = run.rollouts().resource("usd").unwrap();
        let mut cut = false;
        for _ in 0..5 {
            run.push(&[0.01]).unwrap();
            let estimate = estimator.estimate(&run.prefix(usd).unwrap()).unwrap();
            if let Some(ends) = estimate.ends() {
                assert!(ends.high() < 1e6, "{estimate}");
            }
            let failure = Some(probability(0.3));
            if let Some(reason) = run.advise(&[estimate], failure).unwrap().stop_reason() {
                run.cut(reason).unwrap();
                (cut, stopped) = (true, stopped + 1);
                break;
            }
        }
        if !cut {
            run.finish(true).unwrap();
        }
        all.append(run.rollouts()).unwrap();
        let last = all.get(all.len() - 1).unwrap();
        estimator.learn(&last, usd).unwrap();
    }
    stopped
}

/// A linear estimator and past quantiles, calibrated, and the default estimator.
fn estimators() -> [Box<dyn Estimator>; 3] {
    let adaptive = || AdaptiveConformal::new(level(0.8), 0.02).unwrap();
    let linear = LinearEstimator::new(5.0, 0.5).unwrap();
    [
        Box::new(Calibrated::new(linear, adaptive())),
        Box::new(Calibrated::new(PastQuantiles::new(level(0.8)), adaptive())),
        Box::new(BudgetEstimator::new(level(0.8))),
    ]
}

#[test]
fn no_calibrated_loop_stops_runs_that_are_worth_their_cost() {
    for (at, estimator) in estimators().iter_mut().enumerate() {
        // Both are worth more than a run costs; the second is worth less than its cap.
        for value in [1000.0, 1.0] {
            assert_eq!(stopped(estimator, value), 0, "estimator {at}, value {value}");
        }
    }
}

#[test]
fn an_infinite_margin_gives_no_answer_and_a_lower_end_above_what_is_left_is_still_impossible() {
    let (mut rollouts, usd) = runs([([1.0, 10.0], true)]);
    rollouts.set_cap(usd, 12.0).unwrap();
    // The coverage of one half makes the only score the margin.
    let estimate = |scores: &[f64]| {
        let mut calibrator = AdaptiveConformal::new(level(0.5), 1e-6).unwrap();
        calibrator.update(scores);
        let mut moved = Calibrated::new(always(interval(20.0, 20.0)), calibrator);
        rollouts.score(usd, &mut moved).unwrap()[0].estimate()
    };
    assert_eq!(estimate(&[]), Estimate::NoAnswer);
    assert_eq!(estimate(&[0.5]), interval(10.0, 30.0));
    assert_eq!(estimate(&[0.25]), Estimate::Impossible);
    assert_eq!(estimate(&[-0.1]), Estimate::NoAnswer);
    assert_eq!(estimate(&[f64::NEG_INFINITY]), Estimate::NoAnswer);
}

/// The unit of the resource decides neither whether there is a report nor what it says.
#[test]
fn a_report_is_the_same_in_every_unit() {
    let report = |scale: f64, which: usize| {
        let last = |run: u32| f64::from(100 + run * 37 % 100);
        let costs = |run| ([10.0 * scale, last(run) * scale, 0.0], true);
        let (rollouts, usd) = runs((0_u32..200).map(costs));
        let samples = rollouts.score(usd, &mut estimators()[which])?;
        let mut metrics = ProgressMetrics::new(5)?.with_coverage(level(0.8)).with_diagnostics();
        samples.iter().try_for_each(|sample| metrics.update(sample, Weight::ONE))?;
        let all = metrics.finish()?.all_turns;
        let intervals = all.intervals.ok_or(scoring_rules::Error::Empty)?;
        assert!(intervals.mean_width.is_some() && intervals.interval_loss.is_some());
        // The last turn costs nothing.
        assert_eq!(all.trivial, 200.0);
        Ok::<_, Error>((intervals.samples, intervals.answered, intervals.hits, intervals.mre_p50))
    };
    for which in 0..3 {
        let whole = report(1.0, which).unwrap();
        for scale in [1e-290, 1e-30, 1e-9, 1e-4, 1e6, 1e90] {
            let scaled = report(scale, which).unwrap();
            assert_eq!((scaled.0, scaled.1), (whole.0, whole.1), "{which}, {scale}");
            // An interval may end at what remained.
            assert!((scaled.2 - whole.2).abs() <= 4.0, "{which}, {scale}: {scaled:?} {whole:?}");
            let [a, b] = [scaled.3, whole.3].map(Option::unwrap);
            assert!((a - b).abs() < 1e-6, "{which}, {scale}: {a} {b}");
        }
    }
}
