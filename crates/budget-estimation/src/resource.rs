use trajectory_metrics::random::fnv1a;

use crate::error::Error;

/// A handle for a quantity that each turn spends, such as input tokens, output tokens, money or time.
///
/// [`Rollouts::resource`](crate::Rollouts::resource) and [`BudgetMonitor::resource`](crate::BudgetMonitor::resource) return the
/// handle for a name. Money and time are in a unit that the caller chooses.
///
/// The handle is a position with a fingerprint of the names up to it. It is valid for all collections
/// that begin with these resources in this order; others refuse it.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let rollouts = Rollouts::new(["input_tokens", "output_tokens"])?;
/// let output = rollouts.resource("output_tokens")?;
/// assert_eq!(rollouts.resources().last(), Some((output, "output_tokens")));
///
/// let reversed = Rollouts::new(["output_tokens", "input_tokens"])?;
/// let refused = reversed.median_caps(output, |_| ());
/// assert!(matches!(refused, Err(Error::NoSuchResource { .. })));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Resource {
    pub(crate) index: usize,
    /// A hash of 53 bits, which readers of JSON keep.
    names: u64,
}

impl Resource {
    /// Returns the handle of the resource with this name after the one before it.
    pub(crate) fn after(before: Option<Self>, name: &str) -> Self {
        let (index, names) = before.map_or((0, 0), |before| (before.index + 1, before.names));
        let bytes = names.to_le_bytes().into_iter().chain(name.bytes());
        Self { index, names: fnv1a(bytes) >> 11 }
    }

    /// The error of a handle that belongs to something else.
    #[cold]
    pub(crate) fn unknown(self) -> Error {
        Error::NoSuchResource { name: format!("{} with the name of this handle", self.index) }
    }
}
