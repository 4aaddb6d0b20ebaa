use super::{State, ToolGraph};
use crate::Error;

/// What a plan is asked for: the data types that are there, and those that should be.
///
/// Made by [`ToolGraph::problem`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    initial: State,
    goal: State,
}

impl Problem {
    /// The data types that are there at the start.
    #[must_use]
    pub fn initial(&self) -> &State {
        &self.initial
    }

    /// The data types that should be there at the end.
    #[must_use]
    pub fn goal(&self) -> &State {
        &self.goal
    }

    /// The same goal from another state, as after some calls.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the state is one of a graph of other data types.
    pub fn from_state(&self, initial: State) -> Result<Self, Error> {
        if initial.types() != self.goal.types() {
            return Err(Error::OtherGraph { expected: self.goal.types(), found: initial.types() });
        }
        Ok(Self { initial, goal: self.goal.clone() })
    }
}

impl ToolGraph {
    /// The problem of getting from some data types to others.
    ///
    /// A data type that is there at the start may be one that no tool knows.
    ///
    /// # Errors
    ///
    /// [`Error::Empty`] without a goal, and [`Error::GoalNeverProduced`] for a goal that is not there
    /// at the start and that no tool of the library yields. Banned tools count here: a goal that some
    /// tool yields but that cannot be reached is no error but a problem without a plan.
    pub fn problem<S: AsRef<str>>(&self, initial: &[S], goal: &[S]) -> Result<Problem, Error> {
        if goal.is_empty() {
            return Err(Error::Empty);
        }
        let types = self.type_names().len();
        let mut problem = Problem { initial: State::empty(types), goal: State::empty(types) };
        for name in initial {
            if let Some(number) = self.type_number(name.as_ref()) {
                problem.initial.insert(number as u32);
            }
        }
        for name in goal {
            let name = name.as_ref();
            let there = initial.iter().any(|initial| initial.as_ref() == name);
            match self.type_number(name) {
                Some(number) if there || self.is_yielded(number) => {
                    problem.goal.insert(number as u32);
                }
                // No tool knows it, so that nothing can take it away either.
                None if there => {}
                _ => return Err(Error::GoalNeverProduced { goal: name.to_owned() }),
            }
        }
        Ok(problem)
    }
}
