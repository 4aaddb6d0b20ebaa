use super::*;

#[test]
fn quantiles_interpolate_between_order_statistics() {
    let sorted = [1.0, 2.0, 4.0, 8.0];
    assert_eq!(quantile(&sorted, 0.0), 1.0);
    assert_eq!(quantile(&sorted, 0.5), 3.0);
    assert_eq!(quantile(&sorted, 1.0), 8.0);
    assert_eq!(quantile(&[f64::NEG_INFINITY, 0.0], 0.5), f64::NEG_INFINITY);
    assert_eq!(quantile(&[0.0, f64::INFINITY], 0.5), f64::INFINITY);
    for share in [0.0, 0.05, 0.3, 0.7, 1.0] {
        assert_eq!(quantile(&[0.1; 9], share), 0.1);
    }
}
