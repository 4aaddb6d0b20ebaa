use scoring_rules::Error as Shared;
use trajectory_metrics::{Error, Level, Replicates};

use crate::level_of;

#[test]
fn replicates_on_one_side_of_the_estimate_have_no_bias_correction() {
    let above = Replicates::new(0.0, vec![1.0, 2.0]).unwrap();
    let interval = above.bca_interval(&[1.0, 2.0], level_of(0.9));
    assert!(matches!(
        interval,
        Err(Error::ScoringRules(Shared::Undefined { name: "the BCa interval", .. }))
    ));
    assert_eq!(above.percentile_interval(Level::HALF).low(), 1.25);
    assert!(above.basic_interval(Level::HALF).is_ok());
    // A constant statistic has an interval of one point.
    let constant = Replicates::new(0.1, vec![0.1; 9]).unwrap();
    let interval = constant.bca_interval(&[0.1; 7], level_of(0.9)).unwrap();
    assert_eq!((interval.low(), interval.high(), constant.standard_error()), (0.1, 0.1, Some(0.0)));
    assert_eq!(constant.in_standard_errors(), None);
}

#[test]
fn an_acceleration_beyond_the_pole_takes_the_last_replicate() {
    let values: Vec<f64> = (0..10_000).map(f64::from).collect();
    // Almost all replicates are below the estimate: b + z is above 6, the pole for a = 1/6.
    let skewed: Vec<f64> = (0..10_000).map(|i| if i == 0 { -1e9 } else { 0.0 }).collect();
    let mean = skewed.iter().sum::<f64>() / 1e4;
    let [squares, cubes] =
        [2, 3].map(|power| skewed.iter().map(|value| (mean - value).powi(power)).sum::<f64>());
    let a = cubes / (6.0 * squares.powf(1.5));
    assert!((a - 1.0 / 6.0).abs() < 1e-4, "{a}");
    let replicates = Replicates::new(9_998.5, values).unwrap();
    let interval = replicates.bca_interval(&skewed, level_of(0.9999)).unwrap();
    assert_eq!(interval.high(), 9_999.0);
    assert!(interval.low() < interval.high());
    // Mirrored, it takes the first replicate.
    let mirrored = Replicates::new(-9_998.5, (0..10_000).map(|i| -f64::from(i)).collect());
    let skewed: Vec<f64> = skewed.iter().map(|value| -value).collect();
    let interval = mirrored.unwrap().bca_interval(&skewed, level_of(0.9999)).unwrap();
    assert_eq!(interval.low(), -9_999.0);
    assert!(interval.low() < interval.high());
}

#[test]
fn an_interval_in_another_unit_is_the_same_interval() {
    // 0.1 + 0.2 equals 0.3 mathematically: a tie among replicates, no spread among jackknife
    // values.
    let paper = 0.1 + 0.2;
    let values = [0.2, 0.25, paper, paper, 0.3, 0.35, 0.45, 0.6, 0.7];
    for jackknife in [[0.1, 0.3, 0.9], [paper, 0.3, 0.3]] {
        let ends = |unit: f64| {
            let scaled = values.iter().map(|value| value * unit).collect();
            let replicates = Replicates::new(0.3 * unit, scaled).unwrap();
            let interval =
                replicates.bca_interval(&jackknife.map(|v| v * unit), level_of(0.9)).unwrap();
            (interval.low() / unit, interval.high() / unit)
        };
        for power in [-900, -40, 40, 900] {
            assert_eq!(ends(2.0_f64.powi(power)), ends(1.0), "2^{power}");
        }
    }
}

#[test]
fn replicates_that_equal_an_estimate_of_0_are_ties() {
    // As many replicates below as above, and no skewness: nothing to correct.
    let differences = Replicates::new(0.0, vec![0.0, 0.0, -1.0, 0.0, 1.0, 0.0, 0.0]).unwrap();
    let corrected = differences.bca_interval(&[-1.0, 0.0, 1.0], level_of(0.9)).unwrap();
    let plain = differences.percentile_interval(level_of(0.9));
    assert!((corrected.low() - plain.low()).abs() < 1e-12, "{corrected:?} {plain:?}");
    assert!((corrected.high() - plain.high()).abs() < 1e-12, "{corrected:?} {plain:?}");
}
