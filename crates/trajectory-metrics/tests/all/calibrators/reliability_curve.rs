use scoring_rules::Error as Shared;
use trajectory_metrics::{
    Error, Level, Seed, TiedBlocks, Weight, consistency_band, reliability_curve,
};

use crate::common::{level_of, ps, refused, ws};

fn blocks(values: &[f64], weights: Option<&[Weight]>) -> TiedBlocks {
    let confidence = ps(values);
    TiedBlocks::new(confidence, &vec![true; values.len()], weights).unwrap()
}

#[test]
fn the_band_of_a_seed_does_not_change_with_versions() {
    let band = consistency_band(
        &blocks(&[0.25, 0.5, 0.5, 0.75], Some(ws(&[7.0, 5.0, 4.0, 2.0]))),
        level_of(0.9),
        99,
        Seed(42),
    )
    .unwrap();
    let expected =
        [(0.0, 91.0 / 180.0), (0.24722222222222222, 8.0 / 11.0), (0.447979797979798, 1.0)];
    assert_eq!(band.len(), expected.len());
    for (point, (low, high)) in band.iter().zip(expected) {
        approx::assert_relative_eq!(point.low(), low, epsilon = 0.0, max_relative = 1e-14);
        approx::assert_relative_eq!(point.high(), high, epsilon = 0.0, max_relative = 1e-14);
    }
}

#[test]
fn what_cannot_be_drawn_is_an_error() {
    let plain = blocks(&[0.5], None);
    for resamples in [0, 10_000_000 + 1] {
        let error = consistency_band(&plain, Level::HALF, resamples, Seed(1)).unwrap_err();
        assert!(
            matches!(error, Error::ScoringRules(Shared::Setting { name: "resamples", .. })),
            "{error}"
        );
    }
    let values: Vec<f64> = (0..51).map(|i| f64::from(i) / 50.0).collect();
    let large = consistency_band(&blocks(&values, None), Level::HALF, 10_000_000, Seed(1));
    assert_eq!(refused(large), "resamples");
    let half =
        consistency_band(&blocks(&[0.5], Some(ws(&[1.5]))), Level::HALF, 5, Seed(1)).unwrap_err();
    assert!(
        matches!(half, Error::ScoringRules(Shared::Setting { name: "weight of a confidence", .. })),
        "{half}"
    );
    let many =
        consistency_band(&blocks(&[0.5], Some(ws(&[1e12]))), Level::HALF, 5, Seed(1)).unwrap_err();
    assert!(
        matches!(many, Error::ScoringRules(Shared::Setting { name: "weight of all rows", .. })),
        "{many}"
    );
    let empty = TiedBlocks::default();
    assert_eq!(consistency_band(&empty, Level::HALF, 5, Seed(1)), Err(Shared::Empty.into()));
    assert_eq!(reliability_curve(&empty), Err(Shared::Empty.into()));
}
