use scoring_rules::CompensatedSum;

/// Returns the compensated sum of the terms.
pub(crate) fn sum(terms: impl Iterator<Item = f64>) -> f64 {
    let mut sum = CompensatedSum::default();
    terms.for_each(|term| sum.add(term));
    sum.value()
}
