use scoring_rules::{ExactSum, Weight};

use crate::{
    checks::same_length,
    error::{Error, Shared},
};

/// Rows with their weights and clusters. Its sums do not depend on the order of the rows.
pub(crate) struct ClusteredRows<'a, G> {
    weights: Option<&'a [Weight]>,
    clusters: &'a [G],
}

impl<'a, G: Ord> ClusteredRows<'a, G> {
    pub(crate) fn new(
        n: usize,
        weights: Option<&'a [Weight]>,
        clusters: &'a [G],
    ) -> Result<Self, Error> {
        same_length("clusters", n, clusters.len())?;
        same_length("weights", n, weights.map_or(n, <[Weight]>::len))?;
        Ok(Self { weights, clusters })
    }

    fn weight(&self, row: usize) -> f64 {
        self.weights.map_or(1.0, |weights| weights[row].get())
    }

    /// Total weight of the selected rows, which must be positive.
    pub(crate) fn total(&self, selected: impl Fn(usize) -> bool) -> Result<f64, Error> {
        let rows = (0..self.clusters.len()).filter(|&row| selected(row));
        let total = rows.map(|row| self.weight(row)).collect::<ExactSum>().value();
        if total > 0.0 { Ok(total) } else { Err(Shared::Empty.into()) }
    }

    /// Sum of weight times value.
    pub(crate) fn sum(&self, value: impl Fn(usize) -> f64) -> f64 {
        let mut sum = ExactSum::default();
        (0..self.clusters.len()).for_each(|row| sum.add_product(self.weight(row), value(row)));
        sum.value()
    }

    /// The mean of the selected rows, whose total weight is `total`. The rounding error of the first
    /// division is corrected, so that the mean of equal values is their value.
    pub(crate) fn mean(&self, values: &[f64], total: f64, selected: impl Fn(usize) -> bool) -> f64 {
        let value = |row: usize| if selected(row) { values[row] } else { 0.0 };
        let rough = self.sum(value) / total;
        let mut rest = ExactSum::default();
        for row in (0..values.len()).filter(|&row| selected(row)) {
            rest.add_product(self.weight(row), values[row]);
            rest.add_product(self.weight(row), -rough);
        }
        rough + rest.value() / total
    }

    /// Sum of weight times value in each cluster of positive weight, in the order of the names of
    /// the clusters.
    pub(crate) fn cluster_sums(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let counted = (0..self.clusters.len()).filter(|&row| self.weight(row) > 0.0);
        let mut terms: Vec<(&G, f64)> =
            counted.map(|row| (&self.clusters[row], self.weight(row) * value(row))).collect();
        // Sorted by size within a cluster, so that rounding does not depend on the order of rows.
        terms.sort_unstable_by(|a, b| a.0.cmp(b.0).then_with(|| a.1.total_cmp(&b.1)));
        let clusters = terms.chunk_by(|a, b| a.0 == b.0);
        clusters.map(|cluster| cluster.iter().map(|term| term.1).sum()).collect()
    }
}
