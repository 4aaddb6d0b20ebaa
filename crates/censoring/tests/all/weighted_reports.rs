//! Reports on weighted runs: a run of weight 2 is the same run twice, in the same cluster.

use censoring::{
    CensoringAnalysis, CensoringAssumption, CensoringReport, ContinuationAudit,
    ContinuationComparison, Continuations, Error, Figure, HiddenOutcomeShift, Intervals, MeanShift,
    Probability, RunGroup, ScoreComparison, Seed, StopClass, StopReason, Stopped, Tps, Trace,
    Weight, WeightSchedule,
};
use proptest::prelude::*;
use trajectory_metrics::LogScore;

use crate::{EMPTY, length, p, w};

/// A run: its forecasts, its outcome or none, its cluster, its number of copies, its continuations.
type Row = (Vec<f64>, Option<bool>, u8, u32, [u64; 3]);

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let forecasts = prop::collection::vec(0.0..=1.0_f64, 1..5);
    let branches = [0..9_u64, 0..9, 0..4];
    let row = (forecasts, prop::option::of(any::<bool>()), 0..5_u8, 0..4_u32, branches);
    prop::collection::vec(row, 1..25)
}

/// Each row as often as it has copies.
fn copied(rows: &[Row]) -> Vec<Row> {
    rows.iter().flat_map(|row| std::iter::repeat_n(row.clone(), row.3 as usize)).collect()
}

fn forecasts(rows: &[Row]) -> Vec<&[Probability]> {
    rows.iter().map(|row| Probability::from_slice(&row.0).unwrap()).collect()
}

fn weights(rows: &[Row]) -> Vec<Weight> {
    rows.iter().map(|row| row.3.into()).collect()
}

fn analysis() -> CensoringAnalysis {
    CensoringAnalysis::new(CensoringAssumption::NonInformative)
        .with_schedules(&[WeightSchedule::LinearFront, WeightSchedule::Uniform])
        .with_intervals(Some(Intervals { resamples: 20, seed: Seed(3), ..Intervals::default() }))
}

struct Input<'a> {
    runs: Vec<Stopped<'a>>,
    chances: Vec<Probability>,
    clusters: Vec<u8>,
    continuations: Vec<Continuations>,
}

fn input(rows: &[Row]) -> Input<'_> {
    let runs = forecasts(rows)
        .into_iter()
        .zip(rows)
        .map(|(forecasts, row)| {
            // A run without an outcome was cut off, or is excluded if its first forecast is low.
            let reason = (row.0[0] > 0.1).then_some(StopReason::MaxSteps);
            Stopped::new(forecasts, row.1, reason).unwrap()
        })
        .collect();
    let chance = |row: &Row| p(row.0[row.0.len() - 1]);
    let branches = |row: &Row| {
        let [successes, failures, unresolved] = row.4;
        Continuations { successes, failures, unresolved, invalid: 1 }
    };
    Input {
        runs,
        chances: rows.iter().map(chance).collect(),
        clusters: rows.iter().map(|row| row.2).collect(),
        continuations: rows.iter().map(branches).collect(),
    }
}

fn report(rows: &[Row], weights: Option<&[Weight]>) -> Result<CensoringReport, Error> {
    let Input { runs, chances, clusters, .. } = input(rows);
    analysis().report(&runs, Some(&chances), weights, &clusters)
}

fn audit(rows: &[Row], weights: Option<&[Weight]>) -> Result<ContinuationAudit, Error> {
    let Input { runs, continuations, clusters, .. } = input(rows);
    analysis().audit_continuations(&runs, &continuations, weights, &clusters, 3)
}

fn shift(rows: &[Row], weights: Option<&[Weight]>) -> Result<HiddenOutcomeShift, Error> {
    let forecasts = forecasts(rows);
    let traces: Vec<Trace<'_>> = forecasts
        .iter()
        .zip(rows)
        .map(|(forecasts, row)| Trace::new(forecasts, row.1.unwrap_or_default()).unwrap())
        .collect();
    let stops: Vec<Option<usize>> =
        rows.iter().map(|row| (row.4[0] > 4).then_some(row.0.len())).collect();
    let tps = Tps::new(LogScore::clipped(1e-6).unwrap(), WeightSchedule::LinearFront);
    HiddenOutcomeShift::new(&tps, &traces, &stops, weights)
}

/// Value, interval and standard error agree except for rounding.
fn same(a: &Figure, b: &Figure) -> bool {
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    let ends = match (a.interval, b.interval) {
        (Ok(a), Ok(b)) => close(a.low(), b.low()) && close(a.high(), b.high()),
        (a, b) => a == b,
    };
    let errors = match (a.standard_error, b.standard_error) {
        (Some(a), Some(b)) => close(a, b),
        (a, b) => a == b,
    };
    close(a.value, b.value) && ends && errors
}

fn both(a: Option<Figure>, b: Option<Figure>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same(&a, &b),
        (a, b) => a == b,
    }
}

/// The figures of a group that use weights.
fn weighted_figures(group: Option<RunGroup>) -> Option<[f64; 3]> {
    group.map(|group| [group.weight, group.mean_length, group.mean_forecast])
}

fn scores(shift: Option<MeanShift>) -> Option<[f64; 4]> {
    shift.map(|mean| {
        [mean.complete_score, mean.simple_score, mean.shift.prefix_swap, mean.shift.tail_omission]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn in_a_report_weight_two_is_the_run_twice_in_its_cluster(rows in rows()) {
        let (weighted, copies) =
            (report(&rows, Some(&weights(&rows))), report(&copied(&rows), None));
        let (Ok(a), Ok(b)) = (&weighted, &copies) else {
            prop_assert_eq!(weighted, copies);
            return Ok(());
        };
        prop_assert_eq!(a.audit.censoring_rate(), b.audit.censoring_rate());
        for class in [StopClass::Complete, StopClass::Censored, StopClass::Excluded] {
            prop_assert_eq!(
                weighted_figures(a.audit.group(class)),
                weighted_figures(b.audit.group(class))
            );
        }
        prop_assert_eq!(a.ipcw_coverage, b.ipcw_coverage);
        prop_assert_eq!(a.length_ratio(), b.length_ratio());
        prop_assert_eq!(a.forecast_difference(), b.forecast_difference());
        let figures = |row: &ScoreComparison| {
            [
                row.complete_only, Some(row.simple), Some(row.as_success), row.exact, row.ipcw,
                row.simple_shift, row.exact_shift, row.exact_minus_simple,
            ]
        };
        for (a, b) in a.comparisons.iter().zip(&b.comparisons) {
            let mut pairs = figures(a).into_iter().zip(figures(b));
            prop_assert!(pairs.all(|(a, b)| both(a, b)), "{:?}\n{:?}", a, b);
            prop_assert_eq!(a.simple_shift_per_rate, b.simple_shift_per_rate);
            prop_assert_eq!(a.exact_shift_per_rate, b.exact_shift_per_rate);
            prop_assert_eq!((a.sensitivity, a.bounds), (b.sensitivity, b.bounds));
        }
    }

    #[test]
    fn in_an_audit_of_continuations_weight_two_is_the_run_twice_in_its_cluster(rows in rows()) {
        let (weighted, copies) = (audit(&rows, Some(&weights(&rows))), audit(&copied(&rows), None));
        let (Ok(a), Ok(b)) = (&weighted, &copies) else {
            prop_assert_eq!(weighted, copies);
            return Ok(());
        };
        let means = |audit: &ContinuationAudit| {
            [
                audit.mean_valid, audit.mean_unresolved, audit.mean_invalid, audit.median,
                audit.zero_share, audit.above_half_share,
            ]
        };
        prop_assert_eq!(means(a), means(b));
        prop_assert!(same(&a.mean, &b.mean), "{:?}\n{:?}", a, b);
        for (a, b) in a.comparisons.iter().zip(&b.comparisons) {
            let figures = |row: &ContinuationComparison| {
                [
                    row.simple, row.exact, row.exact_minus_simple, row.unresolved_as_failure,
                    row.unresolved_as_success,
                ]
            };
            let mut pairs = figures(a).into_iter().zip(figures(b));
            prop_assert!(pairs.all(|(a, b)| same(&a, &b)), "{:?}\n{:?}", a, b);
            prop_assert_eq!(a.largest_identity_error, b.largest_identity_error);
        }
    }

    #[test]
    fn in_the_shift_of_hidden_outcomes_weight_two_is_the_run_twice(rows in rows()) {
        let (weighted, copies) = (shift(&rows, Some(&weights(&rows))), shift(&copied(&rows), None));
        let (Ok(a), Ok(b)) = (&weighted, &copies) else {
            prop_assert_eq!(weighted, copies);
            return Ok(());
        };
        for (a, b) in
            [(Some(a.all), Some(b.all)), (a.failures, b.failures), (a.successes, b.successes)]
        {
            prop_assert_eq!(scores(a), scores(b));
        }
        prop_assert_eq!(a.largest_identity_error, b.largest_identity_error);
    }
}

#[test]
fn fractional_weights_give_the_figures_computed_by_hand() {
    let rows = [
        (vec![0.25], None, 0, 1, [1, 3, 0]),
        (vec![0.75], None, 1, 1, [3, 1, 4]),
        (vec![0.5], Some(true), 2, 1, [0, 0, 0]),
    ];
    let weights = w(&[0.5, 1.5, 2.0]);
    let found = report(&rows, Some(weights)).unwrap();
    let row = found.comparison("brier", "uniform").unwrap();
    // Scores as failures are -1/16 and -9/16, as successes -9/16 and -1/16; the third score is -1/4.
    assert_eq!(found.audit.censoring_rate(), Ok(0.5));
    assert_eq!(row.complete_only.unwrap().value, -0.25);
    assert_eq!(row.simple.value, (0.5 * -0.0625 + 1.5 * -0.5625 + 2.0 * -0.25) / 4.0);
    assert_eq!(row.as_success.value, (0.5 * -0.5625 + 1.5 * -0.0625 + 2.0 * -0.25) / 4.0);
    assert_eq!(row.exact.unwrap().value, (0.5 * -0.1875 + 1.5 * -0.1875 + 2.0 * -0.25) / 4.0);
    assert_eq!(row.simple_shift_per_rate, Some((-0.34375 + 0.25) / 0.5));
    let worst = (0.5 * -0.5625 + 1.5 * -0.5625 + 2.0 * -0.25) / 4.0;
    let best = (0.5 * -0.0625 + 1.5 * -0.0625 + 2.0 * -0.25) / 4.0;
    assert_eq!((row.bounds.low(), row.bounds.high()), (worst, best));

    let continuations = audit(&rows, Some(weights)).unwrap();
    assert_eq!((continuations.mean.value, continuations.median), (0.625, 0.75));
    assert_eq!((continuations.mean_unresolved, continuations.above_half_share), (3.0, 0.75));
    // The estimates are 1/4 and 3/4, and their median is between them if both weigh the same.
    for (weights, median) in [([0.5, 0.5], 0.5), ([0.1, 0.3], 0.75), ([3.0, 1.0], 0.25)] {
        assert_eq!(audit(&rows[..2], Some(w(&weights))).unwrap().median, median);
    }
}

#[test]
fn a_common_factor_of_all_weights_changes_no_score() {
    let row = |p: f64, outcome, cluster| (vec![p, 0.4], outcome, cluster, 1, [3, 2, 1]);
    let rows =
        [row(0.25, None, 0), row(0.75, None, 0), row(0.5, Some(true), 1), row(0.9, Some(false), 2)];
    let numbers = [0.3, 1.7, 0.25, 2.5];
    let scaled = numbers.map(|weight| 8.0 * weight);
    let [a, b] = [numbers, scaled].map(|numbers| {
        let weights = w(&numbers);
        (report(&rows, Some(weights)).unwrap().comparisons, audit(&rows, Some(weights)).unwrap())
    });
    assert_eq!(a, b);
}

#[test]
fn weights_change_the_figures_and_need_one_entry_per_run() {
    let row = |p: f64, outcome| (vec![p], outcome, 0, 1, [5, 1, 0]);
    let rows = [row(0.25, None), row(0.75, None), row(0.5, Some(true))];
    let heavy = [Weight::from(3), Weight::ONE, Weight::ONE];
    let value = |weights| report(&rows, weights).unwrap().comparisons[0].simple.value;
    assert_ne!(value(None), value(Some(&heavy[..])));
    assert_eq!(value(None), value(Some(&[Weight::ONE; 3])));
    assert_eq!(report(&rows, Some(&heavy[..2])), Err(length("weights", 3, 2)));
    assert_eq!(audit(&rows, Some(&heavy[..2])), Err(length("weights", 3, 2)));
    assert_eq!(shift(&rows, Some(&heavy[..2])), Err(length("weights", 3, 2)));
    assert_eq!(report(&rows, Some(&[Weight::ZERO; 3])), Err(EMPTY));
    assert_eq!(audit(&rows, Some(&[Weight::ZERO; 3])), Err(EMPTY));
}
