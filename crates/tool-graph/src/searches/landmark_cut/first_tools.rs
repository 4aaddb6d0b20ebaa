use super::{LandmarkCut, Mark};
use crate::searches::plan_weight::PlanWeight;
use crate::searches::type_set::TypeSet;

impl<W: PlanWeight> LandmarkCut<'_, W> {
    /// Tools that can be called now and one of which every plan from this state calls: those that
    /// lead to the goal where every other tool hangs on one need, if possible one that another
    /// hangs on too.
    pub(crate) fn first_tools(&mut self, state: &TypeSet) -> Vec<u32> {
        let mut first = self.landmark_of(state, false);
        self.drop_dominated(state, &mut first);
        first
    }

    /// The same before tools are dropped for others.
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
                let hangs_on = missing.max_by_key(|&&need| {
                    (self.mark[need as usize] == Mark::Behind, self.value[need as usize])
                });
                match hangs_on {
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

    /// Of tools that can be called now, those that no other one replaces at no higher weight.
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
            // Those dropped before were replaced by one that is kept and replaces this one as well.
            let dominated = tools[..kept].iter().chain(&tools[place + 1..]).any(replaces);
            if !dominated {
                tools[kept] = tool;
                kept += 1;
            }
        }
        tools.truncate(kept);
    }
}
