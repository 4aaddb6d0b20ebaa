/// A compensated sum.
///
/// Reference: Neumaier (1974), Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen,
/// doi:10.1002/zamm.19740540106.
pub(crate) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let (mut sum, mut lost) = (0.0_f64, 0.0_f64);
    for term in terms {
        let next = sum + term;
        lost += if sum.abs() >= term.abs() { (sum - next) + term } else { (term - next) + sum };
        sum = next;
    }
    sum + lost
}
