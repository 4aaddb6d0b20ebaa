/// What was wrong with the input, or why a number is not defined for it.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is nothing to compute from.
    #[error("nothing to compute from; give at least one item")]
    Empty,
}
