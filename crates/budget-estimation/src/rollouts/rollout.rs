use std::fmt;

use crate::{
    error::Error,
    resource::Resource,
    rollouts::{column::Column, decimals::RunTotal, storage::Rollouts, usage::Usage},
};

/// A view of one rollout in [`Rollouts`]. A rollout is a whole run of an agent.
///
/// A rollout shows the future of each of its prefixes, so an estimator receives it only after the run has ended.
/// Turns are counted from 1 to T; "after k turns" goes from 0 to T.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let mut rollouts = Rollouts::new(["tokens"])?;
/// rollouts.push(&[50.0, 20.0, 80.0], false)?;
/// rollouts.set_id(0, "first")?;
/// rollouts.set_censored(0)?;
/// let (rollout, tokens) = (rollouts.get(0)?, rollouts.resource("tokens")?);
/// assert_eq!((rollout.id(), rollout.key("task"), rollout.turns()), (Some("first"), None, 3));
/// assert!(!rollout.succeeded() && rollout.is_censored());
/// assert_eq!(rollout.remaining(tokens, 2)?, 80.0);
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct Rollout<'a> {
    pub(crate) rollouts: &'a Rollouts,
    pub(crate) index: usize,
    /// The position of its first turn in each column.
    pub(crate) start: usize,
    pub(crate) end: usize,
}

impl Rollouts {
    /// Returns the rollout at a position.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchRollout`] if there is no rollout at this position.
    pub fn get(&self, rollout: usize) -> Result<Rollout<'_>, Error> {
        let none = Error::NoSuchRollout { rollout, rollouts: self.len() };
        let end = *self.ends.get(rollout).ok_or(none)?;
        let start = rollout.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        Ok(Rollout { rollouts: self, index: rollout, start: start.unwrap_or(0), end })
    }

    /// Returns the rollouts in their order.
    #[must_use]
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Rollout<'_>> {
        let mut start = 0;
        self.ends.iter().enumerate().map(move |(index, &end)| {
            let rollout = Rollout { rollouts: self, index, start, end };
            start = end;
            rollout
        })
    }
}

impl<'a> Rollout<'a> {
    /// Returns the position of the rollout among all rollouts, from 0.
    #[must_use]
    pub const fn index(&self) -> usize {
        self.index
    }

    /// Returns the name of the rollout; `None` without a name.
    #[must_use]
    pub fn id(&self) -> Option<&'a str> {
        self.rollouts.ids.get(self.index)?.as_deref()
    }

    /// Returns the content of a turn, 0 to T; `None` without content. See [`Rollouts::set_content`].
    #[must_use]
    pub fn content(&self, turn: usize) -> Option<&'a str> {
        self.rollouts.contents.get(&(self.index, turn)).map(String::as_str)
    }

    /// Returns the observation of the agent before it acted in a turn, 1 to T; `None` if it is unknown. See
    /// [`Rollouts::set_observation`].
    #[must_use]
    pub fn observation(&self, turn: usize) -> Option<&'a str> {
        self.rollouts.observations.get(&(self.index, turn)).map(String::as_str)
    }

    /// Returns the cost of one turn, counted from 1; `None` for an unknown cost, and for a turn or a resource
    /// that does not exist.
    #[must_use]
    pub fn cost(&self, resource: Resource, turn: usize) -> Option<f64> {
        let at = self.start + turn.checked_sub(1).filter(|&at| at < self.turns())?;
        self.column(resource).ok()?.costs.get(at).copied().filter(|cost| !cost.is_nan())
    }

    /// Returns the number of turns, T; at least 1.
    #[must_use]
    pub const fn turns(&self) -> usize {
        self.end - self.start
    }

    /// Returns whether the agent completed its task.
    #[must_use]
    pub fn succeeded(&self) -> bool {
        self.rollouts.successes.get(self.index).copied().unwrap_or(false)
    }

    /// Returns whether a budget ended the run before it could succeed; see [`Rollouts::set_censored`].
    #[must_use]
    pub fn is_censored(&self) -> bool {
        self.rollouts.censored.get(self.index).copied().unwrap_or(false)
    }

    /// Returns the cost that one resource had in each turn, and its cap.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] with the first turn of unknown cost; [`Error::NoSuchResource`] for a
    /// handle from other rollouts.
    pub fn usage(&self, resource: Resource) -> Result<Usage<'a>, Error> {
        let column = self.column(resource)?;
        column.usage(self.index, self.start, self.turns()).ok_or_else(|| {
            let costs = column.costs.get(self.start..self.end).unwrap_or_default();
            let turn = 1 + costs.iter().position(|cost| cost.is_nan()).unwrap_or_default();
            Error::UnknownCost { rollout: self.index, turn, resource: column.name.clone() }
        })
    }

    /// Returns the remaining cost after k = `turn` turns, `R_k = C_T - C_k`, where C_k is the cost of these turns
    /// (C_0 = 0).
    ///
    /// # Errors
    ///
    /// As [`Rollout::usage`]; [`Error::NoSuchTurn`] for k above T.
    pub fn remaining(&self, resource: Resource, turn: usize) -> Result<f64, Error> {
        let (usage, total) = (self.usage(resource)?, self.run_total(resource)?);
        if turn > self.turns() {
            return Err(self.no_such_turn(turn));
        }
        Ok(total.remaining_after(usage.first(turn).total()))
    }

    /// Returns the cap on the cost of the run; `None` without a cap.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for a handle from other rollouts.
    pub fn cap(&self, resource: Resource) -> Result<Option<f64>, Error> {
        Ok(self.column(resource)?.cap(self.index))
    }

    /// Returns whether the run succeeded and exceeded no cap, which is the label of all its prefixes.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownCost`] if it succeeded and a cost of a capped resource is unknown.
    pub fn is_feasible(&self) -> Result<bool, Error> {
        Ok(self.succeeded() && !self.is_over()?)
    }

    /// Returns for each cap whether the run exceeded it.
    fn overs(&self) -> impl Iterator<Item = Result<bool, Error>> {
        let resources = self.rollouts.columns.iter();
        let capped = resources.filter(|column| column.cap(self.index).is_some());
        capped.map(|column| Ok(self.usage(column.resource)?.is_over()))
    }

    /// Returns whether the run exceeded a cap.
    pub(crate) fn is_over(&self) -> Result<bool, Error> {
        self.overs().find(|over| *over != Ok(false)).unwrap_or(Ok(false))
    }

    /// Returns whether the known costs exceeded a cap. Resources with an unknown cost are ignored.
    pub(crate) fn is_known_over(&self) -> bool {
        self.overs().any(|over| over == Ok(true))
    }

    /// Returns the total cost, from which earlier sums are subtracted.
    pub(crate) fn run_total(&self, resource: Resource) -> Result<RunTotal, Error> {
        let places = self.column(resource)?.places(self.index);
        Ok(RunTotal::new(self.usage(resource)?.total(), places))
    }

    pub(crate) fn column(&self, resource: Resource) -> Result<&'a Column, Error> {
        self.rollouts.column(resource)
    }

    pub(crate) const fn no_such_turn(&self, turn: usize) -> Error {
        Error::NoSuchTurn { rollout: self.index, turn, turns: self.turns() }
    }
}

/// Shows this rollout only, not the whole collection.
impl fmt::Debug for Rollout<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = f.debug_struct("Rollout");
        parts.field("index", &self.index).field("id", &self.id()).field("task", &self.key("task"));
        parts.field("turns", &self.turns()).field("succeeded", &self.succeeded());
        parts.finish_non_exhaustive()
    }
}
