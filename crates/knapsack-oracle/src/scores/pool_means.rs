use scoring_rules::checks::entries;

use crate::{error::Error, scores::efficiency::Efficiency};

/// The mean triage efficiency over pools, and the number of pools in which it is undefined.
/// Returned by [`MeanEfficiency::new`], which has an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanEfficiency {
    /// The mean over all pools, in which pools with an undefined ratio have the score of the paper's convention.
    pub score: f64,
    /// The standard error of `score` if pools are independent. `None` for a single pool.
    pub standard_error: Option<f64>,
    /// The mean over the pools in which the ratio is defined. `None` if there is no such pool.
    pub informative_score: Option<f64>,
    /// The number of pools.
    pub pools: usize,
    /// The number of pools in which no item can be solved within the budget.
    pub nothing_solvable: usize,
    /// The number of pools in which a random planner earns as much as the oracle.
    pub random_is_optimal: usize,
}

/// The mean normalised regret over the pools in which it is defined. Returned by [`MeanRegret::new`],
/// which has an example.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanRegret {
    /// The mean regret.
    pub regret: f64,
    /// The standard error of `regret` if pools are independent. `None` for a single pool.
    pub standard_error: Option<f64>,
    /// The number of pools in the mean.
    pub pools: usize,
    /// The number of pools excluded because no item was solvable.
    pub left_out: usize,
}

impl MeanEfficiency {
    /// Averages efficiencies over pools. Every pool has the same weight.
    ///
    /// Pools without a solvable item are kept with a score of 1 (appendix D.3). Section 3.2 of the
    /// paper would leave them out; [`MeanEfficiency::informative_score`] does. For an interval,
    /// resample pools with the bootstrap of the crate trajectory-metrics.
    ///
    /// ```
    /// use knapsack_oracle::{Efficiency, Error, MeanEfficiency};
    ///
    /// let mean = MeanEfficiency::new(&[Efficiency::Informative(0.5), Efficiency::NothingSolvable])?;
    /// assert_eq!((mean.score, mean.informative_score), (0.75, Some(0.5)));
    /// assert_eq!((mean.standard_error, mean.nothing_solvable), (Some(0.25), 1));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] without pools, and [`scoring_rules::Error::Entry`] for an efficiency that is not
    /// finite or is above 1.
    pub fn new(pools: &[Efficiency]) -> Result<Self, Error> {
        let scores: Vec<f64> = pools.iter().map(Efficiency::score).collect();
        let informative: Vec<f64> = pools.iter().filter_map(Efficiency::informative).collect();
        let is_valid = |score: &f64| (f64::MIN..=1.0).contains(score);
        entries("efficiency", &scores, is_valid, "a finite number of at most 1")?;
        let (score, standard_error) = mean(&scores)?;
        let count =
            |which: fn(&Efficiency) -> bool| pools.iter().filter(|pool| which(pool)).count();
        Ok(Self {
            score,
            standard_error,
            informative_score: mean(&informative).ok().map(|(mean, _)| mean),
            pools: pools.len(),
            nothing_solvable: count(|pool| matches!(pool, Efficiency::NothingSolvable)),
            random_is_optimal: count(|pool| matches!(pool, Efficiency::RandomIsOptimal { .. })),
        })
    }
}

impl MeanRegret {
    /// Averages regrets over pools. `None` marks a pool without a solvable item and is left out.
    ///
    /// ```
    /// use knapsack_oracle::{Error, MeanRegret};
    ///
    /// let mean = MeanRegret::new(&[Some(0.0), None, Some(0.5)])?;
    /// assert_eq!((mean.regret, mean.standard_error), (0.25, Some(0.25)));
    /// assert_eq!((mean.pools, mean.left_out), (2, 1));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), appendix D.3, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Empty`] if no pool has a regret, and [`scoring_rules::Error::Entry`] for a regret that is not
    /// from 0 to 1.
    pub fn new(pools: &[Option<f64>]) -> Result<Self, Error> {
        for (index, regret) in pools.iter().enumerate() {
            if let Some(value) = *regret
                && !(0.0..=1.0).contains(&value)
            {
                let (what, range) = ("regret", "a number from 0 to 1");
                return Err(scoring_rules::checks::entry(what, index, value, range).into());
            }
        }
        let defined: Vec<f64> = pools.iter().copied().flatten().collect();
        let (regret, standard_error) = mean(&defined)?;
        let left_out = pools.len() - defined.len();
        Ok(Self { regret, standard_error, pools: defined.len(), left_out })
    }
}

/// Returns the mean and its standard error.
fn mean(values: &[f64]) -> Result<(f64, Option<f64>), Error> {
    if values.is_empty() {
        return Err(Error::ScoringRules(scoring_rules::Error::Empty));
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Ok((mean, (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())))
}
