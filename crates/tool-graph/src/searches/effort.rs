/// The work that searches for plans may still do, in steps and in sequences of calls.
///
/// A step is about one addition of the linear program or one visit of a tool, so that the result of a
/// search with a limit does not depend on the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effort {
    /// The steps of branch and cut.
    pub(crate) steps: u64,
    /// The sequences of calls that the released search may keep.
    pub(crate) sequences: usize,
}

impl Effort {
    /// The limit of a search, and of all searches of one run, unless the caller gives another.
    pub(crate) const DEFAULT: Self = Self { steps: 1_000_000_000, sequences: 1 << 22 };

    pub(crate) const fn unlimited() -> Self {
        Self { steps: u64::MAX, sequences: usize::MAX }
    }

    /// Subtracts steps, at most the remaining ones.
    pub(crate) fn spend(&mut self, steps: usize) {
        self.steps = self.steps.saturating_sub(steps as u64);
    }

    pub(crate) fn is_spent(&self) -> bool {
        self.steps == 0
    }
}
