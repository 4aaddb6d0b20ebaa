use super::{LandmarkCut, Mark};
use crate::searches::{plan_weight::PlanWeight, type_set::TypeSet};

impl<W: PlanWeight> LandmarkCut<'_, W> {
    /// Returns a set of tools that can be called now. Every plan from this state calls at least one of them,
    /// including tools that are off.
    ///
    /// Walks back from the goal. Each tool that cannot be called now depends on one missing input, if
    /// possible on a shared one.
    pub(crate) fn landmark_of(&mut self, state: &TypeSet) -> Vec<u32> {
        let mut first = Vec::new();
        self.mark_goal_only();
        while let Some(number) = self.stack.pop() {
            for &tool in self.yielded_by.get(number as usize) {
                if self.replaced[tool as usize] {
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
}
