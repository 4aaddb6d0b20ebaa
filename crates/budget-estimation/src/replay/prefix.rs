use std::fmt;

use crate::{
    error::Error,
    resource::Resource,
    rollouts::{rollout::Rollout, storage::Rollouts, usage::Usage},
};

/// The information that an estimator may use after k turns of a run: the costs of these turns, their sums, their
/// contents and features, the keys of the run, and the caps. It contains nothing about later turns, the total number of
/// turns or the outcome.
///
/// One resource is to be estimated. The costs of the other resources are visible too: of one by its handle in
/// [`Self::usage_of`], and of all in a [`Context`](crate::Context).
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let prefixes = rollouts.get(0)?.replay(tokens)?;
/// let seen = prefixes.map(|prefix| (prefix.turns(), prefix.usage().total()));
/// assert!(seen.eq([(1, 50.0), (2, 70.0)]));
/// # Ok::<(), Error>(())
/// ```
///
/// The rollout, its length, its later turns and its success are out of reach:
///
/// ```compile_fail,E0599
/// use budget_estimation::{Error, Estimate, Prefix};
///
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     if prefix.succeeded() { Estimate::interval(0.0, 10.0) } else { Ok(Estimate::Impossible) }
/// }
/// ```
///
/// ```compile_fail,E0599
/// use budget_estimation::{Error, Estimate, Prefix, Rollout};
///
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     let rollout: Rollout<'_> = prefix.rollout();
///     Estimate::interval(0.0, rollout.turns() as f64)
/// }
/// ```
///
/// ```compile_fail,E0599
/// use budget_estimation::{Error, Estimate, Prefix};
///
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     // The largest number of errors of any turn.
///     let later = prefix.features("errors").fold(0.0, f64::max);
///     Estimate::interval(0.0, later)
/// }
/// ```
///
/// ```compile_fail,E0616
/// use budget_estimation::{Error, Estimate, Prefix};
///
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     let later = prefix.rollouts.features.len();
///     Estimate::interval(0.0, later as f64)
/// }
/// ```
///
/// ```compile_fail,E0616
/// use budget_estimation::{Error, Estimate, Prefix};
///
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     let later: f64 = prefix.rollouts.columns[0].costs.iter().sum();
///     Estimate::interval(0.0, later)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Prefix<'a> {
    turns: usize,
    resource: Resource,
    usage: Usage<'a>,
    /// Read only up to `turns`.
    pub(super) rollouts: &'a Rollouts,
    pub(super) rollout: usize,
    pub(super) start: usize,
}

impl<'a> Prefix<'a> {
    /// Returns the number of completed turns, k.
    #[must_use]
    #[inline]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// Returns the resource to be estimated.
    #[must_use]
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// Returns the cost that this resource had in each completed turn, and its cap.
    #[must_use]
    #[inline]
    pub const fn usage(&self) -> Usage<'a> {
        self.usage
    }

    /// Returns the cost that the given resource had in each completed turn, and its cap; `None` if one of these costs
    /// is unknown, or if the handle belongs to other rollouts.
    #[must_use]
    pub fn usage_of(&self, resource: Resource) -> Option<Usage<'a>> {
        self.rollouts.column(resource).ok()?.usage(self.rollout, self.start, self.turns)
    }

    /// Returns the cost of each completed turn; `None` for an unknown cost.
    pub(crate) fn costs_of(&self, resource: Resource) -> Vec<Option<f64>> {
        let column = self.rollouts.column(resource).ok();
        let completed = self.start..self.start + self.turns;
        let costs = column.and_then(|column| column.costs.get(completed)).unwrap_or_default();
        costs.iter().map(|&cost| (!cost.is_nan()).then_some(cost)).collect()
    }

    pub(crate) fn resource_name(&self) -> &'a str {
        let column = self.rollouts.column(self.resource);
        column.map_or("", |column| column.name.as_str())
    }

    pub(crate) fn cap_of(&self, resource: Resource) -> Option<f64> {
        self.rollouts.column(resource).ok()?.cap(self.rollout)
    }

    /// Returns all resources with their names, in their order.
    pub(crate) fn resources(&self) -> impl ExactSizeIterator<Item = (Resource, &'a str)> {
        self.rollouts.resources()
    }

    /// Returns the value of a key of the run, such as `task`, which is known before the first turn; `None` if the run has no
    /// such value. See [`Rollouts::with_keys`](crate::Rollouts::with_keys).
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&'a str> {
        self.rollouts.key_of(self.rollout, name)
    }

    /// Returns the names and values of all keys of the run that have a value; see [`Rollout::keys`](crate::Rollout::keys).
    pub(crate) fn keys(&self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.rollouts.keys_of(self.rollout)
    }

    /// Returns a feature of a completed turn, 1 to k; turn 0 has the features that are known before the first turn.
    /// `None` for a later turn and for an unknown value. See
    /// [`Rollouts::with_features`](crate::Rollouts::with_features).
    #[must_use]
    pub fn feature(&self, turn: usize, name: &str) -> Option<f64> {
        let column = self.rollouts.features.iter().find(|feature| feature.name == name)?;
        let known = turn <= self.turns;
        known.then(|| column.get(self.rollout, self.start + self.rollout, turn)).flatten()
    }

    /// Returns the content of a completed turn, 1 to k; turn 0 has the content that is known before the first turn.
    /// `None` for a later turn and without content. See [`Rollouts::set_content`](crate::Rollouts::set_content).
    #[must_use]
    pub fn content(&self, turn: usize) -> Option<&'a str> {
        if turn > self.turns {
            return None;
        }
        self.rollouts.contents.get(&(self.rollout, turn)).map(String::as_str)
    }

    /// Returns the observation of the agent before it acted in a completed turn, 1 to k. The observation of turn 1 is
    /// available even for k = 0, because it is known before the run starts. `None` for other turns and without an
    /// observation. See [`Rollouts::set_observation`](crate::Rollouts::set_observation).
    #[must_use]
    pub fn observation(&self, turn: usize) -> Option<&'a str> {
        if turn > self.turns.max(1) {
            return None;
        }
        self.rollouts.observations.get(&(self.rollout, turn)).map(String::as_str)
    }
}

/// Shows only the data that the public methods show.
impl fmt::Debug for Prefix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("Prefix");
        parts.field("turns", &self.turns).field("resource", &self.resource);
        for (resource, name) in self.resources() {
            parts.field(name, &self.usage_of(resource));
        }
        parts.finish()
    }
}

impl<'a> Rollout<'a> {
    /// Returns the prefixes of a run after k = 1 to T - 1 turns, that is, after each turn except the last. A run of one turn
    /// has no such prefix.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if a cost of this resource is unknown; [`Error::NoSuchResource`] for a handle
    /// from other rollouts.
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// rollouts.push(&[50.0], true)?;
    /// let tokens = rollouts.resource("tokens")?;
    /// assert_eq!(rollouts.get(0)?.replay(tokens)?.len(), 2);
    /// assert_eq!(rollouts.get(1)?.replay(tokens)?.len(), 0);
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 3.2.
    pub fn replay(
        &self,
        resource: Resource,
    ) -> Result<impl ExactSizeIterator<Item = Prefix<'a>> + Clone + use<'a>, Error> {
        let (rollout, whole) = (*self, self.usage(resource)?);
        Ok((1..self.turns().max(1)).map(move |turns| prefix(&rollout, resource, whole, turns)))
    }

    /// Returns the prefix before the first turn, k = 0, which shows only the caps.
    ///
    /// # Errors
    ///
    /// As [`Rollout::replay`].
    ///
    /// ```
    /// use budget_estimation::{Error, Rollouts};
    ///
    /// let mut rollouts = Rollouts::new(["tokens"])?;
    /// let tokens = rollouts.resource("tokens")?;
    /// rollouts.set_cap(tokens, 200.0)?;
    /// rollouts.push(&[50.0, 20.0, 80.0], true)?;
    /// let rollout = rollouts.get(0)?;
    /// let before = rollout.probe(tokens)?;
    /// assert_eq!((before.turns(), before.usage().left()), (0, Some(200.0)));
    /// # Ok::<(), Error>(())
    /// ```
    pub fn probe(&self, resource: Resource) -> Result<Prefix<'a>, Error> {
        Ok(prefix(self, resource, self.usage(resource)?, 0))
    }
}

/// Returns the first turns of a rollout, of which `whole` is the usage of one resource.
#[inline]
pub(crate) fn prefix<'a>(
    rollout: &Rollout<'a>,
    resource: Resource,
    whole: Usage<'a>,
    turns: usize,
) -> Prefix<'a> {
    let (usage, rollouts) = (whole.first(turns), rollout.rollouts);
    Prefix { turns, resource, usage, rollouts, rollout: rollout.index, start: rollout.start }
}
