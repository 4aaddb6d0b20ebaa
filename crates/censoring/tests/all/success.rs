//! Estimates of the chance of success after a stop: logistic regression against scikit-learn
//! (`golden/logistic.py`), and what cross-fitting keeps apart.

use std::cell::RefCell;

use censoring::{
    Continuations, CrossFitSuccess, Error, Folds, LogisticSuccess, LogisticSuccessModel,
    Probability, StopReason, Stopped, SuccessLearner, SuccessModel, Weight, from_fn,
    hybrid_success_probabilities, plug_in_bias, plug_in_regret_bound, prefix_features,
};
use proptest::prelude::*;
use rand_chacha::{
    ChaCha8Rng,
    rand_core::{Rng, SeedableRng},
};
use trajectory_metrics::{BetaScore, LogScore};

use crate::{EMPTY, audited, censored, entry, length, p, w};

#[derive(Default)]
struct Set {
    penalty: f64,
    features: Vec<Vec<f64>>,
    outcomes: Vec<bool>,
    weights: Vec<f64>,
    chances: Vec<f64>,
}

fn golden() -> Vec<Set> {
    let mut sets: Vec<Set> = Vec::new();
    for line in include_str!("../golden/logistic.csv").lines().skip(2) {
        let [set, penalty, weight, outcome, features, chance] =
            line.split(';').collect::<Vec<_>>()[..]
        else {
            panic!("{line}");
        };
        if set.parse() == Ok(sets.len()) {
            sets.push(Set { penalty: penalty.parse().unwrap(), ..Set::default() });
        }
        let set = sets.last_mut().unwrap();
        set.features.push(features.split(' ').map(|x| x.parse().unwrap()).collect());
        set.outcomes.push(outcome == "1");
        set.weights.push(weight.parse().unwrap());
        set.chances.push(chance.parse().unwrap());
    }
    sets
}

/// The outcome that all rows have, if an error says so.
fn one_class(error: Error) -> Option<bool> {
    match error {
        Error::TrajectoryMetrics(trajectory_metrics::Error::OneClass { outcome, .. }) => {
            Some(outcome)
        }
        _ => None,
    }
}

#[test]
fn chances_are_those_of_scikit_learn_to_1e_12() {
    let mut worst = 0.0_f64;
    let sets = golden();
    for set in &sets {
        let learner = LogisticSuccess::new(set.penalty).unwrap();
        let model = learner
            .fit(&set.features, &set.outcomes, Some(Weight::from_slice(&set.weights).unwrap()))
            .unwrap();
        for (features, chance) in set.features.iter().zip(&set.chances) {
            worst = worst.max((model.success_probability(features).unwrap().get() - chance).abs());
        }
    }
    println!("largest difference from scikit-learn: {worst:e} over {} sets", sets.len());
    assert_eq!(sets.len(), 25);
    assert!(worst < 1e-12, "{worst:e}");
}

fn fit(
    features: &[Vec<f64>],
    outcomes: &[bool],
    weights: &[f64],
) -> Result<LogisticSuccessModel, Error> {
    LogisticSuccess::default().fit(features, outcomes, Some(w(weights)))
}

#[test]
fn training_rows_that_are_invalid_or_of_one_class_are_refused() {
    let one = [vec![1.0], vec![2.0]];
    let both = [true, false];
    for value in [f64::NAN, f64::INFINITY, -1e31] {
        let rows = [vec![1.0, 2.0], vec![1.0, value]];
        let error = fit(&rows, &both, &[1.0; 2]).unwrap_err();
        let Error::At { what: "row", index: 1, source, .. } = error else { panic!("{error}") };
        assert!(
            matches!(*source, Error::ScoringRules(scoring_rules::Error::Entry { index: 1, .. })),
            "{source}"
        );
        let error = fit(&one, &both, &[1.0; 2]).unwrap().success_probability(&[value]).unwrap_err();
        assert_eq!(entry(error), 0);
        assert!(LogisticSuccess::new(value).is_err());
    }
    let ragged = fit(&[vec![1.0], vec![]], &both, &[1.0; 2]);
    let Err(Error::At { what: "row", index: 1, source, .. }) = ragged else { panic!("{ragged:?}") };
    assert_eq!(*source, length("features", 1, 0));
    assert_eq!(fit(&one, &[true], &[1.0; 2]), Err(length("outcomes", 2, 1)));
    assert_eq!(fit(&one, &both, &[1.0]), Err(length("weights", 2, 1)));
    let model = fit(&one, &both, &[1.0; 2]).unwrap();
    let wrong = model.success_probability(&[1.0, 2.0]).map(|_| model.clone());
    assert_eq!(wrong, Err(length("features", 1, 2)));
    assert_eq!(one_class(fit(&one, &[true; 2], &[1.0; 2]).unwrap_err()), Some(true));
    assert_eq!(one_class(fit(&one, &both, &[0.0, 1.0]).unwrap_err()), Some(false));
    assert_eq!(fit(&[], &[], &[]), Err(EMPTY));
    assert_eq!(fit(&one, &both, &[0.0; 2]), Err(EMPTY));
    assert!(LogisticSuccess::new(0.0).is_err());
}

#[test]
fn a_constant_feature_is_ignored_and_a_model_without_features_predicts_the_base_rate() {
    let constant = [vec![0.1], vec![0.1], vec![0.1], vec![0.1]];
    let outcomes = [true, false, true, true];
    let model = fit(&constant, &outcomes, &[1.0; 4]).unwrap();
    assert_eq!(model.slopes(), [0.0]);
    for feature in [0.1, -1e30, 1e30] {
        assert!((model.success_probability(&[feature]).unwrap().get() - 0.75).abs() < 1e-15);
    }
    let none = vec![vec![]; 4];
    let model = fit(&none, &outcomes, &[1.0; 4]).unwrap();
    assert!((model.success_probability(&[]).unwrap().get() - 0.75).abs() < 1e-15);
}

#[test]
fn a_feature_of_tiny_spread_is_ignored_and_a_very_rare_outcome_is_an_error() {
    let outcomes = [false, true, false, true];
    let of = |unit: f64| {
        let rows: Vec<Vec<f64>> = (0..4).map(|i| vec![f64::from(i) * unit]).collect();
        fit(&rows, &outcomes, &[1.0; 4]).unwrap().slopes()[0]
    };
    assert_eq!(of(1e-101), 0.0);
    assert!((of(1e-99) - of(1.0)).abs() < 1e-12);

    let rows = vec![vec![]; 4];
    let rare = |weight: f64| fit(&rows, &[true, false, true, true], &[1.0, weight, 1.0, 1.0]);
    assert_eq!(one_class(rare(1e-12).unwrap_err()), Some(true));
    let failure = rare(1e-11).unwrap().success_probability(&[]).unwrap().complement().get();
    assert!((failure * 3e11 - 1.0).abs() < 1e-3, "{failure}");
    // An outcome with exactly 1e-12 of the weight is enough.
    let [one, other] = [1.0 - 1e-12, 1e-12];
    assert_eq!((one + other, other / (one + other)), (1.0, 1e-12));
    assert!(fit(&rows[..2], &[true, false], &[one, other]).is_ok());
}

#[test]
fn far_from_the_training_rows_the_probability_is_0_or_1() {
    let rows: Vec<Vec<f64>> = (0..10).map(|i| vec![f64::from(i)]).collect();
    let outcomes: Vec<bool> = (0..10).map(|i| i >= 5).collect();
    let model = fit(&rows, &outcomes, &[1.0; 10]).unwrap();
    for far in [1e4, 1e30] {
        assert_eq!(model.success_probability(&[far]), Ok(Probability::ONE));
        assert_eq!(model.success_probability(&[-far]), Ok(Probability::ZERO));
    }
}

#[test]
fn separated_outcomes_and_repeated_features_have_a_fit() {
    let rows: Vec<Vec<f64>> = (0..10).map(|i| vec![f64::from(i), f64::from(i), 1e29]).collect();
    let outcomes: Vec<bool> = (0..10).map(|i| i >= 5).collect();
    for penalty in [1e20, 1.0, 1e-20] {
        let learner = LogisticSuccess::new(penalty).unwrap();
        let model = learner.fit(&rows, &outcomes, None).unwrap();
        assert!((model.slopes()[0] - model.slopes()[1]).abs() <= 1e-3 * model.slopes()[0]);
        assert!((model.success_probability(&[4.5, 4.5, 1e29]).unwrap().get() - 0.5).abs() < 1e-9);
        let last = model.success_probability(&[9.0, 9.0, 1e29]).unwrap().get();
        assert!(last >= 0.5 && (penalty > 1.0 || last > 0.8), "{penalty:e} {last}");
    }
}

proptest! {
    #[test]
    fn the_fit_knows_no_order_and_a_weight_of_two_is_the_row_twice(
        rows in prop::collection::vec((prop::collection::vec(-3.0..3.0_f64, 2), any::<bool>(), 1..4_u8), 2..20),
    ) {
        let features: Vec<Vec<f64>> = rows.iter().map(|row| row.0.clone()).collect();
        let outcomes: Vec<bool> = rows.iter().map(|row| row.1).collect();
        let weights: Vec<f64> = rows.iter().map(|row| row.2.into()).collect();
        prop_assume!(outcomes.iter().any(|&y| y) && outcomes.iter().any(|&y| !y));
        let model = fit(&features, &outcomes, &weights).unwrap();

        let (mut x, mut y, mut w) = (features.clone(), outcomes.clone(), weights.clone());
        x.reverse();
        y.reverse();
        w.reverse();
        prop_assert_eq!(&fit(&x, &y, &w).unwrap(), &model);

        let (mut x, mut y) = (Vec::new(), Vec::new());
        for (features, outcome, copies) in &rows {
            for _ in 0..*copies {
                x.push(features.clone());
                y.push(*outcome);
            }
        }
        let copied = fit(&x, &y, &vec![1.0; x.len()]).unwrap();
        for features in &features {
            let (a, b) = (model.success_probability(features).unwrap(), copied.success_probability(features).unwrap());
            prop_assert!((a.get() - b.get()).abs() < 1e-11);
        }
        // At the minimum residuals add up to nothing.
        let residual: f64 = rows.iter().map(|(x, y, weight)| {
            f64::from(*weight) * (model.success_probability(x).unwrap().get() - f64::from(*y))
        }).sum();
        prop_assert!(residual.abs() < 1e-10, "{residual:e}");
    }
}

/// Two features, outcome, weight.
type Seen = (f64, f64, bool, f64);

struct Constant;

impl SuccessModel for Constant {
    fn success_probability(&self, _: &[f64]) -> Result<Probability, Error> {
        Ok(Probability::HALF)
    }
}

/// Remembers what it was given.
#[derive(Default)]
struct Recorder(RefCell<Vec<Vec<Seen>>>);

impl SuccessLearner for Recorder {
    type Model = Constant;

    fn fit(&self, x: &[Vec<f64>], y: &[bool], w: Option<&[Weight]>) -> Result<Self::Model, Error> {
        let w = w.unwrap();
        let rows = x.iter().zip(y).zip(w).map(|((x, &y), &w)| (x[0], x[1], y, w.get())).collect();
        self.0.borrow_mut().push(rows);
        Ok(Constant)
    }
}

#[test]
fn each_model_sees_the_prefixes_of_complete_runs_of_other_folds_only() {
    let forecasts = [Probability::HALF; 4];
    let run = |steps: usize, outcome| {
        Stopped::new(&forecasts[..steps], outcome, Some(StopReason::MaxSteps)).unwrap()
    };
    let runs = [
        run(3, Some(true)),
        run(2, Some(false)),
        run(4, None),
        run(1, Some(true)),
        run(4, Some(false)),
        Stopped::new(&forecasts, None, Some(StopReason::ToolError)).unwrap(),
    ];
    let folds = Folds::new(&[false; 6], &[0, 1, 2, 3, 4, 5], 2).unwrap();
    assert_eq!(folds.of_each(), [0, 1, 0, 1, 0, 1]);
    let recorder = Recorder::default();
    let weights = [2.0, 1.0, 1.0, 1.0, 0.0, 1.0];
    let features = |run: usize, t: usize| vec![run as f64, t as f64];
    let fit =
        CrossFitSuccess::new(&recorder, &runs, features, &folds, None, Some(w(&weights))).unwrap();
    // Run 3 ended at its first step and has no prefix, run 4 weighs nothing.
    assert_eq!(
        *recorder.0.borrow(),
        [vec![(1.0, 1.0, false, 1.0)], vec![(0.0, 1.0, true, 2.0), (0.0, 2.0, true, 2.0)]]
    );
    assert_eq!(fit.success_probability(5, &[]), Ok(Probability::HALF));
    assert_eq!(fit.success_probability(6, &[]), Err(length("folds", 7, 6)));
}

#[test]
fn a_fold_without_enough_outside_it_is_named() {
    let forecasts = [Probability::HALF; 2];
    let success = Stopped::new(&forecasts, Some(true), None).unwrap();
    let runs = [success.clone(), success];
    let folds = Folds::new(&[true; 2], &[0, 1], 2).unwrap();
    let features = |run: usize, t: usize| prefix_features(&runs[run].forecasts()[..t]);
    let error =
        CrossFitSuccess::new(&LogisticSuccess::default(), &runs, features, &folds, None, None);
    let Err(Error::Fold { fold: 0, source, .. }) = error else { panic!("{error:?}") };
    assert_eq!(one_class(*source), Some(true));
    assert_eq!(prefix_features(&[]), [0.0; 4]);
}

#[test]
fn certain_forecasts_have_finite_features() {
    // Odds of a million to one, less one.
    let sure = 999_999.0_f64.ln();
    let features = prefix_features(&[Probability::ZERO, Probability::ONE]);
    for (found, expected) in features.iter().zip([sure, 0.0, 2.0 * sure, 3.0_f64.ln()]) {
        assert!((found - expected).abs() < 1e-9, "{found} {expected}");
    }
}

#[test]
fn branches_of_a_cut_off_run_are_rows_of_its_whole_weight_split_by_how_they_ended() {
    let forecasts = [Probability::HALF; 4];
    let run = |steps: usize, outcome, reason| {
        Stopped::new(&forecasts[..steps], outcome, Some(reason)).unwrap()
    };
    let cut_off = |steps| run(steps, None, StopReason::MaxSteps);
    let runs = [
        cut_off(2),
        run(3, Some(true), StopReason::Completed),
        cut_off(1),
        cut_off(2),
        cut_off(4),
        cut_off(1),
        run(2, None, StopReason::ToolError),
        cut_off(1),
    ];
    let mixed = Continuations { successes: 1, failures: 3, unresolved: 5, invalid: 7 };
    let failed = Continuations { failures: 9, ..Continuations::default() };
    let open = Continuations { unresolved: 2, invalid: 1, ..Continuations::default() };
    // Run 1 is complete and run 6 excluded: their branches are not looked at.
    let branches = [mixed, failed, failed, mixed, open, mixed, failed, Continuations::default()];
    let weights = [2.0, 1.0, 3.0, 0.0, 1.0, 1.0, 1.0, 1.0];
    let folds = Folds::new(&[false; 8], &[0, 1, 2, 3, 4, 5, 6, 7], 2).unwrap();
    assert_eq!(folds.of_each(), [0, 1, 0, 1, 0, 1, 0, 1]);
    let features = |run: usize, t: usize| vec![run as f64, t as f64];
    let recorder = Recorder::default();
    let branches = Some(&branches[..]);
    CrossFitSuccess::new(&recorder, &runs, features, &folds, branches, Some(w(&weights))).unwrap();
    let of_odd = vec![
        (1.0, 1.0, true, 1.0),
        (1.0, 2.0, true, 1.0),
        (5.0, 1.0, true, 0.25),
        (5.0, 1.0, false, 0.75),
    ];
    let of_even = vec![
        (0.0, 1.0, true, 0.5),
        (0.0, 2.0, true, 0.5),
        (0.0, 1.0, false, 1.5),
        (0.0, 2.0, false, 1.5),
        (2.0, 1.0, false, 3.0),
    ];
    assert_eq!(*recorder.0.borrow(), [of_odd, of_even]);

    let short = CrossFitSuccess::new(&recorder, &runs, features, &folds, Some(&[mixed; 7]), None);
    assert_eq!(short.map(|_| ()), Err(length("branches", 8, 7)));
}

/// Runs of which half are hard. Easy ones end after 3 steps, 9 of 10 with a success; hard ones would
/// succeed in 3 of 10 and are all cut off after 5. A part of these was drawn for branches.
struct Sample {
    runs: Vec<Stopped<'static>>,
    branches: Vec<Continuations>,
    folds: Folds,
}

const EASY: f64 = 0.9;
const HARD: f64 = 0.3;
const BRANCHES: u64 = 5;
const RUNS: usize = 4_000;

fn happens(rng: &mut ChaCha8Rng, chance: f64) -> bool {
    f64::from(rng.next_u32()) < chance * 2.0_f64.powi(32)
}

impl Sample {
    fn draw(seed: u64) -> Self {
        static FORECASTS: [Probability; 5] = [Probability::HALF; 5];
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let (mut runs, mut branches) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            let mut audit = Continuations::default();
            if happens(&mut rng, 0.5) {
                runs.push(censored(&FORECASTS));
                if happens(&mut rng, 0.5) {
                    audit.successes =
                        (0..BRANCHES).filter(|_| happens(&mut rng, HARD)).count() as u64;
                    audit.failures = BRANCHES - audit.successes;
                }
            } else {
                let success = happens(&mut rng, EASY);
                runs.push(Stopped::new(&FORECASTS[..3], Some(success), None).unwrap());
            }
            branches.push(audit);
        }
        let ids: Vec<usize> = (0..RUNS).collect();
        let folds = Folds::new(&[false; RUNS], &ids, 2).unwrap();
        Self { runs, branches, folds }
    }

    /// Each run at its own weight, those with branches standing for those without.
    fn weights(&self, of_complete: f64) -> Vec<f64> {
        let audited = |branches: &Continuations| branches.valid() > 0;
        let cut_off = self.runs.iter().filter(|run| run.outcome().is_none()).count() as f64;
        let drawn = self.branches.iter().filter(|branches| audited(branches)).count() as f64;
        let weight = |branches| if audited(branches) { cut_off / drawn } else { of_complete };
        self.branches.iter().map(weight).collect()
    }

    /// The mean error of the chances at a step, over the runs that were cut off.
    fn bias(
        &self,
        branches: Option<&[Continuations]>,
        weights: Option<&[f64]>,
        features: &dyn Fn(usize) -> Vec<f64>,
        (step, truth): (usize, f64),
    ) -> f64 {
        let features = |_: usize, t: usize| features(t);
        let learner = LogisticSuccess::default();
        let Self { runs, folds, .. } = self;
        let models =
            CrossFitSuccess::new(&learner, runs, features, folds, branches, weights.map(w))
                .unwrap();
        let cut_off = (0..RUNS).filter(|&run| runs[run].outcome().is_none());
        let estimates: Vec<Probability> = cut_off
            .map(|run| models.success_probability(run, &features(run, step)).unwrap())
            .collect();
        let truths = vec![p(truth); estimates.len()];
        plug_in_bias(&audited(&estimates, &truths), None).unwrap()
    }
}

#[test]
fn where_complete_runs_are_others_branches_take_the_bias_out_of_the_model() {
    let sample = Sample::draw(11);
    let early_or_late = |t: usize| vec![f64::from(u8::from(t > 2))];
    let (branches, weights) = (Some(&sample.branches[..]), sample.weights(1.0));
    let of = |branches, weights, at| sample.bias(branches, weights, &early_or_late, at);

    let plain = of(None, None, (5, HARD));
    // About 1,000 runs with 5 branches each: four standard errors.
    let error = 4.0 * (HARD * (1.0 - HARD) / (1_000.0 * BRANCHES as f64)).sqrt();
    let hybrid = of(branches, Some(&weights), (5, HARD));
    println!("bias at the stop: plain {plain:.3}, hybrid {hybrid:.4}, allowed {error:.4}");
    assert!((plain - (EASY - HARD)).abs() < 0.05, "{plain}");
    assert!(hybrid.abs() < error, "{hybrid}");

    // Before the third step easy and hard runs look alike.
    let both = f64::midpoint(EASY, HARD);
    let error = 4.0 * (both * (1.0 - both) / RUNS as f64).sqrt();
    let plain = of(None, None, (1, both));
    let hybrid = of(branches, Some(&weights), (1, both));
    println!("bias at step 1: plain {plain:.3}, hybrid {hybrid:.4}, allowed {error:.4}");
    assert!(plain > 0.25 && hybrid.abs() < error, "{plain} {hybrid}");
}

#[test]
fn where_features_tell_nothing_branches_alone_are_right_about_the_runs_that_were_cut_off() {
    let sample = Sample::draw(12);
    let nothing = |_: usize| Vec::new();
    let branches = Some(&sample.branches[..]);
    let (all, audited) = (sample.weights(1.0), sample.weights(0.0));
    let mixed = sample.bias(branches, Some(&all), &nothing, (5, HARD));
    let alone = sample.bias(branches, Some(&audited), &nothing, (5, HARD));
    let error = 4.0 * (HARD * (1.0 - HARD) / (1_000.0 * BRANCHES as f64)).sqrt();
    println!("bias: with complete runs {mixed:.3}, branches alone {alone:.4}, allowed {error:.4}");
    assert!(mixed > 0.1 && alone.abs() < error, "{mixed} {alone}");
}

#[test]
fn branches_without_an_outcome_give_no_estimate() {
    let branches = Continuations { unresolved: 3, invalid: 2, ..Continuations::default() };
    assert!(matches!(branches.estimate(), Err(Error::Undetermined { .. })));
    let plug_in = [Probability::ONE];
    assert_eq!(hybrid_success_probabilities(&[branches], &plug_in, 1), Ok(plug_in.to_vec()));
}

#[test]
fn unresolved_branches_move_the_ends_and_invalid_branches_are_ignored() {
    let sure = Continuations { failures: 4, ..Continuations::default() };
    let estimate = sure.estimate().unwrap();
    assert_eq!(estimate.interval, Probability::ZERO.into());
    assert_eq!(estimate.standard_error, 0.0);
    let unsure = Continuations { unresolved: 4, ..sure }.estimate().unwrap();
    assert_eq!((unsure.interval.low(), unsure.probability), (Probability::ZERO, Probability::ZERO));
    assert_eq!(unsure.interval.high(), Probability::HALF);
    assert_eq!(Continuations { invalid: 9, ..sure }.estimate().unwrap(), estimate);
}

#[test]
fn the_largest_counts_give_probabilities() {
    let most = u64::MAX;
    let branches =
        Continuations { successes: most, failures: most, unresolved: most, invalid: most };
    let estimate = branches.estimate().unwrap();
    assert_eq!(estimate.probability, Probability::HALF);
    assert!(estimate.interval.low() < estimate.probability);
    assert!(estimate.probability < estimate.interval.high());
}

#[test]
fn settings_and_lengths_are_checked() {
    let branches = [Continuations::default()];
    let error = hybrid_success_probabilities(&branches, &[Probability::HALF], 0).unwrap_err();
    assert!(error.to_string().starts_with("min_valid is 0"), "{error}");
    assert_eq!(hybrid_success_probabilities(&branches, &[], 1), Err(length("plug_in", 1, 0)));
}

#[test]
fn only_a_log_score_that_is_clipped_has_a_bound() {
    let log = LogScore::exact();
    assert!(matches!(plug_in_regret_bound(&log, 0.0), Err(Error::Undetermined { .. })));
    let floor = -(1e-6_f64.ln());
    let bound = plug_in_regret_bound(&LogScore::clipped(1e-6).unwrap(), 0.5).unwrap();
    assert!((bound - floor).abs() < 1e-5, "{bound}");
    // B(3, 4) for a certainty that failed, B(2, 5) for one that came true.
    let beta = BetaScore::new(2.0, 4.0).unwrap();
    let bound = plug_in_regret_bound(&beta, 0.5).unwrap();
    assert!((bound - 1.0 / 30.0).abs() < 1e-15, "{bound}");
}

#[test]
fn a_constant_on_top_of_a_rule_leaves_the_bound() {
    let brier = from_fn(|p: Probability, y: bool| 2.0 - (p.get() - f64::from(y)).powi(2));
    assert_eq!(plug_in_regret_bound(&brier, 0.25), Ok(0.5));
}

#[test]
fn a_bias_outside_its_range_and_another_length_are_refused() {
    for bias in [1.5, -1.5, f64::NAN] {
        let error = plug_in_regret_bound(&LogScore::exact(), bias).unwrap_err();
        assert!(error.to_string().starts_with("bias is"), "{error}");
    }
    let one = audited(&[Probability::ONE], &[Probability::ONE]);
    let weights = plug_in_bias(&one, Some(&[Weight::ONE; 2]));
    assert_eq!(weights, Err(length("weights", 1, 2)));
    assert_eq!(plug_in_bias(&one, Some(&[Weight::ZERO])), Err(EMPTY));
}
