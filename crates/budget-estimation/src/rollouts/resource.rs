/// Something that a turn spends: input tokens, output tokens, money, time, or a thing of your own.
///
/// A handle that [`Rollouts::resource`](crate::Rollouts::resource) gives for a name; it belongs to
/// those rollouts. Money and time are numbers in a unit that the caller chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Resource {
    pub(crate) index: usize,
}
