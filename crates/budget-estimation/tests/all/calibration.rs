//! Coverage that holds: against an adversary and under cut-offs.

use budget_estimation::{
    AdaptiveConformal, BudgetMonitor, Calibrated, Error, Estimate, Estimator, PastQuantiles,
    RecordedRun, Sample,
};
use proptest::prelude::*;
use rand_chacha::{ChaCha8Rng, rand_core::SeedableRng};

use crate::common::{
    after_a_turn, always, exponential, interval, learnt, level, refused, runs, stored, uniform,
};

fn adaptive(coverage: f64, step: f64) -> AdaptiveConformal {
    AdaptiveConformal::new(level(coverage), step).unwrap()
}

/// How an adversary who knows the margin sets the next score.
#[derive(Clone, Copy, Debug)]
enum Move {
    JustMiss,
    JustHold,
    Far(i8),
}

fn moves() -> impl Strategy<Value = Vec<Vec<Move>>> {
    let one = prop_oneof![
        Just(Move::JustMiss),
        Just(Move::JustHold),
        (-100_i8..=100).prop_map(Move::Far),
    ];
    // Stretches of the same move are what a slow learner is worst at.
    let stretch = (one, 1_usize..40).prop_map(|(one, n)| vec![one; n]);
    let run = prop_oneof![
        4 => prop::collection::vec(stretch.clone(), 1..2).prop_map(|s| s.concat()),
        1 => prop::collection::vec(stretch, 1..4).prop_map(|s| s.concat()),
    ];
    prop::collection::vec(run, 1..60)
}

/// Plays the runs, with scores within `most`; gives misses, scores and the longest run.
fn play(calibrator: &mut AdaptiveConformal, runs: &[Vec<Move>], most: f64) -> (f64, f64, f64) {
    let (mut misses, mut n, mut longest) = (0.0, 0.0, 0.0_f64);
    for run in runs {
        let margin = calibrator.margin();
        let scores: Vec<f64> = run
            .iter()
            .map(|&one| match one {
                Move::JustMiss => margin.next_up().clamp(-most, most),
                Move::JustHold => margin.clamp(-most, most),
                Move::Far(far) => f64::from(far) / 100.0 * most,
            })
            .collect();
        let missed = |score: f64| match margin {
            f64::INFINITY => false,
            f64::NEG_INFINITY => true,
            margin => score > margin,
        };
        misses += scores.iter().filter(|&&score| missed(score)).count() as f64;
        n += scores.len() as f64;
        longest = longest.max(scores.len() as f64);
        calibrator.update(&scores);
    }
    (misses, n, longest)
}

proptest! {
    #[test]
    fn adaptive_conformal_inference_keeps_its_bound_against_an_adversary(
        runs in moves(),
        coverage in 0.05_f64..0.95,
        step in 0.001_f64..0.5,
    ) {
        let miss = 1.0 - coverage;
        let mut calibrator = adaptive(coverage, step);
        let (misses, n, longest) = play(&mut calibrator, &runs, 1e6);
        let published = (miss.max(1.0 - miss) + step * longest) / (step * n);
        prop_assert!((misses / n - miss).abs() <= published * (1.0 + 1e-9));
        prop_assert!((calibrator.bound() / published - 1.0).abs() < 1e-9);
    }
}

/// Runs of turns with exponential costs that succeed after five, cut off by a random cap.
#[test]
fn survival_aware_quantiles_are_right_under_random_caps_and_naive_ones_too_low() {
    let mut generator = ChaCha8Rng::seed_from_u64(2);
    let mut aware = PastQuantiles::survival_aware(level(0.6));
    let mut naive = PastQuantiles::new(level(0.6));
    let n = 6_000;
    for _ in 0..n {
        let costs: Vec<f64> = (0..5).map(|_| exponential(&mut generator)).collect();
        let cap = 2.0 + 8.0 * uniform(&mut generator);
        let mut kept = costs.clone();
        let (mut spent, mut succeeded) = (0.0, true);
        for (turn, cost) in costs.iter().enumerate() {
            if spent + cost > cap {
                kept.truncate(turn);
                kept.push(cap - spent);
                succeeded = false;
                break;
            }
            spent += cost;
        }
        let (mut rollouts, tokens) = runs([(kept, succeeded)]);
        if !succeeded {
            rollouts.set_censored(0).unwrap();
        }
        aware.learn(&rollouts.get(0).unwrap(), tokens).unwrap();
        naive.learn(&rollouts.get(0).unwrap(), tokens).unwrap();
    }
    let (probe_of, tokens) = runs([([1.0, 1.0], true)]);
    let prefix = after_a_turn(&probe_of, 0, tokens);
    let ends = |estimator: &mut PastQuantiles| estimator.estimate(&prefix).unwrap().ends().unwrap();
    // The other four turns: a gamma distribution of shape 4.
    let share_below = |x: f64| 1.0 - (-x).exp() * (1.0 + x + x.powi(2) / 2.0 + x.powi(3) / 6.0);
    let (right, wrong) = (ends(&mut aware), ends(&mut naive));
    // 0.02 is three standard errors at the upper end, where a third of the runs is left at risk.
    assert!((share_below(right.low()) - 0.2).abs() < 0.02, "{right:?}");
    assert!((share_below(right.high()) - 0.8).abs() < 0.02, "{right:?}");
    assert!(share_below(wrong.high()) < 0.72, "{wrong:?}");
    assert!(share_below(wrong.low()) < 0.19, "{wrong:?}");
    // Before the first turn: all five.
    let whole =
        aware.estimate(&probe_of.get(0).unwrap().probe(tokens).unwrap()).unwrap().ends().unwrap();
    let share_below = |x: f64| share_below(x) - (-x).exp() * x.powi(4) / 24.0;
    assert!((share_below(whole.low()) - 0.2).abs() < 0.02, "{whole:?}");
    assert!((share_below(whole.high()) - 0.8).abs() < 0.02, "{whole:?}");
}

#[test]
fn only_a_run_that_failed_can_have_been_cut_off() {
    let (mut rollouts, _) = runs([([1.0], true)]);
    refused(rollouts.set_censored(0), "rollout 0 succeeded");
    assert!(matches!(rollouts.set_censored(1), Err(Error::NoSuchRollout { .. })));
}

#[test]
fn the_adaptive_rule_keeps_its_coverage_when_costs_triple() {
    let mut generator = ChaCha8Rng::seed_from_u64(3);
    let (rollouts, tokens) = runs((0..600).map(|run| {
        let scale = if run < 300 { 1.0 } else { 3.0 };
        let turns = 3 + (uniform(&mut generator) * 8.0) as usize;
        let cost = |_| scale * (1.0 + exponential(&mut generator));
        ((0..turns).map(cost).collect::<Vec<f64>>(), true)
    }));
    let mut calibrated = Calibrated::new(always(interval(10.0, 10.0)), adaptive(0.8, 0.01));
    let samples = rollouts.score(tokens, &mut calibrated).unwrap();
    let late: Vec<_> = samples.iter().filter(|sample| sample.rollout() >= 350).collect();
    let share = late.iter().filter(|sample| sample.is_hit()).count() as f64 / late.len() as f64;
    assert!((share - 0.8).abs() < 0.04, "{share}");
}

/// Runs that are all alike: the margin is the score of each of them, and each is held.
#[test]
fn an_interval_that_counted_as_held_holds_to_the_last_bit() {
    for (claimed, cost) in
        [(4.0, 1.0), (190.0, 2.0), (49.0, 56.0), (0.3, 0.1), (0.1, 0.3), (1e6, 0.7)]
    {
        let (rollouts, tokens) = runs((0..9).map(|_| ([0.1, 0.2, cost], true)));
        let point = always(interval(claimed, claimed));
        let mut calibrated = Calibrated::new(point, adaptive(0.8, 0.001));
        let samples = rollouts.score(tokens, &mut calibrated).unwrap();
        // The margin is finite from the third run on.
        let (first, later) = samples.split_at(4);
        assert!(first.iter().all(|it| it.estimate() == Estimate::NoAnswer));
        assert!(later.iter().all(Sample::is_hit), "{claimed} {cost}");
    }
}

/// What a run left without an end, a probe and an estimate after the last turn leave behind.
#[test]
fn only_prefixes_of_the_run_that_ended_are_learnt_from() {
    let (rollouts, tokens) = runs([(&[5.0; 3][..], true), (&[50.0, 40.0, 30.0, 20.0], true)]);
    let [first, second] = [0, 1].map(|at| rollouts.get(at).unwrap());
    let fresh = || Calibrated::new(always(interval(10.0, 10.0)), adaptive(0.5, 0.001));
    let mut clean = fresh();
    for prefix in first.replay(tokens).unwrap() {
        clean.estimate(&prefix).unwrap();
    }
    clean.learn(&first, tokens).unwrap();
    let mut disturbed = fresh();
    for prefix in second.replay(tokens).unwrap() {
        disturbed.estimate(&prefix).unwrap();
    }
    disturbed.estimate(&second.probe(tokens).unwrap()).unwrap();
    let mut live = RecordedRun::new(BudgetMonitor::new([("tokens", None)]).unwrap()).unwrap();
    for _ in 0..first.turns() {
        live.push(&[Some(5.0)]).unwrap();
        let prefix = live.prefix(tokens).unwrap();
        disturbed.estimate(&prefix).unwrap();
        disturbed.estimate(&prefix).unwrap();
    }
    disturbed.learn(&first, tokens).unwrap();
    assert_eq!(disturbed.calibrator().margin(), clean.calibrator().margin());
    assert_eq!(disturbed.calibrator().bound(), clean.calibrator().bound());
}

/// A level that has reached 1 holds nothing, also where a margin has no size.
#[test]
fn a_margin_of_minus_infinity_is_no_answer() {
    let (rollouts, tokens) = runs([([5.0, 5.0], true)]);
    let mut calibrated = Calibrated::new(always(interval(0.0, 0.0)), adaptive(0.1, 1.0));
    for _ in 0..2 {
        let samples = rollouts.score(tokens, &mut calibrated).unwrap();
        assert_eq!(samples[0].estimate(), Estimate::NoAnswer);
        assert_eq!(calibrated.calibrator().margin(), f64::NEG_INFINITY);
    }
}

#[test]
fn before_the_first_turn_past_quantiles_are_those_of_whole_runs_and_only_there() {
    let (rollouts, tokens) = runs([
        (&[30.0][..], true),
        (&[10.0], true),
        (&[40.0], true),
        (&[20.0], true),
        (&[5.0, 5.0], true),
    ]);
    let mut past = PastQuantiles::new(level(0.5));
    let last = rollouts.get(4).unwrap();
    let before = last.probe(tokens).unwrap();
    assert_eq!(past.estimate(&before), Ok(Estimate::NoAnswer));
    assert_eq!(rollouts.score(tokens, &mut past).unwrap().len(), 1);
    // 5 runs spent 10, 10, 20, 30 and 40; one went on for a turn.
    assert_eq!(past.estimate(&before), Ok(interval(10.0, 30.0)));
    let after = after_a_turn(&rollouts, 4, tokens);
    assert_eq!(past.estimate(&after), Ok(Estimate::NoAnswer));
}

#[test]
fn past_quantiles_answer_from_the_first_run_that_is_enough_on() {
    // `2 / (1 - coverage)` on paper; in doubles for 0.9999 it is above that by 2e-9.
    for (coverage, enough) in [(0.5, 4), (0.8, 10), (0.9, 20), (0.999, 2000), (0.9999, 20_000)] {
        let (rollouts, tokens) = runs([([10.0], true)]);
        let run = rollouts.get(0).unwrap();
        let mut past = PastQuantiles::new(level(coverage));
        for known in 0..=enough {
            let answer = past.estimate(&run.probe(tokens).unwrap()).unwrap();
            assert_eq!(answer != Estimate::NoAnswer, known == enough, "{known} for {coverage}");
            past.learn(&run, tokens).unwrap();
        }
    }
}

#[test]
fn past_quantiles_late_in_a_run_are_those_of_the_latest_turn_that_enough_runs_reached() {
    let mut all = [30.0, 10.0, 40.0, 20.0].map(|cost| (vec![1.0, 2.0, cost], true)).to_vec();
    all.push((vec![1.0; 9], true));
    let (rollouts, tokens) = runs(all);
    let mut past = learnt(PastQuantiles::new(level(0.5)), &rollouts, tokens);
    let last = rollouts.get(4).unwrap();
    let mut answers = last.replay(tokens).unwrap().map(|k| past.estimate(&k).unwrap());
    // After 1 turn 8, 12, 22, 32 and 42 remained, after 2 turns 7, 10, 20, 30 and 40.
    assert_eq!(answers.next(), Some(interval(12.0, 32.0)));
    assert_eq!(answers.collect::<Vec<_>>(), [interval(10.0, 30.0); 7]);
}

proptest! {
    /// By the definition: over the times t of ends, `S = product of 1 - d / n`, d ends at t of n runs that
    /// were there until t, a cut-off at t among them; the quantile is the first t with `1 - S >= p`.
    #[test]
    fn survival_aware_quantiles_are_those_of_kaplan_and_meier_with_ties(
        past in prop::collection::vec((0_u8..12, any::<bool>()), 10..40),
        coverage in prop_oneof![Just(0.5), Just(0.8), 0.1..0.8_f64],
    ) {
        let run = |&(remaining, cut_off): &(u8, bool)| ([1.0, f64::from(remaining)], !cut_off);
        let (mut rollouts, tokens) = runs(past.iter().map(run));
        for (at, _) in past.iter().enumerate().filter(|(_, (_, cut_off))| *cut_off) {
            rollouts.set_censored(at).unwrap();
        }
        let aware = PastQuantiles::survival_aware(level(coverage));
        let mut aware = learnt(aware, &rollouts, tokens);
        let found = aware.estimate(&after_a_turn(&rollouts, 0, tokens)).unwrap().ends().unwrap();

        let quantile = |p: f64| {
            let mut surviving = 1.0;
            for t in 0..12 {
                let until = past.iter().filter(|(time, _)| *time >= t).count() as f64;
                let ends = past.iter().filter(|(time, cut)| *time == t && !cut).count() as f64;
                if ends > 0.0 {
                    surviving *= 1.0 - ends / until;
                    if 1.0 - surviving >= p - 1e-11 {
                        return f64::from(t);
                    }
                }
            }
            f64::from(past.iter().map(|(time, _)| *time).max().unwrap())
        };
        let tail = (1.0 - coverage) / 2.0;
        prop_assert_eq!((found.low(), found.high()), (quantile(tail), quantile(1.0 - tail)));
    }

    #[test]
    fn the_margin_is_the_score_of_the_exact_rank(
        // Few coverages, so that ranks are often whole.
        coverage in (1_i64..10).prop_map(|tenths| 10 * tenths),
        step in prop::sample::select(vec![50_i64, 100, 250, 500]),
        runs in prop::collection::vec(prop::collection::vec(0_i64..50, 0..6), 1..60),
        // Many scores are in several blocks.
        length in prop::sample::select(vec![1_usize, 40]),
        stored_at in 0_usize..60,
    ) {
        let runs = runs.into_iter().map(|run| run.repeat(length));
        let mut calibrator = adaptive(coverage as f64 / 100.0, step as f64 / 1000.0);
        let mut level = 10_000 * (100 - coverage);
        let (mut all, mut margin) = (Vec::new(), f64::INFINITY);
        for (at, run) in runs.enumerate() {
            if at == stored_at {
                calibrator = stored(&calibrator);
            }
            let scores: Vec<f64> = run.iter().map(|&score| score as f64).collect();
            let missed = scores.iter().filter(|&&score| score > margin).count() as i64;
            level += step * (10 * (100 - coverage) * run.len() as i64 - 1000 * missed);
            all.extend_from_slice(&scores);
            all.sort_by(f64::total_cmp);
            margin = match level {
                ..=0 => f64::INFINITY,
                1_000_000.. => f64::NEG_INFINITY,
                _ => {
                    let parts = (1_000_000 - level) * (all.len() as i64 + 1);
                    all.get((parts as usize).div_ceil(1_000_000) - 1).copied().unwrap_or(f64::INFINITY)
                }
            };
            calibrator.update(&scores);
            prop_assert_eq!(calibrator.margin(), margin);
        }
    }
}

#[test]
fn a_score_that_is_nan_counts_as_infinity() {
    for nan in [f64::NAN, -f64::NAN] {
        let mut calibrator = adaptive(0.5, 0.001);
        // The third of 1 and four infinite scores, then the fifth of 1, 2, 3, 3, 3 and them.
        calibrator.update(&[nan, 1.0, nan, nan, nan]);
        assert_eq!(calibrator.margin(), f64::INFINITY);
        calibrator = stored(&calibrator);
        calibrator.update(&[2.0, 3.0, 3.0, 3.0]);
        assert_eq!(calibrator.margin(), 3.0);
    }
}
