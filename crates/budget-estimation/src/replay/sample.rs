#[cfg(feature = "serde")]
use crate::checks::is_amount;
use crate::{
    error::Error, estimates::estimate::Estimate, resource::Resource, rollouts::rollout::Rollout,
};

/// An estimate beside what then happened. Only this crate makes one, from the rollout itself.
///
/// ```
/// use budget_estimation::{Error, Estimate, Rollouts, Sample};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
///
/// // An estimate from elsewhere, given after the first turn.
/// let estimate = Estimate::interval(60.0, 120.0)?;
/// let sample = Sample::new(&rollouts.get(0)?, tokens, 1, estimate)?;
/// assert_eq!((sample.used(), sample.remaining()), (50.0, 100.0));
/// assert!(sample.is_feasible() && sample.is_hit());
/// assert_eq!((sample.resource(), sample.cap()), (tokens, None));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Stored", into = "Stored"))]
pub struct Sample {
    pub(crate) rollout: usize,
    pub(crate) turn: usize,
    pub(crate) turns: usize,
    pub(crate) resource: Resource,
    /// Plus infinity where there is none.
    pub(crate) cap: f64,
    pub(crate) used: f64,
    pub(crate) remaining: f64,
    pub(crate) feasible: bool,
    pub(crate) estimate: Estimate,
}

impl Sample {
    /// The sample of an estimate that was given after k = `turn` turns, from 0 to T - 1.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchTurn`] for another k; [`Error::NegativeEstimate`] for an interval that begins
    /// below 0; [`Error::UnknownCost`] where a cost of this resource is not known, or one that
    /// decides whether the run was feasible; [`Error::NoSuchResource`] for a handle of other
    /// rollouts.
    pub fn new(
        rollout: &Rollout<'_>,
        resource: Resource,
        turn: usize,
        estimate: Estimate,
    ) -> Result<Self, Error> {
        let (turns, estimate) = (rollout.turns(), estimate.checked()?);
        if turn >= turns {
            return Err(rollout.no_such_turn(turn));
        }
        let whole = rollout.whole(resource)?;
        let used = rollout.cumulative(resource, turn)?;
        let (rollout, feasible) = (rollout.index(), rollout.is_feasible()?);
        let (remaining, cap) = (whole.remaining_after(used), whole.cap);
        Ok(Self { rollout, turn, turns, resource, cap, used, remaining, feasible, estimate })
    }

    /// Position of the rollout, from 0.
    #[must_use]
    pub const fn rollout(&self) -> usize {
        self.rollout
    }

    /// Completed turns when the estimate was given, k.
    #[must_use]
    pub const fn turn(&self) -> usize {
        self.turn
    }

    /// Turns of the whole run, T.
    #[must_use]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// How far the run was, k / T; in [0, 1).
    #[must_use]
    pub fn progress(&self) -> f64 {
        self.turn as f64 / self.turns as f64
    }

    /// The resource that the estimate is of.
    #[must_use]
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// The cap on this resource, if the run has one.
    #[must_use]
    pub fn cap(&self) -> Option<f64> {
        self.cap.is_finite().then_some(self.cap)
    }

    /// What had been spent, C_k.
    #[must_use]
    pub const fn used(&self) -> f64 {
        self.used
    }

    /// What was still spent, R_k.
    #[must_use]
    pub const fn remaining(&self) -> f64 {
        self.remaining
    }

    /// The label: whether the run succeeded within every cap.
    #[must_use]
    pub const fn is_feasible(&self) -> bool {
        self.feasible
    }

    /// What was estimated.
    #[must_use]
    pub const fn estimate(&self) -> Estimate {
        self.estimate
    }

    /// Whether nothing remained to be spent: such a sample has no reward and no relative error.
    #[must_use]
    pub fn is_trivial(&self) -> bool {
        self.remaining <= 0.0
    }

    /// Whether there is an interval and what remained lies in it.
    #[must_use]
    #[inline]
    pub fn is_hit(&self) -> bool {
        self.estimate.ends().is_some_and(|interval| interval.contains(self.remaining))
    }

    /// What remains if the coming turns cost what the past ones did, `(C_k / k) T - C_k`; none for
    /// k = 0. It knows T, so it is a reference to compare with, and no estimator.
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 4.1.
    #[must_use]
    #[inline]
    pub fn linear_reference(&self) -> Option<f64> {
        (self.turn > 0).then(|| self.used / self.turn as f64 * (self.turns - self.turn) as f64)
    }
}

/// The stored form.
#[cfg(feature = "serde")]
#[derive(serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    rollout: usize,
    turn: usize,
    turns: usize,
    resource: Resource,
    cap: Option<f64>,
    used: f64,
    remaining: f64,
    feasible: bool,
    estimate: Estimate,
}

#[cfg(feature = "serde")]
impl From<Sample> for Stored {
    fn from(state: Sample) -> Self {
        let Sample { rollout, turn, turns, resource, used, remaining, feasible, estimate, .. } =
            state;
        let cap = state.cap();
        Self { rollout, turn, turns, resource, cap, used, remaining, feasible, estimate }
    }
}

#[cfg(feature = "serde")]
impl TryFrom<Stored> for Sample {
    type Error = Error;

    fn try_from(stored: Stored) -> Result<Self, Error> {
        let Stored { rollout, turn, turns, resource, cap, used, remaining, .. } = stored;
        let (feasible, estimate) = (stored.feasible, stored.estimate.checked()?);
        if turn >= turns {
            return Err(Error::StoredState {
                problem: "a sample is given before the last turn has ended",
            });
        }
        let spent = |value: f64| value >= 0.0 && value.is_finite();
        if !spent(used) || !spent(remaining) || cap.is_some_and(|cap| !is_amount(cap)) {
            return Err(Error::StoredState {
                problem: "costs and caps must be finite and at least 0",
            });
        }
        let over = cap.is_some_and(|cap| used > cap);
        if feasible && over {
            return Err(Error::StoredState { problem: "a run over its cap is not feasible" });
        }
        let cap = cap.unwrap_or(f64::INFINITY);
        Ok(Self { rollout, turn, turns, resource, cap, used, remaining, feasible, estimate })
    }
}
