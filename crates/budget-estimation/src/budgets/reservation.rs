use std::sync::Arc;

use crate::{
    budgets::{
        account,
        node::{MOST_RESOURCES, Node},
    },
    error::Error,
};

/// Amounts of a [`Budget`](crate::Budget) that are reserved for one call. No other call can spend them.
///
/// [`settle`](Self::settle) replaces them by the amounts that were used. A reservation that is dropped, because the call
/// failed, panicked or was cancelled, gives all of them back.
///
/// ```
/// use budget_estimation::{Budget, Error};
///
/// let budget = Budget::new([("tokens", Some(1000.0)), ("usd", Some(0.5))])?;
/// let call = budget.reserve(&[("tokens", 600.0), ("usd", 0.3)])?;
/// // The reply had 250 tokens, but the provider did not say what it cost: the reserved amount counts as spent.
/// call.settle(&[("tokens", 250.0)])?;
/// assert!(budget.resources().map(|it| it.spent).eq([250.0, 0.3]));
///
/// drop(budget.reserve(&[("tokens", 700.0)])?);
/// assert!(budget.resources().map(|it| it.left).eq([Some(750.0), Some(0.2)]));
/// # Ok::<(), Error>(())
/// ```
#[must_use = "a reservation that is dropped gives its amounts back"]
#[derive(Debug)]
pub struct Reservation {
    node: Arc<Node>,
    held: [u64; MOST_RESOURCES],
}

impl Reservation {
    pub(super) const fn new(node: Arc<Node>, held: [u64; MOST_RESOURCES]) -> Self {
        Self { node, held }
    }

    /// Ends the reservation with the amounts that the call used, which may be larger than the reserved ones.
    ///
    /// A reserved resource without an amount here, such as a count that the provider did not report, counts as used in
    /// full. An amount above the reserved one is spent as well, also where it exceeds a cap; see
    /// [`BudgetResource::excess`](crate::BudgetResource::excess).
    ///
    /// # Errors
    ///
    /// [`Error::NoSuchResource`] for an unknown name; [`Error::Amount`] for an amount that is negative, above 1e100 or NaN. The
    /// other amounts are settled, and each resource counts as used at least as far as it was reserved.
    pub fn settle(mut self, used: &[(&str, f64)]) -> Result<(), Error> {
        let mut spent = std::mem::take(&mut self.held).map(|held| (held, held));
        let mut named = [false; MOST_RESOURCES];
        let mut result = Ok(());
        for &(name, amount) in used {
            match self.node.units(name, amount) {
                Ok((at, units)) => {
                    let before = if named[at] { spent[at].1 } else { 0 };
                    (named[at], spent[at].1) = (true, before.saturating_add(units));
                }
                Err(error) => result = result.and(Err(error)),
            }
        }
        if result.is_err() {
            spent = spent.map(|(held, used)| (held, used.max(held)));
        }
        account::settle(self.node.budgets(), spent.into_iter());
        result
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if self.held == [0; MOST_RESOURCES] {
            return;
        }
        let held = self.held.into_iter();
        account::settle(self.node.budgets(), held.map(|held| (held, 0)));
    }
}
