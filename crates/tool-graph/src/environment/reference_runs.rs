use crate::{
    environment::{
        call_status::CallStatus, episode::Episode, optimal_plans::AllPlans, transcript::Transcript,
    },
    events::{environment_rules::RuleVersion, event::Event, scenario::Scenario},
    plans::{
        greedy::{Greedy, GreedyRule},
        tie_rule::TieRule,
    },
};

/// The runs that an agent's run is compared with.
impl Scenario {
    /// Returns the run that follows the optimal plan and plans again after each event. Its plans use no knowledge of
    /// future events. CostBench takes this run as the ground truth for a changing world.
    ///
    /// The path includes the calls that failed because of a ban. The call limit does not apply.
    ///
    /// Without events, the run represents all optimal plans: [`Transcript::scores`] compares a run with the
    /// nearest of them. On a chain, after an event, and with [`TieRule::Released`], it represents only
    /// itself. This last rule selects the single plan of the published scores.
    ///
    /// Reference: CostBench, appendix B.2, equations 12 and 13.
    ///
    /// # Complexity
    ///
    /// A search for a plan at the start, at the goal, and once or twice for each event, all together
    /// within the limit of the scenario ([`Self::with_search_steps`]).
    #[must_use]
    pub fn optimal_run(&self) -> Transcript {
        let mut episode = Episode::for_optimal_run(self);
        episode.follow_best_plans();
        let mut run = episode.finish(true);
        if run.events_fired == 0 && self.tie_rule == TieRule::FewestCalls {
            run.plans = AllPlans::of(self);
        }
        run
    }

    /// Returns the run of the greedy policy ([`ToolGraph::greedy_plan`](crate::ToolGraph::greedy_plan)). After each
    /// event, the policy starts over ([`EnvironmentRules::greedy_restart`](crate::EnvironmentRules::greedy_restart)).
    ///
    /// It ends at the goal or when the policy finds no further call. With [`GreedyRule::Chain`], the
    /// latter can happen although the goal is still reachable. The call limit does not apply.
    ///
    /// Reference: CostBench, appendix B.2, equations 10 and 11.
    ///
    /// # Complexity
    ///
    /// If there are events, as for [`Episode::new`](crate::Episode::new). Otherwise the number of calls
    /// times the number of tools.
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
            previous = match (event, self.rules.greedy_restart) {
                (Some(_), RuleVersion::PaperText) | (Some(Event::PreferenceChange), _) => None,
                // A banned call has no output that the next call could need.
                (Some(_), RuleVersion::Released) if record.status == CallStatus::Banned => previous,
                _ => Some(tool),
            };
        }
        let reached = episode.goal_reached();
        let mut run = episode.finish(reached);
        run.is_greedy = true;
        run
    }
}
