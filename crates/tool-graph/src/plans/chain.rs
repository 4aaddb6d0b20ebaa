use super::Task;

/// A task in which each tool needs and yields one data type at most that it does not have from the
/// start: its plans are the ways from the start to the one goal, along a graph of data types
/// without circles.
pub(crate) struct Chain<'a> {
    task: &'a Task,
    /// The data types from the goal backwards: each after all that are made from it.
    order: Vec<u32>,
}

/// The place of the start beside the data types.
fn from(task: &Task, tool: usize) -> usize {
    task.needs.get(tool).first().map_or(task.types, |&need| need as usize)
}

impl<'a> Chain<'a> {
    /// `None` where the task is no chain.
    pub(crate) fn new(task: &'a Task) -> Option<Self> {
        let tools = task.tools.len();
        let one = |tool| task.needs.get(tool).len() <= 1 && task.yields.get(tool).len() == 1;
        if task.goal.len() != 1 || !(0..tools).all(one) {
            return None;
        }
        // A data type is in order once all tools that need it lead to one that is.
        let mut open = vec![0u32; task.types + 1];
        (0..tools).for_each(|tool| open[from(task, tool)] += 1);
        let by_yield = task.yields.transposed(task.types + 1);
        let mut order: Vec<u32> =
            (0..task.types as u32).filter(|&number| open[number as usize] == 0).collect();
        let mut next = 0;
        while let Some(&number) = order.get(next) {
            next += 1;
            for &tool in by_yield.get(number as usize) {
                let from = from(task, tool as usize);
                open[from] -= 1;
                if open[from] == 0 {
                    order.push(from as u32);
                }
            }
        }
        (order.len() == task.types + 1).then_some(Self { task, order })
    }

    /// The best plan, from the goal backwards: the cheapest rest, then the first tool.
    pub(crate) fn best(&self) -> Vec<u32> {
        let task = self.task;
        let by_need = self.by_need();
        let goal = task.goal[0];
        let mut rest: Vec<Option<(u128, u32)>> = vec![None; task.types + 1];
        rest[goal as usize] = Some((0, 0));
        for &number in &self.order {
            if number == goal {
                continue;
            }
            let ways = by_need.get(number as usize).iter().filter_map(|&tool| {
                let (after, _) = rest[task.yields.get(tool as usize)[0] as usize]?;
                Some((after + task.weights[tool as usize], tool))
            });
            rest[number as usize] = ways.min();
        }
        let mut calls = Vec::new();
        let mut number = task.types;
        while number != goal as usize {
            let Some((_, tool)) = rest[number] else { break };
            calls.push(tool);
            number = task.yields.get(tool as usize)[0] as usize;
        }
        calls
    }

    /// The number of plans, unless 128 bits cannot hold it.
    pub(crate) fn count(&self) -> Option<u128> {
        let goal = self.task.goal[0];
        let by_need = self.by_need();
        let mut ways = vec![0u128; self.task.types + 1];
        ways[goal as usize] = 1;
        for &number in &self.order {
            if number == goal {
                continue;
            }
            let mut sum = 0u128;
            for &tool in by_need.get(number as usize) {
                let after = ways[self.task.yields.get(tool as usize)[0] as usize];
                sum = sum.checked_add(after)?;
            }
            ways[number as usize] = sum;
        }
        Some(ways[self.task.types])
    }

    /// The tools that each data type is the need of; those without a need come last.
    fn by_need(&self) -> crate::graph::Lists {
        let mut one = crate::graph::Lists::default();
        (0..self.task.tools.len()).for_each(|tool| one.push([from(self.task, tool) as u32]));
        one.transposed(self.task.types + 1)
    }
}

pub(crate) fn chain(task: &Task) -> Option<Vec<u32>> {
    if task.goal.is_empty() {
        return Some(Vec::new());
    }
    Chain::new(task).map(|chain| chain.best())
}
