/// A handle of something that turns spend, such as input tokens, output tokens, money or time.
///
/// [`Rollouts::resource`](crate::Rollouts::resource) returns the handle for a name. It is a position
/// among the resources of those rollouts, and the feature `serde` writes it as that number. Money and
/// time are in a unit that the caller chooses.
///
/// ```
/// use budget_estimation::{Error, Rollouts};
///
/// let rollouts = Rollouts::new(["input_tokens", "output_tokens"])?;
/// let output = rollouts.resource("output_tokens")?;
/// assert_eq!(rollouts.resources().last(), Some((output, "output_tokens")));
/// # Ok::<(), Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize), serde(transparent))]
pub struct Resource {
    pub(crate) index: usize,
}
