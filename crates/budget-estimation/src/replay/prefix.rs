use std::fmt;

use crate::{
    error::Error,
    resource::Resource,
    rollouts::{column::Column, rollout::Rollout, usage::Usage},
};

/// What an estimator may know after k turns of a run: the costs of these turns, their sums and the
/// caps. Nothing of what came later: no further turn, not how many there were, no outcome.
///
/// It is about one resource, the one to be estimated; what was spent of the others can be seen too.
///
/// ```
/// use budget_estimation::{Error, Rollouts, replay};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let prefixes = replay(&rollouts.get(0)?, tokens)?;
/// let seen = prefixes.map(|prefix| (prefix.turns(), prefix.usage().total()));
/// assert!(seen.eq([(1, 50.0), (2, 70.0)]));
/// # Ok::<(), Error>(())
/// ```
///
/// The rollout, its length, its later turns and its success cannot be reached:
///
/// ```compile_fail,E0599
/// # use budget_estimation::{Error, Estimate, Prefix};
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     if prefix.succeeded() { Estimate::interval(0.0, 10.0) } else { Ok(Estimate::Impossible) }
/// }
/// ```
///
/// ```compile_fail,E0599
/// # use budget_estimation::{Error, Estimate, Prefix, Rollout};
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     let rollout: Rollout<'_> = prefix.rollout();
///     Estimate::interval(0.0, rollout.turns() as f64)
/// }
/// ```
///
/// ```compile_fail,E0616
/// # use budget_estimation::{Error, Estimate, Prefix};
/// fn estimate(prefix: &Prefix<'_>) -> Result<Estimate, Error> {
///     let later: f64 = prefix.columns[0].costs.iter().sum();
///     Estimate::interval(0.0, later)
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Prefix<'a> {
    turns: usize,
    resource: Resource,
    usage: Usage<'a>,
    /// Read up to `turns` only.
    columns: &'a [Column],
    rollout: usize,
    start: usize,
}

impl<'a> Prefix<'a> {
    /// Number of completed turns, k.
    #[must_use]
    #[inline]
    pub const fn turns(&self) -> usize {
        self.turns
    }

    /// The resource to be estimated.
    #[must_use]
    pub const fn resource(&self) -> Resource {
        self.resource
    }

    /// What was spent of it so far, turn by turn, and its cap.
    #[must_use]
    #[inline]
    pub const fn usage(&self) -> Usage<'a> {
        self.usage
    }

    /// The same of any resource; none where one of the costs so far is not known, and for a handle
    /// of other rollouts.
    #[must_use]
    pub fn usage_of(&self, resource: Resource) -> Option<Usage<'a>> {
        self.columns.get(resource.index)?.usage(self.rollout, self.start, self.turns)
    }

    /// The cost of each completed turn, where it is known.
    pub(crate) fn costs_of(&self, resource: Resource) -> Vec<Option<f64>> {
        let column = self.columns.get(resource.index);
        let completed = self.start..self.start + self.turns;
        let costs = column.and_then(|column| column.costs.get(completed)).unwrap_or_default();
        costs.iter().map(|&cost| (!cost.is_nan()).then_some(cost)).collect()
    }

    pub(crate) fn cap_of(&self, resource: Resource) -> Option<f64> {
        self.columns.get(resource.index)?.cap(self.rollout)
    }

    /// All resources with their names, in their order.
    #[must_use]
    pub fn resources(&self) -> impl ExactSizeIterator<Item = (Resource, &'a str)> {
        let columns = self.columns.iter().enumerate();
        columns.map(|(index, column)| (Resource { index }, column.name.as_str()))
    }
}

/// Shows what the prefix shows, and no more.
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

/// The prefixes of one run after k = 1 to T - 1 turns, from [`replay`].
///
/// ```
/// use budget_estimation::{Error, Rollouts, replay};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// let mut prefixes = replay(&rollouts.get(0)?, tokens)?;
/// assert_eq!(prefixes.next().map(|prefix| prefix.turns()), Some(1));
/// assert_eq!(prefixes.len(), 1);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Replay<'a> {
    rollout: Rollout<'a>,
    resource: Resource,
    whole: Usage<'a>,
    next: usize,
}

/// Replays a run: what was known after each turn but the last. A run of one turn has no such
/// prefix.
///
/// # Errors
///
/// [`Error::UnknownCost`] where a cost of this resource is not known; [`Error::NoSuchResource`] for
/// a handle of other rollouts.
///
/// ```
/// use budget_estimation::{Error, Rollouts, replay};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// rollouts.push(&[50.0], true)?;
/// let tokens = rollouts.resource("tokens")?;
/// assert_eq!(replay(&rollouts.get(0)?, tokens)?.len(), 2);
/// assert_eq!(replay(&rollouts.get(1)?, tokens)?.len(), 0);
/// # Ok::<(), Error>(())
/// ```
///
/// Reference: Lin and others (2026), BAGEN, arXiv:2606.00198, section 3.2.
pub fn replay<'a>(rollout: &Rollout<'a>, resource: Resource) -> Result<Replay<'a>, Error> {
    let whole = rollout.usage(resource)?;
    Ok(Replay { rollout: *rollout, resource, whole, next: 1 })
}

/// What is known before the first turn, k = 0: the caps.
///
/// # Errors
///
/// As [`replay`].
///
/// ```
/// use budget_estimation::{Error, Rollouts, probe};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// let tokens = rollouts.resource("tokens")?;
/// rollouts.set_cap(tokens, 200.0)?;
/// rollouts.push(&[50.0, 20.0, 80.0], true)?;
/// let rollout = rollouts.get(0)?;
/// let before = probe(&rollout, tokens)?;
/// assert_eq!((before.turns(), before.usage().left()), (0, Some(200.0)));
/// # Ok::<(), Error>(())
/// ```
pub fn probe<'a>(rollout: &Rollout<'a>, resource: Resource) -> Result<Prefix<'a>, Error> {
    Ok(prefix(rollout, resource, rollout.usage(resource)?, 0))
}

#[inline]
pub(crate) fn prefix<'a>(
    rollout: &Rollout<'a>,
    resource: Resource,
    whole: Usage<'a>,
    turns: usize,
) -> Prefix<'a> {
    let usage = Usage {
        costs: whole.costs.get(..turns).unwrap_or_default(),
        cumulative: whole.cumulative.get(..turns).unwrap_or_default(),
        cap: whole.cap,
        places: whole.places,
    };
    let columns = &rollout.rollouts.columns;
    Prefix { turns, resource, usage, columns, rollout: rollout.index, start: rollout.start }
}

impl<'a> Iterator for Replay<'a> {
    type Item = Prefix<'a>;

    #[inline]
    fn next(&mut self) -> Option<Prefix<'a>> {
        if self.next >= self.whole.costs.len() {
            return None;
        }
        let prefix = prefix(&self.rollout, self.resource, self.whole, self.next);
        self.next += 1;
        Some(prefix)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.whole.costs.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for Replay<'_> {}
