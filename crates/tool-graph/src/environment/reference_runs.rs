use crate::{
    environment::{episode::Episode, transcript::Transcript},
    events::scenario::Scenario,
    plans::greedy::{Greedy, GreedyRule},
};

/// The runs that an agent's run is compared with.
impl Scenario {
    /// The run that follows the optimal plan, without knowledge of future events, and plans again
    /// after each event. It is the ground truth of CostBench for a changing world.
    ///
    /// The path includes the calls that failed because of a ban. The call limit does not apply.
    ///
    /// Reference: CostBench, appendix B.2, equations 12 and 13.
    ///
    /// # Complexity
    ///
    /// [`TieRule::optimal_plan`](crate::TieRule::optimal_plan) runs at the start, at the goal, and
    /// once or twice for each event; it takes exponential time in the worst case.
    #[must_use]
    pub fn optimal_run(&self) -> Transcript {
        let mut episode = Episode::new(self);
        while let Some(plan) = episode.best_plan().filter(|plan| !plan.tools().is_empty()) {
            for &tool in plan.tools() {
                if episode.carry_out(tool).event.is_some() {
                    break;
                }
            }
        }
        episode.finish(true)
    }

    /// The run of the greedy policy ([`ToolGraph::greedy_plan`](crate::ToolGraph::greedy_plan)),
    /// which starts over after each event.
    ///
    /// It ends at the goal or when the policy finds no further call, which can happen after an event
    /// although the goal is still reachable. The call limit does not apply.
    ///
    /// Reference: CostBench, appendix B.2, equations 10 and 11.
    ///
    /// # Complexity
    ///
    /// If there are events, [`TieRule::optimal_plan`](crate::TieRule::optimal_plan) runs at the start
    /// and once or twice for each event; it takes exponential time in the worst case.
    #[must_use]
    pub fn greedy_run(&self, rule: GreedyRule) -> Transcript {
        let mut episode = Episode::new(self);
        let Some(greedy) = Greedy::new(self.graph(), self.problem()) else {
            return episode.finish(true);
        };
        let mut previous = None;
        while !episode.goal_reached() {
            let choice = greedy.choice(episode.graph(), episode.state(), previous, rule);
            let Some(tool) = choice else { break };
            let event = episode.carry_out(tool).event;
            previous = if event.is_none() { Some(tool) } else { None };
        }
        episode.finish(true)
    }
}
