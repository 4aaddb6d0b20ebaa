use scoring_rules::{Block, CompensatedSum, ExactSum, Probability, TiedBlocks, Weight};

use crate::{
    checks::{same_length, setting},
    error::Error,
    figures::figure::Figure,
    numerics::normal::two_sided_tail,
    ranks::{areas::auroc, positive_class::both_classes},
};

/// A standard deviation of placements, which are shares, below this is rounding.
const ROUNDING: f64 = 1e-14;

impl Figure {
    /// Returns [`auroc`](crate::auroc()) with DeLong's standard error for independent rows. The standard error is 0 if
    /// the shares from which it is computed vary by less than 1e-14, because such variation is only rounding.
    ///
    /// The placement of a success is the share of failures with a lower confidence; the placement of a
    /// failure is the share of successes with a higher confidence. A tie counts one half. With m
    /// successes and n failures,
    ///
    /// ```text
    /// standard error^2 = (sample variance of the placements of successes) / m
    ///                  + (sample variance of the placements of failures) / n
    /// ```
    ///
    /// Weights are numbers of rows: a weight of 2 counts the row twice, each class needs a total weight
    /// above 1, and weights must not be normalized. Rows are assumed to be independent; if they share
    /// tasks, use [`Bootstrap::clusters`](crate::Bootstrap::clusters). The standard error of a perfect
    /// ranking is 0, because the sample then contains no information on its error.
    ///
    /// Cost: linear in the number of blocks.
    ///
    /// Reference: DeLong, DeLong and Clarke-Pearson (1988), Comparing the areas under two or more
    /// correlated receiver operating characteristic curves, doi:10.2307/2531595; computation by ranks:
    /// Sun and Xu (2014), Fast implementation of DeLong's algorithm for comparing the areas under
    /// correlated receiver operating characteristic curves, doi:10.1109/LSP.2014.2337313.
    ///
    /// # Errors
    ///
    /// [`Error::OneClass`] unless there are both failures and successes;
    /// [`scoring_rules::Error::Setting`] if one class has a total weight of at most 1 (plus 1e-9) or
    /// above 1e15; [`scoring_rules::Error::Empty`] for empty blocks.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Figure, Probability, TiedBlocks};
    ///
    /// let confidence = Probability::from_slice(&[0.2, 0.4, 0.6, 0.8])?;
    /// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
    /// let estimate = Figure::auroc(&blocks)?;
    /// assert_eq!(estimate.value, 0.75);
    /// // Placements are 1/2 and 1 in both classes; their variance is 1/8.
    /// let error = ((1.0_f64 / 8.0) / 2.0 + (1.0 / 8.0) / 2.0).sqrt();
    /// assert_eq!(estimate.standard_error, Some(error));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn auroc<S>(blocks: &TiedBlocks<S>) -> Result<Self, Error> {
        let [failures, successes] = classes(blocks)?;
        let mut variance = 0.0;
        for (class, other) in [(failures, successes), (successes, failures)] {
            // Each placement is kept as twice the weight of the other class below. This number is an integer
            // if weights are, so that equal placements have no rounding error.
            let placements = || {
                let mut below = 0.0;
                blocks.as_slice().iter().map(move |block| {
                    let (own, others) = class.weights_in(block);
                    let twice = 2.0 * below + others;
                    below += others;
                    (own, twice)
                })
            };
            let mut sum = CompensatedSum::default();
            placements().for_each(|(weight, twice)| sum.add(weight * twice));
            let mean = sum.value() / class.weight;
            let mut squares = CompensatedSum::default();
            placements().for_each(|(weight, twice)| squares.add(weight * (twice - mean).powi(2)));
            variance += class.variance_of_mean(squares.value(), other);
        }
        Ok(Self { standard_error: Some(variance.sqrt()), ..Self::from(auroc(blocks)?) })
    }

    /// Returns the two-sided p-value of the hypothesis that the true value is 0. The value divided by its standard
    /// error is assumed to be normally distributed. For a difference, the hypothesis is that both values are equal.
    /// `None` unless the standard error is above 0.
    #[must_use]
    pub fn p_value(&self) -> Option<f64> {
        let error = self.standard_error.filter(|error| *error > 0.0)?;
        Some(two_sided_tail(self.value / error))
    }

    /// Returns the AUROC of a first confidence minus the AUROC of a second confidence on the same rows, in [-1, 1],
    /// with DeLong's standard error. Its [`Self::p_value`] is that of DeLong's test that both AUROCs are equal. Both
    /// outcome lists must be equal.
    ///
    /// Each confidence is passed with the outcomes of its rows. To compare two models that each made their own runs,
    /// use [`ClusterEstimate::auroc_difference`](crate::ClusterEstimate::auroc_difference).
    ///
    /// The standard error is computed from the differences of placements (see [`Self::auroc`]) row by row, so
    /// that shared variation cancels. Two confidences with the same ranking have a difference and a
    /// standard error of 0, and no test is possible. Weights and independence are as in [`Self::auroc`].
    ///
    /// Cost: two sorts, O(n log n).
    ///
    /// # Errors
    ///
    /// The errors of [`TiedBlocks::new`] and [`Self::auroc`]; [`scoring_rules::Error::Length`] unless all
    /// lists have one entry per row; [`Error::OutcomeDiffers`] with the first row whose outcomes
    /// differ.
    ///
    /// ```
    /// use trajectory_metrics::{Error, Figure, Probability};
    ///
    /// let first = Probability::from_slice(&[0.1, 0.3, 0.2, 0.8, 0.6, 0.9])?;
    /// let second = Probability::from_slice(&[0.5, 0.5, 0.5, 0.5, 0.5, 0.6])?;
    /// let outcomes = [false, false, true, true, false, true];
    /// let test = Figure::auroc_difference(first, &outcomes, second, &outcomes, None)?;
    /// assert!((test.value - 1.0 / 9.0).abs() < 1e-15);
    /// assert!(test.p_value() > Some(0.3));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn auroc_difference(
        first_confidence: &[Probability],
        first_outcomes: &[bool],
        second_confidence: &[Probability],
        second_outcomes: &[bool],
        weights: Option<&[Weight]>,
    ) -> Result<Self, Error> {
        let (first, second, outcomes) = (first_confidence, second_confidence, first_outcomes);
        same_length("first_outcomes", first.len(), outcomes.len())?;
        same_length("second_confidence", first.len(), second.len())?;
        same_length("second_outcomes", first.len(), second_outcomes.len())?;
        if let Some(index) = outcomes.iter().zip(second_outcomes).position(|(a, b)| a != b) {
            return Err(Error::OutcomeDiffers { index });
        }
        let sorted = [first, second].map(|rows| TiedBlocks::new(rows, outcomes, weights));
        let [first_blocks, second_blocks] = sorted;
        let (first_blocks, second_blocks) = (first_blocks?, second_blocks?);
        let classes = classes(&first_blocks)?;
        let (first_ranks, second_ranks) =
            (Placements::new(&first_blocks), Placements::new(&second_blocks));

        let (mut difference, mut variance) = (0.0, 0.0);
        for [class, other] in [classes, [classes[1], classes[0]]] {
            let rows = || {
                let rows =
                    outcomes.iter().enumerate().filter(|&(_, &outcome)| outcome == class.outcome);
                rows.map(|(row, _)| {
                    let weight = weights.map_or(1.0, |weights| weights[row].get());
                    let above = first_ranks.of(first[row], class.outcome);
                    (weight, above - second_ranks.of(second[row], class.outcome))
                })
            };
            // Exact sums do not depend on the order of the rows.
            let mut sum = ExactSum::default();
            rows().for_each(|(weight, gap)| sum.add_product(weight, gap));
            let mean = sum.value() / class.weight;
            let mut squares = ExactSum::default();
            rows().for_each(|(weight, gap)| squares.add_product(weight, (gap - mean).powi(2)));
            variance += class.variance_of_mean(squares.value(), other);
            if class.outcome {
                difference = mean / (2.0 * other.weight);
            }
        }
        Ok(Self { standard_error: Some(variance.sqrt()), ..Self::from(difference) })
    }
}

/// Placements of rows: for each block, twice the weight of the other class below the block, plus the weight
/// of the other class inside the block.
pub(crate) struct Placements<'a> {
    blocks: &'a TiedBlocks,
    /// For failures and for successes of each block.
    twice: Vec<[f64; 2]>,
}

impl<'a> Placements<'a> {
    pub(crate) fn new(blocks: &'a TiedBlocks) -> Self {
        // Compensated, so that the order of rows does not matter.
        let mut below = [CompensatedSum::default(); 2];
        let twice = blocks.as_slice().iter().map(|block| {
            let inside = [block.failures, block.successes];
            let [failures, successes] = below.map(|sum| 2.0 * sum.value());
            below.iter_mut().zip(inside).for_each(|(sum, inside)| sum.add(inside));
            [successes + inside[1], failures + inside[0]]
        });
        Self { blocks, twice: twice.collect() }
    }

    pub(crate) fn of(&self, confidence: Probability, outcome: bool) -> f64 {
        let at = self.blocks.as_slice().partition_point(|block| block.confidence < confidence);
        // Only rows of weight 0 may have no block, and their placement does not matter.
        self.twice.get(at).map_or(0.0, |twice| twice[usize::from(outcome)])
    }
}

/// All rows of one outcome.
#[derive(Clone, Copy)]
pub(crate) struct Class {
    pub(crate) outcome: bool,
    pub(crate) weight: f64,
}

impl Class {
    /// The weight of this class and of the other class in a block.
    fn weights_in<S>(self, block: &Block<S>) -> (f64, f64) {
        if self.outcome {
            (block.successes, block.failures)
        } else {
            (block.failures, block.successes)
        }
    }

    /// The variance of the mean placement, from the sum of squared deviations of placements that are
    /// kept as twice a weight.
    fn variance_of_mean(self, squares: f64, other: Self) -> f64 {
        let unit = 2.0 * other.weight;
        let variance = squares / (self.weight - 1.0) / (unit * unit);
        if variance > ROUNDING * ROUNDING { variance / self.weight } else { 0.0 }
    }
}

/// Failures and successes, whose weights must allow a variance.
fn classes<S>(blocks: &TiedBlocks<S>) -> Result<[Class; 2], Error> {
    let (failures, successes) = both_classes(blocks)?;
    let classes = [(false, failures), (true, successes)];
    for (outcome, weight) in classes {
        // A single row has no variance, and an excess below 1e-9 is lost to rounding.
        let is_valid = weight > 1.0 + 1e-9 && weight <= 1e15;
        let name = if outcome { "weight of the successes" } else { "weight of the failures" };
        setting(name, weight, is_valid, "more than one row and at most 1e15")?;
    }
    Ok(classes.map(|(outcome, weight)| Class { outcome, weight }))
}
