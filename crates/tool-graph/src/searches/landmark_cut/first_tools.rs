use super::{LandmarkCut, Mark};
use crate::searches::{plan_weight::PlanWeight, type_set::TypeSet};

impl<W: PlanWeight> LandmarkCut<'_, W> {
    /// A set of tools that can be called now and of which every plan from this state calls at least
    /// one, without tools that another one of them can replace.
    pub(crate) fn first_tools(&mut self, state: &TypeSet) -> Vec<u32> {
        let mut first = self.landmark_of(state, false);
        self.drop_dominated(state, &mut first);
        first
    }

    /// A set of tools that can be called now and of which every plan from this state calls at least
    /// one. With `all`, tools that are off or cannot be reached are included.
    ///
    /// Walks back from the goal. Each tool that cannot be called now depends on one missing input, if
    /// possible one that another tool depends on too.
    pub(crate) fn landmark_of(&mut self, state: &TypeSet, all: bool) -> Vec<u32> {
        let mut first = Vec::new();
        self.mark_goal_only();
        while let Some(number) = self.stack.pop() {
            for &tool in self.yielded_by.get(number as usize) {
                if self.replaced[tool as usize]
                    || !all && self.value_of_tool[tool as usize] == W::NEVER
                {
                    continue;
                }
                let missing = self.needs.get(tool as usize).iter();
                let missing = missing.filter(|&&need| !state.contains(need));
                let dependency = missing.max_by_key(|&&need| {
                    (self.mark[need as usize] == Mark::Behind, self.value[need as usize])
                });
                match dependency {
                    None => first.push(tool),
                    Some(&need) if self.mark[need as usize] == Mark::None => {
                        self.mark[need as usize] = Mark::Behind;
                        self.stack.push(need);
                    }
                    Some(_) => {}
                }
            }
        }
        first.sort_unstable();
        first.dedup();
        first
    }

    /// Keeps only tools whose new outputs no other tool yields at a lower weight, or at the same
    /// weight and an earlier position. All tools must be callable now.
    fn drop_dominated(&self, state: &TypeSet, tools: &mut Vec<u32>) {
        let mut kept = 0;
        for place in 0..tools.len() {
            let tool = tools[place];
            let new = |&&number: &&u32| !state.contains(number);
            let replaces = |&other: &u32| {
                let weights = self.weights[other as usize].cmp(&self.weights[tool as usize]);
                let better = weights.then(other.cmp(&tool)).is_lt();
                let all = self.yields.get(other as usize);
                better
                    && self
                        .yields
                        .get(tool as usize)
                        .iter()
                        .filter(new)
                        .all(|number| all.contains(number))
            };
            // A tool that was dropped before need not be compared: the tool that replaces it is kept
            // and replaces this one too.
            let dominated = tools[..kept].iter().chain(&tools[place + 1..]).any(replaces);
            if !dominated {
                tools[kept] = tool;
                kept += 1;
            }
        }
        tools.truncate(kept);
    }
}
