use std::cmp::Reverse;

use super::{LandmarkCut, Mark, NOBODY};
use crate::searches::{plan_weight::PlanWeight, type_set::TypeSet};

impl<W: PlanWeight> LandmarkCut<'_, W> {
    /// Returns the next group and the amount counted for it.
    pub(crate) fn next_cut(&mut self, state: &TypeSet) -> Option<(W, &[u32])> {
        if self.value[self.reduced.types] == W::ZERO {
            return None;
        }
        self.find_cut(state);
        let cheapest = self.cut.iter().map(|&tool| self.left[tool as usize]).min()?;
        self.pay(cheapest);
        // With these tools, which are off, the group is a landmark of all plans, not only of the plans
        // without these tools.
        for tool in 0..self.reduced.tools.len() {
            let before = |&number: &u32| self.mark[number as usize] == Mark::Before;
            if self.off[tool]
                && !self.replaced[tool]
                && self.needs.get(tool).iter().all(before)
                && !self.yields.get(tool).iter().all(before)
            {
                self.cut.push(tool as u32);
            }
        }
        Some((cheapest, &self.cut))
    }

    pub(super) fn find_cut(&mut self, state: &TypeSet) {
        self.mark_goal_only();
        while let Some(number) = self.stack.pop() {
            for &tool in self.yielded_by.get(number as usize) {
                let dearest = self.dearest[tool as usize];
                if self.left[tool as usize] == W::ZERO
                    && self.value_of_tool[tool as usize] != W::NEVER
                    && dearest != NOBODY
                    && self.mark[dearest as usize] == Mark::None
                {
                    self.mark[dearest as usize] = Mark::Behind;
                    self.stack.push(dearest);
                }
            }
        }
        self.cut.clear();
        state.for_each(|number| {
            self.mark[number as usize] = Mark::Before;
            self.stack.push(number);
        });
        for place in 0..self.free.len() {
            if self.value_of_tool[self.free[place] as usize] != W::NEVER {
                self.cross(self.free[place]);
            }
        }
        while let Some(number) = self.stack.pop() {
            for place in 0..self.needed_by.get(number as usize).len() {
                let tool = self.needed_by.get(number as usize)[place];
                if self.dearest[tool as usize] == number
                    && self.value_of_tool[tool as usize] != W::NEVER
                {
                    self.cross(tool);
                }
            }
        }
    }

    /// Follows a tool from before the cut. The tool is part of the cut if an output lies behind it.
    fn cross(&mut self, tool: u32) {
        let mut cuts = false;
        for &number in self.yields.get(tool as usize) {
            match self.mark[number as usize] {
                Mark::Behind => cuts = true,
                Mark::Before => {}
                Mark::None => {
                    self.mark[number as usize] = Mark::Before;
                    self.stack.push(number);
                }
            }
        }
        if cuts {
            self.cut.push(tool);
        }
    }

    /// Subtracts the amount from the tools of the cut and updates all values that decrease.
    pub(super) fn pay(&mut self, cheapest: W) {
        for place in 0..self.cut.len() {
            let tool = self.cut[place];
            self.left[tool as usize] = self.left[tool as usize] - cheapest;
            self.offer(tool, self.value_of_tool[tool as usize]);
        }
        while let Some((Reverse(value), number)) = self.queue.pop() {
            if value > self.value[number as usize] {
                continue;
            }
            for place in 0..self.needed_by.get(number as usize).len() {
                let tool = self.needed_by.get(number as usize)[place];
                if self.dearest[tool as usize] != number {
                    continue;
                }
                let mut dearest = number;
                for &need in self.needs.get(tool as usize) {
                    if self.value[need as usize] > self.value[dearest as usize] {
                        dearest = need;
                    }
                }
                self.dearest[tool as usize] = dearest;
                let now = self.value[dearest as usize];
                if now < self.value_of_tool[tool as usize] {
                    self.offer(tool, now);
                }
            }
        }
    }
}
