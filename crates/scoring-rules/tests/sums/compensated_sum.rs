use scoring_rules::CompensatedSum;

#[test]
fn a_million_tenths_sum_to_a_hundred_thousand() {
    let mut sum = CompensatedSum::default();
    (0..1_000_000).for_each(|_| sum.add(0.1));
    assert_eq!(sum.value(), 100_000.0);
}

#[test]
fn an_infinite_term_makes_the_sum_infinite_and_not_nan() {
    let mut sum = CompensatedSum::default();
    for term in [-1.0, f64::NEG_INFINITY, -1.0] {
        sum.add(term);
    }
    assert_eq!(sum.value(), f64::NEG_INFINITY);
}
