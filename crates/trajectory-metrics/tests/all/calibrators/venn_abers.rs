use trajectory_metrics::{CalibrationMap, Calibrator, Probability, VennAbers};

use crate::common::{probability, ws};

#[test]
fn records_of_one_outcome_leave_room_for_the_other() {
    let said = [probability(0.3), probability(0.6)];
    let map = VennAbers.fit(&said, &[true, true], None).unwrap();
    // A failure above both forecasts is pooled with all records; a failure below with none.
    assert_eq!(map.pair(probability(0.7)), (probability(2.0 / 3.0), Probability::ONE));
    assert_eq!(map.pair(probability(0.6)), (probability(2.0 / 3.0), Probability::ONE));
    assert_eq!(map.pair(probability(0.4)), (probability(0.5), Probability::ONE));
    assert_eq!(map.pair(probability(0.1)), (Probability::ZERO, Probability::ONE));
    assert_eq!(map.apply(probability(0.1)).get(), 0.5);
}

#[test]
fn very_small_and_very_large_weights_give_ordered_pairs() {
    let said = [probability(0.3), probability(0.6)];
    for weight in [1e-100, 1e100] {
        let map = VennAbers.fit(&said, &[false, true], Some(ws(&[weight; 2]))).unwrap();
        for forecast in [0.0, 0.3, 0.5, 0.6, 1.0] {
            let (p0, p1) = map.pair(probability(forecast));
            assert!(p0 <= p1, "{weight:e} {forecast}");
        }
    }
}
