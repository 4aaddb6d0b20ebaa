use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::graph::lists::Lists;
use crate::searches::reduced_problem::ReducedProblem;

/// A task in which each tool needs and yields one data type at most that it does not have from the
/// start: its plans are the ways from the start to the one goal, along a graph of data types
/// without circles.
pub(crate) struct Chain<'a> {
    reduced: &'a ReducedProblem,
    /// The data types from the goal backwards: each after all that are made from it.
    order: Vec<u32>,
}

/// The place of the start beside the data types.
fn from(reduced: &ReducedProblem, tool: usize) -> usize {
    reduced.needs.get(tool).first().map_or(reduced.types, |&need| need as usize)
}

impl<'a> Chain<'a> {
    /// `None` where the problem is no chain.
    pub(crate) fn new(reduced: &'a ReducedProblem) -> Option<Self> {
        let tools = reduced.tools.len();
        let one = |tool| reduced.needs.get(tool).len() <= 1 && reduced.yields.get(tool).len() == 1;
        if reduced.goal.len() != 1 || !(0..tools).all(one) {
            return None;
        }
        // A data type is in order once all tools that need it lead to one that is.
        let mut open = vec![0u32; reduced.types + 1];
        (0..tools).for_each(|tool| open[from(reduced, tool)] += 1);
        let by_yield = reduced.yields.transposed(reduced.types + 1);
        let mut order: Vec<u32> =
            (0..reduced.types as u32).filter(|&number| open[number as usize] == 0).collect();
        let mut next = 0;
        while let Some(&number) = order.get(next) {
            next += 1;
            for &tool in by_yield.get(number as usize) {
                let from = from(reduced, tool as usize);
                open[from] -= 1;
                if open[from] == 0 {
                    order.push(from as u32);
                }
            }
        }
        (order.len() == reduced.types + 1).then_some(Self { reduced, order })
    }

    /// The best plan, from the goal backwards: the cheapest rest, then the first tool.
    pub(crate) fn best(&self) -> Vec<u32> {
        let reduced = self.reduced;
        let by_need = self.by_need();
        let goal = reduced.goal[0];
        let mut rest: Vec<Option<(u128, u32)>> = vec![None; reduced.types + 1];
        rest[goal as usize] = Some((0, 0));
        for &number in &self.order {
            if number == goal {
                continue;
            }
            let ways = by_need.get(number as usize).iter().filter_map(|&tool| {
                let (after, _) = rest[reduced.yields.get(tool as usize)[0] as usize]?;
                Some((after + reduced.weights[tool as usize], tool))
            });
            rest[number as usize] = ways.min();
        }
        let mut calls = Vec::new();
        let mut number = reduced.types;
        while number != goal as usize {
            let Some((_, tool)) = rest[number] else { break };
            calls.push(tool);
            number = reduced.yields.get(tool as usize)[0] as usize;
        }
        calls
    }

    /// The number of plans, unless 128 bits cannot hold it.
    pub(crate) fn count(&self) -> Option<u128> {
        let goal = self.reduced.goal[0];
        let by_need = self.by_need();
        let mut ways = vec![0u128; self.reduced.types + 1];
        ways[goal as usize] = 1;
        for &number in &self.order {
            if number == goal {
                continue;
            }
            let mut sum = 0u128;
            for &tool in by_need.get(number as usize) {
                let after = ways[self.reduced.yields.get(tool as usize)[0] as usize];
                sum = sum.checked_add(after)?;
            }
            ways[number as usize] = sum;
        }
        Some(ways[self.reduced.types])
    }

    /// The number of plans with the fewest calls, unless 128 bits cannot hold it.
    pub(crate) fn count_shortest(&self) -> Option<u128> {
        let goal = self.reduced.goal[0];
        let by_need = self.by_need();
        // By data type, the fewest calls from there to the goal and the number of ways to make
        // them, `None` for more than 128 bits hold.
        let mut rest: Vec<(usize, Option<u128>)> = vec![(0, Some(0)); self.reduced.types + 1];
        rest[goal as usize] = (0, Some(1));
        for &number in &self.order {
            if number == goal {
                continue;
            }
            let mut best = (usize::MAX, Some(0));
            for &tool in by_need.get(number as usize) {
                let (calls, ways) = rest[self.reduced.yields.get(tool as usize)[0] as usize];
                match calls.cmp(&best.0) {
                    Ordering::Less => best = (calls, ways),
                    Ordering::Equal => {
                        best.1 = best.1.zip(ways).and_then(|(a, b)| a.checked_add(b));
                    }
                    Ordering::Greater => {}
                }
            }
            rest[number as usize] = (best.0.saturating_add(1), best.1);
        }
        rest[self.reduced.types].1
    }

    /// All plans, from the best on: by weight, then by the tools from the first call on.
    pub(crate) fn best_plans(&self) -> BestChains<'a> {
        BestChains::new(self)
    }

    /// The tools that each data type is the need of; those without a need come last.
    fn by_need(&self) -> Lists {
        let mut one = Lists::default();
        (0..self.reduced.tools.len()).for_each(|tool| one.push([from(self.reduced, tool) as u32]));
        one.transposed(self.reduced.types + 1)
    }
}

/// A way from a data type to the goal: its weight, its first call, and which of the ways from there
/// it goes on with, counted from the best one.
type Rest = (u128, u32, usize);

/// The plans along a chain, one after the other, from the best on.
///
/// Each data type keeps the ways from it to the goal in order, as far as they were asked for; the
/// next one is looked for only when it is needed. So the first plan takes linear time, and each
/// further one at most a pass along the chain.
///
/// Reference: Jiménez and Marzal (1999), Computing the K shortest paths: a new algorithm and an
/// experimental comparison, doi:10.1007/3-540-48318-7_4.
pub(crate) struct BestChains<'a> {
    reduced: &'a ReducedProblem,
    /// By data type, the best ways from there, in order.
    found: Vec<Vec<Rest>>,
    /// By data type, one way for each first call: the next one that begins with it.
    next: Vec<BinaryHeap<Reverse<Rest>>>,
    /// Whether all ways from the data type are found.
    complete: Vec<bool>,
    /// The number of plans given so far.
    given: usize,
}

impl<'a> BestChains<'a> {
    fn new(chain: &Chain<'a>) -> Self {
        let reduced = chain.reduced;
        let goal = reduced.goal[0] as usize;
        let by_need = chain.by_need();
        let mut plans = Self {
            reduced,
            found: vec![Vec::new(); reduced.types + 1],
            next: vec![BinaryHeap::new(); reduced.types + 1],
            complete: vec![false; reduced.types + 1],
            given: 0,
        };
        plans.complete[goal] = true;
        for &number in &chain.order {
            let number = number as usize;
            if number == goal {
                continue;
            }
            let ways = by_need.get(number).iter().filter_map(|&tool| plans.way(tool, 0));
            plans.next[number] = ways.map(Reverse).collect();
            plans.take_next(number);
        }
        plans
    }

    fn after(&self, tool: u32) -> usize {
        self.reduced.yields.get(tool as usize)[0] as usize
    }

    /// The way that begins with this call and goes on with the way of this rank, if that is found.
    fn way(&self, tool: u32, rank: usize) -> Option<Rest> {
        let after = self.after(tool);
        let rest = if after == self.reduced.goal[0] as usize {
            (rank == 0).then_some(0)
        } else {
            self.found[after].get(rank).map(|&(weight, ..)| weight)
        };
        rest.map(|rest| (rest + self.reduced.weights[tool as usize], tool, rank))
    }

    fn take_next(&mut self, number: usize) {
        match self.next[number].pop() {
            Some(Reverse(way)) => self.found[number].push(way),
            None => self.complete[number] = true,
        }
    }

    /// Finds one more way from this data type, unless all are found.
    fn find_one_more(&mut self, number: usize) {
        // What was found last can be followed by the way with the same call and the next rest, for
        // which another data type may have to find one more way first, and so on.
        let mut numbers = Vec::new();
        let mut number = number;
        while !self.complete[number] {
            numbers.push(number);
            let Some(&(_, tool, rank)) = self.found[number].last() else { break };
            number = self.after(tool);
            if self.found[number].len() > rank + 1 {
                break;
            }
        }
        while let Some(number) = numbers.pop() {
            let last = self.found[number].last();
            let way = last.and_then(|&(_, tool, rank)| self.way(tool, rank + 1));
            self.next[number].extend(way.map(Reverse));
            self.take_next(number);
        }
    }
}

impl Iterator for BestChains<'_> {
    /// The weight and the calls.
    type Item = (u128, Vec<u32>);

    fn next(&mut self) -> Option<Self::Item> {
        let start = self.reduced.types;
        if self.found[start].len() <= self.given {
            self.find_one_more(start);
        }
        let &(weight, ..) = self.found[start].get(self.given)?;
        let (mut number, mut rank) = (start, self.given);
        let mut calls = Vec::new();
        while let Some(&(_, tool, after)) = self.found[number].get(rank) {
            calls.push(tool);
            (number, rank) = (self.after(tool), after);
        }
        self.given += 1;
        Some((weight, calls))
    }
}

pub(crate) fn chain(reduced: &ReducedProblem) -> Option<Vec<u32>> {
    if reduced.goal.is_empty() {
        return Some(Vec::new());
    }
    Chain::new(reduced).map(|chain| chain.best())
}
