#[cfg(feature = "serde")]
use crate::stored::{is_amount, must};
use crate::{error::Error, scores::efficiency::Efficiency, stored::checked_when_read};

/// Mean triage efficiency over pools, with how many of them say something. From
/// [`mean_efficiency_score`], where an example is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanEfficiency {
    /// Mean over all pools, by the paper's convention where the ratio is undefined.
    pub score: f64,
    /// Standard error of that mean, pools taken as independent; none for a single pool.
    pub standard_error: Option<f64>,
    /// Mean over the pools in which the ratio is defined; none where there is no such pool.
    pub informative_score: Option<f64>,
    /// Pools.
    pub pools: usize,
    /// Pools in which nothing was solvable within the budget.
    pub nothing_solvable: usize,
    /// Pools in which a random planner earns as much as the oracle.
    pub random_is_optimal: usize,
}

checked_when_read!(
    MeanEfficiency {
        score: f64,
        standard_error: Option<f64>,
        informative_score: Option<f64>,
        pools: usize,
        nothing_solvable: usize,
        random_is_optimal: usize,
    },
    |read| {
        let is_score = |score| (f64::MIN..=1.0).contains(&score);
        let scores = is_score(read.score) && read.informative_score.is_none_or(is_score);
        must(scores, "a score is not a finite number up to 1")?;
        let undefined = read.nothing_solvable.checked_add(read.random_is_optimal);
        let informative = undefined.and_then(|undefined| read.pools.checked_sub(undefined));
        let informative = informative.ok_or("there are more undefined pools than pools")?;
        must(read.pools > 0, "there is no pool")?;
        let agree = read.informative_score.is_some() == (informative > 0);
        must(agree, "`informative_score` is there exactly if a pool is informative")?;
        standard_error(read.standard_error, read.pools)
    }
);

/// Mean normalised regret over the pools in which it is defined. From [`mean_regret`], where an
/// example is.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct MeanRegret {
    /// The mean.
    pub regret: f64,
    /// Its standard error, pools taken as independent; none for a single pool.
    pub standard_error: Option<f64>,
    /// Pools in the mean.
    pub pools: usize,
    /// Pools left out, as nothing was solvable.
    pub left_out: usize,
}

checked_when_read!(
    MeanRegret { regret: f64, standard_error: Option<f64>, pools: usize, left_out: usize },
    |read| {
        must((0.0..=1.0).contains(&read.regret), "`regret` is not a number from 0 to 1")?;
        must(read.pools > 0, "there is no pool")?;
        standard_error(read.standard_error, read.pools)
    }
);

#[cfg(feature = "serde")]
fn standard_error(error: Option<f64>, pools: usize) -> Result<(), &'static str> {
    must(error.is_none_or(is_amount), "`standard_error` is not a finite number of at least 0")?;
    must(error.is_some() == (pools > 1), "`standard_error` is there exactly if pools are several")
}

/// The mean of efficiencies over pools, each counting once.
///
/// Pools without a solvable item are kept with a score of 1 (appendix D.3); section 3.2 of the
/// paper would leave them out, which [`MeanEfficiency::informative_score`] does. For an interval,
/// resample pools; trajectory-metrics has a bootstrap of means.
///
/// ```
/// use knapsack_oracle::{Efficiency, Error, mean_efficiency_score};
///
/// let mean = mean_efficiency_score(&[Efficiency::Informative(0.5), Efficiency::NothingSolvable])?;
/// assert_eq!((mean.score, mean.informative_score), (0.75, Some(0.5)));
/// assert_eq!((mean.standard_error, mean.nothing_solvable), (Some(0.25), 1));
/// # Ok::<(), Error>(())
/// ```
///
/// # Errors
///
/// [`Error::Empty`] without a pool; [`Error::Entry`] for an efficiency that is not finite or above
/// 1.
pub fn mean_efficiency_score(pools: &[Efficiency]) -> Result<MeanEfficiency, Error> {
    let scores: Vec<f64> = pools.iter().map(Efficiency::score).collect();
    let informative: Vec<f64> = pools.iter().filter_map(Efficiency::informative).collect();
    for (index, &value) in scores.iter().enumerate() {
        if !(f64::MIN..=1.0).contains(&value) {
            let range = "a finite number up to 1";
            return Err(Error::Entry { what: "efficiency", index, value, range });
        }
    }
    let (score, standard_error) = mean(&scores)?;
    let count = |which: fn(&Efficiency) -> bool| pools.iter().filter(|pool| which(pool)).count();
    Ok(MeanEfficiency {
        score,
        standard_error,
        informative_score: mean(&informative).ok().map(|(mean, _)| mean),
        pools: pools.len(),
        nothing_solvable: count(|pool| matches!(pool, Efficiency::NothingSolvable)),
        random_is_optimal: count(|pool| matches!(pool, Efficiency::RandomIsOptimal { .. })),
    })
}

/// The mean of regrets over pools, `None` marking a pool in which nothing was solvable.
///
/// ```
/// use knapsack_oracle::{Error, mean_regret};
///
/// let mean = mean_regret(&[Some(0.0), None, Some(0.5)])?;
/// assert_eq!((mean.regret, mean.standard_error), (0.25, Some(0.25)));
/// assert_eq!((mean.pools, mean.left_out), (2, 1));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), appendix D.3, arXiv:2605.13414.
///
/// # Errors
///
/// [`Error::Empty`] where no pool has a regret; [`Error::Entry`] for one that is not from 0 to 1.
pub fn mean_regret(pools: &[Option<f64>]) -> Result<MeanRegret, Error> {
    for (index, regret) in pools.iter().enumerate() {
        if let Some(value) = *regret
            && !(0.0..=1.0).contains(&value)
        {
            let range = "a number from 0 to 1";
            return Err(Error::Entry { what: "regret", index, value, range });
        }
    }
    let defined: Vec<f64> = pools.iter().copied().flatten().collect();
    let (regret, standard_error) = mean(&defined)?;
    let left_out = pools.len() - defined.len();
    Ok(MeanRegret { regret, standard_error, pools: defined.len(), left_out })
}

/// Mean and its standard error.
fn mean(values: &[f64]) -> Result<(f64, Option<f64>), Error> {
    if values.is_empty() {
        return Err(Error::Empty);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Ok((mean, (values.len() > 1).then(|| (squares / (n - 1.0) / n).sqrt())))
}
