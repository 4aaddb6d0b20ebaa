//! The effect of hidden outcomes on scores.

use censoring::{
    CensoringShift, Error, IpcwWeights, KaplanMeier, Probability, ScoringRule, Seed, Stopped,
    TerminationAudit, Tps, Trace, Weight, WeightSchedule, artificial_stops, from_fn, simple_score,
};
use proptest::prelude::*;
use trajectory_metrics::{BetaScore, BrierScore, LogScore, Traces};

use crate::{Draws, entry, length, p, recorded_games, stops};

fn log() -> LogScore {
    LogScore::clipped(1e-6).unwrap()
}

fn beta(a: f64, b: f64) -> BetaScore {
    BetaScore::new(a, b).unwrap()
}

/// How far the closed form is from the plain difference.
#[derive(Default)]
struct Check {
    combinations: usize,
    largest: f64,
    /// In units of 4.4e-16 times the number of steps.
    in_steps: f64,
    /// The same also divided by the larger score where that is above 1: a score of 13.8 (the log of
    /// the clip) is itself rounded by up to 9e-16, which is too much for a run of two steps.
    in_steps_and_size: f64,
}

impl Check {
    fn rule<R: ScoringRule + Clone>(&mut self, rule: &R, traces: &Traces, stops: &[Option<usize>]) {
        for schedule in WeightSchedule::NAMED {
            let tps =
                Tps::new(from_fn(|p: Probability, y: bool| rule.score(p, y)), schedule.clone());
            let fast = Tps::new(rule.clone(), schedule);
            for (trace, &stop) in traces.iter().zip(stops) {
                let Some(stop) = stop else { continue };
                let shift = CensoringShift::new(&tps, trace, stop).unwrap();
                let hidden = Stopped::with_hidden_outcome(trace, stop).unwrap();
                let complete = fast.score(trace).unwrap();
                let simple = simple_score(&fast, &hidden).unwrap();
                let error = (shift.total() - (simple - complete)).abs();
                assert!(error.is_finite());
                self.combinations += 1;
                self.largest = self.largest.max(error);
                let in_steps = error / (4.4e-16 * trace.forecasts().len() as f64);
                self.in_steps = self.in_steps.max(in_steps);
                let size = simple.abs().max(complete.abs()).max(1.0);
                self.in_steps_and_size = self.in_steps_and_size.max(in_steps / size);
                assert!(trace.outcome() || shift.prefix_swap == 0.0);
                assert!(shift.tail_omission >= 0.0);
            }
        }
    }

    /// Nine rates, six rules, four schedules.
    fn all(traces: &Traces, ids: &[String]) -> Self {
        let mut check = Self::default();
        let lengths: Vec<usize> = traces.iter().map(|trace| trace.forecasts().len()).collect();
        for tenths in 1..=9_u32 {
            let rate = p(f64::from(tenths) / 10.0);
            let stops = artificial_stops(&lengths, ids, |_| rate, Seed(u64::from(tenths))).unwrap();
            check.rule(&log(), traces, &stops);
            check.rule(&BrierScore, traces, &stops);
            check.rule(&beta(2.0, 4.0), traces, &stops);
            check.rule(&beta(4.0, 2.0), traces, &stops);
            check.rule(&beta(0.5, 0.5), traces, &stops);
            check.rule(&beta(1.7, 3.0), traces, &stops);
        }
        println!(
            "{} combinations, largest error {:.2e}: {:.3} of 4.4e-16 times the steps, {:.3} of that \
             times the size of the score",
            check.combinations, check.largest, check.in_steps, check.in_steps_and_size
        );
        check
    }
}

#[test]
fn on_recorded_games_the_closed_form_is_the_plain_difference() {
    let Some((traces, ids)) = recorded_games() else { return };
    let check = Check::all(&traces, &ids);
    assert!(check.combinations >= 60_000, "{}", check.combinations);
    assert!(check.in_steps <= 1.0, "{}", check.in_steps);
}

#[test]
fn on_made_up_runs_the_closed_form_is_the_plain_difference() {
    let (mut draws, mut traces, mut ids) = (Draws(20_261_122), Traces::default(), Vec::new());
    for i in 0..300 {
        let steps = 1 + (draws.unit() * 40.0) as usize;
        let forecasts: Vec<f64> = (0..steps)
            .map(|_| {
                let p = draws.unit();
                // Some are sure, and some nearly so.
                if p < 0.05 {
                    0.0
                } else if p > 0.95 {
                    1.0
                } else {
                    p.powi(1 + i % 5)
                }
            })
            .collect();
        traces.push(Probability::from_slice(&forecasts).unwrap(), draws.unit() < 0.5).unwrap();
        ids.push(i.to_string());
    }
    let check = Check::all(&traces, &ids);
    assert!(check.combinations > 25_000, "{}", check.combinations);
    assert!(check.in_steps_and_size <= 1.0, "{}", check.in_steps_and_size);
}

#[test]
fn shifts_agree_with_forty_digits() {
    let mut cases = 0;
    for line in include_str!("../golden/shift.csv").lines().skip(2) {
        let fields: Vec<&str> = line.split(';').collect();
        let number = |i: usize| fields[i].parse::<f64>().unwrap();
        let forecasts: Vec<f64> = fields[4].split(' ').map(|p| p.parse().unwrap()).collect();
        let forecasts = Probability::from_slice(&forecasts).unwrap();
        let trace = Trace::new(forecasts, fields[2] == "1").unwrap();
        let stop = fields[3].parse().unwrap();
        let schedule: WeightSchedule = fields[1].parse().unwrap();
        let rule: Box<dyn ScoringRule> = match fields[0] {
            "log" => Box::new(log()),
            "brier" => Box::new(BrierScore),
            _ => Box::new(beta(2.0, 4.0)),
        };
        let shift = CensoringShift::new(&Tps::new(rule, schedule), trace, stop).unwrap();
        for (found, want) in [
            (shift.prefix_swap, number(5)),
            (shift.tail_omission, number(6)),
            (shift.total(), number(7)),
        ] {
            assert!((found - want).abs() <= 2e-15 * want.abs().max(1.0), "{line}: {found}");
        }
        cases += 1;
    }
    assert_eq!(cases, 240);
}

#[test]
fn swapping_pays_where_forecasts_are_below_one_half() {
    let tps = Tps::new(log(), WeightSchedule::LinearFront);
    for (forecast, sign) in [(0.3, 1.0), (0.5, 0.0), (0.7, -1.0)] {
        let forecasts = [p(forecast); 5];
        let trace = Trace::new(&forecasts, true).unwrap();
        let swap = CensoringShift::new(&tps, trace, 5).unwrap().prefix_swap;
        assert_eq!(swap == 0.0, sign == 0.0);
        assert!(swap * sign >= 0.0, "{forecast}: {swap}");
    }
}

#[test]
fn an_invalid_stop_and_an_infinite_score_are_refused() {
    let forecasts = Probability::from_slice(&[0.5, 0.9, 1.0]).unwrap();
    let trace = Trace::new(forecasts, false).unwrap();
    let exact = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
    for stop in [0, 4] {
        use trajectory_metrics::Error as Of;
        let refused = |error: Error| match error {
            Error::TrajectoryMetrics(Of::EmptyTrace { index: 0, .. }) => stop == 0,
            Error::TrajectoryMetrics(Of::Horizon { horizon: 3, steps: 4, .. }) => stop == 4,
            _ => false,
        };
        assert!(refused(Stopped::with_hidden_outcome(trace, stop).unwrap_err()));
        assert!(refused(CensoringShift::new(&exact, trace, stop).unwrap_err()));
    }
    for stop in 1..=3 {
        assert_eq!(entry(CensoringShift::new(&exact, trace, stop).unwrap_err()), 3);
    }
    for score in [f64::NAN, -1e300] {
        let tps = Tps::new(from_fn(|_: Probability, _: bool| score), WeightSchedule::Uniform);
        let error = CensoringShift::new(&tps, trace, 1).unwrap_err();
        assert_eq!(entry(error), 1);
    }
}

/// Complete runs, one place in each at which it is cut off, and whether it is.
fn runs() -> impl Strategy<Value = Vec<(Vec<f64>, bool, usize, bool)>> {
    let run = prop::collection::vec(0.0..=1.0_f64, 1..12)
        .prop_flat_map(|p| (1..=p.len(), Just(p)))
        .prop_flat_map(|(stop, p)| (Just(p), any::<bool>(), Just(stop), any::<bool>()));
    prop::collection::vec(run, 1..12)
}

/// Every figure that this crate gives for these runs where some outcomes are hidden, as bits.
fn figures(runs: &[(Vec<f64>, bool, usize, bool)]) -> Vec<u64> {
    let tps = Tps::new(log(), WeightSchedule::LinearFront);
    let mut audit = TerminationAudit::default();
    let (mut times, mut cut_offs, mut scores, mut found) = (vec![], vec![], vec![], vec![]);
    for (forecasts, outcome, stop, hide) in runs {
        let trace = Trace::new(Probability::from_slice(forecasts).unwrap(), *outcome).unwrap();
        if *hide {
            let run = Stopped::with_hidden_outcome(trace, *stop).unwrap();
            assert_eq!((run.outcome(), run.horizon()), (None, forecasts.len()));
            audit.update(&run, Weight::ONE);
            found.push(simple_score(&tps, &run).unwrap());
            times.push(*stop as f64);
            scores.push(None);
        } else {
            times.push(forecasts.len() as f64);
            scores.push(Some(tps.score(trace).unwrap()));
        }
        cut_offs.push(*hide);
    }
    let stops = stops(&times, &cut_offs);
    let g = KaplanMeier::censoring_curve(&stops);
    let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
    found.push(weights.mean_score(&scores).unwrap());
    for (_, _, group) in audit.rows() {
        found.extend([group.runs as f64, group.mean_length, group.mean_forecast]);
    }
    found.into_iter().map(f64::to_bits).collect()
}

proptest! {
    #[test]
    fn hidden_outcomes_and_what_came_after_the_stop_never_enter_any_score(
        runs in runs(),
        flips in prop::collection::vec(any::<bool>(), 12),
        tail in 0.0..=1.0_f64,
    ) {
        let mut flipped = runs.clone();
        for ((forecasts, outcome, stop, hide), flip) in flipped.iter_mut().zip(flips) {
            if *hide {
                *outcome ^= flip;
                forecasts[*stop..].fill(tail);
            }
        }
        prop_assert_eq!(figures(&flipped), figures(&runs));
    }
}

#[test]
fn the_stops_of_a_seed_do_not_change_with_versions() {
    let lengths = [3, 40, 7, 1, 12, 25, 12, 12];
    let ids: Vec<usize> = (0..8).collect();
    let stops = artificial_stops(&lengths, &ids, |_| Probability::HALF, Seed(42)).unwrap();
    assert_eq!(stops, [Some(1), Some(12), None, None, None, None, Some(9), Some(7)]);
}

#[test]
fn every_run_and_every_step_is_as_likely_as_its_rate_says() {
    let lengths = [5, 5, 5, 3, 5];
    let ids = [0, 1, 2, 3, 4];
    let rate = |length: usize| p(if length == 5 { 0.3 } else { 0.6 });
    let mut counts = [[0_u32; 6]; 5];
    for seed in 0..20_000 {
        let stops = artificial_stops(&lengths, &ids, rate, Seed(seed)).unwrap();
        for (run, stop) in stops.iter().enumerate() {
            counts[run][stop.unwrap_or_default()] += 1;
        }
    }
    for (run, count) in counts.iter().enumerate() {
        let steps = lengths[run] - 1;
        let each = rate(lengths[run]).get() / steps as f64 * 20_000.0;
        for &cut in &count[1..=steps] {
            // Five standard deviations.
            assert!((f64::from(cut) - each).abs() < 5.0 * each.sqrt(), "{run}: {count:?}");
        }
        assert_eq!(count[steps + 1..].iter().sum::<u32>(), 0);
    }
}

#[test]
fn rates_of_zero_and_one_are_none_and_all() {
    let one_id = artificial_stops(&[3, 4], &["a"], |_| Probability::HALF, Seed(1));
    assert_eq!(one_id, Err(length("ids", 2, 1)));
    let lengths: Vec<usize> = (1..200).map(|i| 1 + i * 7 % 23).collect();
    let ids: Vec<usize> = (1..200).collect();
    for seed in 0..20 {
        let cut = |p: Probability| artificial_stops(&lengths, &ids, |_| p, Seed(seed)).unwrap();
        assert!(cut(Probability::ZERO).iter().all(Option::is_none));
        let all = cut(Probability::ONE);
        assert!(all.iter().zip(&lengths).all(|(stop, &n)| stop.is_some() == (n > 1)));
    }
}

proptest! {
    #[test]
    fn in_every_range_of_lengths_the_number_is_less_than_one_off(
        runs in prop::collection::vec((2_usize..30, any::<u16>()), 1..60),
        rates in prop::collection::vec(0.0..=1.0_f64, 30),
        seed in any::<u64>(),
    ) {
        let lengths: Vec<usize> = runs.iter().map(|run| run.0).collect();
        let ids: Vec<(u16, usize)> = runs.iter().enumerate().map(|(i, run)| (run.1, i)).collect();
        let rate = |length: usize| p(rates[length]);
        let stops = artificial_stops(&lengths, &ids, rate, Seed(seed)).unwrap();
        for low in 2..30 {
            for high in low..30 {
                let within = |&i: &usize| (low..=high).contains(&lengths[i]);
                let among = || (0..runs.len()).filter(within);
                let expected: f64 = among().map(|i| rates[lengths[i]]).sum();
                let found = among().filter(|&i| stops[i].is_some()).count() as f64;
                prop_assert!((found - expected).abs() < 1.0 + 1e-9, "{low}-{high}: {found} {expected}");
            }
        }
    }

    #[test]
    fn the_order_of_runs_leaves_no_trace(
        mut runs in prop::collection::vec((1_usize..9, any::<u64>()), 1..40),
        seed in any::<u64>(),
    ) {
        runs.sort_by_key(|run| run.1);
        runs.dedup_by_key(|run| run.1);
        let cut = |runs: &[(usize, u64)]| {
            let (lengths, ids): (Vec<usize>, Vec<u64>) = runs.iter().copied().unzip();
            artificial_stops(&lengths, &ids, |_| Probability::HALF, Seed(seed)).unwrap()
        };
        let stops = cut(&runs);
        runs.reverse();
        let mut reversed = cut(&runs);
        reversed.reverse();
        prop_assert_eq!(stops, reversed);
    }
}
