use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::{graph::lists::Lists, searches::reduced_problem::ReducedProblem};

/// A problem in which each tool needs at most one and yields exactly one data type that is missing
/// at the start. Its plans are the paths from the start to the one goal in an acyclic graph of data
/// types.
pub(crate) struct Chain<'a> {
    reduced: &'a ReducedProblem,
    /// The data types in reverse order: each stands after all data types that are made from it. The
    /// number `types` stands for the start.
    order: Vec<u32>,
}

/// The data type that the tool needs, or the number of data types, which stands for the start.
fn from(reduced: &ReducedProblem, tool: usize) -> usize {
    reduced.needs.get(tool).first().map_or(reduced.types, |&need| need as usize)
}

impl<'a> Chain<'a> {
    /// `None` if the problem is not a chain.
    pub(crate) fn new(reduced: &'a ReducedProblem) -> Option<Self> {
        let tools = reduced.tools.len();
        if !reduced.has_single_types() {
            return None;
        }
        // A data type is placed once the outputs of all tools that need it are placed.
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

    /// The best plan. Going backwards from the goal, finds the cheapest way from each data type to the
    /// goal; ties go to the first tool.
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

    /// The number of plans, or `None` if it exceeds 128 bits.
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

    /// The number of plans with the fewest calls, or `None` if it exceeds 128 bits.
    pub(crate) fn count_shortest(&self) -> Option<u128> {
        let goal = self.reduced.goal[0];
        let by_need = self.by_need();
        // For each data type, the fewest calls from it to the goal, and the number of ways with so
        // many calls, `None` if it exceeds 128 bits.
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

    /// All plans in order: by weight, then by the tools from the first call to the last.
    pub(crate) fn best_plans(&self) -> BestChains<'a> {
        BestChains::new(self)
    }

    /// For each data type, the tools that need it; the last list has the tools that need nothing.
    fn by_need(&self) -> Lists {
        let mut one = Lists::default();
        (0..self.reduced.tools.len()).for_each(|tool| one.push([from(self.reduced, tool) as u32]));
        one.transposed(self.reduced.types + 1)
    }
}

/// A way from a data type to the goal: its weight, its first call, and the rank of the way that
/// follows among all ways from the data type reached.
type Rest = (u128, u32, usize);

/// Iterates over the plans of a chain in order.
///
/// Each data type keeps its ways to the goal in order, and finds the next way only when it is needed.
/// The first plan therefore takes linear time, and each further plan at most one pass along the chain.
///
/// Reference: Jiménez and Marzal (1999), Computing the K shortest paths: a new algorithm and an
/// experimental comparison, doi:10.1007/3-540-48318-7_4.
pub(crate) struct BestChains<'a> {
    reduced: &'a ReducedProblem,
    /// For each data type, the ways found so far, in order.
    found: Vec<Vec<Rest>>,
    /// For each data type, the next way for each first call.
    next: Vec<BinaryHeap<Reverse<Rest>>>,
    /// For each data type, whether all ways are found.
    complete: Vec<bool>,
    /// The number of plans returned so far.
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

    /// The way that starts with this call and continues with the way of this rank, if that is found.
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
        // The successor of the way found last has the same first call and continues with a way of the
        // next rank. The data type reached may have to find that way first, and so on.
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
