use std::fmt;

/// An implementation of a trait of this crate that calls a function; made by the functions whose
/// names end in `_from_fn`.
#[derive(Clone, Copy)]
pub struct FromFn<F> {
    pub(crate) function: F,
}

impl<F> fmt::Debug for FromFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FromFn").finish_non_exhaustive()
    }
}
