/// Something that a turn spends: input tokens, output tokens, money, time, or a thing of your own.
///
/// A handle that [`Rollouts::resource`](crate::Rollouts::resource) gives for a name; it belongs to
/// those rollouts, as its position among their resources, which is also what feature `serde` writes. Money and time are numbers in a unit that the caller chooses.
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
