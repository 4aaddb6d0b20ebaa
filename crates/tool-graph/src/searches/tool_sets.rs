mod heuristic_plans;

use crate::{
    graph::lists::Lists,
    searches::{
        effort::Effort,
        landmark_cut::LandmarkCut,
        packing::{Packing, UNLIMITED},
        plan_weight::PlanWeight,
        reduced_problem::ReducedProblem,
        relaxed_plan::{RelaxedPlans, closure},
        type_set::TypeSet,
    },
};

/// A node of the search: the plans that call every forced tool and no turned-off tool.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    off: Vec<bool>,
    forced: Vec<bool>,
    packing: Packing,
}

impl Node {
    pub(crate) fn is_off(&self, tool: u32) -> bool {
        self.off[tool as usize]
    }

    pub(crate) fn force(&mut self, tool: u32) {
        self.forced[tool as usize] = true;
        self.packing.set_capacity(tool, 0.0);
    }

    pub(crate) fn turn_off(&mut self, tool: u32) {
        self.off[tool as usize] = true;
        self.packing.set_capacity(tool, UNLIMITED);
    }

    fn is_decided(&self, tool: u32) -> bool {
        self.off[tool as usize] || self.forced[tool as usize]
    }
}

/// A branch-and-bound search for plans as sets of tools.
///
/// A landmark is a group of tools such that every plan calls at least one of them. A linear program finds the
/// amounts that the landmarks count for together; rounded to whole numbers, they are a lower bound. Landmark
/// cuts of the remaining weights are added to the program as long as they help. Then the search branches on a
/// tool with a fractional share.
///
/// References: Bonet and Helmert (2010), Strengthening landmark heuristics via hitting sets, ECAI;
/// Pommerening and Helmert (2012), Optimal planning for delete-free tasks with incremental LM-cut,
/// ICAPS.
#[derive(Debug)]
pub(crate) struct ToolSets<'a, W> {
    reduced: &'a ReducedProblem,
    cuts: LandmarkCut<'a, W>,
    plans: RelaxedPlans<'a>,
    start: TypeSet,
    /// Landmarks of all plans, independent of the node.
    groups: Lists,
    /// The weight of the best known plan, or a weight that a plan must be below.
    limit: W,
    best: Option<Vec<u32>>,
    /// Whether fewer than two plans of the least weight are known; the search then looks for another.
    pub(crate) unique: bool,
    /// The factor from weights to capacities.
    scale: f64,
    /// The work that may still be done.
    effort: &'a mut Effort,
    /// Whether a part of the search was skipped for lack of effort, so that the best plan is only the best
    /// known one.
    pub(crate) gave_up: bool,
    /// A weight that every plan has at least.
    pub(crate) lowest: W,
}

/// About the number of inputs and outputs of a tool, each of which a pass over all tools visits.
const STEPS_PER_TOOL: usize = 8;

impl<'a, W: PlanWeight> ToolSets<'a, W> {
    pub(crate) fn new(reduced: &'a ReducedProblem, effort: &'a mut Effort) -> Self {
        Self {
            reduced,
            effort,
            gave_up: false,
            lowest: W::ZERO,
            cuts: LandmarkCut::new(reduced),
            plans: RelaxedPlans::new(reduced),
            start: TypeSet::empty(reduced.types),
            groups: Lists::default(),
            limit: W::NEVER,
            best: None,
            unique: true,
            scale: 1.0,
        }
    }

    /// Creates the root node: all plans, excluding tools that other tools can replace, and tools that weigh
    /// more than a first plan by themselves.
    pub(crate) fn root(&mut self) -> Node {
        let mut root = Node {
            off: self.cuts.off().to_vec(),
            forced: vec![false; self.reduced.tools.len()],
            packing: Packing::new(Vec::new()),
        };
        self.try_plan(&root, |_, weight| weight);
        let light = |tool: &u32| self.cuts.weight(*tool) <= self.limit;
        // The scale ignores tools that are too expensive, because all others would look free next to them.
        let largest = self.tools().filter(light).map(|tool| self.cuts.weight(tool)).max();
        self.scale = 1.0 / largest.map_or(1.0, |weight| weight.wide() as f64);
        // Capacities slightly below the weights, and different for equal weights, because with ties
        // the pivots could cycle.
        let capacity = self.tools().map(|tool| {
            let part = (f64::from(tool) * 0.618_033_988_749_895).fract();
            self.cuts.weight(tool).wide() as f64 * self.scale * (1.0 - 1e-6 * part)
        });
        root.packing = Packing::new(capacity.collect());
        for tool in self.tools().filter(|tool| !light(tool)) {
            root.turn_off(tool);
        }
        root
    }

    /// Finds a plan of least weight. Turns off each tool at the root that no plan of this weight calls.
    pub(crate) fn best(&mut self, root: &mut Node) -> Option<Vec<u32>> {
        // If the first bound does not settle it, improve the plan first, which improves the bound.
        if self.bound(root, true).is_some() {
            self.improve(root);
            if let Some(tool) = self.bound(root, true) {
                self.branch(root.clone(), tool, false);
            }
        }
        self.best.take()
    }

    pub(crate) fn weight_of(&self, plan: &[u32]) -> W {
        plan.iter().fold(W::ZERO, |sum, &tool| sum + self.cuts.weight(tool))
    }

    /// Finds a plan of at most this weight that also calls `tool`.
    pub(crate) fn any_with(&mut self, root: &Node, tool: u32, most: W) -> Option<Vec<u32>> {
        self.limit = most + W::of(1);
        self.unique = false;
        self.best = None;
        let mut node = root.clone();
        node.force(tool);
        if let Some(tool) = self.bound(&mut node, false) {
            self.branch(node, tool, true);
        }
        self.best.take()
    }

    fn tools(&self) -> std::ops::Range<u32> {
        0..self.reduced.tools.len() as u32
    }

    /// Branches on the tool, and then on others. With `any`, stops at the first plan.
    fn branch(&mut self, root: Node, tool: u32, any: bool) {
        let mut open = vec![(root, tool)];
        while let Some((without, tool)) = open.pop() {
            if self.effort.is_spent() {
                self.gave_up = true;
                return;
            }
            let (mut with, mut without) = (without.clone(), without);
            with.force(tool);
            without.turn_off(tool);
            // The last node is searched first. Plans without the tool often raise the bound at once.
            for mut node in [with, without] {
                if any && self.best.is_some() {
                    return;
                }
                if let Some(next) = self.bound(&mut node, false) {
                    open.push((node, next));
                }
            }
        }
    }

    /// Returns whether plans of this weight are of no interest.
    fn is_too_much(&self, weight: W) -> bool {
        let weight = W::of(self.reduced.round_up(weight.wide()));
        if self.unique { weight > self.limit } else { weight >= self.limit }
    }

    /// Bounds a node. Returns the next tool to branch on, or `None` if the node has no plan of
    /// interest.
    fn bound(&mut self, node: &mut Node, is_root: bool) -> Option<u32> {
        self.solve(node);
        node.packing.offer(&self.groups);
        self.cuts.set_off(&node.off);
        let forced: Vec<u32> = self.tools().filter(|&tool| node.forced[tool as usize]).collect();
        let base = self.weight_of(&forced);
        let mut last = W::ZERO;
        for round in 0u32.. {
            self.solve(node);
            if self.is_too_much(base) {
                return None;
            }
            let mut bound = base + self.count(node);
            if !self.cuts.reach(&self.start) {
                return None;
            }
            let before = self.groups.len();
            while !self.is_too_much(bound) {
                let Some((amount, cut)) = self.cuts.next_cut(&self.start) else { break };
                bound = bound + amount;
                self.groups.push(cut.iter().copied());
                self.effort.spend(STEPS_PER_TOOL * self.reduced.tools.len());
            }
            if is_root {
                self.lowest = self.lowest.max(bound.min(self.limit));
            }
            if round % 4 == 0 || self.groups.len() == before {
                self.try_plans(node);
            }
            if self.is_too_much(bound) {
                return None;
            }
            self.fix(node, bound, is_root);
            node.packing.drop_idle();
            if self.groups.len() == before {
                self.separate(node);
            }
            let none = self.groups.len() == before;
            node.packing.offer(&self.groups);
            let gained = if bound > last { bound - last } else { W::ZERO };
            let gap = if self.limit > bound { self.limit - bound } else { W::ZERO };
            // Branching is better than rounds that gain less than a thirtieth of the gap.
            if self.effort.is_spent() {
                break;
            }
            if none || round > 60 || round > 1 && gained.wide() < gap.wide() / 30 {
                break;
            }
            last = last.max(bound);
        }
        self.solve(node);
        self.next_tool(node, forced)
    }

    fn solve(&mut self, node: &mut Node) {
        let visited = node.packing.solve();
        // The sums over all groups and all tools belong to each solution.
        self.effort
            .spend(visited + STEPS_PER_TOOL * (self.reduced.tools.len() + self.groups.len()));
    }

    /// Counts the groups by the amounts of the linear program, rounded so that no tool counts for more
    /// than its weight.
    fn count(&mut self, node: &Node) -> W {
        self.cuts.begin(&node.forced);
        let mut sum = W::ZERO;
        // The second pass counts what rounding left over, which would otherwise lead to many new
        // groups.
        for rest in [false, true] {
            for group in 0..self.groups.len() {
                let amount = node.packing.amount(group) / self.scale;
                if rest || amount > 0.0 {
                    let most = if rest { W::NEVER } else { W::of(amount as u128) };
                    sum = sum + self.cuts.count(self.groups.get(group), most);
                }
            }
        }
        sum
    }

    /// Turns off tools that make every plan too heavy.
    fn fix(&mut self, node: &mut Node, bound: W, is_root: bool) {
        for tool in self.tools() {
            let least = bound + self.cuts.surcharge(tool);
            // At the root, keep tools that may be in another plan of the same weight.
            let fixed = if is_root { least > self.limit } else { self.is_too_much(least) };
            if fixed && !node.is_decided(tool) {
                node.turn_off(tool);
                self.cuts.turn_off(tool);
            }
        }
        self.solve(node);
    }

    fn next_tool(&mut self, node: &Node, forced: Vec<u32>) -> Option<u32> {
        // The tools that are left belong to the best plan, so the node has no other plan.
        if self.unique
            && let Some(plan) = &self.best
            && self.tools().all(|tool| node.is_off(tool) || plan.contains(&tool))
        {
            return None;
        }
        let parts = self.tools().filter(|&tool| !node.is_decided(tool)).filter_map(|tool| {
            let share = node.packing.share(tool);
            let weight = self.cuts.weight(tool).wide() as f64;
            (share > 1e-6).then_some((share.min((1.0 - share).max(0.0)) * weight, tool))
        });
        if let Some((_, tool)) = parts.max_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1))) {
            return Some(tool);
        }
        let state = closure(self.reduced, forced);
        if state.contains_all(&self.reduced.goal) {
            return None;
        }
        let first = self.cuts.landmark_of(&state);
        first.into_iter().find(|&tool| !node.is_decided(tool))
    }

    /// Adds landmarks that the tools with large shares violate.
    fn separate(&mut self, node: &Node) {
        for least in [0.999, 0.7, 0.5, 0.3, 0.1, 0.001] {
            let called = |&tool: &u32| {
                let share = if node.is_off(tool) { 0.0 } else { node.packing.share(tool) };
                node.forced[tool as usize] || share >= least
            };
            let called: Vec<u32> = self.tools().filter(called).collect();
            let state = closure(self.reduced, called);
            if state.contains_all(&self.reduced.goal) {
                break;
            }
            let group = self.cuts.landmark_of(&state);
            let share: f64 = group.iter().map(|&tool| node.packing.share(tool)).sum();
            if share < 0.999 && !group.iter().any(|&tool| node.forced[tool as usize]) {
                self.groups.push(group);
            }
        }
    }
}

#[cfg(test)]
mod tests;
