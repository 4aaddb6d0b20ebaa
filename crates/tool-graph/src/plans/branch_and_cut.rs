use super::Task;
use super::bits::Bits;
use super::landmark_cut::LandmarkCut;
use super::packing::{Packing, UNLIMITED};
use super::relaxed_plan::{RelaxedPlans, closure};
use super::weight::Weight;
use crate::graph::Lists;

/// Sets of tools: those that are called, those that are not, and the others.
#[derive(Clone)]
struct Node {
    off: Vec<bool>,
    forced: Vec<bool>,
    packing: Packing,
}

struct BranchAndCut<'a, B, W> {
    task: &'a Task,
    cuts: LandmarkCut<'a, W>,
    plans: RelaxedPlans<'a>,
    start: B,
    /// Groups of tools of which every plan calls one, whatever else is decided.
    groups: Lists,
    /// A plan must weigh less.
    limit: W,
    best: Option<Vec<u32>>,
    scale: f64,
    nodes: usize,
    /// No other plan of the same weight as the best was found: then plans of that weight are still looked for.
    unique: bool,
}

enum Bounded {
    /// No plan below the limit is left.
    Closed,
    /// The tool to decide on.
    Open(u32),
}

pub(crate) fn branch_and_cut<B: Bits, W: Weight>(task: &Task) -> Option<Vec<u32>> {
    let mut search = BranchAndCut::<B, W>::new(task);
    let tools = task.tools.len();
    let capacity = task.weights.iter().map(|&weight| weight as f64 * search.scale).collect();
    let mut root = Node {
        off: search.cuts.off().to_vec(),
        forced: vec![false; tools],
        packing: Packing::new(capacity),
    };
    search.improve_at_first(&root);
    if let Bounded::Open(tool) = search.evaluate(&mut root) {
        search.branch(root.clone(), tool, false);
    }
    let mut plan = search.best.take()?;
    let unique = search.unique;
    let most = plan.iter().fold(W::ZERO, |sum, &tool| sum + search.cuts.weight(tool));
    if std::env::var("BC").is_ok() {
        eprintln!("nodes {} unique {unique} groups {} limit {}", search.nodes, search.groups.len(), most.wide());
    }
    search.unique = false;
    let mut state = B::empty(task.types);
    let mut calls = Vec::new();
    while !state.contains_all(&task.goal) {
        for tool in 0..tools as u32 {
            let yields = task.yields.get(tool as usize);
            let planned = plan.contains(&tool);
            if root.forced[tool as usize]
                || (!planned && (unique || root.off[tool as usize]))
                || !state.contains_all(task.needs.get(tool as usize))
                || state.contains_all(yields)
            {
                continue;
            }
            if !planned {
                search.limit = most + W::of(1);
                search.best = None;
                let mut node = root.clone();
                node.force(tool);
                if let Bounded::Open(next) = search.evaluate(&mut node) {
                    search.branch(node, next, true);
                }
                match search.best.take() {
                    Some(other) => plan = other,
                    None => {
                        root.turn_off(tool);
                        continue;
                    }
                }
            }
            if !unique {
                root.force(tool);
            } else {
                root.forced[tool as usize] = true;
            }
            state = state.with(yields);
            calls.push(tool);
            break;
        }
    }
    if std::env::var("BC").is_ok() {
        eprintln!("all nodes {}", search.nodes);
    }
    Some(calls)
}

impl Node {
    fn force(&mut self, tool: u32) {
        self.forced[tool as usize] = true;
        self.packing.set_capacity(tool, 0.0);
    }

    fn turn_off(&mut self, tool: u32) {
        self.off[tool as usize] = true;
        self.packing.set_capacity(tool, UNLIMITED);
    }
}

impl<'a, B: Bits, W: Weight> BranchAndCut<'a, B, W> {
    fn new(task: &'a Task) -> Self {
        let largest = task.weights.iter().max().map_or(1.0, |&weight| weight as f64);
        Self {
            task,
            cuts: LandmarkCut::new(task),
            plans: RelaxedPlans::new(task),
            start: B::empty(task.types),
            groups: Lists::default(),
            limit: W::NEVER,
            best: None,
            scale: 1.0 / largest,
            nodes: 0,
            unique: true,
        }
    }

    fn improve_at_first(&mut self, node: &Node) {
        self.try_plan(node, |_, weight| weight);
        // Around one tool of the plan at a time, while the others are there anyway.
        let mut better = true;
        while better {
            better = false;
            let Some(plan) = self.best.clone() else { return };
            for &tool in &plan {
                let before = self.limit;
                for keep in [0.0, 0.3] {
                self.try_plan(node, |other, weight| {
                    if other == tool {
                        1e6 * weight
                    } else if plan.contains(&other) {
                        keep * weight
                    } else {
                        weight
                    }
                });
                }
                if self.limit < before {
                    better = true;
                    break;
                }
            }
        }
    }

    /// A plan by what the tools seem to cost, kept where it weighs less than the limit.
    fn try_plan(&mut self, node: &Node, seems: impl Fn(u32, f64) -> f64) {
        let cuts = &self.cuts;
        let cost = |tool: u32| {
            if node.off[tool as usize] {
                f64::INFINITY
            } else if node.forced[tool as usize] {
                0.0
            } else {
                seems(tool, cuts.weight(tool).wide() as f64)
            }
        };
        let plan = self.plans.plan::<B, W>(cost, |tool| cuts.weight(tool));
        let Some(plan) = plan else { return };
        let weight = plan.iter().fold(W::ZERO, |sum, &tool| sum + self.cuts.weight(tool));
        let here = (0..self.task.tools.len()).all(|tool| !node.forced[tool] || plan.contains(&(tool as u32)));
        if weight < self.limit && here {
            self.limit = weight;
            self.best = Some(plan);
        } else if weight == self.limit && self.unique {
            let mut other = plan;
            other.sort_unstable();
            let mut best = self.best.clone().unwrap_or_default();
            best.sort_unstable();
            self.unique = other == best;
        }
        if weight < self.limit { }
    }

    fn branch(&mut self, root: Node, tool: u32, any: bool) {
        let mut open = vec![(root, tool)];
        while let Some((node, tool)) = open.pop() {
            let mut with = node.clone();
            let mut without = node;
            with.force(tool);
            without.turn_off(tool);
            for mut node in [without, with] {
                if any && self.best.is_some() {
                    return;
                }
                if let Bounded::Open(next) = self.evaluate(&mut node) {
                    open.push((node, next));
                }
            }
        }
    }

    /// Whether no plan of this weight is looked for.
    fn is_too_much(&self, weight: W) -> bool {
        let weight = W::of(self.task.round_up(weight.wide()));
        if self.unique { weight > self.limit } else { weight >= self.limit }
    }

    fn evaluate(&mut self, node: &mut Node) -> Bounded {
        self.nodes += 1;
        let debug = std::env::var("BC2").is_ok();
        node.packing.solve();
        self.catch_up(node);
        self.cuts.set_off(&node.off);
        let forced = (0..self.task.tools.len()).filter(|&tool| node.forced[tool]);
        let base = forced.fold(W::ZERO, |sum, tool| sum + self.cuts.weight(tool as u32));
        let root = base == W::ZERO && self.groups.len() == 0;
        let mut last = W::ZERO;
        for round in 0.. {
            node.packing.solve();
            if self.is_too_much(base) {
                return Bounded::Closed;
            }
            // Amounts as whole numbers, of which none is too much.
            self.cuts.begin(&node.forced);
            let mut bound = base;
            for group in 0..self.groups.len() {
                let amount = node.packing.amount(group) / self.scale;
                if amount > 0.0 {
                    bound = bound + self.cuts.count(self.groups.get(group), W::of(amount as u128));
                }
            }
            let lp = bound;
            for group in 0..self.groups.len() {
                let all = self.groups.get(group);
                if all.iter().all(|&tool| node.off[tool as usize]) {
                    return Bounded::Closed;
                }
                bound = bound + self.cuts.count(all, W::NEVER);
            }
            if !self.cuts.reach(&self.start) {
                return Bounded::Closed;
            }
            let mut new = 0;
            while !self.is_too_much(bound) {
                let Some((amount, cut)) = self.cuts.next_cut(&self.start) else { break };
                bound = bound + amount;
                self.groups.push(cut.iter().copied());
                new += 1;
            }
            if self.is_too_much(bound) {
                return Bounded::Closed;
            }
            if round % 4 == 0 || new == 0 {
                let shares: Vec<f64> = (0..self.task.tools.len()).map(|tool| node.packing.share(tool as u32)).collect();
                self.try_plan(node, |tool, weight| weight * (1.0 - shares[tool as usize]).max(0.001));
                self.try_plan(node, |tool, weight| weight * (1.0 - shares[tool as usize]).powi(4).max(0.00001));
                let left: Vec<f64> = (0..self.task.tools.len()).map(|tool| self.cuts.surcharge(tool as u32).wide() as f64).collect();
                self.try_plan(node, |tool, weight| left[tool as usize] + 1e-3 * weight);
                if self.is_too_much(bound) {
                    return Bounded::Closed;
                }
            }
            let mut fixed = 0;
            for tool in 0..self.task.tools.len() as u32 {
                if !node.off[tool as usize]
                    && !node.forced[tool as usize]
                    && (bound + self.cuts.surcharge(tool) > self.limit || (self.is_too_much(bound + self.cuts.surcharge(tool)) && !root))
                {
                    node.off[tool as usize] = true;
                    node.packing.set_capacity(tool, UNLIMITED);
                    self.cuts.turn_off(tool);
                    fixed += 1;
                }
            }
            if fixed > 0 {
                node.packing.solve();
            }
            node.packing.drop_idle();
            self.catch_up(node);
            let mut primal = 0;
            if new == 0 {
                primal = self.separate(node);
                self.catch_up(node);
            }
            if debug { eprintln!("  round {round} lp {} bound {} limit {} new {new} fixed {fixed} primal {primal} groups {}", lp.wide(), bound.wide(), self.limit.wide(), self.groups.len()); }
            let gap = if self.limit > bound { self.limit - bound } else { W::ZERO };
            let gained = if bound > last { bound - last } else { W::ZERO };
            if new == 0 && primal == 0 || round > 1 && gained.wide() * 20 < gap.wide() && self.limit != W::NEVER {
                node.packing.solve();
                break;
            }
            last = last.max(bound);
            if false {
                break;
            }
        }
        // Below the tools of the one plan there is no other.
        if self.unique
            && let Some(plan) = &self.best
            && (0..self.task.tools.len()).all(|tool| node.off[tool] || plan.contains(&(tool as u32)))
        {
            return Bounded::Closed;
        }
        // The tool to decide on.
        let mut best: Option<(f64, u32)> = None;
        for tool in 0..self.task.tools.len() as u32 {
            if node.off[tool as usize] || node.forced[tool as usize] { continue; }
            let share = node.packing.share(tool);
            if share > 1e-6 {
                let score = share.min(1.0 - share).max(0.0) * self.task.weights[tool as usize] as f64;
                if best.is_none_or(|(other, _)| score > other) {
                    best = Some((score, tool));
                }
            }
        }
        if let Some((_, tool)) = best {
            return Bounded::Open(tool);
        }
        let all: Vec<u32> = (0..self.task.tools.len() as u32).filter(|&tool| node.forced[tool as usize]).collect();
        let state = closure(self.task, self.start.clone(), &all);
        if state.contains_all(&self.task.goal) {
            return Bounded::Closed;
        }
        let first = self.cuts.landmark_of(&state, true);
        match first.iter().find(|&&tool| !node.off[tool as usize] && !node.forced[tool as usize]) {
            Some(&tool) => Bounded::Open(tool),
            None => Bounded::Closed,
        }
    }

    fn catch_up(&self, node: &mut Node) {
        for group in 0..self.groups.len() {
            node.packing.offer_group(group, self.groups.get(group));
        }
    }

    fn separate(&mut self, node: &Node) -> usize {
        let mut found = 0;
        for least in [0.999, 0.7, 0.5, 0.3, 0.1, 0.001] {
            let tools: Vec<u32> = (0..self.task.tools.len() as u32)
                .filter(|&tool| node.forced[tool as usize] || (!node.off[tool as usize] && node.packing.share(tool) >= least))
                .collect();
            let state = closure(self.task, self.start.clone(), &tools);
            if state.contains_all(&self.task.goal) {
                break;
            }
            let group = self.cuts.landmark_of(&state, true);
            if group.iter().any(|&tool| node.forced[tool as usize]) { continue; }
            let share: f64 = group.iter().filter(|&&tool| !node.off[tool as usize]).map(|&tool| node.packing.share(tool)).sum();
            if share < 0.999 {
                self.groups.push(group);
                found += 1;
            }
        }
        found
    }
}
