use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::chain::Chain;
use super::landmark_cut::LandmarkCut;
use super::optimal::best_calls;
use super::type_set::TypeSet;
use super::weight::Weight;
use super::{Plan, Task};
use crate::{Error, Problem, ToolGraph};

/// The least weight of a plan that begins with these calls, the calls, their weight, what is there.
type Beginning = (u128, Vec<u32>, u128, TypeSet);

/// Plans one after the other, from the best.
///
/// The open calls are kept in the order of the least weight they can end at, then of the library.
/// So nothing that is still open can become a plan that comes before the one taken out.
struct BestPlans<'a> {
    task: &'a Task,
    cuts: LandmarkCut<'a, u128>,
    open: BinaryHeap<Reverse<Beginning>>,
    bounds: HashMap<TypeSet, u128>,
    /// By data type, how many of the calls that are looked at yield it.
    yielded: Vec<u32>,
}

impl<'a> BestPlans<'a> {
    fn new(task: &'a Task) -> Self {
        let start = (0, Vec::new(), 0, TypeSet::empty(task.types));
        Self {
            task,
            cuts: LandmarkCut::new(task),
            open: BinaryHeap::from([Reverse(start)]),
            bounds: HashMap::new(),
            yielded: vec![0; task.types],
        }
    }

    /// What the calls leave there; those that cannot be made are passed over.
    fn after<'b>(&self, calls: impl Iterator<Item = &'b u32>) -> TypeSet {
        calls.fold(TypeSet::empty(self.task.types), |state, &tool| {
            if state.contains_all(self.task.needs.get(tool as usize)) {
                state.with(self.task.yields.get(tool as usize))
            } else {
                state
            }
        })
    }

    /// Whether a call can be left out of these and of all that goes on from them.
    fn has_needless_call(&mut self, calls: &[u32], state: &TypeSet) -> bool {
        let task = self.task;
        let done = state.contains_all(&task.goal);
        self.yielded.fill(0);
        for &tool in calls {
            for &number in task.yields.get(tool as usize) {
                self.yielded[number as usize] += 1;
            }
        }
        // What must be there after a call: at the end the goal, before it all that the calls leave.
        let mut wanted = if done { TypeSet::empty(task.types) } else { state.clone() };
        wanted.insert_all(&task.goal);
        for place in (0..calls.len()).rev() {
            let tool = calls[place] as usize;
            // The only call that yields a wanted data type cannot be left out. Only for others the
            // rest has to be tried.
            let only =
                |&number: &u32| self.yielded[number as usize] == 1 && wanted.contains(number);
            if !task.yields.get(tool).iter().any(only) {
                let rest = self.after(calls[..place].iter().chain(&calls[place + 1..]));
                let same = if done { rest.contains_all(&task.goal) } else { rest == *state };
                if same {
                    return true;
                }
            }
            wanted.insert_all(task.needs.get(tool));
        }
        false
    }
}

impl Iterator for BestPlans<'_> {
    /// The weight and the calls.
    type Item = (u128, Vec<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(Reverse((_, mut calls, weight, state))) = self.open.pop() {
            if state.contains_all(&self.task.goal) {
                return Some((weight, calls));
            }
            for tool in 0..self.task.tools.len() {
                let yields = self.task.yields.get(tool);
                if !state.contains_all(self.task.needs.get(tool)) || state.contains_all(yields) {
                    continue;
                }
                let next = state.with(yields);
                calls.push(tool as u32);
                let needless = self.has_needless_call(&calls, &next);
                let beginning = if needless { Vec::new() } else { calls.clone() };
                calls.pop();
                if needless {
                    continue;
                }
                let weight = weight + self.task.weights[tool];
                let bound = match self.bounds.get(&next) {
                    Some(&bound) => bound,
                    None => {
                        let bound = self.cuts.bound(&next, u128::NEVER, None);
                        self.bounds.insert(next.clone(), bound);
                        bound
                    }
                };
                self.open.push(Reverse((weight + bound, beginning, weight, next)));
            }
        }
        None
    }
}

/// All plans, from the best on, with their weights.
fn plans_in_order(task: &Task) -> Box<dyn Iterator<Item = (u128, Vec<u32>)> + '_> {
    match Chain::new(task) {
        Some(chain) => Box::new(chain.best_plans()),
        None => Box::new(BestPlans::new(task)),
    }
}

impl ToolGraph {
    /// The best plans, from the best on: by cost, then number of calls, then library order; `most`
    /// of them, or fewer where there are no more.
    ///
    /// Two plans differ where their sequences of calls do, so calls that can change places make
    /// several plans. Every plan is without needless calls, see [`Plan`].
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// # Complexity
    ///
    /// One plan takes as long as [`Self::optimal_plan`]. Along a chain ([`Search::Chain`]) the time
    /// is linear in the number of tools, and for each further plan at most linear in the number of
    /// its calls. Otherwise all beginnings of calls that could become one of these plans are kept,
    /// which can be far more than the plans: exponential time and memory at worst in the number of
    /// tools that some way to the goal could use. Only `most` limits the search.
    ///
    /// [`Search::Chain`]: crate::Search::Chain
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
    /// let plans = graph.best_plans(&problem, 5)?;
    /// let costs: Vec<f64> = plans.iter().map(|plan| plan.cost()).collect();
    /// assert_eq!(costs, [6.0, 9.0], "there are no more");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn best_plans(&self, problem: &Problem, most: usize) -> Result<Vec<Plan>, Error> {
        let Some(task) = Task::new(self, problem)? else { return Ok(Vec::new()) };
        if most == 1 {
            return Ok(best_calls(&task).iter().map(|calls| task.plan(self, calls)).collect());
        }
        let plans = plans_in_order(&task).take(most);
        Ok(plans.map(|(_, calls)| task.plan(self, &calls)).collect())
    }

    /// All plans of the lowest cost, in the same order, and whether these are all: `most` are given
    /// at most.
    ///
    /// # Errors
    ///
    /// [`Error::OtherGraph`] where the problem is that of a graph of other data types.
    ///
    /// # Complexity
    ///
    /// That of [`Self::best_plans`] for more than one plan.
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
    /// let (plans, all) = graph.optimal_plans(&problem, 10)?;
    /// assert_eq!((plans.len(), all), (1, true));
    /// let (plans, all) = graph.with_costs(&[4.0, 4.0, 2.0])?.optimal_plans(&problem, 1)?;
    /// assert_eq!((plans.len(), all), (1, false), "search and ask cost the same");
    /// # Ok::<(), tool_graph::Error>(())
    /// ```
    pub fn optimal_plans(
        &self,
        problem: &Problem,
        most: usize,
    ) -> Result<(Vec<Plan>, bool), Error> {
        let Some(task) = Task::new(self, problem)? else { return Ok((Vec::new(), true)) };
        let mut lowest = None;
        let mut found = Vec::new();
        for (weight, calls) in plans_in_order(&task) {
            let cost = task.cost_of(weight);
            if *lowest.get_or_insert(cost) != cost {
                break;
            }
            if found.len() == most {
                return Ok((found, false));
            }
            found.push(task.plan(self, &calls));
        }
        Ok((found, true))
    }
}
