mod landmark;
mod next_cut;

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::{
    graph::lists::Lists,
    searches::{plan_weight::PlanWeight, reduced_problem::ReducedProblem, type_set::TypeSet},
};

const NOBODY: u32 = u32::MAX;

/// A lower bound of the remaining weight of plans. Every plan calls at least one tool of each of
/// several groups, and the bound is the sum of the smallest remaining weights of the groups.
///
/// A group is a cut of the graph in which each tool depends only on its most expensive input. After each
/// group, the amount counted is subtracted from the weights of its tools, until the goal costs nothing. The
/// weight that a tool has left in the end is its surcharge: every plan that calls the tool weighs at least
/// the bound plus the surcharge.
///
/// Reference: Helmert and Domshlak (2009), Landmarks, critical paths and abstractions: what's the
/// difference anyway?, ICAPS, section "The landmark cut heuristic".
#[derive(Debug)]
pub(crate) struct LandmarkCut<'a, W> {
    reduced: &'a ReducedProblem,
    needs: Lists,
    /// One list per tool, and a last one for the goal, which is a tool without weight here.
    yields: Lists,
    needed_by: Lists,
    yielded_by: Lists,
    /// Tools that need nothing.
    free: Vec<u32>,
    weights: Vec<W>,
    /// Tools that no plan may call.
    off: Vec<bool>,
    /// Tools that another tool can replace in every plan.
    replaced: Vec<bool>,
    left: Vec<W>,
    value: Vec<W>,
    value_of_tool: Vec<W>,
    lacks: Vec<u32>,
    dearest: Vec<u32>,
    mark: Vec<Mark>,
    queue: BinaryHeap<(Reverse<W>, u32)>,
    stack: Vec<u32>,
    cut: Vec<u32>,
    groups: Groups<W>,
}

/// Groups of tools of which every plan from some state calls at least one, with the amount counted
/// for each group.
#[derive(Clone, Debug, Default)]
pub(crate) struct Groups<W> {
    tools: Lists,
    amounts: Vec<W>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mark {
    None,
    Behind,
    Before,
}

impl<'a, W: PlanWeight> LandmarkCut<'a, W> {
    /// Turns off tools that another tool can replace in every plan, at a lower weight or at the same
    /// weight and an earlier position.
    pub(crate) fn new(reduced: &'a ReducedProblem) -> Self {
        let mut cuts = Self::of_all(reduced);
        for tool in 0..reduced.tools.len() {
            cuts.off[tool] = is_replaced(reduced, &cuts.yielded_by, tool);
        }
        cuts.replaced.copy_from_slice(&cuts.off);
        cuts
    }

    /// Keeps all tools, including tools that another tool can replace.
    pub(crate) fn of_all(reduced: &'a ReducedProblem) -> Self {
        let (tools, types) = (reduced.tools.len(), reduced.types);
        let mut needs = reduced.needs.clone();
        let mut yields = reduced.yields.clone();
        needs.push(reduced.goal.iter().copied());
        yields.push([types as u32]);
        let mut weights: Vec<W> = reduced.weights.iter().map(|&weight| W::of(weight)).collect();
        weights.push(W::ZERO);
        Self {
            reduced,
            needed_by: needs.transposed(types + 1),
            yielded_by: yields.transposed(types + 1),
            free: (0..=tools as u32).filter(|&tool| needs.get(tool as usize).is_empty()).collect(),
            needs,
            yields,
            off: vec![false; tools + 1],
            replaced: vec![false; tools + 1],
            left: weights.clone(),
            weights,
            value: vec![W::NEVER; types + 1],
            value_of_tool: vec![W::NEVER; tools + 1],
            lacks: vec![0; tools + 1],
            dearest: vec![NOBODY; tools + 1],
            mark: vec![Mark::None; types + 1],
            queue: BinaryHeap::new(),
            stack: Vec::new(),
            cut: Vec::new(),
            groups: Groups::default(),
        }
    }

    pub(crate) fn weight(&self, tool: u32) -> W {
        self.weights[tool as usize]
    }

    pub(crate) fn turn_off(&mut self, tool: u32) {
        self.off[tool as usize] = true;
    }

    /// Returns the weight beyond the last computed bound that every plan with this tool has at least.
    pub(crate) fn surcharge(&self, tool: u32) -> W {
        self.left[tool as usize]
    }

    /// Returns the groups of the last computed bound.
    pub(crate) fn groups(&self) -> &Groups<W> {
        &self.groups
    }

    /// Returns the bound from a state, or some number above `limit` if the bound exceeds it.
    ///
    /// `before` has the groups of an earlier state and the call that led from it to this one. Groups
    /// that do not contain the called tool remain valid and are reused.
    pub(crate) fn bound(
        &mut self,
        state: &TypeSet,
        limit: W,
        before: Option<(&Groups<W>, u32)>,
    ) -> W {
        self.left.copy_from_slice(&self.weights);
        self.groups.tools.clear();
        self.groups.amounts.clear();
        let mut bound = W::ZERO;
        if let Some((groups, called)) = before {
            for (group, &amount) in groups.amounts.iter().enumerate() {
                let tools = groups.tools.get(group);
                if !tools.contains(&called) {
                    for &tool in tools {
                        self.left[tool as usize] = self.left[tool as usize] - amount;
                    }
                    bound = bound + amount;
                    self.groups.tools.push(tools.iter().copied());
                    self.groups.amounts.push(amount);
                }
            }
        }
        self.start(state);
        let goal = self.reduced.types;
        if self.value[goal] == W::NEVER {
            return W::NEVER;
        }
        while self.value[goal] > W::ZERO && bound <= limit {
            self.find_cut(state);
            let tools = self.cut.iter().map(|&tool| self.left[tool as usize]);
            // There is always a cut while the goal costs something.
            let Some(cheapest) = tools.min() else { break };
            bound = bound + cheapest;
            self.groups.tools.push(self.cut.iter().copied());
            self.groups.amounts.push(cheapest);
            self.pay(cheapest);
        }
        bound
    }

    /// Starts a new bound, in which forced tools cost nothing.
    pub(crate) fn begin(&mut self, forced: &[bool]) {
        for (tool, &weight) in self.weights.iter().enumerate() {
            self.left[tool] = if forced.get(tool) == Some(&true) { W::ZERO } else { weight };
        }
    }

    /// Counts a group: subtracts the least remaining weight of its usable tools, up to `most`, from
    /// each of them, and returns the amount.
    pub(crate) fn count(&mut self, tools: &[u32], most: W) -> W {
        let usable = tools.iter().filter(|&&tool| !self.off[tool as usize]);
        let left = usable.map(|&tool| self.left[tool as usize]).min();
        let Some(amount) = left.map(|left| left.min(most)) else { return W::ZERO };
        for &tool in tools {
            if !self.off[tool as usize] {
                self.left[tool as usize] = self.left[tool as usize] - amount;
            }
        }
        amount
    }

    /// Returns whether the goal can be reached, and prepares [`Self::next_cut`].
    pub(crate) fn reach(&mut self, state: &TypeSet) -> bool {
        self.start(state);
        self.value[self.reduced.types] != W::NEVER
    }

    pub(crate) fn off(&self) -> &[bool] {
        &self.off
    }

    pub(crate) fn set_off(&mut self, off: &[bool]) {
        self.off.copy_from_slice(off);
    }

    /// Computes the value of each data type: the cost of the cheapest way to it, if only the dearest
    /// input of each tool is paid.
    fn start(&mut self, state: &TypeSet) {
        self.value.fill(W::NEVER);
        self.value_of_tool.fill(W::NEVER);
        self.dearest.fill(NOBODY);
        for tool in 0..self.lacks.len() {
            self.lacks[tool] = self.needs.get(tool).len() as u32;
        }
        self.queue.clear();
        state.for_each(|number| {
            self.value[number as usize] = W::ZERO;
            self.queue.push((Reverse(W::ZERO), number));
        });
        for tool in 0..self.free.len() {
            self.offer(self.free[tool], W::ZERO);
        }
        while let Some((Reverse(value), number)) = self.queue.pop() {
            if value > self.value[number as usize] {
                continue;
            }
            for place in 0..self.needed_by.get(number as usize).len() {
                let tool = self.needed_by.get(number as usize)[place];
                self.lacks[tool as usize] -= 1;
                if self.lacks[tool as usize] == 0 {
                    self.dearest[tool as usize] = number;
                    self.offer(tool, value);
                }
            }
        }
    }

    /// Starts a walk back from the goal, with only the goal marked as behind the cut.
    fn mark_goal_only(&mut self) {
        self.mark.fill(Mark::None);
        self.stack.clear();
        self.stack.push(self.reduced.types as u32);
        self.mark[self.reduced.types] = Mark::Behind;
    }

    /// Updates the values of the outputs of a tool whose inputs are all available at this value.
    fn offer(&mut self, tool: u32, value: W) {
        if self.off[tool as usize] {
            return;
        }
        self.value_of_tool[tool as usize] = value;
        let after = value + self.left[tool as usize];
        for &number in self.yields.get(tool as usize) {
            if after < self.value[number as usize] {
                self.value[number as usize] = after;
                self.queue.push((Reverse(after), number));
            }
        }
    }
}

fn is_replaced(reduced: &ReducedProblem, yielded_by: &Lists, tool: usize) -> bool {
    let (needs, yields) = (reduced.needs.get(tool), reduced.yields.get(tool));
    yielded_by.get(yields[0] as usize).iter().any(|&other| {
        let other = other as usize;
        (reduced.weights[other], other) < (reduced.weights[tool], tool)
            && reduced.needs.get(other).iter().all(|need| needs.contains(need))
            && yields.iter().all(|number| reduced.yields.get(other).contains(number))
    })
}
