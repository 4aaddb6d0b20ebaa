use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::plans::Task;
use crate::{Error, Plan, Problem, ToolGraph};

/// Which of the cheapest plans is the best one, where several cost the same.
///
/// Costs are compared as the decimals that they are written as, without rounding. Prices in cents
/// make plans of the same cost common: 22 of 381 queries of CostBench have some.
///
/// ```
/// use tool_graph::{TieRule, Tool, ToolGraph};
/// # let tool = |name: &str, input: &str, output: &str, cost| Tool {
/// #     name: name.into(),
/// #     inputs: vec![input.into()],
/// #     outputs: vec![output.into()],
/// #     cost,
/// #     components: vec![],
/// # };
/// let graph = ToolGraph::new(vec![
///     tool("search", "query", "hits", 0.1),
///     tool("sort", "hits", "list", 0.7),
///     tool("search_and_sort", "query", "list", 0.8),
/// ])?;
/// let problem = graph.problem(&["query"], &["list"])?;
/// let few = TieRule::FewestCalls.optimal_plan(&graph, &problem)?.expect("there is a way");
/// let released = TieRule::Released.optimal_plan(&graph, &problem)?.expect("there is a way");
/// assert_eq!(graph.tool_names(few.tools()), ["search_and_sort"]);
/// // 0.1 + 0.7 is 0.7999999999999999 as a sum of f64 numbers.
/// assert_eq!(graph.tool_names(released.tools()), ["search", "sort"]);
/// assert_eq!(few.cost(), released.cost());
/// # Ok::<(), tool_graph::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum TieRule {
    /// The fewest calls, then the tools that stand first in the library, from the first call on:
    /// that of [`ToolGraph::optimal_plan`].
    #[default]
    FewestCalls,
    /// That of CostBench's published tables: the lowest sum of the costs as f64 numbers, added from
    /// the first call on and rounded at each, then the fewest calls, then the plan whose tools
    /// stand first in the library, the last of them compared first.
    ///
    /// The rounding errors, some 1e-14, decide most ties, in favour of neither few calls nor many.
    /// The published figures need it; the last part is one of the orders that they leave open.
    Released,
}

impl TieRule {
    /// The best plan by this rule, or `None` where no calls lead to the goal.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// # Complexity
    ///
    /// Of [`Self::FewestCalls`] that of [`ToolGraph::optimal_plan`]. Of [`Self::Released`] linear
    /// in the tools where each needs and yields one data type that is not there at the start;
    /// otherwise it goes through all states that can be reached, for t data types 2^t at worst, and
    /// nothing limits it.
    pub fn optimal_plan(self, graph: &ToolGraph, problem: &Problem) -> Result<Option<Plan>, Error> {
        match self {
            Self::FewestCalls => graph.optimal_plan(problem),
            Self::Released => Ok(Task::new(graph, problem)?
                .and_then(|task| released(graph, &task).map(|tools| task.plan(graph, &tools)))),
        }
    }
}

/// What plans to the same state are compared by, from the first part on; less is better. Sums of
/// costs are at least 0, where the bits of f64 numbers are in the order of the numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Label {
    units: u128,
    rounded_sum: u64,
    calls: usize,
    /// The tools, from the last in the library on.
    by_place: Vec<u32>,
    tools: Vec<u32>,
}

impl Label {
    fn and(&self, tool: u32, units: u128, cost: f64) -> Self {
        let mut by_place = self.by_place.clone();
        by_place.insert(by_place.partition_point(|&other| other > tool), tool);
        let mut tools = self.tools.clone();
        tools.push(tool);
        Self {
            units: self.units + units,
            rounded_sum: (f64::from_bits(self.rounded_sum) + cost).to_bits(),
            calls: self.calls + 1,
            by_place,
            tools,
        }
    }

    /// Whether this could end as the better plan by way of the same calls, its rounded sum being no
    /// lower.
    fn may_beat(&self, other: &Self) -> bool {
        let rest = (self.calls, &self.by_place, &self.tools);
        self.units <= other.units && rest < (other.calls, &other.by_place, &other.tools)
    }
}

/// The best plan by [`TieRule::Released`], in tools of the task.
fn released(graph: &ToolGraph, task: &Task) -> Option<Vec<u32>> {
    // Where one data type at most is needed and one yielded, the last one says all of a state.
    let single = task.goal.len() == 1
        && (0..task.tools.len())
            .all(|tool| task.needs.get(tool).len() <= 1 && task.yields.get(tool).len() == 1);
    let has = |state: &[u64], number: u32| state[number as usize / 64] >> (number % 64) & 1 == 1;
    let costs: Vec<(u128, f64)> = task
        .tools
        .iter()
        .map(|&tool| (graph.costs().units(tool as usize), graph.cost(tool as usize).unwrap_or(0.0)))
        .collect();
    let start = vec![0; task.types.div_ceil(64)];
    let first = Label { units: 0, rounded_sum: 0, calls: 0, by_place: vec![], tools: vec![] };
    let mut open = BinaryHeap::from([Reverse((first, start))]);
    // By state, the last label that was followed. A higher rounded sum may be rounded to the same
    // total later, so that one with less of the rest must be followed too.
    let mut followed: BTreeMap<Vec<u64>, Label> = BTreeMap::new();
    while let Some(Reverse((label, state))) = open.pop() {
        if task.goal.iter().all(|&goal| has(&state, goal)) {
            return Some(label.tools);
        }
        if followed.get(&state).is_some_and(|before| !label.may_beat(before)) {
            continue;
        }
        for (tool, &(units, cost)) in costs.iter().enumerate() {
            let lacks = |&number: &u32| !has(&state, number);
            let (needs, yields) = (task.needs.get(tool), task.yields.get(tool));
            if needs.iter().any(lacks) || !yields.iter().any(lacks) {
                continue;
            }
            let mut next = state.clone();
            if single {
                next.fill(0);
            }
            yields.iter().for_each(|&new| next[new as usize / 64] |= 1 << (new % 64));
            let next_label = label.and(tool as u32, units, cost);
            if followed.get(&next).is_none_or(|before| next_label.may_beat(before)) {
                open.push(Reverse((next_label, next)));
            }
        }
        followed.insert(state, label);
    }
    None
}
