use super::{Node, STEPS_PER_TOOL, ToolSets};
use crate::searches::plan_weight::PlanWeight;

impl<W: PlanWeight> ToolSets<'_, W> {
    /// Tries plans of tools with large shares in the linear program, and of tools with small
    /// surcharges.
    pub(super) fn try_plans(&mut self, node: &Node) {
        let spare = |tool: u32| (1.0 - node.packing.share(tool)).max(0.0);
        self.try_plan(node, |tool, weight| weight * spare(tool).max(1e-3));
        self.try_plan(node, |tool, weight| weight * spare(tool).powi(4).max(1e-5));
        let left: Vec<f64> =
            self.tools().map(|tool| self.cuts.surcharge(tool).wide() as f64).collect();
        self.try_plan(node, |tool, weight| left[tool as usize] + 1e-3 * weight);
    }

    /// Tries to improve the best plan: makes one of its tools dearer and the others cheaper.
    pub(super) fn improve(&mut self, node: &Node) {
        let mut last = W::NEVER;
        while self.limit < last && !self.effort.is_spent() {
            last = self.limit;
            let plan = self.best.clone().unwrap_or_default();
            for &tool in &plan {
                for part in [0.0, 0.3] {
                    self.try_plan(node, |other, weight| match plan.contains(&other) {
                        _ if other == tool => 1e6 * weight,
                        true => part * weight,
                        false => weight,
                    });
                }
                if self.limit < last {
                    break;
                }
            }
        }
    }

    /// Finds a plan for the given costs of the tools, and keeps the plan if it is better.
    pub(super) fn try_plan(&mut self, node: &Node, seems: impl Fn(u32, f64) -> f64) {
        let cuts = &self.cuts;
        let cost = |tool: u32| match (node.is_off(tool), node.forced[tool as usize]) {
            (true, _) => f64::INFINITY,
            (_, true) => 0.0,
            _ => seems(tool, cuts.weight(tool).wide() as f64),
        };
        self.effort.spend(4 * STEPS_PER_TOOL * self.reduced.tools.len());
        let Some(mut plan) = self.plans.plan(cost, |tool| cuts.weight(tool)) else {
            return;
        };
        plan.sort_unstable();
        let weight = self.weight_of(&plan);
        let is_of_node =
            self.tools().all(|tool| !node.forced[tool as usize] || plan.contains(&tool));
        if weight < self.limit && is_of_node {
            self.limit = weight;
            self.best = Some(plan);
        } else if weight == self.limit && self.unique {
            self.unique = self.best.as_ref() == Some(&plan);
        }
    }
}
