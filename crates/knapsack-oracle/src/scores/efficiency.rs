use scoring_rules::checks::setting;

use crate::error::Error;

/// The values that a plan, a random planner and the oracle earn with the same pool and budget. The input of
/// [`Efficiency::new`].
///
/// The fields have names so that the values cannot be swapped by mistake. Three bare numbers do not compile:
///
/// ```compile_fail,E0061
/// use knapsack_oracle::Efficiency;
///
/// let swapped = Efficiency::new(2.0, 3.0, 4.0);
/// ```
///
/// ```
/// use knapsack_oracle::{Efficiency, Error, Item, Plan, Pool, PoolValues, Regime};
///
/// let item = |id, cost| Item::new(id, 1.0, cost, true);
/// let pool = Pool::new(vec![item("a", 1)?, item("b", 1)?, item("c", 2)?])?;
/// let plan = Plan::new(&[("c", 2)], &pool, 3)?;
/// let run = plan.execute(&pool, 3, Regime::Enforced)?;
/// let efficiency = Efficiency::new(PoolValues {
///     achieved: run.earned,
///     random: pool.random_exact(3)?.value,
///     oracle: pool.oracle(3)?.value,
/// })?;
/// // A random order earns as much as the oracle: any two items fit.
/// assert_eq!(efficiency, Efficiency::RandomIsOptimal { achieved: false });
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PoolValues {
    /// The value that the plan earned: [`Execution::earned`](crate::Execution::earned).
    pub achieved: f64,
    /// The expected value of a random planner: [`ExactRandom::value`](crate::ExactRandom::value), or its estimate
    /// [`SampledRandom::value`](crate::SampledRandom::value).
    pub random: f64,
    /// The largest value that the budget allows: [`Oracle::value`](crate::Oracle::value).
    pub oracle: f64,
}

/// The triage efficiency of one plan for one pool, or the reason why the ratio is undefined. Returned by
/// [`Efficiency::new`].
///
/// ```
/// use knapsack_oracle::{Efficiency, Error, PoolValues};
///
/// let all_solved = Efficiency::new(PoolValues { achieved: 4.0, random: 4.0, oracle: 4.0 })?;
/// assert_eq!((all_solved.score(), all_solved.informative()), (1.0, None));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), equations 2 and 4 and appendix D, arXiv:2605.13414.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Efficiency {
    /// The ratio `(achieved - random) / (oracle - random)`, which is defined because the oracle earns more than a
    /// random planner. It is at most 1 and has no lower bound.
    Informative(f64),
    /// The oracle earns nothing, and so does every plan. The score is 1 by convention, because
    /// nothing was lost.
    NothingSolvable,
    /// A random planner earns as much as the oracle, for instance if all items fit the budget. By convention, the
    /// score is 1 if the plan earned as much, too, and 0 otherwise.
    RandomIsOptimal {
        /// Whether the plan earned as much as the oracle.
        achieved: bool,
    },
}

impl Efficiency {
    /// Computes the triage efficiency of a plan, on a scale from a random planner (0) to the oracle
    /// (1): `(achieved - random) / (oracle - random)`.
    ///
    /// A random value counts as equal to the oracle's if their relative difference is at most 1e-9.
    ///
    /// ```
    /// use knapsack_oracle::{Efficiency, Error, PoolValues};
    ///
    /// let values = PoolValues { achieved: 3.0, random: 2.0, oracle: 4.0 };
    /// assert_eq!(Efficiency::new(values)?, Efficiency::Informative(0.5));
    /// let full_budget = Efficiency::new(PoolValues { random: 4.0, ..values })?;
    /// assert_eq!(full_budget, Efficiency::RandomIsOptimal { achieved: false });
    /// assert_eq!(full_budget.score(), 0.0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: TRIAGE (2026), equations 2 and 4, arXiv:2605.13414.
    ///
    /// # Errors
    ///
    /// Returns [`scoring_rules::Error::Setting`] for a value that is negative or not finite, and for an achieved or
    /// random value above the oracle's.
    pub fn new(values: PoolValues) -> Result<Self, Error> {
        let PoolValues { achieved, random, oracle } = values;
        check_oracle(oracle)?;
        let limit = oracle * (1.0 + ROUNDING);
        check("achieved value", achieved, limit)?;
        check("random value", random, limit)?;
        if oracle == 0.0 {
            return Ok(Self::NothingSolvable);
        }
        if oracle - random <= ROUNDING * oracle {
            return Ok(Self::RandomIsOptimal { achieved: achieved >= oracle });
        }
        // The achieved value exceeds the oracle's only through rounding.
        Ok(Self::Informative(((achieved - random) / (oracle - random)).min(1.0)))
    }

    /// Returns the ratio or, if it is undefined, the score of 0 or 1 that equation 4 of TRIAGE gives by convention.
    /// Means are taken over these scores.
    #[must_use]
    pub const fn score(&self) -> f64 {
        match *self {
            Self::Informative(score) => score,
            Self::NothingSolvable | Self::RandomIsOptimal { achieved: true } => 1.0,
            Self::RandomIsOptimal { achieved: false } => 0.0,
        }
    }

    /// Returns the ratio if it is defined.
    #[must_use]
    pub const fn informative(&self) -> Option<f64> {
        match *self {
            Self::Informative(score) => Some(score),
            _ => None,
        }
    }
}

/// The largest relative difference between an expectation and the value of the oracle that is
/// attributed to rounding.
const ROUNDING: f64 = 1e-9;

/// Computes the share of the oracle's value that a plan did not earn:
/// `(oracle - achieved) / oracle`, from 0 to 1; lower is better.
///
/// Swapped arguments are an error, because no plan earns more than the oracle.
///
/// ```
/// use knapsack_oracle::{Error, normalized_regret};
///
/// assert_eq!(normalized_regret(3.0, 4.0)?, 0.25);
/// assert!(matches!(
///     normalized_regret(4.0, 3.0),
///     Err(Error::ScoringRules(scoring_rules::Error::Setting { name: "achieved value", .. }))
/// ));
/// assert!(matches!(normalized_regret(0.0, 0.0), Err(Error::ScoringRules(scoring_rules::Error::Undefined { .. }))));
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: TRIAGE (2026), equation 5, arXiv:2605.13414.
///
/// # Errors
///
/// Returns [`scoring_rules::Error::Undefined`] if the oracle earns nothing, and [`scoring_rules::Error::Setting`] like
/// [`Efficiency::new`].
pub fn normalized_regret(achieved: f64, oracle: f64) -> Result<f64, Error> {
    check_oracle(oracle)?;
    check("achieved value", achieved, oracle * (1.0 + ROUNDING))?;
    if oracle == 0.0 {
        let reason = "the oracle earns nothing; leave the pool out of the mean";
        return Err(scoring_rules::checks::undefined("normalised regret", reason).into());
    }
    Ok(((oracle - achieved) / oracle).max(0.0))
}

fn check_oracle(oracle: f64) -> Result<(), Error> {
    let is_valid = oracle >= 0.0 && oracle.is_finite();
    Ok(setting("oracle value", oracle, is_valid, "a finite number of at least 0")?)
}

fn check(name: &'static str, value: f64, limit: f64) -> Result<(), Error> {
    let is_valid = value >= 0.0 && value <= limit;
    Ok(setting(name, value, is_valid, "a number from 0 to the oracle value")?)
}
