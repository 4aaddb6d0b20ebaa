/// Returns the compensated sum of the terms.
///
/// Reference: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
/// Summen, doi:10.1002/zamm.19740540106.
pub(crate) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    #[test]
    fn small_terms_survive_the_cancellation_of_large_ones() {
        for terms in [[1.0, 1e100, 1.0, -1e100], [1e100, 1.0, -1e100, 1.0]] {
            assert_eq!(super::sum(terms.into_iter()), 2.0);
        }
    }
}
