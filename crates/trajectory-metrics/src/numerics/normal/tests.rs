use super::*;

#[test]
fn tails_and_quantiles_equal_those_of_mpmath_and_scipy() {
    let rows = include_str!("../../../tests/golden/normal.csv");
    let (mut seen, mut worst_tail, mut worst_quantile) = (0, 0.0_f64, 0.0_f64);
    for row in rows.lines().filter(|line| !line.starts_with('#')).skip(1) {
        let [kind, at, want] = row.split(',').collect::<Vec<_>>()[..] else { panic!("{row}") };
        let (at, want): (f64, f64) = (at.parse().unwrap(), want.parse().unwrap());
        match kind {
            "upper_tail" => {
                let error = (upper_tail(at) - want).abs() / want;
                assert!(error <= 1e-14, "{row}: {:e}, off by {error:e}", upper_tail(at));
                assert_eq!(upper_tail(at), cdf(-at));
                worst_tail = worst_tail.max(error);
            }
            "quantile" => {
                let error = (quantile(at) - want).abs() / want.abs().max(1.0);
                assert!(error <= 1e-14, "{row}: {}, off by {error:e}", quantile(at));
                worst_quantile = worst_quantile.max(error);
            }
            other => panic!("{other}"),
        }
        seen += 1;
    }
    assert!(seen > 100, "{seen} rows");
    println!("{seen} rows: tails within {worst_tail:.1e}, quantiles {worst_quantile:.1e}");
}

#[test]
fn quantiles_of_0_and_1_are_infinite_and_quantiles_outside_are_nan() {
    assert_eq!((quantile(0.0), quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
    assert_eq!((cdf(f64::NEG_INFINITY), cdf(f64::INFINITY)), (0.0, 1.0));
    assert_eq!((cdf(0.0), quantile(0.5)), (0.5, 0.0));
    for p in [-0.1, 1.1, f64::NAN] {
        assert!(quantile(p).is_nan());
    }
    assert!(cdf(f64::NAN).is_nan());
}
