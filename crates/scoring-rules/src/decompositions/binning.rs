use crate::{
    checks::{ascending, setting},
    error::Error,
    ties::{block::Block, tied_blocks::TiedBlocks},
    values::probability::Probability,
};

/// The rule that assigns confidences to bins. Equal confidences are in the same bin.
///
/// With the feature `serde` it can be written. Reading is not supported, because a binning borrows its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Binning<'a> {
    /// Bins of equal weight. A block of equal confidences belongs to the bin that contains the middle of the block's
    /// weight.
    Quantile {
        /// The number of bins.
        bins: usize,
    },
    /// Bins of equal width on [0, 1], closed on the right as in Guo et al. (2017), On calibration of modern
    /// neural networks, arXiv:1706.04599, and in scikit-learn's `calibration_curve`. Bin k, counted from 0, contains
    /// the confidences above `k / bins` up to `(k + 1) / bins`, both rounded to the nearest f64, and the first bin
    /// also contains 0. For example, 0.9 is in bin 8 of 10 and 1 is in bin 9.
    EqualWidth {
        /// The number of bins.
        bins: usize,
    },
    /// Bins from 0 to the first edge, between neighbouring edges, and from the last edge to 1. Each bin contains its
    /// upper bound, and the first bin also contains 0.
    Edges {
        /// The edges between bins, in ascending order. If there are none, there is a single bin.
        inner: &'a [Probability],
    },
    /// One bin per distinct confidence.
    Distinct,
}

impl Binning<'_> {
    /// Returns the bins that are not empty, in ascending order. Each bin is a slice of its blocks.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] for empty blocks; [`Error::Setting`] for 0 bins; [`Error::OutOfOrder`] for
    /// an edge below the previous edge.
    ///
    /// ```
    /// use scoring_rules::{Binning, Error, Probability, TiedBlocks};
    ///
    /// let confidence = Probability::from_slice(&[0.1, 0.4, 0.5, 0.9])?;
    /// let blocks = TiedBlocks::new(confidence, &[false, true, false, true], None)?;
    /// let halves = Binning::EqualWidth { bins: 2 };
    /// let sizes: Vec<usize> = halves.bins(&blocks)?.map(<[_]>::len).collect();
    /// assert_eq!(sizes, [3, 1]);
    ///
    /// let inner = Probability::from_slice(&[0.2, 0.9])?;
    /// let sizes: Vec<usize> = Binning::Edges { inner }.bins(&blocks)?.map(<[_]>::len).collect();
    /// assert_eq!(sizes, [1, 3]);
    /// # Ok::<(), Error>(())
    /// ```
    pub fn bins(self, blocks: &TiedBlocks) -> Result<impl Iterator<Item = &[Block]>, Error> {
        if blocks.as_slice().is_empty() {
            return Err(Error::Empty);
        }
        match self {
            Self::Quantile { bins } | Self::EqualWidth { bins } => {
                setting("bins", bins as f64, bins > 0, "at least 1")?;
            }
            Self::Edges { inner } => ascending("edges", inner, |before, edge| before <= edge)?,
            _ => {}
        }
        let (failures, successes) = (blocks.failures(), blocks.successes());
        let total = failures + successes;
        let mut before = 0.0;
        // Bins ascend with confidence, so that a bin is a run of neighbouring blocks.
        Ok(blocks.as_slice().chunk_by(move |block, next| {
            let bin = self.bin_of(block, before, total);
            before += block.weight();
            self != Self::Distinct && self.bin_of(next, before, total) == bin
        }))
    }

    /// Returns the bin of a confidence under [`Binning::EqualWidth`] with `bins` bins, counted from 0: the least k
    /// with `p <= (k + 1) / bins`. A single bin contains all confidences.
    ///
    /// ```
    /// use scoring_rules::{Binning, Probability};
    ///
    /// let bin = |p: f64| Probability::new(p).map(|p| Binning::equal_width_bin(p, 10));
    /// assert_eq!([bin(0.0)?, bin(0.1)?, bin(0.9)?, bin(1.0)?], [0, 0, 8, 9]);
    /// # Ok::<(), scoring_rules::Error>(())
    /// ```
    #[must_use]
    pub fn equal_width_bin(p: Probability, bins: usize) -> usize {
        let (p, n) = (p.get(), bins as f64);
        // Rounding of the product can move a confidence across one edge.
        let guess = (n * p).ceil() - 1.0;
        let bin = if (guess + 1.0) / n < p {
            guess + 1.0
        } else if guess / n >= p {
            guess - 1.0
        } else {
            guess
        };
        // Negative numbers become 0.
        (bin as usize).min(bins.saturating_sub(1))
    }

    /// The bin of a block, where `before` is the weight of all lower blocks.
    fn bin_of(self, block: &Block, before: f64, total: f64) -> f64 {
        match self {
            Self::Quantile { bins } => (bins as f64 * (before + block.weight() / 2.0) / total)
                .floor()
                .min(bins as f64 - 1.0),
            Self::EqualWidth { bins } => Self::equal_width_bin(block.confidence, bins) as f64,
            Self::Edges { inner } => inner.partition_point(|&edge| edge < block.confidence) as f64,
            Self::Distinct => 0.0,
        }
    }
}
