//! Figures, metrics, and clustered rows against the bootstrap itself.
use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Better, Bootstrap, Clustered, Error, ExactMean, Figure, Interval, Intervals, Level, Metric,
    NoInterval, Seed, Undefined, Weight,
};

use crate::common::level_of;

/// Two means: of all rows, and of the rows that have a second value.
#[derive(Clone, Default)]
struct Means {
    first: ExactMean,
    second: ExactMean,
}

type Row = (f64, Option<f64>);

impl Means {
    fn add(&mut self, (first, second): &Row, weight: Weight) -> Result<(), Error> {
        self.first.update_weighted(*first, weight)?;
        Ok(second.map_or(Ok(()), |second| self.second.update_weighted(second, weight))?)
    }
}

fn mean(mean: &ExactMean) -> Result<f64, Undefined> {
    mean.finish().map_err(|_| Undefined::new("there is no row"))
}

const FIRST: Metric<Means> =
    Metric::new("first", "first", Better::Higher, "Mean.", |means| mean(&means.first));
const SECOND: Metric<Means> =
    Metric::new("second", "second", Better::Lower, "Mean.", |means| mean(&means.second));

const INTERVALS: Intervals = Intervals { level: Level::HALF, resamples: 200, seed: Seed(7) };

fn weight(value: f64) -> Weight {
    Weight::new(value).unwrap()
}

fn figures(rows: &Clustered<String, Row>, intervals: Option<Intervals>) -> Vec<Option<Figure>> {
    let found = rows.figures(&[FIRST, SECOND], &Means::default(), Means::add, intervals).unwrap();
    found.into_iter().map(Result::ok).collect()
}

/// Rows of twelve tasks, of which the first eight have two rows and every third has a second value.
fn rows() -> Vec<(String, Weight, Row)> {
    (0..20_u32)
        .map(|row| {
            let value = f64::from(row * row % 11);
            let second = row.is_multiple_of(3).then_some(value / 3.0);
            (format!("task {}", row % 12), weight(f64::from(1 + row % 2)), (value, second))
        })
        .collect()
}

fn clustered<'a>(
    rows: impl IntoIterator<Item = &'a (String, Weight, Row)>,
) -> Clustered<String, Row> {
    let mut clustered = Clustered::default();
    for (task, weight, row) in rows {
        clustered.update(task.clone(), *weight, *row);
    }
    clustered
}

#[test]
fn figures_are_those_of_the_bootstrap_with_the_clusters_that_a_metric_counts() {
    let rows = rows();
    let tasks: Vec<&str> = rows.iter().map(|(task, ..)| task.as_str()).collect();
    let bootstrap = Bootstrap::clusters(&tasks, INTERVALS.seed).unwrap();
    let replicates = bootstrap.replicates(INTERVALS.resamples, |counts| {
        let mut means = Means::default();
        for ((_, weight, row), &count) in rows.iter().zip(counts) {
            let weight = Weight::new(weight.get() * f64::from(count)).unwrap();
            means.add(row, weight).unwrap();
        }
        [means.first, means.second].map(|mean| Ok(mean.finish()?))
    });
    let mut with_second: Vec<&str> =
        rows.iter().filter(|(.., row)| row.1.is_some()).map(|(task, ..)| task.as_str()).collect();
    with_second.sort_unstable();
    with_second.dedup();
    let found = figures(&clustered(&rows), Some(INTERVALS));
    for ((found, replicates), clusters) in
        found.into_iter().zip(replicates).zip([12, with_second.len()])
    {
        let expected = replicates.unwrap().with_clusters(clusters).figure(INTERVALS.level);
        assert!(expected.interval.is_ok() && expected.standard_error.is_some());
        assert_eq!(found, Some(expected));
    }
}

#[test]
fn the_order_of_rows_does_not_change_a_bit_and_weight_2_is_the_row_twice() {
    let rows = rows();
    let whole = figures(&clustered(&rows), Some(INTERVALS));
    let backwards = clustered(rows.iter().rev());
    assert_eq!(backwards.rows().len(), 20);
    assert_eq!(figures(&backwards, Some(INTERVALS)), whole);

    let mut twice = Clustered::default();
    for (task, weight, row) in &rows {
        (0..weight.get() as usize).for_each(|_| twice.update(task.clone(), Weight::ONE, *row));
    }
    assert_eq!(figures(&twice, Some(INTERVALS)), whole);
    let weights = |rows: &Clustered<String, Row>| -> f64 {
        rows.rows().map(|(_, weight, _)| weight.get()).sum()
    };
    assert_eq!(weights(&twice), weights(&clustered(&rows)));
}

#[test]
fn no_rows_no_request_and_few_clusters_have_their_reasons() {
    let none = Clustered::<String, Row>::default();
    assert!(none.is_empty());
    assert_eq!(figures(&none, Some(INTERVALS)), [None, None]);

    let mut one = Clustered::default();
    one.update("a".to_owned(), Weight::ONE, (1.0, None));
    one.update("b".to_owned(), Weight::ZERO, (5.0, Some(2.0)));
    for intervals in [None, Some(Intervals { resamples: 0, ..INTERVALS })] {
        assert_eq!(figures(&one, intervals), [Some(Figure::from(1.0)), None]);
    }
    let [first, second] = figures(&one, Some(INTERVALS))[..] else { unreachable!() };
    let few = NoInterval::TooFewClusters { found: 1, least: 2, level: Level::HALF };
    assert_eq!((first.unwrap().interval, second), (Err(few), None));
    one.update("c".to_owned(), Weight::ONE, (1.0, None));
    let constant = figures(&one, Some(INTERVALS))[0].unwrap();
    assert_eq!((constant.interval, constant.standard_error), (Err(NoInterval::Constant), None));

    let many = Some(Intervals { resamples: 10_000_001, ..INTERVALS });
    let error = one.figures(&[FIRST], &Means::default(), Means::add, many).unwrap_err();
    assert!(matches!(error, Error::ScoringRules(Shared::Setting { name: "resamples", .. })));
    let refused = |_: &mut Means, _: &Row, _| Err(Error::from(Shared::Empty));
    assert_eq!(one.figures(&[FIRST], &Means::default(), refused, None), Err(Shared::Empty.into()));
}

#[test]
fn a_metric_of_all_rows_depends_on_the_clusters_of_all_rows() {
    let mut rows = clustered(&rows()[..6]);
    rows.update("task 99".to_owned(), Weight::ONE, (0.0, None));
    let level = level_of(0.95);
    let intervals = Some(Intervals { level, ..INTERVALS });
    let metrics = [SECOND, SECOND.of_all_rows()];
    let found = rows.figures(&metrics, &Means::default(), Means::add, intervals).unwrap();
    let few = NoInterval::TooFewClusters { found: 2, least: 6, level };
    assert_eq!(found[0].clone().unwrap().interval, Err(few));
    assert!(found[1].clone().unwrap().interval.is_ok());
}

/// Shares of 0 and 1 of independent rows are exact: 0.025^(1/30) is 0.8843. Other constants have no interval.
#[test]
fn a_share_of_0_or_1_of_independent_rows_has_the_exact_interval() {
    let intervals = Some(Intervals { level: level_of(0.95), ..INTERVALS });
    let found = |value: f64, weight: f64, metric: Metric<Means>| {
        let mut rows = Clustered::default();
        for task in 0..30 {
            rows.update(task, Weight::new(weight).unwrap(), (value, None));
        }
        let found = rows.figures(&[metric], &Means::default(), Means::add, intervals).unwrap();
        found[0].clone().unwrap()
    };
    for (value, [low, high]) in [(1.0, [0.8843, 1.0]), (0.0, [0.0, 0.1157])] {
        let exact = found(value, 1.0, FIRST.share());
        let ends = exact.interval.unwrap();
        assert!((ends.low() - low).abs() + (ends.high() - high).abs() < 1e-4);
        assert_eq!((exact.value, exact.standard_error), (value, None));
        for none in [found(value, 2.0, FIRST.share()), found(value, 1.0, FIRST)] {
            assert_eq!(none.interval, Err(NoInterval::Constant));
        }
    }
    assert_eq!(found(0.5, 1.0, FIRST.share()).interval, Err(NoInterval::Constant));
}

#[test]
fn a_value_that_is_not_finite_is_undefined() {
    let mut rows = Clustered::default();
    rows.update("a".to_owned(), Weight::ONE, (f64::NEG_INFINITY, None));
    let found = rows.figures(&[FIRST], &Means::default(), Means::add, Some(INTERVALS)).unwrap();
    assert_eq!(found[0], Err(Undefined::new("the value is not finite")));
}

#[test]
fn a_figure_is_shown_with_the_precision_of_the_format() {
    let interval = Ok(Interval::new(-0.25, 0.5).unwrap());
    let figure = Figure { value: 0.125, interval, standard_error: None };
    assert_eq!(figure.to_string(), "0.125 [-0.250, 0.500]");
    assert_eq!(format!("{figure:.1}"), "0.1 [-0.2, 0.5]");
    assert_eq!(Figure::from(2.0).to_string(), "2.000");
}

#[test]
fn the_sign_of_a_measure_says_which_values_are_better() {
    let signs = [
        (Better::Higher, "+"),
        (Better::Lower, "-"),
        (Better::Near(0.0), "0"),
        (Better::Near(0.95), "="),
        (Better::Neither, ""),
    ];
    for (better, sign) in signs {
        assert_eq!(better.to_string(), sign);
    }
}

#[test]
fn a_figure_is_an_object_whose_numbers_are_null_unless_they_are_finite() {
    use serde_json::{json, to_value};

    let alone = Figure::from(0.5);
    let expected = json!({"value": 0.5, "ci_low": null, "ci_high": null, "standard_error": null});
    assert_eq!(to_value(alone).unwrap(), expected);
    let interval = Ok(Interval::new(f64::NEG_INFINITY, 1.0).unwrap());
    let figure = Figure { value: 0.5, interval, standard_error: Some(0.25) };
    let expected = json!({"value": 0.5, "ci_low": null, "ci_high": 1.0, "standard_error": 0.25});
    assert_eq!(to_value(figure).unwrap(), expected);
    let infinite = to_value(Figure::from(f64::INFINITY)).unwrap();
    assert_eq!(infinite["value"], json!(null));
}
