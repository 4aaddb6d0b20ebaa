use std::collections::HashSet;

use crate::{
    error::Error,
    graph::{problem::Problem, tool_graph::ToolGraph},
};

/// The share of all plans that occur in a list of paths. Made by [`ToolGraph::path_coverage`].
///
/// ```
/// use tool_graph::{Tool, ToolGraph};
///
/// let graph = ToolGraph::new(vec![
///     Tool::new("search", ["query"], ["hits"], 4.0),
///     Tool::new("ask", ["query"], ["hits"], 7.0),
///     Tool::new("pick", ["hits"], ["choice"], 2.0),
/// ])?;
/// let problem = graph.problem(&["query"], &["choice"])?;
///
/// let listed = [["search", "pick"], ["search", "pick"], ["pick", "search"]];
/// let coverage = graph.path_coverage(&problem, &listed)?;
/// assert_eq!((coverage.covered, coverage.possible), (1, 2));
/// assert_eq!((coverage.repeated, coverage.not_plans), (1, 1));
/// assert_eq!(coverage.rate(), Some(0.5));
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PathCoverage {
    /// The number of distinct plans among the listed paths.
    pub covered: usize,
    /// The number of all plans of the problem.
    #[cfg_attr(feature = "serde", serde(serialize_with = "count"))]
    pub possible: u128,
    /// The number of listed paths that are plans but occur earlier in the list.
    pub repeated: usize,
    /// The number of listed paths that are not plans.
    pub not_plans: usize,
}

impl PathCoverage {
    /// Returns the share of plans that occur in the list, from 0 to 1, or `None` if the problem has no plan.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.possible > 0).then(|| self.covered as f64 / self.possible as f64)
    }
}

/// Writes a count as a number, or as a string of digits if it exceeds 64 bits, because most JSON parsers
/// would round such a number.
#[cfg(feature = "serde")]
fn count<S: serde::Serializer>(count: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*count) {
        Ok(count) => serializer.serialize_u64(count),
        Err(_) => serializer.collect_str(count),
    }
}

impl ToolGraph {
    /// Compares a list of paths with all plans of a [chain](Self::optimal_plan). Each path is a list of tool names.
    ///
    /// A path that contains an unknown name is not a plan.
    ///
    /// # Errors
    ///
    /// As for [`Self::count_chain_plans`].
    pub fn path_coverage<P: AsRef<[S]>, S: AsRef<str>>(
        &self,
        problem: &Problem,
        listed: &[P],
    ) -> Result<PathCoverage, Error> {
        let possible = self.count_chain_plans(problem)?;
        let mut found = HashSet::new();
        let (mut repeated, mut not_plans) = (0, 0);
        for path in listed {
            let calls = path.as_ref().iter().map(|name| self.tool_index(name.as_ref()));
            match calls.collect::<Option<Vec<usize>>>() {
                Some(calls) if self.is_plan(problem, &calls)? => {
                    repeated += usize::from(!found.insert(calls));
                }
                _ => not_plans += 1,
            }
        }
        Ok(PathCoverage { covered: found.len(), possible, repeated, not_plans })
    }
}
