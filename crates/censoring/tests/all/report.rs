//! The report on runs that were cut off: against single functions, published figures and simulated
//! worlds whose truth is known.

use censoring::{
    CensoringAnalysis, CensoringAssumption, Continuations, Error, HiddenOutcomeShift, Interval,
    Intervals, IpcwWeights, KaplanMeier, Level, NoInterval, Probability, RankChange, RunScore,
    ScoringRule, Seed, StopClass, StopReason, StopTimes, Stopped, Tps, Trace, Weight,
    WeightSchedule, artificial_stops, exact_mean_score, from_fn, mean_score_bounds,
    simple_mean_score,
};
use trajectory_metrics::{BetaScore, BrierScore, LogScore, Traces};

use crate::{Draws, EMPTY, censored, entry, length, p, position, recorded_games};

fn rule(name: &str) -> Box<dyn ScoringRule> {
    match name {
        "log" => Box::new(LogScore::clipped(1e-6).unwrap()),
        "brier" => Box::new(BrierScore),
        _ => Box::new(BetaScore::new(2.0, 4.0).unwrap()),
    }
}

fn analysis() -> CensoringAnalysis {
    CensoringAnalysis::new(CensoringAssumption::NonInformative)
}

fn intervals(resamples: usize, seed: u64) -> Intervals {
    Intervals { resamples, seed: Seed(seed), ..Intervals::default() }
}

const HORIZON: usize = 8;

/// A run of a world in which the true probability of success is known at every step: an urn from
/// which a colour is drawn at each step, and once more for the outcome. A forecast exaggerates it.
struct UrnRun {
    task: u32,
    forecasts: Vec<Probability>,
    /// The true probability after each step.
    truth: Vec<Probability>,
    outcome: bool,
    /// The step after which the run is cut off.
    stop: Option<usize>,
}

/// How runs are cut off.
#[derive(Clone, Copy)]
enum World {
    /// After step 3 or 5, more often if success is unlikely by then: the stop depends on what the run
    /// has shown and on nothing else.
    NonInformative,
    /// After step 4, nine times as often if the run fails in the end.
    Informative,
}

/// The urns that a task may have, all equally likely.
fn urns(world: World) -> Vec<[f64; 2]> {
    let (successes, failures): (&[u8], &[u8]) = match world {
        World::NonInformative => (&[1, 2, 3], &[1, 2, 3]),
        World::Informative => (&[2, 3, 4], &[1, 2]),
    };
    let pairs = successes.iter().flat_map(|&a| failures.iter().map(move |&b| (a, b)));
    pairs.map(|(a, b)| [a.into(), b.into()]).collect()
}

fn probability(urn: [f64; 2]) -> Probability {
    p(urn[0] / (urn[0] + urn[1]))
}

fn exaggerated(q: Probability) -> Probability {
    let (success, failure) = (q.get().powi(2), q.complement().get().powi(2));
    p(success / (success + failure))
}

/// The steps after which a run may stop, with the probability of each if it was not cut off before. The
/// last step is the end of the run.
fn stop_rates(world: World, truth: &[Probability], outcome: bool) -> Vec<(usize, f64)> {
    match world {
        World::NonInformative => {
            let rate = |step: usize| if truth[step - 1].get() < 0.5 { 0.5 } else { 0.1 };
            vec![(3, rate(3)), (5, rate(5)), (HORIZON, 1.0)]
        }
        World::Informative => vec![(4, if outcome { 0.1 } else { 0.9 }), (HORIZON, 1.0)],
    }
}

fn urn_runs(world: World, tasks: u32, seed: u64) -> Vec<UrnRun> {
    let mut draws = Draws(seed);
    let urns = urns(world);
    let mut runs = Vec::new();
    for task in 0..tasks {
        let start = urns[draws.below(urns.len())];
        for _ in 0..3 {
            let mut urn = start;
            let (mut forecasts, mut truth) = (Vec::new(), Vec::new());
            for _ in 0..HORIZON {
                let colour = usize::from(!draws.chance(probability(urn).get()));
                urn[colour] += 1.0;
                truth.push(probability(urn));
                forecasts.push(exaggerated(probability(urn)));
            }
            let outcome = draws.chance(probability(urn).get());
            let rates = stop_rates(world, &truth, outcome);
            let stop = rates.into_iter().find(|&(_, rate)| draws.chance(rate));
            let stop = stop.map(|(step, _)| step).filter(|&step| step < HORIZON);
            runs.push(UrnRun { task, forecasts, truth, outcome, stop });
        }
    }
    runs
}

impl UrnRun {
    fn stopped(&self) -> Stopped<'_> {
        match self.stop {
            None => Stopped::new(&self.forecasts, Some(self.outcome), None).unwrap(),
            Some(stop) => Stopped::new(&self.forecasts[..stop], None, Some(StopReason::MaxSteps))
                .unwrap()
                .with_horizon(HORIZON)
                .unwrap(),
        }
    }

    fn at_stop(&self) -> Probability {
        self.truth[self.stop.unwrap_or(HORIZON) - 1]
    }
}

const RULES: [&str; 3] = ["log", "brier", "beta_2_4"];

/// The expected score of the observed steps with the true outcomes: the sum over all urns, draws,
/// outcomes and stops.
fn truths(world: World) -> [f64; 3] {
    let rules = RULES.map(|name| Tps::new(rule(name), WeightSchedule::LinearFront));
    let mut truths = [0.0; 3];
    let urns = urns(world);
    for &start in &urns {
        for draws in 0..1_u32 << HORIZON {
            let (mut urn, mut chance) = (start, 1.0 / urns.len() as f64);
            let (mut forecasts, mut truth) = (Vec::new(), Vec::new());
            for step in 0..HORIZON {
                let colour = (draws >> step & 1) as usize;
                chance *= urn[colour] / (urn[0] + urn[1]);
                urn[colour] += 1.0;
                truth.push(probability(urn));
                forecasts.push(exaggerated(probability(urn)));
            }
            for (outcome, of_outcome) in
                [(true, probability(urn).get()), (false, probability(urn).complement().get())]
            {
                let mut not_cut_off = 1.0;
                for &(step, rate) in &stop_rates(world, &truth, outcome) {
                    let weight = chance * of_outcome * not_cut_off * rate;
                    not_cut_off *= 1.0 - rate;
                    for (sum, tps) in truths.iter_mut().zip(&rules) {
                        let score = tps.prefix_score(&forecasts[..step], outcome, HORIZON);
                        *sum += weight * score.unwrap();
                    }
                }
            }
        }
    }
    truths
}

/// Returns, for each rule, in how many of 100 seeds the interval of the exact mean, that of the
/// complete-only mean, and the sensitivity ranges at odds ratios of 20 and of 2 contain the truth. Normal intervals at level 0.95 cover
/// the mean log score of the first world in 94.4 % of 20,000 samples of 150 tasks.
fn coverage(world: World, resamples: usize) -> [[u32; 4]; 3] {
    let truths = truths(world);
    let mut covered = [[0; 4]; 3];
    for seed in 0..100 {
        let runs = urn_runs(world, 150, seed * 1_000_003 + 5);
        let stopped: Vec<Stopped<'_>> = runs.iter().map(UrnRun::stopped).collect();
        let at_stop: Vec<Probability> = runs.iter().map(UrnRun::at_stop).collect();
        let tasks: Vec<u32> = runs.iter().map(|run| run.task).collect();
        let report_at = |odds_ratio, resamples| {
            analysis()
                .with_schedules(&[WeightSchedule::LinearFront])
                .with_intervals(Some(intervals(resamples, seed)))
                .with_odds_ratio(odds_ratio)
                .unwrap()
                .report(&stopped, Some(&at_stop), None, &tasks)
                .unwrap()
        };
        let (report, narrow) = (report_at(20.0, resamples), report_at(2.0, 0));
        for (i, (name, truth)) in RULES.into_iter().zip(truths).enumerate() {
            let row = report.comparison(name, "linear-front").unwrap();
            let exact = row.exact.unwrap().interval.unwrap();
            let complete = row.complete_only.unwrap().interval.unwrap();
            let narrow = narrow.comparison(name, "linear-front").unwrap().sensitivity.unwrap();
            let ranges = [exact, complete, row.sensitivity.unwrap(), narrow];
            for (count, range) in covered[i].iter_mut().zip(ranges) {
                *count += u32::from(range.contains(truth));
            }
        }
    }
    println!("exact, complete-only, sensitivity at 20 and at 2: {covered:?}");
    covered
}

#[test]
fn if_the_assumption_holds_the_interval_of_the_exact_mean_covers_the_truth() {
    for [exact, complete_only, ..] in coverage(World::NonInformative, 400) {
        assert!(exact >= 93, "{exact}");
        // The complete-only mean has another expectation.
        assert!(complete_only < exact, "{complete_only}");
    }
}

#[test]
fn if_the_assumption_fails_only_a_wide_sensitivity_range_covers_the_truth() {
    // A failure is cut off nine times as often as a success: the odds of success after a stop are one
    // ninth of those that the analysis was given. An odds ratio of 20 includes this, and one of 2 does
    // not.
    for [exact, _, wide, narrow] in coverage(World::Informative, 100) {
        assert!(exact <= 50, "{exact}");
        assert!(wide >= 99, "{wide}");
        assert!(narrow <= 5, "{narrow}");
    }
}

#[test]
fn every_figure_is_that_of_the_single_functions() {
    let runs = urn_runs(World::NonInformative, 20, 5);
    let mut stopped: Vec<Stopped<'_>> = runs.iter().map(UrnRun::stopped).collect();
    let broken = [Probability::HALF];
    stopped.push(Stopped::new(&broken, None, Some(StopReason::ParseError)).unwrap());
    let mut at_stop: Vec<Probability> = runs.iter().map(UrnRun::at_stop).collect();
    at_stop.push(Probability::ONE);
    let mut tasks: Vec<u32> = runs.iter().map(|run| run.task).collect();
    tasks.push(99);
    let report = analysis()
        .with_intervals(Some(intervals(100, 0)))
        .report(&stopped, Some(&at_stop), None, &tasks)
        .unwrap();

    assert_eq!(report.audit.count(StopClass::Excluded), 1);
    assert_eq!(report.comparisons.len(), 12);
    let rate = report.audit.censoring_rate().unwrap();
    assert!(report.length_ratio().unwrap() < 1.0 && report.forecast_difference().unwrap() < 0.0);
    stopped.pop();
    at_stop.pop();
    let known = |run: &Stopped<'_>| Weight::from(u32::from(run.outcome().is_some()));
    let known: Vec<Weight> = stopped.iter().map(known).collect();
    let stops = StopTimes::from_runs(&stopped, None).unwrap();
    let g = KaplanMeier::censoring_curve(&stops);
    let weights = IpcwWeights::new(&stops, |_| &g, f64::INFINITY).unwrap();
    // Only rounding leads above 1.
    assert_eq!(report.ipcw_coverage, weights.coverage().min(1.0));
    for row in &report.comparisons {
        let tps = Tps::new(rule(&row.rule), row.schedule.parse().unwrap());
        let score = |run: &Stopped<'_>| {
            run.outcome().map(|y| tps.prefix_score(run.forecasts(), y, run.horizon()).unwrap())
        };
        let scores: Vec<Option<f64>> = stopped.iter().map(score).collect();
        let ipcw = row.ipcw.unwrap();
        assert_eq!(ipcw.value, weights.normalized_mean_score(&scores).unwrap());
        let complete = simple_mean_score(&tps, &stopped, Some(&known)).unwrap();
        let simple = simple_mean_score(&tps, &stopped, None).unwrap();
        let exact = exact_mean_score(&tps, &stopped, &at_stop, None).unwrap();
        let successes = vec![Probability::ONE; stopped.len()];
        let as_success = exact_mean_score(&tps, &stopped, &successes, None).unwrap();
        assert_eq!(row.complete_only.unwrap().value, complete);
        assert_eq!((row.simple.value, row.exact.unwrap().value), (simple, exact));
        assert_eq!(row.as_success.value, as_success);
        assert_eq!(row.simple_shift.unwrap().value, simple - complete);
        assert_eq!(row.exact_shift.unwrap().value, exact - complete);
        assert_eq!(row.exact_minus_simple.unwrap().value, exact - simple);
        assert_eq!(row.simple_shift_per_rate, Some((simple - complete) / rate));
        assert_eq!(row.exact_shift_per_rate, Some((exact - complete) / rate));
        assert_eq!(row.bounds, mean_score_bounds(&tps, &stopped, None, None).unwrap());
        let within = |inner: Interval, outer: Interval| {
            outer.low() <= inner.low() && inner.high() <= outer.high()
        };
        assert!(within(row.sensitivity.unwrap(), row.bounds));
        for estimate in [row.simple, row.exact.unwrap(), row.simple_shift.unwrap(), ipcw] {
            assert!(estimate.interval.unwrap().contains(estimate.value), "{row:?}");
            assert!(estimate.standard_error.unwrap() > 0.0);
        }
    }
}

#[test]
fn without_probabilities_or_complete_runs_figures_are_missing_and_not_invented() {
    let forecasts = [p(0.4), p(0.3)];
    let cut_off = censored(&forecasts);
    let report =
        analysis().report(&[cut_off.clone(), cut_off.clone()], None, None, &["a", "a"]).unwrap();
    for row in &report.comparisons {
        assert_eq!((row.complete_only, row.exact, row.sensitivity), (None, None, None));
        assert_eq!((row.simple_shift, row.simple_shift_per_rate), (None, None));
        // One task has no spread between tasks.
        let few =
            NoInterval::TooFewClusters { found: 1, least: 6, level: Level::new(0.95).unwrap() };
        assert_eq!((row.simple.interval, row.simple.standard_error), (Err(few), None));
        assert_eq!(row.ipcw, None);
    }
    assert_eq!((report.length_ratio(), report.forecast_difference()), (None, None));
    let complete = Stopped::new(&forecasts, Some(true), None).unwrap();
    let report = analysis().report(&[complete.clone(), complete], None, None, &[1, 2]).unwrap();
    assert!(report.comparisons.iter().all(|row| row.simple_shift_per_rate.is_none()));
    assert!(report.comparisons.iter().all(|row| row.simple_shift.unwrap().value == 0.0));

    let excluded = Stopped::new(&forecasts, None, None).unwrap();
    assert_eq!(analysis().report(&[excluded], None, None, &[1]), Err(EMPTY));
    let runs = [cut_off];
    assert_eq!(analysis().report(&runs, None, None, &[1, 2]), Err(length("clusters", 1, 2)));
    assert_eq!(
        analysis().report(&runs, Some(&[]), None, &[1]),
        Err(length("success_probabilities", 1, 0))
    );
    for odds_ratio in [0.5, f64::INFINITY, f64::NAN] {
        let error = analysis().with_odds_ratio(odds_ratio).unwrap_err();
        assert!(matches!(
            error,
            Error::ScoringRules(scoring_rules::Error::Setting { name: "odds_ratio", .. })
        ));
    }
}

#[test]
fn the_base_rate_rows_of_webshop_come_out_to_the_printed_digits() {
    // 118 successes among 163 complete runs and 145 runs at the budget: tables 11 and 14.
    let forecast = [p(118.0 / 308.0)];
    let runs: Vec<Stopped<'_>> = (0..308)
        .map(|i| match i {
            0..163 => Stopped::new(&forecast, Some(i < 118), None).unwrap(),
            _ => censored(&forecast),
        })
        .collect();
    let tasks: Vec<u32> = (0..308).collect();
    let report = analysis().report(&runs, None, None, &tasks).unwrap();
    assert_eq!(format!("{:.4}", report.audit.censoring_rate().unwrap()), "0.4708");
    for schedule in WeightSchedule::NAMED {
        let row = |rule| report.comparison(rule, schedule.name()).unwrap();
        assert_eq!(format!("{:.4}", row("log").complete_only.unwrap().value), "-0.8279");
        let shift = |rule| row(rule).simple_shift.unwrap().value;
        assert_eq!(format!("{:+.4}", shift("log")), "+0.1623");
        assert_eq!(format!("{:+.4}", shift("brier")), "+0.0797");
        assert_eq!(format!("{:+.5}", shift("beta_2_4")), "+0.00057");
        let per_rate = row("log").simple_shift_per_rate.unwrap();
        assert!((per_rate - shift("log") * 308.0 / 145.0).abs() < 1e-15);
    }
}

/// Continuations with the figures of table 7: 87 prefixes with enough outcomes among 100, 59 of them
/// without a success and 20 with a rate above one half.
fn continuations() -> Vec<Continuations> {
    let valid = |count, successes, failures| {
        let branches = Continuations { successes, failures, unresolved: 1, invalid: 0 };
        std::iter::repeat_n(branches, count)
    };
    let few = Continuations { successes: 2, failures: 2, unresolved: 4, invalid: 2 };
    valid(59, 0, 9)
        .chain(valid(8, 4, 4))
        .chain(valid(13, 9, 1))
        .chain(valid(6, 6, 2))
        .chain(valid(1, 7, 3))
        .chain(std::iter::repeat_n(few, 13))
        .collect()
}

#[test]
fn the_audit_of_continuations_comes_out_as_in_tables_7_and_9() {
    let forecasts = [p(892.0 / (1529.0 + 458.0)); 7];
    let run = censored(&forecasts);
    let runs = vec![run; 100];
    let prefixes: Vec<u32> = (0..100).collect();
    let branches = continuations();
    let audit = analysis().audit_continuations(&runs, &branches, None, &prefixes, 5).unwrap();

    assert_eq!((audit.retained, audit.left_out, audit.min_valid), (87, 13, 5));
    assert_eq!(format!("{:.3}", audit.mean.value), "0.240");
    let interval = audit.mean.interval.unwrap();
    // Table 7 prints [0.152, 0.327].
    assert!((interval.low() - 0.152).abs() < 0.02 && (interval.high() - 0.327).abs() < 0.02);
    assert_eq!(audit.median, 0.0);
    assert_eq!(format!("{:.1} %", 100.0 * audit.zero_share), "67.8 %");
    assert_eq!(format!("{:.1} %", 100.0 * audit.above_half_share), "23.0 %");
    assert_eq!((audit.mean_unresolved, audit.mean_invalid), (1.0, 0.0));
    assert_eq!(audit.success_probabilities.len(), 87);
    assert!(audit.success_probabilities.is_sorted());

    for row in &audit.comparisons {
        assert!(row.largest_identity_error <= 9e-16, "{row:?}");
        if row.rule == "log" {
            let found = [row.simple, row.exact, row.exact_minus_simple];
            let found = found.map(|estimate| format!("{:.3}", estimate.value));
            assert_eq!(found, ["-0.596", "-0.645", "-0.049"]);
        }
        let [failure, exact, success] =
            [row.unresolved_as_failure, row.exact_minus_simple, row.unresolved_as_success]
                .map(|estimate| estimate.value);
        // By the log and the Brier score, a success is bad for a forecast below one half.
        if row.rule != "beta_2_4" {
            assert!(success < exact && exact < failure && failure < 0.0, "{row:?}");
        }
    }
    assert_eq!(audit.comparisons.len(), 12);
}

#[test]
fn prefixes_with_too_few_outcomes_and_runs_that_are_not_cut_off_are_left_out() {
    let forecasts = [p(0.3)];
    let cut_off = censored(&forecasts);
    let complete = Stopped::new(&forecasts, Some(true), None).unwrap();
    let runs = [cut_off.clone(), cut_off, complete];
    let enough = Continuations { successes: 5, ..Continuations::default() };
    let few = Continuations { successes: 4, unresolved: 9, ..Continuations::default() };
    let audit = |branches: &[Continuations], min_valid| {
        analysis().audit_continuations(&runs, branches, None, &["a", "b", "c"], min_valid)
    };
    let found = audit(&[enough, few, enough], 5).unwrap();
    assert_eq!((found.retained, found.left_out), (1, 1));
    assert_eq!(found.success_probabilities, [Probability::ONE]);
    assert!(matches!(found.mean.interval, Err(NoInterval::TooFewClusters { found: 1, .. })));
    assert_eq!(audit(&[few, few, enough], 5), Err(EMPTY));
    assert!(matches!(
        audit(&[few; 3], 0),
        Err(Error::ScoringRules(scoring_rules::Error::Setting { name: "min_valid", .. }))
    ));
    assert_eq!(audit(&[few], 5), Err(length("continuations", 3, 1)));
}

/// The identity of appendix I.1 in every rule and schedule, for all runs and for either outcome.
fn check_split(traces: &Traces, ids: &[String], rate: f64) {
    let lengths: Vec<usize> = traces.iter().map(|trace| trace.forecasts().len()).collect();
    let stops = artificial_stops(&lengths, ids, |_| p(rate), Seed(1)).unwrap();
    let runs: Vec<Trace<'_>> = traces.iter().collect();
    for name in RULES {
        for schedule in WeightSchedule::NAMED {
            let tps = Tps::new(rule(name), schedule);
            let shift = HiddenOutcomeShift::new(&tps, &runs, &stops, None).unwrap();
            assert!(shift.largest_identity_error < 1e-12, "{shift:?}");
            let (failures, successes) = (shift.failures.unwrap(), shift.successes.unwrap());
            for part in [shift.all, failures, successes] {
                let plain = part.simple_score - part.complete_score;
                assert!((part.shift.total() - plain).abs() < 1e-12, "{part:?}");
                assert!(part.shift.tail_omission >= 0.0);
            }
            assert_eq!(failures.shift.prefix_swap, 0.0);
            assert_eq!(failures.runs + successes.runs, shift.all.runs);
            assert_eq!(failures.hidden + successes.hidden, shift.all.hidden);
            let by_outcome = failures.runs as f64 * failures.shift.total()
                + successes.runs as f64 * successes.shift.total();
            assert!((by_outcome / shift.all.runs as f64 - shift.all.shift.total()).abs() < 1e-12);
        }
    }
}

#[test]
fn the_split_of_the_shift_is_the_plain_difference_in_every_row() {
    let runs = urn_runs(World::NonInformative, 40, 3);
    let mut traces = Traces::default();
    for run in &runs {
        traces.push(&run.forecasts, run.outcome).unwrap();
    }
    let ids: Vec<String> = (0..runs.len()).map(|i| i.to_string()).collect();
    for rate in [0.25, 0.5, 0.75] {
        check_split(&traces, &ids, rate);
    }
}

#[test]
fn on_recorded_games_cut_off_at_75_percent_the_split_is_the_plain_difference_in_every_row() {
    let Some((traces, ids)) = recorded_games() else { return };
    assert_eq!(ids.len(), 783);
    check_split(&traces, &ids, 0.75);
}

#[test]
fn a_run_that_the_split_refuses_is_named() {
    let forecasts = [p(0.5)];
    let runs = [Trace::new(&forecasts, true).unwrap(); 2];
    let tps = Tps::new(BrierScore, WeightSchedule::Uniform);
    let error = HiddenOutcomeShift::new(&tps, &runs, &[None, Some(2)], None).unwrap_err();
    assert_eq!(position(error), 1);
    assert_eq!(HiddenOutcomeShift::new(&tps, &runs, &[], None), Err(length("stops", 2, 0)));
    let tps = Tps::new(LogScore::exact(), WeightSchedule::Uniform);
    let sure = [Probability::ZERO];
    let sure = [Trace::new(&sure, true).unwrap()];
    let error = HiddenOutcomeShift::new(&tps, &sure, &[Some(1)], None).unwrap_err();
    assert_eq!(position(error), 0);
    for scores in
        [[f64::NEG_INFINITY, -1.0], [-1.0, f64::NEG_INFINITY], [f64::NAN, -1.0], [-1.0, f64::NAN]]
    {
        let rule = from_fn(|_, outcome| scores[usize::from(outcome)]);
        let tps = Tps::new(rule, WeightSchedule::Uniform);
        assert!(HiddenOutcomeShift::new(&tps, &runs, &[Some(1); 2], None).is_err(), "{scores:?}");
    }
    let run = censored(&forecasts);
    assert!(matches!(RunScore::new(&tps, &run, Probability::HALF), Ok(RunScore::Censored { .. })));
}

#[test]
fn only_reversed_orders_are_changes() {
    let found = RankChange::between(&[3.0, 2.0, 1.0], &[1.0, 2.0, 3.0]).unwrap();
    let pairs: Vec<_> = found.iter().map(|change| (change.ahead, change.behind)).collect();
    assert_eq!(pairs, [(0, 1), (0, 2), (1, 2)]);
    assert_eq!(RankChange::between(&[1.0, 1.0], &[1.0, 2.0]), Ok(vec![]));
    assert_eq!(RankChange::between(&[1.0, 2.0], &[2.0, 2.0]), Ok(vec![]));
    assert_eq!(RankChange::between(&[], &[]), Ok(vec![]));
}

#[test]
fn nan_and_different_lengths_are_refused() {
    let error = RankChange::between(&[1.0, 2.0], &[1.0, f64::NAN]).unwrap_err();
    assert_eq!(entry(error), 1);
    assert_eq!(RankChange::between(&[1.0], &[]), Err(length("scores", 1, 0)));
}
