use scoring_rules::{ExactMean, ExactSum, Weight};

#[cfg(feature = "rayon")]
use crate::resampling::bootstrap::par_run;
use crate::{
    checks::{at_least_two, same_length},
    error::Error,
    numerics::powers_of_two::{largest_exponent, times_power_of_two},
    resampling::{
        bootstrap::{Bootstrap, run},
        draws::{Draws, LANES},
        replicates::Replicates,
    },
};

impl Bootstrap {
    /// The (weighted) mean of values, one a row, on all rows and in each resample.
    ///
    /// As [`Self::replicates`] of the same mean, up to rounding, but faster: what is drawn is added
    /// at once. A resample of weight 0 is undefined; one whose mean differs from that on all rows
    /// by rounding only has the same bits.
    ///
    /// Cost: linear, then about 1 ns a row or cluster and replicate.
    ///
    /// # Errors
    ///
    /// [`Error::Length`] unless there is one value, and one weight where given, a row;
    /// [`Error::ScoringRules`] for a value that is a NaN; [`Error::Empty`] without a row of positive
    /// weight; [`Error::ScoringRules`] also with a single row or cluster of positive weight;
    /// otherwise as [`Self::replicates`].
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error};
    ///
    /// let scores = [-0.1, -0.4, -0.3, -0.9];
    /// let replicates = Bootstrap::rows(4, 7)?.mean(&scores, None, 10_000)?;
    /// assert_eq!(replicates.estimate(), -0.425);
    /// // On paper the standard deviation of the values (with n below) divided by the root of n.
    /// assert!((replicates.standard_error().unwrap() - 0.147).abs() < 0.005);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn mean(
        &self,
        values: &[f64],
        weights: Option<&[Weight]>,
        resamples: usize,
    ) -> Result<Replicates, Error> {
        let (estimate, units) = self.units(values, weights)?;
        let values = run(resamples, |replicate| [units.mean(self.draws(), replicate)]);
        let [replicates] = self.finish([Ok(estimate)], values);
        replicates
    }

    /// [`Self::mean`] on all threads of the current `rayon` pool; the same to the bit.
    ///
    /// # Errors
    ///
    /// As [`Self::mean`].
    ///
    /// ```
    /// use trajectory_metrics::{Bootstrap, Error};
    ///
    /// let (scores, rows) = ([-0.1, -0.4, -0.3, -0.9], Bootstrap::rows(4, 7)?);
    /// assert_eq!(rows.par_mean(&scores, None, 1_000)?, rows.mean(&scores, None, 1_000)?);
    /// # Ok::<(), Error>(())
    /// ```
    #[cfg(feature = "rayon")]
    pub fn par_mean(
        &self,
        values: &[f64],
        weights: Option<&[Weight]>,
        resamples: usize,
    ) -> Result<Replicates, Error> {
        let (estimate, units) = self.units(values, weights)?;
        let values = par_run(resamples, || |replicate| [units.mean(self.draws(), replicate)]);
        let [replicates] = self.finish([Ok(estimate)], values);
        replicates
    }

    /// The mean on all rows, and what each cluster adds to a resample's.
    fn units(&self, values: &[f64], weights: Option<&[Weight]>) -> Result<(f64, Units), Error> {
        let rows = self.cluster_of().len();
        same_length("values", rows, values.len())?;
        same_length("weights", rows, weights.map_or(rows, <[Weight]>::len))?;
        let counted = |row: usize| weights.is_none_or(|weights| weights[row] > Weight::ZERO);
        let exponent =
            largest_exponent((0..rows).filter(|&row| counted(row)).map(|row| values[row]));
        let scaled = |value| times_power_of_two(value, -exponent);
        let mut mean = ExactMean::default();
        for (row, &value) in values.iter().enumerate() {
            if value.is_nan() {
                let what = "values";
                let error = scoring_rules::Error::NotFiniteAt { what, index: row, value };
                return Err(Error::ScoringRules(error));
            }
            let weight = weights.map_or(Weight::ONE, |weights| weights[row]);
            mean.update_weighted(scaled(value), weight)?;
        }
        let estimate = mean.finish()?;
        // From the mean, so that what adds nothing to it is 0 up to rounding.
        let center = if estimate.is_finite() { estimate } else { 0.0 };
        let mut order: Vec<u32> = (0..rows as u32).collect();
        order.sort_by_key(|&row| self.cluster_of()[row as usize]);
        let mut units = Vec::with_capacity(self.cluster_count());
        for cluster in
            order.chunk_by(|&a, &b| self.cluster_of()[a as usize] == self.cluster_of()[b as usize])
        {
            // Exact, so that the order of the rows in a cluster makes no difference.
            let (mut total, mut weight) = (ExactSum::default(), ExactSum::default());
            for row in cluster.iter().map(|&row| row as usize).filter(|&row| counted(row)) {
                let row_weight = weights.map_or(1.0, |weights| weights[row].get());
                total.add_product(scaled(values[row]), row_weight);
                total.add_product(-center, row_weight);
                weight.add(row_weight);
            }
            units.push(Unit { total: total.value(), weight: weight.value() });
        }
        if weights.is_some() {
            at_least_two("clusters", units.iter().filter(|unit| unit.weight > 0.0).count())?;
        }
        let rounding = if estimate.is_finite() { rounding(center, &units) } else { 0.0 };
        let sums = Sums::new(units);
        Ok((times_power_of_two(estimate, exponent), Units { sums, center, rounding, exponent }))
    }
}

/// How far from the center a mean may lie by rounding alone.
fn rounding(center: f64, units: &[Unit]) -> f64 {
    let sum = units.iter().fold(Unit::default(), |sum, unit| Unit {
        total: sum.total + unit.total.abs(),
        weight: sum.weight + unit.weight,
    });
    16.0 * f64::EPSILON * (center.abs() + sum.total / sum.weight)
}

/// The rows that are drawn together.
#[derive(Clone, Copy, Debug, Default)]
struct Unit {
    /// Sum of weight times what a value is above the center.
    total: f64,
    weight: f64,
}

/// What the clusters add to a resample's mean, in units of a power of two.
struct Units {
    sums: Sums,
    center: f64,
    rounding: f64,
    exponent: i32,
}

enum Sums {
    /// All of one weight, so that every resample weighs the same.
    Alike {
        totals: Vec<f64>,
        weight: f64,
    },
    Weighted(Vec<Unit>),
}

impl Units {
    /// The mean in one resample; NaN without any weight.
    fn mean(&self, draws: &Draws, replicate: u64) -> f64 {
        let above = self.sums.mean(draws, replicate);
        let mean = if above.abs() <= self.rounding { self.center } else { self.center + above };
        times_power_of_two(mean, self.exponent)
    }
}

impl Sums {
    fn new(units: Vec<Unit>) -> Self {
        let weight = units.first().map_or(0.0, |unit| unit.weight);
        if units.iter().all(|unit| unit.weight == weight) {
            Self::Alike { totals: units.iter().map(|unit| unit.total).collect(), weight }
        } else {
            Self::Weighted(units)
        }
    }

    /// What a resample's mean is above the center.
    fn mean(&self, draws: &Draws, replicate: u64) -> f64 {
        // Each lane has a sum of its own, so that one addition need not wait for another.
        match self {
            Self::Alike { totals, weight } => {
                let mut lanes = [0.0; LANES];
                draws.each(replicate, |lane, drawn| lanes[lane] += totals[drawn]);
                lanes.iter().sum::<f64>() / (weight * totals.len() as f64)
            }
            Self::Weighted(units) => {
                let mut lanes = [Unit::default(); LANES];
                draws.each(replicate, |lane, drawn| {
                    lanes[lane].total += units[drawn].total;
                    lanes[lane].weight += units[drawn].weight;
                });
                let total: f64 = lanes.iter().map(|lane| lane.total).sum();
                total / lanes.iter().map(|lane| lane.weight).sum::<f64>()
            }
        }
    }
}
