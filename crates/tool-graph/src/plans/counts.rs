use std::collections::{HashMap, HashSet};

use super::Task;
use super::chain::Chain;
use super::landmark_cut::{Groups, LandmarkCut};
use super::optimal::best_calls;
use super::type_set::TypeSet;
use crate::{Error, Problem, ToolGraph};

/// How many of all plans were listed.
///
/// ```
/// # use tool_graph::{Tool, ToolGraph};
/// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
/// #     name: name.into(),
/// #     inputs: vec![input.into()],
/// #     outputs: vec![output.into()],
/// #     cost,
/// #     components: vec![],
/// # };
/// # let graph = ToolGraph::new(vec![
/// #     tool("search", "query", "hits", 4.0),
/// #     tool("ask", "query", "hits", 7.0),
/// #     tool("pick", "hits", "choice", 2.0),
/// # ])?;
/// # let problem = graph.problem(&["query"], &["choice"])?;
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
    /// The number of different plans among the listed paths.
    pub covered: usize,
    /// The number of all plans.
    #[cfg_attr(feature = "serde", serde(with = "stored_count"))]
    pub possible: u128,
    /// The number of listed paths that are a plan listed before.
    pub repeated: usize,
    /// The number of listed paths that are no plan.
    pub not_plans: usize,
}

impl PathCoverage {
    /// Covered over possible, from 0 to 1; `None` where there is no plan at all.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        (self.possible > 0).then(|| self.covered as f64 / self.possible as f64)
    }
}

#[cfg(feature = "serde")]
crate::stored::checked!(struct StoredPathCoverage for PathCoverage = "PathCoverage", PathCoverage::check, {
    covered: usize,
    #[serde(with = "stored_count")]
    possible: u128,
    repeated: usize,
    not_plans: usize,
});

#[cfg(feature = "serde")]
impl PathCoverage {
    fn check(&self) -> Result<(), &'static str> {
        use crate::stored::rule;

        let covered = self.covered as u128;
        rule(covered <= self.possible, "the plans covered must be at most the possible ones")?;
        let any = self.repeated == 0 || self.covered > 0;
        rule(any, "a path can only be repeated if a plan was covered")
    }
}

/// A count as a number, or as text of its digits where 64 bits cannot hold it: most readers of JSON
/// would round such a number.
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
        let what = "the number of possible plans must be a whole number or its digits as text";
        match Count::deserialize(from).map_err(|_| serde::de::Error::custom(what))? {
            Count::Number(count) => Ok(count.into()),
            Count::Digits(digits) => digits.parse().map_err(|_| serde::de::Error::custom(what)),
        }
    }
}

impl ToolGraph {
    /// Whether the calls, in this order, are a plan: each possible when it is made, the goal there
    /// at the end, and none that could be left out.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types, and
    /// [`Error::NoSuchTool`].
    ///
    /// ```
    /// # use tool_graph::{Tool, ToolGraph};
    /// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
    /// #     name: name.into(),
    /// #     inputs: vec![input.into()],
    /// #     outputs: vec![output.into()],
    /// #     cost,
    /// #     components: vec![],
    /// # };
    /// # let graph = ToolGraph::new(vec![
    /// #     tool("search", "query", "hits", 4.0),
    /// #     tool("ask", "query", "hits", 7.0),
    /// #     tool("pick", "hits", "choice", 2.0),
    /// # ])?;
    /// # let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// assert!(graph.is_plan(&problem, &[1, 2])?);
    /// assert!(!graph.is_plan(&problem, &[2, 1])?, "nothing to pick from");
    /// assert!(!graph.is_plan(&problem, &[0, 1, 2])?, "one of the first two is needless");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn is_plan(&self, problem: &Problem, calls: &[usize]) -> Result<bool, Error> {
        let reaches = |skip: usize| {
            let mut state = problem.initial().clone();
            for (place, &tool) in calls.iter().enumerate() {
                if place == skip {
                    continue;
                }
                let possible = self.can_call(tool, &state);
                self.apply(tool, &mut state)?;
                if !possible {
                    return Ok::<_, Error>(false);
                }
            }
            self.check_state(problem.goal())?;
            Ok(state.is_superset(problem.goal()))
        };
        if !reaches(calls.len())? {
            return Ok(false);
        }
        for skip in 0..calls.len() {
            if reaches(skip)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The number of plans with the fewest calls, whatever they cost; 0 where there is no plan.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types, and
    /// [`Error::TooManyPlans`].
    ///
    /// # Complexity
    ///
    /// Linear along a chain ([`Search::Chain`](crate::Search::Chain)). Otherwise the time of
    /// [`Self::optimal_plan`], and of going through every state on the way of one of these plans,
    /// call by call: exponential time and memory in the number of data types at worst, and nothing
    /// limits it but the number of calls.
    ///
    /// ```
    /// # use tool_graph::{Tool, ToolGraph};
    /// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
    /// #     name: name.into(),
    /// #     inputs: vec![input.into()],
    /// #     outputs: vec![output.into()],
    /// #     cost,
    /// #     components: vec![],
    /// # };
    /// # let graph = ToolGraph::new(vec![
    /// #     tool("search", "query", "hits", 4.0),
    /// #     tool("ask", "query", "hits", 7.0),
    /// #     tool("pick", "hits", "choice", 2.0),
    /// # ])?;
    /// # let problem = graph.problem(&["query"], &["choice"])?;
    ///
    /// assert_eq!(graph.count_shortest_plans(&problem)?, 2);
    /// assert_eq!(graph.count_chain_plans(&problem)?, 2);
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn count_shortest_plans(&self, problem: &Problem) -> Result<u128, Error> {
        let Some(task) = Task::new(self, problem)? else { return Ok(0) };
        let task = task.without_costs();
        if let Some(chain) = Chain::new(&task) {
            return chain.count_shortest().ok_or(Error::TooManyPlans);
        }
        let mut left = best_calls(&task).map_or(0, |calls| calls.len());
        // Tools that another one replaces count as well, so none is left out.
        let mut cuts = LandmarkCut::<u64>::of_all(&task);
        let start = (1u128, Groups::default());
        let mut layer = HashMap::from([(TypeSet::empty(task.types), start)]);
        while left > 0 {
            left -= 1;
            let mut next: HashMap<TypeSet, (u128, Groups<u64>)> = HashMap::new();
            let mut far: HashSet<TypeSet> = HashSet::new();
            for (state, (ways, groups)) in &layer {
                for tool in 0..task.tools.len() {
                    let yields = task.yields.get(tool);
                    if !state.contains_all(task.needs.get(tool)) || state.contains_all(yields) {
                        continue;
                    }
                    let after = state.with(yields);
                    if let Some((sum, _)) = next.get_mut(&after) {
                        *sum = sum.checked_add(*ways).ok_or(Error::TooManyPlans)?;
                    } else if !far.contains(&after) {
                        // Most of what bounds the rest of the plan was found for the state before.
                        let before = Some((groups, tool as u32));
                        if cuts.bound(&after, left as u64, before) <= left as u64 {
                            next.insert(after, (*ways, cuts.groups().clone()));
                        } else {
                            far.insert(after);
                        }
                    }
                }
            }
            layer = next;
        }
        let done = layer.into_iter().filter(|(state, _)| state.contains_all(&task.goal));
        done.map(|(_, (ways, _))| ways)
            .try_fold(0u128, u128::checked_add)
            .ok_or(Error::TooManyPlans)
    }

    /// The number of all plans along a chain, of any length; 0 where there is no plan. Linear time.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types,
    /// [`Error::NotAChain`] and [`Error::TooManyPlans`].
    pub fn count_chain_plans(&self, problem: &Problem) -> Result<u128, Error> {
        let Some(task) = Task::new(self, problem)? else { return Ok(0) };
        if task.goal.is_empty() {
            return Ok(1);
        }
        Chain::new(&task).ok_or(Error::NotAChain)?.count().ok_or(Error::TooManyPlans)
    }

    /// How many of all plans along a chain someone listed, by the names of the tools.
    ///
    /// A path with a name that no tool has is no plan.
    ///
    /// # Errors
    ///
    /// Those of [`Self::count_chain_plans`].
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
