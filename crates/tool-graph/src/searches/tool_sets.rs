mod heuristic_plans;

use crate::graph::lists::Lists;
use crate::searches::landmark_cut::LandmarkCut;
use crate::searches::packing::{Packing, UNLIMITED};
use crate::searches::plan_weight::PlanWeight;
use crate::searches::reduced_problem::ReducedProblem;
use crate::searches::relaxed_plan::{RelaxedPlans, closure};
use crate::searches::type_set::TypeSet;

/// The plans that call some tools for certain and some not at all.
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

/// The search for plans as sets of tools.
///
/// Every plan calls one tool of each landmark. How much the landmarks count for together is a
/// linear program, whose amounts are rounded to whole numbers that are a true bound; landmark cuts
/// of what is left are added to it until they no longer help. Then a tool that the program calls in
/// part is decided.
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
    /// Landmarks, whatever is decided.
    groups: Lists,
    /// The weight of the best plan, or one that a plan has to be below.
    limit: W,
    best: Option<Vec<u32>>,
    /// While no two plans of the least weight are known, a second one is looked for.
    unique: bool,
    /// What makes of a weight a capacity.
    scale: f64,
}

impl<'a, W: PlanWeight> ToolSets<'a, W> {
    pub(crate) fn new(reduced: &'a ReducedProblem) -> Self {
        Self {
            reduced,
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

    /// All plans, but for tools that others replace and those that weigh more than a first plan.
    pub(crate) fn root(&mut self) -> Node {
        let mut root = Node {
            off: self.cuts.off().to_vec(),
            forced: vec![false; self.reduced.tools.len()],
            packing: Packing::new(Vec::new()),
        };
        self.try_plan(&root, |_, weight| weight);
        let light = |tool: &u32| self.cuts.weight(*tool) <= self.limit;
        // One dear tool must not make all others look free.
        let largest = self.tools().filter(light).map(|tool| self.cuts.weight(tool)).max();
        self.scale = 1.0 / largest.map_or(1.0, |weight| weight.wide() as f64);
        // Slightly different ones for equal weights, below them: with ties the pivots could go in
        // circles.
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

    /// A plan of least weight; turns off at the root what is in no plan of that weight.
    pub(crate) fn best(&mut self, root: &mut Node) -> Option<Vec<u32>> {
        // Where the first bound is not met, a better plan first: it makes a better bound.
        if self.bound(root, true).is_some() {
            self.improve(root);
            if let Some(tool) = self.bound(root, true) {
                self.branch(root.clone(), tool, false);
            }
        }
        self.best.take()
    }

    /// Whether the best plan is the only one of its weight.
    pub(crate) fn is_unique(&self) -> bool {
        self.unique
    }

    pub(crate) fn weight_of(&self, plan: &[u32]) -> W {
        plan.iter().fold(W::ZERO, |sum, &tool| sum + self.cuts.weight(tool))
    }

    /// A plan of at most this weight with one more tool.
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

    /// Decides on the tool, and then on others; `any` stops at the first plan.
    fn branch(&mut self, root: Node, tool: u32, any: bool) {
        let mut open = vec![(root, tool)];
        while let Some((without, tool)) = open.pop() {
            let (mut with, mut without) = (without.clone(), without);
            with.force(tool);
            without.turn_off(tool);
            for mut node in [without, with] {
                if any && self.best.is_some() {
                    return;
                }
                if let Some(next) = self.bound(&mut node, false) {
                    open.push((node, next));
                }
            }
        }
    }

    /// Whether no plan of this weight is looked for.
    fn is_too_much(&self, weight: W) -> bool {
        let weight = W::of(self.reduced.round_up(weight.wide()));
        if self.unique { weight > self.limit } else { weight >= self.limit }
    }

    /// The next tool to decide on, unless no plan of the node is looked for.
    fn bound(&mut self, node: &mut Node, is_root: bool) -> Option<u32> {
        node.packing.solve();
        node.packing.offer(&self.groups);
        self.cuts.set_off(&node.off);
        let forced: Vec<u32> = self.tools().filter(|&tool| node.forced[tool as usize]).collect();
        let base = self.weight_of(&forced);
        let mut last = W::ZERO;
        for round in 0u32.. {
            node.packing.solve();
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
            // Deciding on a tool promises more than rounds that gain less than a twentieth of the
            // gap.
            if none || round > 60 || round > 1 && gained.wide() < gap.wide() / 20 {
                break;
            }
            last = last.max(bound);
        }
        node.packing.solve();
        self.next_tool(node, forced)
    }

    /// What the groups count for by the linear program, in whole numbers of which none is too much.
    fn count(&mut self, node: &Node) -> W {
        self.cuts.begin(&node.forced);
        let mut sum = W::ZERO;
        // Once more for what rounding left over: else it would make up many groups that count for
        // nothing.
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

    /// Turns off tools with which every plan weighs too much.
    fn fix(&mut self, node: &mut Node, bound: W, is_root: bool) {
        for tool in self.tools() {
            let least = bound + self.cuts.surcharge(tool);
            // At the root only what can also not be in another plan of the same weight.
            let fixed = if is_root { least > self.limit } else { self.is_too_much(least) };
            if fixed && !node.is_decided(tool) {
                node.turn_off(tool);
                self.cuts.turn_off(tool);
            }
        }
        node.packing.solve();
    }

    fn next_tool(&mut self, node: &Node, forced: Vec<u32>) -> Option<u32> {
        // A plan within the only best one would be that one.
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
        let first = self.cuts.landmark_of(&state, true);
        first.into_iter().find(|&tool| !node.is_decided(tool))
    }

    /// Landmarks that the tools called for the most part do not meet.
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
            let group = self.cuts.landmark_of(&state, true);
            let share: f64 = group.iter().map(|&tool| node.packing.share(tool)).sum();
            if share < 0.999 && !group.iter().any(|&tool| node.forced[tool as usize]) {
                self.groups.push(group);
            }
        }
    }
}

#[cfg(test)]
mod tests;
