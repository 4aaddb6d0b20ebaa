use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{
    graph::lists::Lists,
    searches::{plan_weight::PlanWeight, reduced_problem::ReducedProblem, type_set::TypeSet},
};

/// A heuristic for good plans: reaches each data type in the way that looks cheapest, then drops
/// needless calls.
#[derive(Debug)]
pub(crate) struct RelaxedPlans<'a> {
    reduced: &'a ReducedProblem,
    needed_by: Lists,
    lacks: Vec<u32>,
    /// For each data type, the estimated cost of the cheapest way to make it, and the last tool of this way.
    cost: Vec<(f64, u32)>,
    cost_of_tool: Vec<f64>,
    /// Costs as bits, which have the order of the costs, as these are at least 0.
    queue: BinaryHeap<(Reverse<u64>, u32)>,
    /// The tools that can be called, in a possible order.
    callable: Vec<u32>,
    chosen: Vec<bool>,
    stack: Vec<u32>,
}

impl<'a> RelaxedPlans<'a> {
    pub(crate) fn new(reduced: &'a ReducedProblem) -> Self {
        Self {
            reduced,
            needed_by: reduced.needs.transposed(reduced.types),
            lacks: Vec::new(),
            cost: Vec::new(),
            cost_of_tool: Vec::new(),
            queue: BinaryHeap::new(),
            callable: Vec::new(),
            chosen: vec![false; reduced.tools.len()],
            stack: Vec::new(),
        }
    }

    /// Finds a plan without needless calls for the given costs of the tools. Tools of infinite cost
    /// are not called.
    pub(crate) fn plan<W: PlanWeight>(
        &mut self,
        cost: impl Fn(u32) -> f64,
        weight: impl Fn(u32) -> W,
    ) -> Option<Vec<u32>> {
        let reduced = self.reduced;
        self.cost.clear();
        self.cost.resize(reduced.types, (f64::INFINITY, 0));
        self.cost_of_tool.clear();
        self.lacks.clear();
        self.queue.clear();
        self.callable.clear();
        for tool in 0..reduced.tools.len() {
            self.cost_of_tool.push(cost(tool as u32));
            self.lacks.push(reduced.needs.get(tool).len() as u32);
            if self.lacks[tool] == 0 {
                self.offer(tool as u32);
            }
        }
        while let Some((Reverse(bits), number)) = self.queue.pop() {
            let cost = f64::from_bits(bits);
            if cost > self.cost[number as usize].0 {
                continue;
            }
            for place in 0..self.needed_by.get(number as usize).len() {
                let tool = self.needed_by.get(number as usize)[place];
                self.lacks[tool as usize] -= 1;
                self.cost_of_tool[tool as usize] += cost;
                if self.lacks[tool as usize] == 0 {
                    self.offer(tool);
                }
            }
        }
        self.chosen.fill(false);
        self.stack.clear();
        self.stack.extend(&reduced.goal);
        while let Some(number) = self.stack.pop() {
            let (cost, tool) = self.cost[number as usize];
            if cost == f64::INFINITY {
                return None;
            }
            if !std::mem::replace(&mut self.chosen[tool as usize], true) {
                self.stack.extend(reduced.needs.get(tool as usize));
            }
        }
        let chosen = self.callable.iter().copied().filter(|&tool| self.chosen[tool as usize]);
        let mut plan: Vec<u32> = chosen.collect();
        let mut dearest_first = plan.clone();
        dearest_first.sort_by_key(|&tool| (Reverse(weight(tool)), tool));
        for tool in dearest_first {
            let rest = plan.iter().copied().filter(|&other| other != tool).collect();
            if closure(reduced, rest).contains_all(&reduced.goal) {
                plan.retain(|&other| other != tool);
            }
        }
        Some(plan)
    }

    fn offer(&mut self, tool: u32) {
        self.callable.push(tool);
        let cost = self.cost_of_tool[tool as usize];
        for &number in self.reduced.yields.get(tool as usize) {
            if cost < self.cost[number as usize].0 {
                self.cost[number as usize] = (cost, tool);
                self.queue.push((Reverse(cost.to_bits()), number));
            }
        }
    }
}

/// Returns the data types that these tools can reach. Fastest if the tools are in a possible order.
pub(crate) fn closure(reduced: &ReducedProblem, mut tools: Vec<u32>) -> TypeSet {
    let mut state = TypeSet::empty(reduced.types);
    loop {
        let before = tools.len();
        tools.retain(|&tool| {
            let ready = state.contains_all(reduced.needs.get(tool as usize));
            if ready {
                state.insert_all(reduced.yields.get(tool as usize));
            }
            !ready
        });
        if tools.len() == before || tools.is_empty() {
            return state;
        }
    }
}

#[cfg(test)]
mod tests;
