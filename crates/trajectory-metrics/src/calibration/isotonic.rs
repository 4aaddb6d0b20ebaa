use scoring_rules::{Probability, TiedBlocks};

#[cfg(feature = "serde")]
use super::stored_map::{ordered, some_knot};
use crate::{
    calibration::calibrator::{CalibrationMap, Calibrator},
    error::Error,
};

/// Isotonic regression: the nondecreasing map with the smallest squared error.
///
/// Equal forecasts are pooled first. Neighbours whose success rates decrease are then pooled until the
/// rates are nondecreasing (pool adjacent violators). The method needs no penalty and no scale, but
/// more records than [`Platt`](crate::Platt); with few records it fits their noise. If all outcomes
/// are equal, the map is constant at 0 or 1; use a clipped log score for its result.
///
/// Cost: one sort, O(n log n).
///
/// Reference: Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution function for
/// sampling with incomplete information, doi:10.1214/aoms/1177728423; as calibration Zadrozny and
/// Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates,
/// doi:10.1145/775047.775151.
///
/// ```
/// use trajectory_metrics::{CalibrationMap, Calibrator, Error, Isotonic, Probability, Weight};
///
/// let forecasts = Probability::from_slice(&[0.25, 0.5, 0.75, 1.0])?;
/// let map = Isotonic.fit(forecasts, &[false, true, false, true], None)?;
/// let mapped = |p| Ok::<_, Error>(map.apply(Probability::new(p)?).get());
/// assert_eq!(mapped(0.6)?, 0.5); // 0.5 and 0.75 are pooled.
/// assert_eq!(mapped(0.375)?, 0.25); // Half way between 0.25 and 0.5.
/// assert_eq!(mapped(0.1)?, 0.0); // The same as at 0.25.
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Isotonic;

scoring_rules::checked! {
    /// A nondecreasing map that interpolates between knots, fitted by [`Isotonic`].
    ///
    /// The map is linear between knots, and constant before the first and after the last.
    #[derive(Clone, Debug, PartialEq)]
    pub struct IsotonicMap {
        /// At least one knot. Forecasts are strictly increasing, values nondecreasing.
        knots: Vec<(Probability, Probability)>,
    }
    check: |map| {
        some_knot(map.knots.len())?;
        ordered("knots", map.knots.iter().map(|&(knot, _)| knot), |before, knot| before < knot)?;
        ordered("values", map.knots.iter().map(|&(_, value)| value), |before, next| before <= next)
    }
}

impl IsotonicMap {
    /// Returns the knots of the map in increasing order, each a forecast with its calibrated value. There is at least
    /// one; a constant map has exactly one.
    ///
    /// ```
    /// use trajectory_metrics::{Calibrator, Error, Isotonic, Probability, Weight};
    ///
    /// let forecasts = Probability::from_slice(&[0.3, 0.4])?;
    /// let map = Isotonic.fit(forecasts, &[true, true], None)?;
    /// assert_eq!(map.knots(), [(forecasts[1], Probability::ONE)]);
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn knots(&self) -> &[(Probability, Probability)] {
        &self.knots
    }
}

impl Calibrator for Isotonic {
    type Map = IsotonicMap;

    /// # Errors
    ///
    /// Never [`Error::OneClass`].
    fn fit_blocks(&self, blocks: &TiedBlocks) -> Result<IsotonicMap, Error> {
        let pools = blocks.pool_adjacent_violators();
        let mut knots = Vec::with_capacity(2 * pools.len());
        for (i, pool) in pools.iter().enumerate() {
            let value = Probability::new(pool.rate())?;
            let pooled = &blocks.as_slice()[pool.blocks.clone()];
            let (first, last) = (pooled[0].confidence, pooled[pooled.len() - 1].confidence);
            // The map is constant before the first knot and after the last, so the outer pools
            // need only their inner end.
            if i > 0 {
                knots.push((first, value));
            }
            if i == 0 || (i + 1 < pools.len() && first < last) {
                knots.push((last, value));
            }
        }
        Ok(IsotonicMap { knots })
    }
}

impl CalibrationMap for IsotonicMap {
    fn apply(&self, forecast: Probability) -> Probability {
        let after = self.knots.partition_point(|&(knot, _)| knot <= forecast);
        if after == 0 {
            return self.knots[0].1;
        }
        let (start, low) = self.knots[after - 1];
        let Some(&(end, high)) = self.knots.get(after) else {
            return low;
        };
        let share = (forecast.get() - start.get()) / (end.get() - start.get());
        let value = low.get() + share * (high.get() - low.get());
        // Each operation is monotone in the forecast. The value lies between two probabilities, so the
        // fallback is never used.
        Probability::new(value.min(high.get())).unwrap_or(high)
    }
}
