//! What examinations of scores of intervals must find, and what they must not find.
#![allow(clippy::unwrap_used, clippy::panic)]

use scoring_rules::{Error, Interval, Level, propriety::IntervalExamination};

fn interval(low: f64, high: f64) -> Interval {
    Interval::new(low, high).unwrap()
}

fn level(value: f64) -> Level {
    Level::new(value).unwrap()
}

/// Width, and a fine for what lies outside; proper for the central interval of the coverage.
fn fined(coverage: f64) -> impl Fn(Interval, f64) -> f64 {
    let fine = 2.0 / (1.0 - coverage);
    fined_by(fine, fine)
}

/// Width, and fines for what lies below and above.
fn fined_by(below: f64, above: f64) -> impl Fn(Interval, f64) -> f64 {
    move |claimed, y| {
        let outside = [(claimed.low() - y).max(0.0), (y - claimed.high()).max(0.0)];
        -claimed.width() - below * outside[0] - above * outside[1]
    }
}

fn reward(claimed: Interval, y: f64) -> f64 {
    if claimed.contains(y) { (1.0 - claimed.width() / y).max(0.0) } else { 0.0 }
}

#[test]
fn a_reward_for_narrow_hits_is_gained_by_less_than_the_honest_interval() {
    let found = IntervalExamination::new(reward, level(0.8), interval(1.0, 1000.0)).unwrap();
    let example = found.counterexample.clone().unwrap();
    assert!(example.better.width() < example.honest.width());

    // By hand: the honest interval leaves at most a tenth on either side, and the scores are those.
    let points = || example.outcomes.iter().copied().zip(example.probabilities.iter().copied());
    let mass = |keep: &dyn Fn(f64) -> bool| -> f64 {
        points().filter(|&(y, _)| keep(y)).map(|(_, p)| p).sum()
    };
    assert!((mass(&|_| true) - 1.0).abs() < 1e-14);
    let (low, high) = (example.honest.low(), example.honest.high());
    assert!(mass(&|y| y < low) < 0.1 && mass(&|y| y <= low) > 0.1);
    assert!(mass(&|y| y > high) < 0.1 && mass(&|y| y >= high) > 0.1);
    let expected = |claimed| -> f64 { points().map(|(y, p)| p * reward(claimed, y)).sum() };
    assert!((expected(example.honest) - example.honest_score).abs() < 1e-14);
    assert!((expected(example.better) - example.better_score).abs() < 1e-14);
    assert_eq!(example.gain, example.better_score - example.honest_score);
    assert!(example.gain > 0.05, "{found}");
    assert!(found.to_string().starts_with("Improper: if the outcomes [1.0"), "{found}");
}

#[test]
fn the_fined_width_is_honest_at_its_own_coverage_and_at_no_other() {
    let ranges = [(1.0, 1000.0), (-3.0, 2.0), (0.0, 1e-9), (1e6, 1.1e6)];
    let coverages = [0.8, 0.5, 0.95, 0.9, 0.1, 0.999];
    for (coverage, (low, high)) in coverages.into_iter().zip(ranges.into_iter().cycle()) {
        let outcomes = interval(low, high);
        let found = IntervalExamination::new(fined(coverage), level(coverage), outcomes).unwrap();
        assert_eq!((found.counterexample, found.tied), (None, 0), "{coverage} {outcomes}");
        assert!((800..=1_045).contains(&found.distributions), "{}", found.distributions);
        assert!((50_000..=200_000).contains(&found.intervals), "{}", found.intervals);
    }
    let outcomes = interval(1.0, 1000.0);
    for (made, asked) in [(0.5, 0.8), (0.8, 0.5), (0.95, 0.9)] {
        let found = IntervalExamination::new(fined(made), level(asked), outcomes).unwrap();
        let example = found.counterexample.unwrap();
        let narrower = example.better.width() < example.honest.width();
        assert_eq!(narrower, made < asked, "{example}");
    }
}

#[test]
fn a_fine_that_is_slightly_wrong_is_found() {
    let outcomes = interval(1.0, 1000.0);
    for coverage in [0.5, 0.8, 0.9, 0.95] {
        for share in [0.985, 1.015] {
            let made = 1.0 - (1.0 - coverage) * share;
            let found = IntervalExamination::new(fined(made), level(coverage), outcomes).unwrap();
            let example = found.counterexample.unwrap();
            let narrower = example.better.width() < example.honest.width();
            assert_eq!(narrower, made < coverage, "{made} {coverage} {example}");
        }
    }
}

#[test]
fn a_fine_that_is_slightly_wrong_on_one_side_is_found_there() {
    let outcomes = interval(1.0, 1000.0);
    for (below, above) in [(10.0, 11.0), (9.85, 10.0)] {
        let found = IntervalExamination::new(fined_by(below, above), level(0.8), outcomes).unwrap();
        let example = found.counterexample.unwrap();
        let (honest, better) = (example.honest, example.better);
        assert_eq!(honest.low() == better.low(), below == 10.0, "{example}");
        assert_eq!(honest.high() == better.high(), above == 10.0, "{example}");
    }
}

#[test]
fn narrow_far_and_huge_ranges_are_examined_like_any_other() {
    let ulps = |n: f64| n * f64::EPSILON;
    let ranges = [
        (1.0, 1.0 + ulps(1e4)),
        (-1.0 - ulps(1e4), -1.0),
        (1e15, 1e15 + 1250.0),
        (1e6, 1e6 + 1e-5),
        (-5e289, 5e289),
        (0.0, 1e290),
        (0.0, 1e-290),
        (1e300, 1e300 + 1e289),
    ];
    for (coverage, (low, high)) in [0.1, 0.5, 0.8, 0.999].into_iter().cycle().zip(ranges) {
        let outcomes = interval(low, high);
        let found = IntervalExamination::new(fined(coverage), level(coverage), outcomes).unwrap();
        assert_eq!((found.counterexample, found.tied), (None, 0), "{coverage} {outcomes:?}");
    }
    for (low, high) in [(1e15, 1e15 + 1250.0), (0.0, 1e290)] {
        let found =
            IntervalExamination::new(fined(0.797), level(0.8), interval(low, high)).unwrap();
        assert!(found.counterexample.is_some(), "{found}");
    }
    // The largest fine that fits a coverage still has an expectation.
    let all = 1.0 - f64::EPSILON;
    let found = IntervalExamination::new(fined(all), level(all), interval(0.0, 1e290)).unwrap();
    assert_eq!(found.counterexample, None);
}

#[test]
fn a_score_that_ignores_the_interval_ties_everywhere() {
    let found = IntervalExamination::new(|_, y| -y * y, level(0.8), interval(-1.0, 1.0)).unwrap();
    assert_eq!(found.counterexample, None);
    assert_eq!(found.tied, found.distributions);
    let words = found.to_string();
    assert!(words.starts_with("No dishonest interval gains among"), "{words}");
    assert!(words.contains("ties with the honest one"), "{words}");
}

#[test]
fn an_interval_that_costs_infinitely_much_loses_to_any_other() {
    let all_or_nothing = |claimed: Interval, y: f64| {
        if claimed.contains(y) { -claimed.width() } else { f64::NEG_INFINITY }
    };
    let found = IntervalExamination::new(all_or_nothing, level(0.8), interval(0.0, 1.0)).unwrap();
    let example = found.counterexample.unwrap();
    assert_eq!((example.honest_score, example.gain), (f64::NEG_INFINITY, f64::INFINITY));
    assert!(example.better.width() > example.honest.width());
}

#[test]
fn intervals_that_cannot_be_examined_are_refused() {
    let refused = |low: f64, high: f64| {
        let outcomes = interval(low, high);
        let error = IntervalExamination::new(fined(0.8), level(0.8), outcomes).unwrap_err();
        let Error::Setting { name, value, range } = error else { panic!("{error}") };
        assert_eq!((name, value), ("width of the range of outcomes", outcomes.width()));
        range
    };
    let unit = "from 1e-290 to 1e290; measure outcomes in another unit";
    for (low, high) in [(2.0, 2.0), (0.0, 9e-291), (0.0, 1e308), (-1e308, 1e308), (-6e289, 5e289)] {
        assert_eq!(refused(low, high), unit);
    }
    let zero = "at least 1e4 units in the last place of its larger end; measure from a zero nearby";
    for (low, high) in [(1e15, 1e15 + 10.0), (1e6, 1e6 + 1e-9), (1.0, 1.0 + 1e-15)] {
        assert_eq!(refused(low, high), zero);
    }
    let nan = |claimed: Interval, y: f64| (y - claimed.width()).sqrt();
    let error = IntervalExamination::new(nan, level(0.8), interval(0.0, 1.0)).unwrap_err();
    assert!(matches!(error, Error::IntervalScore { value, .. } if value.is_nan()), "{error}");
}
