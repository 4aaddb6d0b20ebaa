use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use crate::{graph::lists::Lists, searches::reduced_problem::ReducedProblem};

/// A problem in which each tool needs at most one, and yields exactly one, of the data types missing at the
/// start. Its plans are the paths from the start to the one goal in an acyclic graph of data types.
pub(crate) struct Chain<'a> {
    reduced: &'a ReducedProblem,
    /// The data types in reverse order: each comes after all data types that are made from it. The number
    /// `types` denotes the start.
    order: Vec<u32>,
}

/// Returns the data type that the tool needs, or the number of data types, which denotes the start.
fn from(reduced: &ReducedProblem, tool: usize) -> usize {
    reduced.needs.get(tool).first().map_or(reduced.types, |&need| need as usize)
}

/// Returns the data type that the tool yields.
fn after(reduced: &ReducedProblem, tool: u32) -> usize {
    reduced.yields.get(tool as usize)[0] as usize
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

    /// Computes a value for each data type, going backwards from the goal: `combine` makes it of the tools
    /// that need the data type, each with the value of its output. The last value belongs to the start.
    fn backward<T: Clone>(
        &self,
        goal: T,
        unset: T,
        mut combine: impl FnMut(&mut dyn Iterator<Item = (u32, &T)>) -> T,
    ) -> Vec<T> {
        let by_need = self.by_need();
        let mut values = vec![unset; self.reduced.types + 1];
        values[self.reduced.goal[0] as usize] = goal;
        for &number in self.order.iter().filter(|&&number| number != self.reduced.goal[0]) {
            let tools = by_need.get(number as usize).iter();
            let mut ways = tools.map(|&tool| (tool, &values[after(self.reduced, tool)]));
            values[number as usize] = combine(&mut ways);
        }
        values
    }

    /// Returns the best plan, by the cheapest way from each data type to the goal. Ties go to the first tool.
    pub(crate) fn best(&self) -> Vec<u32> {
        let rest = self.backward(Some((0, 0)), None, |ways| {
            let weights = ways.filter_map(|(tool, rest)| {
                rest.map(|(weight, _)| (weight + self.reduced.weights[tool as usize], tool))
            });
            weights.min()
        });
        let mut calls = Vec::new();
        let mut number = self.reduced.types;
        while number != self.reduced.goal[0] as usize {
            let Some((_, tool)) = rest[number] else { break };
            calls.push(tool);
            number = after(self.reduced, tool);
        }
        calls
    }

    /// Returns the number of plans, or `None` if it exceeds 128 bits.
    pub(crate) fn count(&self) -> Option<u128> {
        let ways = self.backward(Some(1), Some(0), |mut ways| {
            Iterator::try_fold(&mut ways, 0u128, |sum, (_, rest)| sum.checked_add((*rest)?))
        });
        ways[self.reduced.types]
    }

    /// Returns the number of plans with the fewest calls, or `None` if it exceeds 128 bits.
    pub(crate) fn count_shortest(&self) -> Option<u128> {
        // The fewest calls to the goal, and the number of ways with this number of calls.
        let rest = self.backward((0, Some(1)), (usize::MAX, Some(0)), |ways| {
            let (calls, number) =
                ways.fold((usize::MAX, Some(0u128)), |best, (_, &way)| match way.0.cmp(&best.0) {
                    Ordering::Less => way,
                    Ordering::Equal => (
                        best.0,
                        best.1.zip(way.1).and_then(|(a, b): (u128, u128)| a.checked_add(b)),
                    ),
                    Ordering::Greater => best,
                });
            (calls.saturating_add(1), number)
        });
        rest[self.reduced.types].1
    }

    /// Returns all plans in order: by weight, then by the tools from the first call to the last.
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

    /// Returns the way that starts with this call and continues with the way of this rank, if the latter is
    /// found.
    fn way(&self, tool: u32, rank: usize) -> Option<Rest> {
        let after = after(self.reduced, tool);
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
            number = after(self.reduced, tool);
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
        while let Some(&(_, tool, rank_after)) = self.found[number].get(rank) {
            calls.push(tool);
            (number, rank) = (after(self.reduced, tool), rank_after);
        }
        self.given += 1;
        Some((weight, calls))
    }
}
