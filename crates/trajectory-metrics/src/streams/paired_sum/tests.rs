use scoring_rules::CompensatedSum;

use super::*;

#[test]
fn each_sum_has_the_bits_of_a_compensated_sum() {
    let finite = [0.1, -3e20, 7.0, 1e-300, f64::MIN_POSITIVE, 3e20, -0.1, 1e100, -1e100];
    for end in [0.5, f64::NEG_INFINITY, f64::NAN] {
        let (mut paired, mut single) = (PairedSum::default(), [CompensatedSum::default(); 2]);
        for term in finite.into_iter().chain([end, 1.0]) {
            let terms = [term, 1.0 / 3.0 - term];
            paired.add(terms);
            for (sum, term) in single.iter_mut().zip(terms) {
                sum.add(term);
            }
            // A NaN may have any bits.
            let bits =
                |values: [f64; 2]| values.map(|value| (!value.is_nan()).then_some(value.to_bits()));
            let [a, b] = [paired.values(), single.map(|sum| sum.value())].map(bits);
            assert_eq!(a, b);
            assert_eq!(bits(paired.stored().values()), a);
        }
    }
}
