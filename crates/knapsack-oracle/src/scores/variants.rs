use scoring_rules::{
    DecimalSum,
    checks::{same_length, setting},
};

use crate::{error::Error, scores::kendall::kendall_tau_b};

/// Scores of several configurations, such as models and modes, under several variants of one prompt. They show how
/// much the scores depend on the wording.
///
/// ```
/// use knapsack_oracle::{Error, VariantScores};
///
/// // Two configurations under the variants A, B and C.
/// let scores = VariantScores::new(&[[0.681, 0.781, 0.776], [0.333, 0.363, 0.271]])?;
/// assert_eq!(scores.ranges(), [0.1, 0.092]);
/// assert_eq!((scores.count_ranges_below(0.1), scores.max_range()), (1, 0.1));
/// assert_eq!(scores.median_range(), 0.096);
/// // The ranking of the configurations is the same under every variant.
/// assert!(scores.rank_correlations().iter().all(|pair| pair.tau_b == Some(1.0)));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), appendix C.2 and tables 1 to 3, arXiv:2605.13414.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Vec<Vec<f64>>", into = "Vec<Vec<f64>>"))]
pub struct VariantScores {
    /// For each configuration, the score under each variant.
    rows: Vec<Vec<f64>>,
    variants: usize,
}

/// The agreement between the rankings of all configurations under two variants. Returned by
/// [`VariantScores::rank_correlations`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct VariantPair {
    /// The position of the first variant, from 0.
    pub first: usize,
    /// The position of the second variant.
    pub second: usize,
    /// Kendall's tau-b between the two rankings, from -1 to 1. `None` if all configurations have the
    /// same score under one of the variants.
    pub tau_b: Option<f64>,
}

/// The supported scores, so that a range is finite.
const RANGE: std::ops::RangeInclusive<f64> = -1e100..=1e100;

impl VariantScores {
    /// Creates the scores from one row per configuration, with one score per variant.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without a configuration, [`scoring_rules::Error::Setting`] for fewer than two
    /// variants, [`scoring_rules::Error::Length`] for a row that differs in length from the first, and
    /// [`scoring_rules::Error::Entry`] with the position of the row for a score outside -1e100 to 1e100.
    pub fn new<S: AsRef<[f64]>>(rows: &[S]) -> Result<Self, Error> {
        let variants =
            rows.first().ok_or(Error::ScoringRules(scoring_rules::Error::Empty))?.as_ref().len();
        setting("number of variants", variants as f64, variants >= 2, "at least 2")?;
        for (index, row) in rows.iter().enumerate() {
            same_length("scores of a configuration", variants, row.as_ref().len())?;
            if let Some(&value) = row.as_ref().iter().find(|score| !RANGE.contains(score)) {
                let (what, range) = ("a score of configuration", "from -1e100 to 1e100");
                return Err(scoring_rules::checks::entry(what, index, value, range).into());
            }
        }
        Ok(Self { rows: rows.iter().map(|row| row.as_ref().to_vec()).collect(), variants })
    }

    /// Returns, for each configuration, its range over the variants: its largest score minus its smallest score,
    /// subtracted exactly as decimal numbers.
    #[must_use]
    pub fn ranges(&self) -> Vec<f64> {
        let range = |row: &Vec<f64>| {
            let largest = row.iter().copied().fold(f64::MIN, f64::max);
            let smallest = row.iter().copied().fold(f64::MAX, f64::min);
            decimal_sum(largest, -smallest)
        };
        self.rows.iter().map(range).collect()
    }

    /// Returns the number of configurations whose range is below a limit. The paper calls a configuration stable if
    /// the range is below 0.1.
    #[must_use]
    pub fn count_ranges_below(&self, limit: f64) -> usize {
        self.ranges().iter().filter(|&&range| range < limit).count()
    }

    /// Returns the largest range of all configurations.
    #[must_use]
    pub fn max_range(&self) -> f64 {
        self.ranges().into_iter().fold(0.0, f64::max)
    }

    /// Returns the median of the ranges of all configurations. If their number is even, it is the mean of the two
    /// middle ranges.
    #[must_use]
    pub fn median_range(&self) -> f64 {
        let mut ranges = self.ranges();
        ranges.sort_by(f64::total_cmp);
        let (low, high) = (ranges[(ranges.len() - 1) / 2], ranges[ranges.len() / 2]);
        decimal_sum(low, high) / 2.0
    }

    /// Returns Kendall's tau-b between the rankings of the configurations under each pair of
    /// variants: (0, 1), (0, 2), …, (1, 2), ….
    #[must_use]
    pub fn rank_correlations(&self) -> Vec<VariantPair> {
        let column =
            |variant: usize| -> Vec<f64> { self.rows.iter().map(|row| row[variant]).collect() };
        let columns: Vec<Vec<f64>> = (0..self.variants).map(column).collect();
        let mut pairs = Vec::with_capacity(self.variants * (self.variants - 1) / 2);
        for first in 0..self.variants {
            for second in first + 1..self.variants {
                // The scores are finite, so tau-b is undefined only if all of them are equal.
                let tau_b = kendall_tau_b(&columns[first], &columns[second]).ok();
                pairs.push(VariantPair { first, second, tau_b });
            }
        }
        pairs
    }
}

fn decimal_sum(a: f64, b: f64) -> f64 {
    DecimalSum::from_iter([a, b]).value()
}

impl TryFrom<Vec<Vec<f64>>> for VariantScores {
    type Error = Error;

    fn try_from(rows: Vec<Vec<f64>>) -> Result<Self, Error> {
        Self::new(&rows)
    }
}

impl From<VariantScores> for Vec<Vec<f64>> {
    fn from(scores: VariantScores) -> Self {
        scores.rows
    }
}
