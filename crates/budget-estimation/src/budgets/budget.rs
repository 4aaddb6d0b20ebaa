use std::{
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

use censoring::StopReason;

use crate::{
    budgets::{
        account::{self, Cell},
        node::{MOST_RESOURCES, MOST_UNITS, NONE, Node, Unit},
        reservation::Reservation,
    },
    checks::{setting, share_of},
    error::Error,
};

/// A budget that threads and tasks share: for each resource, its cap, the amount spent, and the amount reserved for
/// calls under way.
///
/// Before a call, [`reserve`](Self::reserve) holds an amount of each resource that the call uses, or refuses the call.
/// Afterwards, [`Reservation::settle`] replaces the amounts held by the amounts used. The amounts spent and held together
/// never exceed a cap, except by what was spent without a reservation, which [`BudgetResource::excess`] counts. To hold
/// an amount that is usually enough instead of the largest possible one, see [`CallCosts`](crate::CallCosts).
///
/// A clone is another handle of the same budget. A [`child`](Self::child) is a budget of its own, for example of a subagent;
/// everything that it holds and spends is also held and spent by its parent. No lock is held across a call. Each method takes
/// O(R D) for R resources at a depth D of the tree. The budget has no clock: time is a resource like others.
///
/// Amounts are counted in whole units: 10^-9, or more for a cap above 900,000, so that a cap has at most 15 digits, and
/// 10^-6 without a cap. Smaller parts of an amount are rounded up and those of a cap down, except for rounding errors of
/// binary fractions.
///
/// With the feature `serde`, a budget can be stored. Amounts that are held at this moment are read back as spent, as their
/// calls may have to be paid. A child is stored without its parent; see [`adopt`](Self::adopt).
///
/// ```
/// use budget_estimation::{Budget, Error};
///
/// let budget = Budget::new([("tokens", Some(4000.0)), ("usd", None)])?;
/// let subagents = [budget.child(&[("tokens", 3900.0)])?, budget.child(&[("tokens", 3900.0)])?];
/// std::thread::scope(|scope| {
///     for subagent in &subagents {
///         scope.spawn(|| {
///             // A model call that uses at most 1,000 tokens, and really 700 tokens and 0.002 dollars.
///             while let Ok(call) = subagent.reserve(&[("tokens", 1000.0)]) {
///                 call.settle(&[("tokens", 700.0), ("usd", 0.002)])?;
///             }
///             Ok::<(), Error>(())
///         });
///     }
/// });
/// assert_eq!(budget.resources().next().and_then(|tokens| tokens.left), Some(500.0));
/// assert_eq!(budget.to_string(), "500 of 4,000 tokens left; 0.01 usd spent");
/// let refused = budget.reserve(&[("tokens", 1000.0)]).unwrap_err();
/// assert_eq!(refused.to_string(), "cannot reserve 1000 tokens: 500 left");
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    pub(super) node: Arc<Node>,
}

/// A resource of a [`Budget`]. Its amounts are read one after another, so they need not add up while other threads
/// spend.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct BudgetResource<'a> {
    /// The name of the resource.
    pub name: &'a str,
    /// The budget's own cap; `None` without one, even if a budget above it has one.
    pub cap: Option<f64>,
    /// The amount spent so far.
    pub spent: f64,
    /// The amount that is reserved for calls under way.
    pub held: f64,
    /// The amount that is neither spent nor reserved, under the caps of this budget and the budgets above it; negative if
    /// a cap is exceeded, `None` without a cap.
    pub left: Option<f64>,
    /// The amount that was spent without a reservation: by calls beyond their reservations, and by [`Budget::spend`].
    pub excess: f64,
}

impl Budget {
    /// Creates a budget with nothing spent. Each resource has a name and optionally a cap.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless there are 1 to 8 resources; [`Error::ResourceName`] for an empty or
    /// repeated name; [`Error::Amount`] for a cap that is not from 0 to 9e14.
    pub fn new<N: Into<String>>(
        caps: impl IntoIterator<Item = (N, Option<f64>)>,
    ) -> Result<Self, Error> {
        let (mut units, mut cells): (Vec<Unit>, Vec<Cell>) = (Vec::new(), Vec::new());
        for (name, cap) in caps {
            let name = name.into();
            if name.is_empty() || units.iter().any(|unit| unit.name == name) {
                return Err(Error::ResourceName { name });
            }
            let value = cap.unwrap_or(0.0);
            let unit = Unit::of(name.clone(), cap);
            let unit = unit.ok_or(Error::Amount { resource: name, value, most: MOST_UNITS })?;
            cells.push(Cell::new(unit.cap(cap), 0, 0));
            units.push(unit);
        }
        let (count, range) = (units.len(), 1..=MOST_RESOURCES);
        setting("number of resources", count as f64, range.contains(&count), "from 1 to 8")?;
        Ok(Self::of(None, units.into(), cells))
    }

    pub(super) fn of(parent: Option<Arc<Node>>, resources: Arc<[Unit]>, cells: Vec<Cell>) -> Self {
        let notices = cells.iter().map(|_| AtomicU64::new(NONE)).collect();
        let number = parent.as_ref().map_or(0, |it| it.children.fetch_add(1, Relaxed) + 1);
        Self {
            node: Arc::new(Node {
                parent,
                resources,
                cells: cells.into(),
                notices,
                stop: OnceLock::new(),
                number,
                children: AtomicU64::new(0),
                stored: 0,
                adopted: Mutex::default(),
            }),
        }
    }

    /// Makes the budget give a [`notice`](Self::notice) once this share of a cap, such as 0.8, is spent. Applies to all
    /// clones of this budget.
    ///
    /// # Errors
    ///
    /// [`scoring_rules::Error::Setting`] unless the share is from 0 to 1.
    pub fn with_notice_at(self, share: f64) -> Result<Self, Error> {
        let valid = (0.0..=1.0).contains(&share);
        setting("share of a cap for a notice", share, valid, "from 0 to 1")?;
        for ((unit, cell), notice) in self.cells().zip(&self.node.notices) {
            if cell.cap() != NONE {
                let reached = share_of(unit.amount(cell.cap()), share);
                notice.store(unit.units(reached)?, Relaxed);
            }
        }
        Ok(self)
    }

    /// Creates a child of this budget, for example for a subagent, with caps on some of the resources.
    ///
    /// The caps of children may add up to more than the cap of the parent, because the parent always holds and spends the
    /// amounts of its children as well.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for an unknown name; [`Error::ResourceName`] for a repeated one; [`Error::Amount`] for a cap
    /// that is not from 0 to the cap of this budget.
    pub fn child(&self, caps: &[(&str, f64)]) -> Result<Self, Error> {
        let mut own = [NONE; MOST_RESOURCES];
        for &(name, cap) in caps {
            let (at, _) = self.node.units(name, cap)?;
            let resource = name.to_owned();
            if own[at] != NONE {
                return Err(Error::ResourceName { name: resource });
            }
            let (unit, above) = (&self.node.resources[at], self.cap_of_line(at));
            own[at] = unit.cap(Some(cap));
            let most = if above == NONE { unit.most() } else { unit.amount(above) };
            if own[at] > above || cap > most {
                return Err(Error::Amount { resource, value: cap, most });
            }
        }
        let cells = self.node.cells.iter().zip(own).map(|(_, cap)| Cell::new(cap, 0, 0)).collect();
        Ok(Self::of(Some(self.node.clone()), self.node.resources.clone(), cells))
    }

    /// Returns the smallest cap on a resource in this budget and those above it.
    fn cap_of_line(&self, at: usize) -> u64 {
        self.node.budgets().map(|cells| cells[at].cap()).min().unwrap_or(NONE)
    }

    /// Makes a child budget that was read back from storage a child of this budget again. This budget must have been
    /// read back from storage, too; it already counts the amounts that the child spent. Each child can be adopted only
    /// once.
    ///
    /// Store both while no call of the child is under way. Budgets have no common lock, so that a call between the two texts
    /// would be in only one of them. Spend nothing from the child before it is adopted: its parent's caps do not hold for it
    /// until then, and its parent does not count what it spends.
    ///
    /// # Errors
    ///
    /// [`Error::Unlike`] if the other budget has other resources, other units, a larger cap or more spent than this one, or
    /// if it is a child or has other handles already, was no child when this budget was stored, or was adopted before.
    pub fn adopt(&self, stored: Self) -> Result<Self, Error> {
        let unlike = |problem: &str| Error::Unlike { problem: problem.to_owned() };
        let child = Arc::into_inner(stored.node);
        let child = child.filter(|child| child.parent.is_none()).ok_or_else(|| {
            unlike("the stored budget has other handles or a parent; adopt it as it is read back")
        })?;
        if child.resources != self.node.resources {
            return Err(unlike("the stored budget has other resources or units than its parent"));
        }
        for (at, (own, cell)) in self.node.cells.iter().zip(&child.cells).enumerate() {
            let narrower = cell.cap() == NONE || cell.cap() <= self.cap_of_line(at);
            if !narrower || cell.amounts().spent > own.amounts().spent {
                return Err(unlike(
                    "the stored budget has a larger cap or more spent than its parent",
                ));
            }
        }
        let mut adopted = self.node.adopted.lock().unwrap_or_else(PoisonError::into_inner);
        if !(1..=self.node.stored).contains(&child.number) || !adopted.insert(child.number) {
            return Err(unlike(
                "the stored budget was adopted before, or was no child of this one",
            ));
        }
        Ok(Self { node: Arc::new(Node { parent: Some(self.node.clone()), ..child }) })
    }

    /// Reserves these amounts for a call, in this budget and in the budgets above it, or refuses the call. Resources
    /// that are not named are not reserved.
    ///
    /// A refusal holds nothing. It can also be due to a reservation of another thread that is itself refused at the same
    /// moment, or to calls under way that will give a part of their reservations back.
    ///
    /// # Errors
    ///
    /// [`Error::OverBudget`] for the first amount that does not fit; [`Error::BudgetStopped`] after a
    /// [`stop`](Self::stop); [`Error::NoSuchResource`] for an unknown name; [`Error::Amount`] for an amount that is negative,
    /// above 1e100 or NaN.
    pub fn reserve(&self, amounts: &[(&str, f64)]) -> Result<Reservation, Error> {
        let held = self.node.all_units(amounts)?;
        if let Some(reason) = self.stop_reason() {
            return Err(Error::BudgetStopped { reason: reason.clone() });
        }
        match account::hold(self.node.budgets(), &held) {
            Ok(()) => Ok(Reservation::new(self.node.clone(), held)),
            Err(at) => {
                let unit = &self.node.resources[at];
                let left = self.node.left(at).map_or(f64::INFINITY, |(left, ..)| left);
                Err(Error::OverBudget {
                    resource: unit.name.clone(),
                    asked: unit.amount(held[at]),
                    left,
                })
            }
        }
    }

    /// Counts these amounts as spent without a reservation, even above a cap or after a stop.
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] and [`Error::Amount`] as [`reserve`](Self::reserve). Nothing is counted.
    pub fn spend(&self, amounts: &[(&str, f64)]) -> Result<(), Error> {
        let used = self.node.all_units(amounts)?.into_iter().map(|used| (0, used));
        account::settle(self.node.budgets(), used);
        Ok(())
    }

    /// Returns the resources in the order of [`Self::new`], each with its cap and its current amounts.
    ///
    /// ```
    /// use budget_estimation::{Budget, Error};
    ///
    /// let budget = Budget::new([("tokens", Some(1000.0)), ("usd", None)])?;
    /// let call = budget.reserve(&[("tokens", 300.0)])?;
    /// budget.spend(&[("tokens", 50.0), ("usd", 0.5)])?;
    /// let [tokens, usd] = &budget.resources().collect::<Vec<_>>()[..] else { panic!() };
    /// assert_eq!((tokens.name, tokens.cap, tokens.left), ("tokens", Some(1000.0), Some(650.0)));
    /// assert_eq!((tokens.spent, tokens.held, tokens.excess), (50.0, 300.0, 50.0));
    /// assert_eq!((usd.spent, usd.cap, usd.left), (0.5, None, None));
    /// # Ok::<(), Error>(())
    /// ```
    #[must_use]
    pub fn resources(&self) -> impl ExactSizeIterator<Item = BudgetResource<'_>> {
        self.cells().enumerate().map(|(at, (unit, cell))| {
            // Before the excess, which grows first when a call settles: in a budget without a parent, `left + excess`
            // is then never below 0.
            let left = self.node.left(at).map(|(left, ..)| left);
            let amounts = cell.amounts();
            BudgetResource {
                name: &unit.name,
                cap: (cell.cap() != NONE).then(|| unit.amount(cell.cap())),
                spent: unit.amount(amounts.spent),
                held: unit.amount(amounts.committed.saturating_sub(amounts.spent)),
                left,
                excess: unit.amount(amounts.excess),
            }
        })
    }

    fn cells(&self) -> impl ExactSizeIterator<Item = (&Unit, &Cell)> {
        self.node.resources.iter().zip(&self.node.cells)
    }

    /// Returns for each resource the least amount that is not spent under a cap of this budget or of those above it, and
    /// whether at least this share of such a cap is spent.
    pub(crate) fn unspent(&self, share: f64) -> impl Iterator<Item = (Option<f64>, bool)> {
        (0..self.node.cells.len()).map(move |at| {
            let mut caps = self.node.unspent(at);
            let is_near = |(_, cap, spent): (f64, f64, f64)| spent >= share_of(cap, share);
            let near = share < 1.0 && caps.any(is_near);
            (self.node.unspent(at).map(|(unspent, ..)| unspent).reduce(f64::min), near)
        })
    }

    /// Returns a resource whose spending has reached the share of its cap that [`with_notice_at`](Self::with_notice_at)
    /// set. A resource is returned only once, even if several clones of the budget ask. `None` if no other resource has
    /// reached its share.
    #[must_use]
    pub fn notice(&self) -> Option<&str> {
        let noticed = self.cells().zip(&self.node.notices).find(|((_, cell), notice)| {
            let reached = |at: u64| (at != NONE && cell.amounts().spent >= at).then_some(NONE);
            notice.fetch_update(Relaxed, Relaxed, reached).is_ok()
        });
        noticed.map(|((unit, _), _)| unit.name.as_str())
    }

    /// Stops this budget and its children for ever: all later reservations are refused. Calls under way can still
    /// settle. The first reason is kept.
    pub fn stop(&self, reason: StopReason) {
        let _ = self.node.stop.set(reason);
    }

    /// Returns why this budget, or one above it, was stopped.
    #[must_use]
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.node.line().find_map(|node| node.stop.get())
    }
}

/// Writes the remaining amounts, for the prompt of a model: "1,200 of 4,000 tokens left; 0.35 of 1 usd left".
impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, unit) in self.node.resources.iter().enumerate() {
            f.write_str(if at > 0 { "; " } else { "" })?;
            let name = &unit.name;
            match self.node.left(at) {
                Some((left, cap, _)) => {
                    write!(f, "{} of {} {name} left", Grouped(left.max(0.0)), Grouped(cap))?;
                }
                None => {
                    let spent = unit.amount(self.node.cells[at].amounts().spent);
                    write!(f, "{} {name} spent", Grouped(spent))?;
                }
            }
        }
        Ok(())
    }
}

/// A number with a comma between thousands.
struct Grouped(f64);

impl fmt::Display for Grouped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.0.to_string();
        let whole = text.find('.').unwrap_or(text.len());
        for (at, digit) in text.char_indices() {
            if at > 0 && at < whole && (whole - at).is_multiple_of(3) {
                f.write_str(",")?;
            }
            write!(f, "{digit}")?;
        }
        Ok(())
    }
}
