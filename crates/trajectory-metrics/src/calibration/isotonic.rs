use scoring_rules::{Probability, TiedBlocks, Weight, pool_adjacent_violators};

#[cfg(feature = "serde")]
use super::stored_map;
use crate::{
    calibration::calibrator::{CalibrationMap, Calibrator},
    error::Error,
};

/// Isotonic regression: the rising map with the smallest squared error, whatever its shape.
///
/// Equal forecasts are pooled first; then neighbours whose success rates fall are pooled until the
/// rates rise (pool adjacent violators). Needs no penalty and no scale, but more records than
/// [`Platt`](crate::Platt): on few it fits their noise. One outcome alone gives a constant map of
/// 0 or 1, which an unclipped log score will punish without limit; clip there.
///
/// Cost: one sort, O(n log n).
///
/// Reference: Ayer, Brunk, Ewing, Reid and Silverman (1955), An empirical distribution function for
/// sampling with incomplete information, doi:10.1214/aoms/1177728423; as calibration Zadrozny and
/// Elkan (2002), Transforming classifier scores into accurate multiclass probability estimates,
/// doi:10.1145/775047.775151.
///
/// ```
/// use trajectory_metrics::{Weight, CalibrationMap, Calibrator, Error, Isotonic, Probability};
///
/// let said = Probability::from_slice(&[0.25, 0.5, 0.75, 1.0])?;
/// let map = Isotonic.fit(said, &[false, true, false, true], &[Weight::ONE; 4])?;
/// let mapped = |p| Ok::<_, Error>(map.apply(Probability::new(p)?).get());
/// assert_eq!(mapped(0.6)?, 0.5); // 0.5 and 0.75 were pooled
/// assert_eq!(mapped(0.375)?, 0.25); // halfway from 0.25 to 0.5
/// assert_eq!(mapped(0.1)?, 0.0); // as at 0.25
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Isotonic;

/// A rising map through knots, fitted by [`Isotonic`].
///
/// Straight lines between knots, constant before the first and after the last.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct IsotonicMap {
    /// At least one. Forecasts rise strictly, values do not fall.
    #[cfg_attr(feature = "serde", serde(deserialize_with = "stored_map::knots"))]
    knots: Vec<(Probability, Probability)>,
}

impl IsotonicMap {
    /// The forecasts at which the map turns, in rising order, and what they become. At least one
    /// knot; a constant map has exactly one.
    ///
    /// ```
    /// use trajectory_metrics::{Weight, Calibrator, Error, Isotonic, Probability};
    ///
    /// let said = Probability::from_slice(&[0.3, 0.4])?;
    /// let map = Isotonic.fit(said, &[true, true], &[Weight::ONE; 2])?;
    /// assert_eq!(map.knots(), [(said[1], Probability::ONE)]);
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
    /// As [`Calibrator::fit`], but never [`Error::OneClass`].
    fn fit(
        &self,
        forecasts: &[Probability],
        outcomes: &[bool],
        weights: &[Weight],
    ) -> Result<IsotonicMap, Error> {
        // Blocks, so that no order of the records can matter.
        let blocks = TiedBlocks::new(forecasts, outcomes, Some(weights))?;
        let pools = pool_adjacent_violators(&blocks);
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
        // Each operation keeps the order of forecasts, the last one also its limit. Between two
        // probabilities there is nothing but probabilities, so the fallback is never taken.
        Probability::new(value.min(high.get())).unwrap_or(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(value: f64) -> Probability {
        Probability::new(value).unwrap()
    }

    fn fit(forecasts: &[f64], outcomes: &[bool]) -> IsotonicMap {
        let weights = vec![1.0; forecasts.len()];
        Isotonic
            .fit(
                Probability::from_slice(forecasts).unwrap(),
                outcomes,
                Weight::from_slice(&weights).unwrap(),
            )
            .unwrap()
    }

    #[test]
    fn only_the_inner_ends_of_the_outer_pools_are_kept() {
        let forecasts = [0.0, 0.1, 0.2, 0.5, 0.6, 0.7, 0.9, 1.0];
        let outcomes = [false, false, false, true, false, true, true, true];
        let map = fit(&forecasts, &outcomes);
        let half = Probability::HALF;
        let knots =
            [(p(0.2), Probability::ZERO), (half, half), (p(0.6), half), (p(0.7), Probability::ONE)];
        assert_eq!(map.knots(), knots);
        for (&forecast, value) in forecasts.iter().zip([0.0, 0.0, 0.0, 0.5, 0.5, 1.0, 1.0, 1.0]) {
            assert_eq!(map.apply(p(forecast)).get(), value);
        }
        assert!((map.apply(p(0.65)).get() - 0.75).abs() < 1e-15);
    }

    #[test]
    fn falling_rates_and_one_class_give_a_constant() {
        let falling = fit(&[0.1, 0.5, 0.9, 0.9], &[true, true, false, false]);
        assert_eq!(falling.knots(), [(p(0.9), Probability::HALF)]);
        let failures = fit(&[0.1, 0.8], &[false, false]);
        for forecast in [0.0, 0.1, 0.5, 1.0] {
            assert_eq!(falling.apply(p(forecast)), Probability::HALF);
            assert_eq!(failures.apply(p(forecast)), Probability::ZERO);
        }
    }

    #[test]
    fn a_pool_of_one_forecast_is_one_knot() {
        let map = fit(&[0.2, 0.5, 0.5, 0.9], &[false, true, false, true]);
        let half = Probability::HALF;
        assert_eq!(map.knots(), [(p(0.2), Probability::ZERO), (half, half), (p(0.9), p(1.0))]);
    }

    #[test]
    fn knots_next_to_each_other_in_f64_are_no_trouble() {
        let (low, high) = (0.3, 0.3_f64.next_up());
        let map = fit(&[low, high], &[false, true]);
        assert_eq!(map.apply(p(low)), Probability::ZERO);
        assert_eq!(map.apply(p(high)), Probability::ONE);
        let tiny = fit(&[0.0, f64::from_bits(2)], &[false, true]);
        assert_eq!(tiny.apply(p(f64::from_bits(1))), Probability::HALF);
    }
}
