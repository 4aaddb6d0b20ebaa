use std::collections::HashSet;

use crate::{
    error::Error,
    graph::{problem::Problem, tool_graph::ToolGraph},
};

/// The share of all plans that a list of paths covers. Made by [`ToolGraph::path_coverage`].
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
    #[cfg_attr(feature = "serde", serde(with = "stored_count"))]
    pub possible: u128,
    /// The number of listed paths that repeat an earlier plan of the list.
    pub repeated: usize,
    /// The number of listed paths that are not plans.
    pub not_plans: usize,
}

impl PathCoverage {
    /// The share of plans covered, from 0 to 1, or `None` if the problem has no plan.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.possible > 0).then(|| self.covered as f64 / self.possible as f64)
    }
}

#[cfg(feature = "serde")]
scoring_rules::checked_when_read!(
    PathCoverage {
        covered: usize,
        #[serde(with = "stored_count")]
        possible: u128,
        repeated: usize,
        not_plans: usize,
    },
    PathCoverage::check
);

#[cfg(feature = "serde")]
impl PathCoverage {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        let covered = self.covered as u128;
        rule(covered <= self.possible, "covered must be at most possible")?;
        let any = self.repeated == 0 || self.covered > 0;
        rule(any, "repeated must be 0 if covered is 0")
    }
}

/// Stores a count as a number, or as a string of digits if it exceeds 64 bits, because most JSON
/// parsers would round it.
#[cfg(feature = "serde")]
mod stored_count {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Count {
        Number(u64),
        Digits(String),
    }

    pub(super) fn serialize<S: Serializer>(count: &u128, to: S) -> Result<S::Ok, S::Error> {
        match u64::try_from(*count) {
            Ok(count) => count.serialize(to),
            Err(_) => count.to_string().serialize(to),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u128, D::Error> {
        let what = "possible must be a whole number, or a string of its digits";
        match Count::deserialize(from).map_err(|_| serde::de::Error::custom(what))? {
            Count::Number(count) => Ok(count.into()),
            Count::Digits(digits) => digits.parse().map_err(|_| serde::de::Error::custom(what)),
        }
    }
}

impl ToolGraph {
    /// Compares a list of paths, given as tool names, with all plans of a chain.
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
            let calls = path.as_ref().iter().map(|name| self.tool_position(name.as_ref()));
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
