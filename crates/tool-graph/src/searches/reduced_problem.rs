use crate::{
    error::Error,
    graph::{lists::Lists, plan::Plan, problem::Problem, tool_graph::ToolGraph},
    searches::{reach::Reach, type_set::TypeSet},
};

/// A problem without the parts that no plan can use.
///
/// It keeps the reachable tools that lead to the goal. It keeps a data type missing at the start if such a
/// tool needs it, or if it is part of the goal.
#[derive(Clone, Debug)]
pub(crate) struct ReducedProblem {
    /// The positions in the library of the tools of the reduced problem, in library order.
    pub(crate) tools: Vec<u32>,
    /// For each tool, the needed data types that are missing at the start.
    pub(crate) needs: Lists,
    /// For each tool, the outputs that a plan can use.
    pub(crate) yields: Lists,
    /// For each tool, its cost and one call as one number, which is never 0. Less is better.
    pub(crate) weights: Vec<u128>,
    /// The number of low bits of a weight that hold the number of calls.
    bits_of_calls: u32,
    /// The lowest and the highest cost of a tool, and the greatest common divisor of all costs.
    cheapest: u128,
    dearest: u128,
    step: u128,
    pub(crate) goal: Vec<u32>,
    /// The number of data types of the reduced problem.
    pub(crate) types: usize,
}

impl ReducedProblem {
    /// `None` if the goal cannot be reached.
    pub(crate) fn new(graph: &ToolGraph, problem: &Problem) -> Result<Option<Self>, Error> {
        graph.check_problem(problem)?;
        Ok(Self::of_checked(graph, problem))
    }

    /// Reduces a problem that is known to belong to the graph.
    pub(crate) fn of_checked(graph: &ToolGraph, problem: &Problem) -> Option<Self> {
        let Reach { lacks, reached } = Reach::new(graph, &problem.initial);
        let is_reached = problem.goal.iter().all(|number| reached[number]);
        is_reached.then(|| Self::of_useful_tools(graph, problem, |tool| lacks[tool] == 0))
    }

    fn of_useful_tools(
        graph: &ToolGraph,
        problem: &Problem,
        can_be_called: impl Fn(usize) -> bool,
    ) -> Self {
        const NONE: u32 = u32::MAX;
        let yielded_by = graph.yielded_by();
        let mut numbers = vec![NONE; graph.type_names().len()];
        let mut types = 0;
        let mut open = Vec::new();
        let mut useful = vec![false; graph.tool_count()];
        let mut want = |number: usize, open: &mut Vec<usize>| {
            if !problem.initial.contains(number) && numbers[number] == NONE {
                numbers[number] = types;
                types += 1;
                open.push(number);
            }
        };
        problem.goal.iter().for_each(|number| want(number, &mut open));
        while let Some(number) = open.pop() {
            for &tool in yielded_by.get(number) {
                let tool = tool as usize;
                if can_be_called(tool) && !useful[tool] {
                    useful[tool] = true;
                    graph.needs(tool).iter().for_each(|&need| want(need as usize, &mut open));
                }
            }
        }
        let known = |list: &[u32]| -> Vec<u32> {
            let list = list.iter().map(|&number| numbers[number as usize]);
            list.filter(|&number| number != NONE).collect()
        };
        let goal: Vec<u32> = problem.goal.iter().map(|number| number as u32).collect();
        let mut reduced = Self {
            tools: (0..graph.tool_count() as u32).filter(|&tool| useful[tool as usize]).collect(),
            needs: Lists::default(),
            yields: Lists::default(),
            weights: Vec::new(),
            bits_of_calls: 0,
            cheapest: u128::MAX,
            dearest: 0,
            step: 0,
            goal: known(&goal),
            types: types as usize,
        };
        // No plan calls a tool twice, so the number of calls never carries over into the cost.
        reduced.bits_of_calls = usize::BITS - reduced.tools.len().leading_zeros();
        for &tool in &reduced.tools {
            let tool = tool as usize;
            reduced.needs.push(known(graph.needs(tool)));
            reduced.yields.push(known(graph.yields(tool)));
            let cost = graph.costs().units(tool);
            reduced.cheapest = reduced.cheapest.min(cost);
            reduced.dearest = reduced.dearest.max(cost);
            reduced.step = common_divisor(reduced.step, cost);
            reduced.weights.push((cost << reduced.bits_of_calls) + 1);
        }
        reduced
    }

    /// Returns whether sums of weights fit in 64 bits. Sums of two bounds must fit too, and stay below the
    /// number that denotes an unreachable goal.
    pub(crate) fn has_narrow_weights(&self) -> bool {
        self.weights.iter().sum::<u128>() < 1 << 60
    }

    /// Returns whether the goal is one data type, and each tool needs at most one and yields one.
    pub(crate) fn has_single_types(&self) -> bool {
        let single = |tool| self.needs.get(tool).len() <= 1 && self.yields.get(tool).len() == 1;
        self.goal.len() == 1 && (0..self.tools.len()).all(single)
    }

    /// Returns the same problem with free tools, so that a weight is a number of calls.
    pub(crate) fn without_costs(self) -> Self {
        let weights = vec![1; self.tools.len()];
        Self { weights, cheapest: 0, dearest: 0, step: 0, ..self }
    }

    /// Returns the same problem with weights by which exactly the plans of the lowest cost are best, if all
    /// tools cost something. Otherwise a plan of the lowest cost is best only if it has the fewest calls.
    pub(crate) fn compared_by_cost(&self) -> Self {
        let mut same = self.clone();
        if self.cheapest > 0 {
            same.weights.iter_mut().for_each(|weight| *weight >>= self.bits_of_calls);
            same.bits_of_calls = 0;
        }
        same
    }

    /// Rounds a lower bound up to the next weight that a plan can have, given the costs of the tools.
    pub(crate) fn round_up(&self, weight: u128) -> u128 {
        let (mut cost, mut calls) =
            (self.cost_of(weight), weight & ((1 << self.bits_of_calls) - 1));
        let rest = cost % self.step.max(1);
        if rest != 0 {
            (cost, calls) = (cost - rest + self.step, 0);
        }
        let most = cost.checked_div(self.cheapest).unwrap_or(u128::MAX);
        if calls > most.min(self.tools.len() as u128) {
            (cost, calls) = (cost + self.step.max(1), 0);
        }
        let fewest = if self.dearest == 0 { 0 } else { cost.div_ceil(self.dearest) };
        (cost << self.bits_of_calls) + calls.max(fewest)
    }

    /// Returns the cost in a weight, in units of the costs.
    pub(crate) fn cost_of(&self, weight: u128) -> u128 {
        weight >> self.bits_of_calls
    }

    /// Returns the tools that can be called in a state and yield something new.
    pub(crate) fn callable<'a>(&'a self, state: &'a TypeSet) -> impl Iterator<Item = usize> + 'a {
        (0..self.tools.len()).filter(|&tool| {
            state.contains_all(self.needs.get(tool)) && !state.contains_all(self.yields.get(tool))
        })
    }

    /// Returns the positions in the library of these tools of the reduced problem.
    pub(crate) fn library_positions(&self, tools: &[u32]) -> Vec<usize> {
        tools.iter().map(|&tool| self.tools[tool as usize] as usize).collect()
    }

    /// Returns the plan that calls these tools of the reduced problem.
    pub(crate) fn plan(&self, graph: &ToolGraph, tools: &[u32]) -> Plan {
        Plan::new(graph, self.library_positions(tools))
    }
}

fn common_divisor(mut one: u128, mut other: u128) -> u128 {
    while other != 0 {
        (one, other) = (other, one % other);
    }
    one
}
