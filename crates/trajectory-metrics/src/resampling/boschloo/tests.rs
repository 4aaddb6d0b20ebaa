use super::*;

#[test]
fn rounding_of_the_tails_does_not_grow_with_the_trials() {
    // By hand: the odds of all of n in the first half.
    for n in [3, 30, 400] {
        let expected = (-ln_binomial(2 * n, n)).exp();
        assert!((fisher([n, n], [n, 0]) / expected - 1.0).abs() < 1e-12);
        assert_eq!(fisher([n, n], [0, n]), 1.0);
    }
}
