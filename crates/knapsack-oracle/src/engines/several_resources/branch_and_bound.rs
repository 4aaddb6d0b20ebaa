use crate::{
    engines::{choice::Choice, gcd::gcd, several_resources::linear_program::LinearProgram},
    values::{knapsack_item::KnapsackItem, proof::Proof},
};

/// A depth-first branch and bound search.
pub(crate) struct BranchAndBound<const R: usize> {
    items: Vec<OpenItem<R>>,
    /// The best value found, in units of the greatest common divisor of all profits.
    best: u64,
    chosen: Vec<usize>,
    unit: u64,
    capacities: [u64; R],
}

/// An item of positive profit that fits by itself.
struct OpenItem<const R: usize> {
    position: usize,
    profit: u64,
    weights: [u64; R],
    real_profit: f64,
    /// The share of each capacity that the item takes.
    shares: [f64; R],
}

/// A node of the search tree: some items are decided, the others are open.
struct Node<const R: usize> {
    program: LinearProgram<R>,
    /// The remaining capacity of each resource after the taken items.
    left: [u64; R],
    /// The item to decide first, and whether it is taken.
    branch: Option<(usize, bool)>,
    upper_bound: u64,
}

impl<const R: usize> BranchAndBound<R> {
    pub(crate) fn new(capacities: &[u64; R], items: &[KnapsackItem<[u64; R]>]) -> Self {
        let is_open = |&(_, item): &(usize, &KnapsackItem<[u64; R]>)| {
            item.profit > 0 && fits(&item.weight, capacities)
        };
        let open = || items.iter().enumerate().filter(is_open);
        let unit = open().fold(0, |unit, (_, item)| gcd(unit, item.profit)).max(1);
        let item = |(position, item): (usize, &KnapsackItem<[u64; R]>)| OpenItem {
            position,
            profit: item.profit / unit,
            weights: item.weight,
            real_profit: (item.profit / unit) as f64,
            // If a capacity is 0, no open item takes any of that resource.
            shares: std::array::from_fn(|r| item.weight[r] as f64 / capacities[r].max(1) as f64),
        };
        let items = open().map(item).collect();
        Self { items, best: 0, chosen: Vec::new(), unit, capacities: *capacities }
    }

    /// Returns the best choice found, with the number of nodes examined.
    pub(crate) fn run(mut self, most_nodes: u64) -> Choice {
        let profits: Vec<f64> = self.items.iter().map(|item| item.real_profit).collect();
        let shares: Vec<[f64; R]> = self.items.iter().map(|item| item.shares).collect();
        let mut open = vec![Node {
            program: LinearProgram::new(&profits, &shares),
            left: self.capacities,
            branch: None,
            upper_bound: self.items.iter().map(|item| item.profit).sum(),
        }];
        let mut nodes = 0;
        while nodes < most_nodes {
            let Some(node) = open.pop() else { break };
            if node.upper_bound > self.best {
                nodes += 1;
                self.examine(node, &mut open);
            }
        }
        let upper_bound = open.iter().map(|node| node.upper_bound).fold(self.best, u64::max);
        let chosen = self.chosen.iter().map(|&item| self.items[item].position);
        let mut chosen: Vec<usize> = chosen.collect();
        chosen.sort_unstable();
        let upper_bound = Some(upper_bound * self.unit);
        Choice { chosen, upper_bound, proof: Proof::None, states: nodes }
    }

    /// Bounds a node. If it may contain a better choice, pushes its two children to `open`.
    fn examine(&mut self, mut node: Node<R>, open: &mut Vec<Node<R>>) {
        if let Some((item, taken)) = node.branch.take()
            && !self.decide(&mut node, item, taken)
        {
            return;
        }
        self.drop_what_does_not_fit(&mut node);
        node.program.solve();
        let gains = self.bound(&mut node);
        self.round(&node);
        if node.upper_bound <= self.best || !self.fix_by_gain(&mut node, &gains) {
            return;
        }
        let Some((item, taken)) = self.branching(&node) else { return };
        let mut other =
            Node { program: node.program.clone(), branch: Some((item, !taken)), ..node };
        std::mem::swap(&mut other.program, &mut node.program);
        node.branch = Some((item, taken));
        open.push(other);
        open.push(node);
    }

    /// Takes an item or leaves it out. Returns false if it does not fit.
    fn decide(&self, node: &mut Node<R>, item: usize, taken: bool) -> bool {
        if taken {
            let weights = &self.items[item].weights;
            if !fits(weights, &node.left) {
                return false;
            }
            node.left.iter_mut().zip(weights).for_each(|(left, weight)| *left -= weight);
        }
        node.program.fix(item, taken);
        true
    }

    fn drop_what_does_not_fit(&self, node: &mut Node<R>) {
        for (position, item) in self.items.iter().enumerate() {
            if node.program.is_free(position) && !fits(&item.weights, &node.left) {
                node.program.fix(position, false);
            }
        }
    }

    /// Lowers the upper bound to `sum of prices + sum of max(0, gain)`. The gain of an item is its profit
    /// minus the price of its resources; the maximum applies to undecided items, and taken items count with
    /// their gain. The bound is valid for any prices of at least 0. Returns the gains. The size of a gain is
    /// the decrease of the bound if the item is decided against its gain.
    fn bound(&self, node: &mut Node<R>) -> Gains {
        let prices = node.program.prices();
        let mut bound = prices.iter().sum::<f64>();
        let mut size = bound;
        let mut gains = Vec::with_capacity(self.items.len());
        for (position, item) in self.items.iter().enumerate() {
            let price: f64 =
                item.shares.iter().zip(&prices).map(|(share, price)| share * price).sum();
            let gain = item.real_profit - price;
            size += item.real_profit + price;
            if node.program.is_free(position) {
                bound += gain.max(0.0);
            } else if node.program.is_in(position) {
                bound += gain;
            }
            gains.push(gain);
        }
        // The total rounding error is at most this part of the sum of all magnitudes.
        let rounding = (self.items.len() + 4 * R + 16) as f64 * f64::EPSILON * size;
        let bound = bound + rounding;
        // Truncation rounds down. A NaN would become 0, so only finite bounds are used.
        if bound.is_finite() {
            node.upper_bound = node.upper_bound.min(bound as u64);
        }
        Gains { gains, bound: bound + rounding }
    }

    /// Decides each item that every better choice decides in the same way. Returns false if the
    /// taken items do not fit.
    fn fix_by_gain(&self, node: &mut Node<R>, Gains { gains, bound }: &Gains) -> bool {
        // A better value is at least this.
        let better = (self.best + 1) as f64 * (1.0 - f64::EPSILON);
        gains.iter().enumerate().all(|(item, gain)| {
            let decided = node.program.is_free(item) && bound - gain.abs() < better;
            !decided || self.decide(node, item, *gain > 0.0)
        })
    }

    /// Returns the item to branch on, which the linear program divides most evenly, and whether to
    /// try taking it first.
    fn branching(&self, node: &Node<R>) -> Option<(usize, bool)> {
        let split = |&(_, part): &(usize, f64)| (part - 0.5).abs();
        let part = node.program.parts().min_by(|a, b| split(a).total_cmp(&split(b)));
        let free = || (0..self.items.len()).find(|&item| node.program.is_free(item));
        part.map(|(item, part)| (item, part > 0.5)).or_else(|| Some((free()?, true)))
    }

    /// Rounds the linear program to a choice. Adds the items that the program takes as a whole, then its
    /// fractional items, largest fraction first, then the others, each if it fits. Then tries to exchange one
    /// item for another.
    fn round(&mut self, node: &Node<R>) {
        let mut chosen = Vec::with_capacity(self.items.len());
        let (mut left, mut value) = (self.capacities, 0);
        let mut parts: Vec<(usize, f64)> = node.program.parts().collect();
        parts.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let decided = (0..self.items.len()).filter(|&item| node.program.is_in(item));
        let whole = (0..self.items.len())
            .filter(|&item| node.program.is_whole(item) && !node.program.is_in(item));
        let nothing = (0..self.items.len()).filter(|&item| {
            !node.program.is_whole(item)
                && !node.program.is_in(item)
                && !parts.iter().any(|part| part.0 == item)
        });
        for item in decided.chain(whole).chain(parts.iter().map(|part| part.0)).chain(nothing) {
            let weights = &self.items[item].weights;
            if fits(weights, &left) {
                left.iter_mut().zip(weights).for_each(|(left, weight)| *left -= weight);
                value += self.items[item].profit;
                chosen.push(item);
            }
        }
        if value > self.best {
            self.best = value;
            self.chosen.clone_from(&chosen);
        }
        self.exchange(&chosen, left, value);
    }

    /// Improves a choice by the best exchange of one item. If profits correlate with weights, many
    /// choices are near the bound, but the rounded choice rarely is.
    fn exchange(&mut self, chosen: &[usize], left: [u64; R], value: u64) {
        let mut is_chosen = vec![false; self.items.len()];
        chosen.iter().for_each(|&item| is_chosen[item] = true);
        let others: Vec<usize> = (0..self.items.len()).filter(|&item| !is_chosen[item]).collect();
        let mut exchanged = None;
        for (place, &item) in chosen.iter().enumerate() {
            let out = &self.items[item];
            let mut room = left;
            room.iter_mut().zip(&out.weights).for_each(|(room, weight)| *room += weight);
            for &other in &others {
                let new = value - out.profit + self.items[other].profit;
                if new > self.best && fits(&self.items[other].weights, &room) {
                    self.best = new;
                    exchanged = Some((place, other));
                }
            }
        }
        if let Some((place, other)) = exchanged {
            self.chosen.clear();
            self.chosen.extend_from_slice(chosen);
            self.chosen[place] = other;
        }
    }
}

/// The gain of each item, and the bound with twice its rounding error.
struct Gains {
    gains: Vec<f64>,
    bound: f64,
}

fn fits<const R: usize>(weights: &[u64; R], left: &[u64; R]) -> bool {
    weights.iter().zip(left).all(|(weight, left)| weight <= left)
}
