use crate::{
    environment::{episode::Episode, transcript::Transcript},
    events::{environment_rules::RuleVersion, event::Event, scenario::Scenario},
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
        let mut episode = Episode::for_optimal_run(self);
        episode.follow_best_plans();
        episode.finish(true)
    }

    /// The run of the greedy policy ([`ToolGraph::greedy_plan`](crate::ToolGraph::greedy_plan)),
    /// which starts over after each event
    /// ([`EnvironmentRules::greedy_restart`](crate::EnvironmentRules::greedy_restart)).
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
            let record = episode.carry_out(tool);
            let event = record.event.map(|event| &self.events()[event]);
            previous = match (event, self.rules().greedy_restart) {
                (Some(_), RuleVersion::PaperText) | (Some(Event::PreferenceChange), _) => None,
                // A banned call has no output that the next call could need.
                (Some(Event::BanTool), RuleVersion::Released) => previous,
                _ => Some(tool),
            };
        }
        episode.finish(true)
    }
}
